import ClientCore
import Rules
import TableModel
import Wire

/// A command typed without a screen.
enum PlainCommand: Equatable, Sendable {
    case bet(Int)
    /// The most that chips and limits allow.
    case betMost
    case act(Action, amount: Int?)
    /// A seat at the table where the player is.
    case sit(seat: Int?)
    /// A seat at a table, or its view.
    case go(TableMove.Destination)
    case sitOut
    case sitIn
    case tables
    /// Tables whose name, players or rules have these words.
    case find([String])
    case table
    case status
    case rules
    case help
    case leave
    case say(String)
    case coach
    case rebet
    case history
    case statement
    case owner(OwnerCommand)
    case mute(MuteList.Request)
    /// Without a field all settings; without words its value; with `default` its default.
    case settings(ClientSettings.Field?, String?)

    /// An unknown command: says what would be right.
    struct Misunderstanding: Error, Equatable, Sendable {
        var text: SafeText
    }

    /// The commands in the order of `help`.
    static let words = [
        "bet", "max", "rebet", "hit", "stand", "double", "split", "surrender", "insurance", "no", "even", "sit",
        "watch", "out",
        "in", "table", "tables", "lobby", "rules", "status", "say", "mute", "unmute", "coach", "settings", "history", "hands",
        "statement",
        "balance", "kick", "again", "pass", "help", "leave", "quit", "exit",
    ]

    static let explanations: [SafeText] = [
        "bet N: bet N chips on the next round; 'bet 0' takes the bet back. 'bet max' or 'max' bets the most.",
        "rebet: make your last bet again in each round, until your time runs out; once more stops it.",
        "hit, stand, double [N], split, surrender: play your hand on your turn.",
        "insurance [N], even, no: answer when the dealer shows an ace.",
        "sit [SEAT], out, in: take a seat; sit out; play again.",
        "sit TABLE [PHRASE], watch TABLE [PHRASE]: go to another table, once your hand is over; PHRASE where it has a pass phrase.",
        "lobby [WORDS]: list the tables, or those with WORDS in name, players or rules.",
        "table, rules, status: show the table; the house rules; the connection, the shoe and its proofs.",
        "coach: turn the coach on or off; it names the action of basic strategy.",
        "say TEXT: talk to everybody at the table.",
        "mute NAME, unmute NAME: hide a player's chat; show it again.",
        "history or hands, statement or balance: your last hands; your chips, and what was won and lost.",
        "settings, settings NAME [VALUE]: list the settings, show one, or change it; the value 'default' takes it back.",
        "kick NAME, again NAME, pass PHRASE, pass none: at your own table, send a player away; let them come back; set the pass phrase; take it away.",
        "help: list these words.",
        "leave, quit or exit: leave the table and the program.",
    ]
}

extension PlainCommand {
    /// The command as it is typed, without its text.
    var name: SafeText {
        switch self {
        case .bet(let amount): "bet \(amount)"
        case .betMost: "bet max"
        case .act(let action, _): "\(action == .decline ? "no" : action == .evenMoney ? "even" : action.name)"
        case .sit: "sit"
        case .go(let destination): "\(destination.watches ? "watch" : "sit") \(SafeText(destination.table, columns: 32))"
        case .sitOut: "out"
        case .sitIn: "in"
        case .tables, .find: "lobby"
        case .table: "table"
        case .status: "status"
        case .rules: "rules"
        case .help: "help"
        case .leave: "leave"
        case .say: "say"
        case .mute: "mute"
        case .coach: "coach"
        case .rebet: "rebet"
        case .history: "history"
        case .statement: "statement"
        case .owner: "the owner's command"
        case .settings: "settings"
        }
    }

    /// Answers for the player's first seat that is asked; without one the server refuses it.
    private func answer(_ action: Action, _ amount: Int?, in state: ClientState) -> ClientMessage {
        let seat = state.seats.first { state.snapshot?.choice($0) != nil }
        return .act(action, seat: seat, hand: nil, amount: amount, turn: state.question ?? 0)
    }

