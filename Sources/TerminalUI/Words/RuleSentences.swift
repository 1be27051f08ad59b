import ClientCore
import Rules

extension ClientState {
    /// The rules of the table shown as sentences; those that this client does not know as the server calls them.
    var ruleSentences: [String] {
        (rules ?? HouseRules()).sentences + otherRules.map { "Not known to this client: \($0.key) is \($0.value)." }
    }
}
