import ClientCore
import Rules
import TableModel
import Wire

/// A command typed without a screen.
enum PlainCommand: Equatable, Sendable {
    case bet(Int)
    /// The most that chips and limits allow.
    case betMost
    /// The last bet, once more.
    case betAgain
    case act(Action, amount: Int?)
    /// A seat at the table where the player is.
    case sit(seat: Int?)
    /// A seat at a table, or its view.
    case go(TableMove.Destination)
    case sitOut
    case sitIn
    case tables
    /// Tables by a filter or in another order.
    case find(TableQuery)
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
        "bet", "max", "repeat", "rebet", "hit", "stand", "double", "split", "surrender", "insurance", "no", "even", "sit",
        "watch", "out",
        "in", "table", "tables", "lobby", "rules", "status", "say", "mute", "unmute", "coach", "settings", "history", "hands",
        "statement",
        "balance", "kick", "pass", "help", "leave", "quit", "exit",
    ]

    static let explanations: [SafeText] = [
        "bet N: bet N chips on the next round; 'bet 0' takes the bet back. 'bet max' or 'max' bets the most, 'repeat' your last bet.",
        "rebet: make your last bet again in each round, until your time runs out; once more stops it.",
        "hit, stand, double [N], split, surrender: play your hand on your turn.",
        "insurance [N], even, no: answer when the dealer shows an ace.",
        "sit [SEAT], out, in: take a seat; sit out; play again.",
        "sit TABLE [PHRASE], watch TABLE [PHRASE]: go to another table, once your hand is over; PHRASE where it has a pass phrase.",
        "lobby [WORDS], lobby by ORDER: list the tables, those with WORDS in name, players or rules; ORDER is \(TableQuery.orders).",
        "table, rules, status: show the table; the house rules; the connection, the shoe and its proofs.",
        "coach: turn the coach on or off; it names the best action and what the others cost, in bets.",
        "say TEXT: talk to everybody at the table.",
        "mute NAME, unmute NAME: hide a player's chat; show it again.",
        "history or hands, statement or balance: your last hands; your chips, and what was won and lost.",
        "settings, settings NAME [VALUE]: list the settings, show one, or change it; the value 'default' takes it back.",
        "kick NAME, pass PHRASE, pass none: at your own table, send a player away; set the pass phrase; take it away.",
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
        case .betAgain: "repeat"
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
        let turn = seat.flatMap { state.snapshot?.choice($0)?.turn }
        return .act(action, seat: seat, hand: nil, amount: amount, turn: turn)
    }

    /// The request to send; nil for local commands.
    func message(in state: ClientState) -> ClientMessage? {
        switch self {
        case .bet(let amount): .bet(amount: amount, seat: nil, round: state.snapshot?.round?.number)
        case .betMost: .bet(amount: state.mostBet, seat: nil, round: state.snapshot?.round?.number)
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
        case .betAgain, .go, .table, .status, .rules, .help, .leave, .mute, .coach, .rebet, .settings: nil
        }
    }
}

extension ClientState {
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