    /// The request to send; nil for local commands.
    func message(in state: ClientState) -> ClientMessage? {
        switch self {
        case .bet(let amount): .bet(amount: amount, seat: nil, round: state.round)
        case .betMost: .bet(amount: state.mostBet, seat: nil, round: state.round)
        case .act(let action, let amount):
            answer(action, amount, in: state)
        case .sit(let seat): .sit(table: state.table, seat: seat)
        case .sitOut: .sitOut
        case .sitIn: .sitIn
        case .tables, .find: .lobby(follow: nil)
        case .say(let text): .chat(text: text)
        case .history: .history
        case .statement: .statement
        case .owner(let command): command.message
        case .go, .table, .status, .rules, .help, .leave, .mute, .coach, .rebet, .settings: nil
        }
    }

    // MARK: Parsing

    /// Parses a line; nil for an empty one.
    init?(line: String) throws(Misunderstanding) {
        if let text = Self.speech(in: line) {
            guard text.contains(where: { !$0.isWhitespace }) else {
                throw Misunderstanding(text: "Text missing, for example 'say good luck'.")
            }
            do throws(ProtocolError) {
                _ = try ChatText(text)
            } catch {
                throw Misunderstanding(text: "Not said: \(text.count) characters. \(error.message)")
            }
            self = .say(text)
            return
        }
        if let request = MuteList.Request(words: line) {
            self = .mute(request)
            return
        }
        if let destination = try TableMove.Destination(words: line) {
            self = .go(destination)
            return
        }
        if let command = OwnerCommand(words: line) {
            self = .owner(command)
            return
        }
        let words = line.lowercased().split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
        guard let word = words.first else { return nil }
        switch word {
        case "lobby", "tables": self = words.count == 1 ? .tables : .find(Array(words.dropFirst()))
        case "settings", "set": self = try Self.settings(line, words)
        default: self = try Self.command(word, Array(words.dropFirst()))
        }
    }

    /// The text after `say`; nil for another command.
    private static func speech(in line: String) -> String? {
        let parts = line.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard parts.first?.lowercased() == "say" else { return nil }
        let rest = parts.dropFirst().first?.drop { $0 == " " || $0 == "\t" } ?? ""
        return String(rest.last == "\r" ? rest.dropLast() : rest)
    }

    private static func command(_ word: String, _ rest: [String]) throws(Misunderstanding) -> PlainCommand {
        let argument = rest.first
        switch word {
        case "bet", "b":
            guard let argument else {
                throw Misunderstanding(
                    text: "Amount missing, for example 'bet 10'; 'bet 0' takes a bet back, 'bet max' bets the most.")
            }
            try one(rest, of: "bet")
            return argument == "max" ? .betMost : .bet(try number(argument, of: "bet"))
        case "double", "d": return .act(.double, amount: try optional(rest, of: "double"))
        case "insurance", "i": return .act(.insurance, amount: try optional(rest, of: "insurance"))
        case "sit": return .sit(seat: try optional(rest, of: "sit"))
        case "watch": throw Misunderstanding(text: "Table missing, for example 'watch main'; 'lobby' lists the tables.")
        case "mute", "unmute":
            throw Misunderstanding(text: "Name missing, for example 'mute bob'; 'unmute bob' shows their chat again.")
        case "kick": throw Misunderstanding(text: "Name missing, for example 'kick bob', at a table of your own.")
        case "again": throw Misunderstanding(text: "Name missing, for example 'again bob', at a table of your own.")
        case "pass": throw Misunderstanding(text: OwnerCommand.passMisunderstanding(rest.joined(separator: " ")))
        default: break
        }
        guard let command = simple(word) else {
            let hint: SafeText = near(word).map { " Did you mean '\($0)'?" } ?? ""
            throw Misunderstanding(
                text: "Unknown command '\(SafeText(word, columns: 20))'.\(hint) 'help' lists the commands.")
        }
        guard argument == nil else {
            throw Misunderstanding(text: "'\(SafeText(word, columns: 20))' stands alone: nothing follows it.")
        }
        return command
    }

    /// The command that a mistyped word may stand for.
    private static func near(_ word: String) -> String? {
        guard word.count >= 3 else { return nil }
        return words.first { $0.hasPrefix(word.prefix(3)) } ?? NearestWord.of(word, among: words, within: word.count > 4 ? 2 : 1)
    }

