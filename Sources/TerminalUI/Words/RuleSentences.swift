import ClientCore
import Rules

extension ClientState {
    /// House rules as sentences; a rule unknown to this client under its wire name.
    var ruleSentences: [String] {
        (rules ?? HouseRules()).sentences + otherRules.map { "Unknown to this client: \($0.key) is \($0.value)." }
    }
}
