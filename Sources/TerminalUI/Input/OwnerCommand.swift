import Wire

/// A command of a table's owner, as typed.
enum OwnerCommand: Equatable, Sendable {
    case kick(String)
    /// nil takes the phrase away.
    case pass(String?)

    /// The phrase that takes the phrase away: a line that was cut short must not open the table to all.
    static let noPhrase = "none"

    /// Parses `kick NAME`, `pass PHRASE` or `pass none`; nil for another command, a missing name or phrase, and one that is too long.
    init?(words: some StringProtocol) {
        let parts = words.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard let word = parts.first?.lowercased() else { return nil }
        var rest = parts.dropFirst().first.map { String($0.drop { $0 == " " || $0 == "\t" }) } ?? ""
        while let last = rest.last, last == " " || last == "\t" || last == "\r" { rest.removeLast() }
        switch word {
        case "kick" where !rest.isEmpty && rest.utf8.count <= 256: self = .kick(rest)
        case "pass" where !rest.isEmpty && rest.utf8.count <= WireLimits.passBytes:
            self = .pass(rest.lowercased() == Self.noPhrase ? nil : rest)
        default: return nil
        }
    }

    /// Why a line that begins with `pass` is no command.
    static func passMisunderstanding(_ line: some StringProtocol, slash: SafeText = "") -> SafeText {
        let isLong = line.utf8.count > WireLimits.passBytes
        let usage: SafeText = "'\(slash)pass PHRASE' locks your table, '\(slash)pass none' opens it to all."
        return isLong ? "A pass phrase has at most \(WireLimits.passBytes) bytes." : "Phrase missing: \(usage)"
    }

    var message: ClientMessage {
        switch self {
        case .kick(let name): .kick(player: name)
        case .pass(let pass): .pass(pass)
        }
    }
}