    private static func settings(_ line: String, _ words: [String]) throws(Misunderstanding) -> PlainCommand {
        guard words.count > 1 else { return .settings(nil, nil) }
        guard let field = ClientSettings.Field(rawValue: words[1]) else {
            let names = ClientSettings.Field.allCases.map(\.rawValue)
            let near = NearestWord.of(words[1], among: names, within: 2).map { " Did you mean '\($0)'?" as SafeText } ?? ""
            throw Misunderstanding(
                text: "There is no setting '\(SafeText(words[1], columns: 20))'.\(near) 'settings' lists them.")
        }
        guard words.count > 2 else { return .settings(field, nil) }
        // A name keeps its capital letters and spaces.
        let parts = line.split(maxSplits: 2, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
        let value = parts[2].split { $0 == " " || $0 == "\t" || $0 == "\r" }.joined(separator: " ")
        let given = field == .name ? value : value.lowercased()
        var settings = ClientSettings()
        do throws(ClientSettings.Misfit) {
            if given != "default" { try settings.set(field, to: given) }
        } catch {
            throw Misunderstanding(text: "'\(SafeText(given, columns: 20))' is not \(SafeText(field.expected)).")
        }
        return .settings(field, given)
    }

    private static func simple(_ word: String) -> PlainCommand? {
        switch word {
        case "hit", "h": .act(.hit, amount: nil)
        case "stand", "s": .act(.stand, amount: nil)
        case "split", "p": .act(.split, amount: nil)
        case "surrender", "u": .act(.surrender, amount: nil)
        case "no", "n": .act(.decline, amount: nil)
        case "even", "e": .act(.evenMoney, amount: nil)
        case "out": .sitOut
        case "in": .sitIn
        case "table": .table
        case "status": .status
        case "rules": .rules
        case "coach", "a": .coach
        case "max", "m": .betMost
        case "rebet": .rebet
        case "history", "hands", "y": .history
        case "statement", "balance": .statement
        case "help", "?": .help
        case "leave", "quit", "exit", "q": .leave
        default: nil
        }
    }

    private static func optional(_ rest: [String], of word: SafeText) throws(Misunderstanding) -> Int? {
        guard let text = rest.first else { return nil }
        try one(rest, of: word)
        return try number(text, of: word)
    }

    private static func one(_ rest: [String], of word: SafeText) throws(Misunderstanding) {
        guard rest.count < 2 else {
            throw Misunderstanding(text: "'\(word)' takes one number, for example '\(word) \(word == "sit" ? 3 : 10)'.")
        }
    }

    private static func number(_ text: String, of word: SafeText) throws(Misunderstanding) -> Int {
        guard let number = Int(text), (0...WireLimits.chips).contains(number) else {
            throw Misunderstanding(text: "'\(SafeText(text, columns: 20))' is not a number to \(word).")
        }
        return number
    }
}

extension ClientState {
    /// True when a table is shown and the server answers.
    var canAsk: Bool { session.link == .loggedIn && snapshot != nil && session.silentSince == nil }

    /// True while a hand of the player is in play; a bet for the next round is not.
    var isInPlay: Bool { !handsInPlay.isEmpty }

    /// The player's hands without a result, in a round that has begun.
    var handsInPlay: [HandIdentifier] {
        guard let snapshot, snapshot.round?.phase.isInPlay == true else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.filter { snapshot.result($0) == nil }
    }

    /// True when the player has chips in a bet or a hand.
    var hasStake: Bool { !stakes.isEmpty }

    /// The player's bets on hands without a result, and on those that are not dealt.
    var stakes: [Int] {
        guard let snapshot else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.compactMap { snapshot.result($0) == nil ? snapshot.bet($0) : nil }
    }

    /// The player's bets for the round that has not begun.
    var openBets: [Int] { snapshot?.round?.phase.takesBets == true ? stakes : [] }

    /// Number of the last round begun.
    var round: Int { snapshot?.round?.number ?? 0 }

    /// Number of the question on the table, to the player or to another; nil when nothing is asked. All asked at once share one.
    var question: Int? { snapshot?.seats.lazy.compactMap { snapshot?.choice($0)?.turn }.first }

    /// The highest bet that chips and limits allow; the least one where there is no table or no seat.
    var mostBet: Int {
        let rules = rules ?? HouseRules()
        let open = seat.flatMap { seat -> Int? in
            let hand = HandIdentifier(seat: seat, number: 1)
            return snapshot?.result(hand) == nil ? snapshot?.bet(hand) : nil
        }
        let chips = (player?.chips ?? 0) + (open ?? 0)
        return max(rules.minimumBet, min(rules.maximumBet, chips) / rules.betStep * rules.betStep)
    }
}
