import ClientCore
import Rules
import TableModel
import Wire

/// A command typed without a screen.
enum PlainCommand: Equatable, Sendable {
    case bet(Int)
    case act(Action, amount: Int?)
    /// A seat at the table where the player is.
    case sit(seat: Int?)
    /// A seat at a table, or its view.
    case go(TableMove.Destination)
    case sitOut
    case sitIn
    case tables
    case table
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

    /// An unknown command: says what would be right.
    struct Misunderstanding: Error, Equatable, Sendable {
        var text: SafeText
    }

    /// The commands in the order of `help`.
    static let words = [
        "bet", "hit", "stand", "double", "split", "surrender", "insurance", "no", "even", "sit", "watch", "out", "in", "table",
        "tables", "lobby", "rules",
        "say", "mute", "unmute", "coach", "rebet", "history", "statement", "kick", "pass", "help", "leave", "quit",
    ]

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
        guard words.count <= 2 else {
            throw Misunderstanding(text: "A command has one word and at most one number: 'help' lists them.")
        }
        self = try Self.command(word, words.dropFirst().first)
    }

    /// The text after `say`; nil for another command.
    private static func speech(in line: String) -> String? {
        let parts = line.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard parts.first?.lowercased() == "say" else { return nil }
        let rest = parts.dropFirst().first?.drop { $0 == " " || $0 == "\t" } ?? ""
        return String(rest.last == "\r" ? rest.dropLast() : rest)
    }

    private static func command(_ word: String, _ argument: String?) throws(Misunderstanding) -> PlainCommand {
        switch word {
        case "bet", "b":
            guard let argument else {
                throw Misunderstanding(text: "Amount missing, for example 'bet 10'; 'bet 0' takes a bet back.")
            }
            return .bet(try number(argument, of: "bet"))
        case "double", "d": return .act(.double, amount: try optional(argument, of: "double"))
        case "insurance", "i": return .act(.insurance, amount: try optional(argument, of: "insurance"))
        case "sit": return .sit(seat: try optional(argument, of: "sit"))
        case "watch": throw Misunderstanding(text: "Table missing, for example 'watch main'; 'lobby' lists the tables.")
        case "mute", "unmute":
            throw Misunderstanding(text: "Name missing, for example 'mute bob'; 'unmute bob' shows their chat again.")
        case "kick": throw Misunderstanding(text: "Name missing, for example 'kick bob', at a table of your own.")
        case "pass": throw Misunderstanding(text: "A pass phrase has at most \(WireLimits.passBytes) bytes.")
        default: break
        }
        guard let command = simple(word) else {
            let near =
                word.count < 3
                ? nil
                : words.first { $0.hasPrefix(word.prefix(3)) }
                    ?? NearestWord.of(word, among: words, within: word.count > 4 ? 2 : 1)
            let hint: SafeText = near.map { " Did you mean '\($0)'?" } ?? ""
            throw Misunderstanding(
                text: "Unknown command '\(SafeText(word, columns: 20))'.\(hint) 'help' lists the commands.")
        }
        guard argument == nil else { throw Misunderstanding(text: "'\(SafeText(word, columns: 20))' takes no number.") }
        return command
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
        case "tables", "lobby": .tables
        case "table": .table
        case "rules": .rules
        case "coach", "a": .coach
        case "rebet": .rebet
        case "history": .history
        case "statement": .statement
        case "help", "?": .help
        case "leave", "quit", "exit", "q": .leave
        default: nil
        }
    }

    private static func optional(_ text: String?, of word: SafeText) throws(Misunderstanding) -> Int? {
        guard let text else { return nil }
        return try number(text, of: word)
    }

    private static func number(_ text: String, of word: SafeText) throws(Misunderstanding) -> Int {
        guard let number = Int(text), (0...WireLimits.chips).contains(number) else {
            throw Misunderstanding(text: "'\(SafeText(text, columns: 20))' is not a number to \(word).")
        }
        return number
    }

    static let explanations: [SafeText] = [
        "bet N: bet N chips on the next round; 'bet 0' takes the bet back.",
        "hit, stand, double [N], split, surrender: play your hand on your turn.",
        "insurance [N], even, no: answer when the dealer shows an ace.",
        "sit [SEAT], out, in: take a seat; sit out; play again.",
        "sit TABLE [PHRASE], watch TABLE [PHRASE]: go to another table, once your hand is over; PHRASE where it has a pass phrase.",
        "table, lobby, rules: show the table; list the tables; show the house rules.",
        "coach: turn the coach on or off; it names the best action and what the others cost, in bets.",
        "rebet: make your last bet again in each round, until your time runs out; once more stops it.",
        "say TEXT: talk to everybody at the table.",
        "mute NAME, unmute NAME: hide a player's chat; show it again.",
        "history, statement: your last hands; your balance, and what was won and lost. For players with a secret.",
        "kick NAME, pass [PHRASE]: at your own table, send a player away; set the pass phrase, or take it away.",
        "leave or quit: leave the table and the program.",
    ]
}

extension PlainCommand {
    /// The command as it is typed, without its text.
    var name: SafeText {
        switch self {
        case .bet(let amount): "bet \(amount)"
        case .act(let action, _): "\(action == .decline ? "no" : action == .evenMoney ? "even" : action.name)"
        case .sit: "sit"
        case .go(let destination): "\(destination.watches ? "watch" : "sit") \(SafeText(destination.table, columns: 32))"
        case .sitOut: "out"
        case .sitIn: "in"
        case .tables: "tables"
        case .table: "table"
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
        }
    }

    /// Answers for the player's first seat that is asked; without one the server refuses it.
    private func answer(_ action: Action, _ amount: Int?, in state: ClientState) -> ClientMessage {
        let seat = state.seats.first { state.snapshot?.choice($0) != nil }
        let turn = seat.flatMap { state.snapshot?.choice($0)?.turn }
        return .act(action, seat: seat, hand: nil, amount: amount, turn: turn)
    }

    /// The request to send; nil for local commands.
    func message(in state: ClientState) -> ClientMessage? {
        switch self {
        case .bet(let amount): .bet(amount: amount, seat: nil, round: state.snapshot?.round?.number)
        case .act(let action, let amount):
            answer(action, amount, in: state)
        case .sit(let seat): .sit(table: state.table, seat: seat)
        case .sitOut: .sitOut
        case .sitIn: .sitIn
        case .tables: .lobby(follow: nil)
        case .say(let text): .chat(text: text)
        case .history: .history
        case .statement: .statement
        case .owner(let command): command.message
        case .go, .table, .rules, .help, .leave, .mute, .coach, .rebet: nil
        }
    }
}
