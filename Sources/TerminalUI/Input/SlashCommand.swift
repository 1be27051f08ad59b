import Rules

/// The commands of a chat line that begins with a slash.
enum SlashCommand: String, CaseIterable, Sendable {
    case mute, unmute, kick, pass

    /// `/kick NAME`.
    var usage: SafeText {
        switch self {
        case .mute, .unmute, .kick: "/\(rawValue) NAME"
        case .pass: "/\(rawValue) PHRASE"
        }
    }

    var meaning: SafeText {
        switch self {
        case .mute: "hide a player's chat"
        case .unmute: "show it again"
        case .kick: "send a player away"
        case .pass: "lock your table; none opens it"
        }
    }

    /// Whether only the owner of the table may use it.
    var isOwners: Bool { self == .kick || self == .pass }

    /// The first word of a line, without its slash and in lower case.
    private static func word(of line: String) -> String { String(line.dropFirst().prefix { $0 != " " }).lowercased() }

    private static func hasOperand(_ line: String) -> Bool { line.contains(" " as Character) }

    /// The commands that a line may become.
    static func matches(_ line: String) -> [SlashCommand] {
        let word = word(of: line)
        return allCases.filter { hasOperand(line) ? $0.rawValue == word : $0.rawValue.hasPrefix(word) }
    }

    /// A line with its word or its name completed; nil where there is nothing to complete.
    /// - Parameter names: of the players at the table.
    static func completion(of line: String, names: [String]) -> String? {
        guard let command = matches(line).first else { return nil }
        guard hasOperand(line) else { return "/\(command.rawValue) " }
        guard command != .pass else { return nil }
        let start = line.drop { $0 != " " }.drop { $0 == " " }.lowercased()
        guard let name = names.first(where: { $0.lowercased().hasPrefix(start) && $0.count > start.count }) else { return nil }
        return "/\(command.rawValue) \(name)"
    }

    /// Why a line is no command, and what would be.
    static func misunderstanding(of line: String) -> SafeText {
        let word = word(of: line)
        if word == SlashCommand.pass.rawValue { return OwnerCommand.passMisunderstanding(line, slash: "/") }
        if let command = SlashCommand(rawValue: word) { return "Name missing: \(command.usage)." }
        let near = matches(line).first?.rawValue ?? NearestWord.of(word, among: allCases.map(\.rawValue), within: 2)
        let hint: SafeText = near.map { " Did you mean /\(SafeText($0))?" } ?? ""
        return "There is no command /\(SafeText(word, columns: 20)).\(hint) There are \(allCases.map(\.usage).joined())."
    }
}
