import CommandLineKit
import Wire

/// Operands of commands about accounts.
enum AccountOperand {
    static func chips(_ text: String) throws(UsageError) -> Int {
        let limit = WireLimits.chips
        guard let chips = Int(text), chips != 0, (-limit...limit).contains(chips) else {
            throw UsageError("'\(text.prefix(40))' is not a number of chips from \(-limit) to \(limit), except 0")
        }
        return chips
    }

    static func name(_ text: String) throws(UsageError) -> PlayerName {
        do { return try PlayerName(text) } catch { throw UsageError("'\(text.prefix(40))' is not a name: \(error.message)") }
    }
}
