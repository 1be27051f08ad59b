import Wire

/// A command of a table's owner, as typed.
enum OwnerCommand: Equatable, Sendable {
    case kick(String)
    /// nil takes the phrase away.
    case pass(String?)

    /// Parses `kick NAME`, `pass PHRASE` or `pass`; nil for another command, a missing name and a phrase that is too long.
    init?(words: some StringProtocol) {
        let parts = words.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard let word = parts.first?.lowercased() else { return nil }
        var rest = parts.dropFirst().first.map { String($0.drop { $0 == " " || $0 == "\t" }) } ?? ""
        while let last = rest.last, last == " " || last == "\t" || last == "\r" { rest.removeLast() }
        switch word {
        case "kick" where !rest.isEmpty && rest.utf8.count <= 256: self = .kick(rest)
        case "pass" where rest.utf8.count <= WireLimits.passBytes: self = .pass(rest.isEmpty ? nil : rest)
        default: return nil
        }
    }

    var message: ClientMessage {
        switch self {
        case .kick(let name): .kick(player: name)
        case .pass(let pass): .pass(pass)
        }
    }
}
