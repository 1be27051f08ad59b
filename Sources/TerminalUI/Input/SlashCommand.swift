import Rules
import Wire

/// The commands of a chat line that begins with a slash.
enum SlashCommand: String, CaseIterable, Sendable {
    case mute, unmute, kick, again, pass

    /// `/kick NAME`.
    var usage: SafeText {
        switch self {
        case .mute, .unmute, .kick, .again: "/\(rawValue) NAME"
        case .pass: "/\(rawValue) PHRASE"
        }
    }

    var meaning: SafeText {
        switch self {
        case .mute: "hide a player's chat"
        case .unmute: "show it again"
        case .kick: "send a player away"
        case .again: "let them come back"
        case .pass: "lock your table; none opens it"
        }
    }

    /// Whether only the owner of the table may use it.
    var isOwners: Bool { self == .kick || self == .again || self == .pass }

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

/// A command of a table's owner, as typed.
enum OwnerCommand: Equatable, Sendable {
    case kick(String)
    /// Undoes it.
    case again(String)
    /// nil takes the phrase away.
    case pass(String?)

    /// The phrase that takes the phrase away: a line that was cut short must not open the table to all.
    static let noPhrase = "none"

    /// Parses `kick NAME`, `again NAME`, `pass PHRASE` or `pass none`; nil for another command, a missing name or phrase, and one that is too long.
    init?(words: some StringProtocol) {
        let parts = words.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard let word = parts.first?.lowercased() else { return nil }
        var rest = parts.dropFirst().first.map { String($0.drop { $0 == " " || $0 == "\t" }) } ?? ""
        while let last = rest.last, last == " " || last == "\t" || last == "\r" { rest.removeLast() }
        switch word {
        case "kick" where !rest.isEmpty && rest.utf8.count <= 256: self = .kick(rest)
        case "again" where !rest.isEmpty && rest.utf8.count <= 256: self = .again(rest)
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
        case .again(let name): .again(player: name)
        case .pass(let pass): .pass(pass)
        }
    }
}

/// The meaning of a key in the current state.
enum Intent: Equatable, Sendable {
    /// Sends a request.
    case send(ClientMessage)
    /// Sends a decision. Further decisions wait until the table shows its effect.
    case decide(ClientMessage)
    /// Appends a digit to the bet.
    case type(Int)
    /// Sets the bet.
    case amount(Int)
    case erase
    /// Changes the bet by a number of steps.
    case step(Int)
    /// Leaves the seat and takes it again for a new stake.
    case newStake
    /// Turns the coach on or off.
    case coach
    /// Turns the bet that is made again on or off.
    case rebet
    /// Selects another row of the settings.
    case choose(Int)
    /// Changes a setting by a number of steps.
    case change(ClientSettings.Field, Int)
    /// Shows the list of tables.
    case lobby
    case askToQuit
    /// Leaves the table and the program.
    case quit
    case show(ViewState.Panel)
    /// Sends a question and shows the panel of its answer.
    case ask(ClientMessage, ViewState.Panel)
    /// Scrolls a panel by a number of lines.
    case scroll(Int)
    /// Starts a chat line.
    case talk
    /// Begins or completes a chat line with this text.
    case complete(String)
    /// Says why a key has no effect.
    case refuse(SafeText)
    /// Appends a character to the chat line.
    case write(Unicode.Scalar)
    /// Appends pasted text to the chat line.
    case paste(String)
    /// Says that a paste is no key.
    case refusePaste
    /// Deletes the last character of the chat line.
    case rub
    /// Sends the request of a chat line with a slash.
    case command(ClientMessage)
    /// Mutes a player's chat, or unmutes it.
    case mute(MuteList.Request)
    /// Discards the chat line.
    case hush
    /// Redraws the whole screen.
    case redraw
}
