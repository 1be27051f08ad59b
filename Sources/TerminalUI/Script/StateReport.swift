import ClientCore
import ClientSession
import Foundation
import Rules
import TableModel
import Wire

/// Lines of JSON for programs: events in words, the table, the link, the end. Pure; ASCII only. See ``JSONLines``.
enum StateReport {
    static var hello: String { line(Hello()) }

    /// `{"type":"event","event":"dealer","text":"The dealer draws 5."}`.
    static func event(_ sentence: Sentence) -> String {
        line(Event(event: "\(sentence.kind)", text: sentence.text.text))
    }

    /// The table as a whole; nil without one.
    static func table(_ state: ClientState) -> String? {
        guard let snapshot = state.snapshot, let table = state.table else { return nil }
        return line(Table(state, snapshot, table))
    }

    static func link(_ state: ClientState) -> String {
        let (word, reason): (String, String?) =
            switch state.link {
            case .connecting: ("connecting", nil)
            case .connected: ("connected", nil)
            case .loggedIn: ("loggedIn", nil)
            case .lost(let failure): ("lost", failure.description)
            case .ended(let reason): ("ended", "\(reason)")
            }
        let isSilent = state.silentSince == nil ? nil : true
        return line(Link(link: word, reason: reason, player: state.login?.name, silent: isSilent))
    }

    static func lobby(_ tables: [TableSummary]) -> String { line(Lobby(tables: tables.map { Lobby.Table($0) })) }

    /// A verdict on a shoe; nil for any other finding.
    static func shoe(_ finding: ShoeFinding) -> String? {
        switch finding {
        case .verified(let report): line(Shoe(report, "verified"))
        case .unproven(let report, let reason): line(Shoe(report, "unproven", "\(reason)"))
        case .failed(let report, let fault): line(Shoe(report, "dishonest", fault.description))
        case .evidence, .noCeremonies, .voided, .notIncluded, .seatLost, .namedUnanswered, .namedAfterRefusal, .revealTooSlow,
            .leftOpen, .rejectedOften:
            nil
        }
    }

    /// The outcome of a command.
    /// - Parameter revision: the first revision of the table with its effect.
    static func command(_ name: SafeText, revision: Int? = nil, _ refusal: Refusal? = nil) -> String {
        line(Command(command: name.text, done: refusal == nil, revision: revision, code: refusal?.code))
    }

    static func end(_ ending: TableSession.Ending) -> String {
        let summary = ending.summaries.isEmpty ? nil : ending.summaries.map(\.text).joined(separator: " ")
        return line(End(status: Int(ending.status), reason: ending.reason?.text, summary: summary))
    }

    /// A message of the protocol, as it came.
    static func message(_ message: ServerMessage) -> String {
        bounded(escaped(String(decoding: message.encoded().prefix { $0 != 0x0A }, as: UTF8.self)) + "\n")
    }

    static func line(_ form: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and numbers always encode.
        guard let data = try? encoder.encode(form) else { preconditionFailure("texts and numbers always encode") }
        return bounded(escaped(String(decoding: data, as: UTF8.self)) + "\n")
    }

    /// A line that no honest server makes necessary says only that it is left out.
    private static func bounded(_ line: String) -> String {
        line.utf8.count <= JSONLines.longest ? line : "{\"type\":\"skipped\",\"bytes\":\(line.utf8.count)}\n"
    }

    /// A terminal that shows the lines gets no character beyond ASCII, of which some are controls.
    private static func escaped(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 >= 0x7F }) else { return json }
        var text = ""
        for unit in json.utf16 {
            if unit < 0x7F {
                text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                text += "\\u" + unit.hexadecimal(digits: 4)
            }
        }
        return text
    }

    // MARK: Forms

    // The objects of the lines.

    struct Hello: Encodable {
        var type = "hello"
        var version = JSONLines.version
    }

    struct Event: Encodable {
        var type = "event"
        let event: String
        let text: String
    }

    struct Link: Encodable {
        var type = "link"
        let link: String
        let reason: String?
        let player: String?
        let silent: Bool?
    }

    struct Command: Encodable {
        var type = "command"
        let command: String
        let done: Bool
        let revision: Int?
        let code: String?
    }

    struct End: Encodable {
        var type = "end"
        let status: Int
        let reason: String?
        let summary: String?
    }

    struct Table: Encodable {
        var type = "table"
        let table: String
        let revision: Int
        let phase: String
        let round: Int
        /// Milliseconds since 1970 on the server's clock.
        let deadline: Int64?
        let seats: [Int]
        let cardsLeft: Int?
        let shoe: ShoeState?
        let rules: Rules?
        let closing: Closing?
        let turn: Turn?
        let dealer: Dealer
        let players: [Seat]
        let hands: [Hand]
        let question: Question?
    }

    struct Dealer: Encodable {
        /// `??` for a face-down card.
        let cards: [String]
        let total: String?
    }

    struct Seat: Encodable {
        let seat: Int
        let name: String
        let chips: Int
        let presence: String
        let bot: Bool
        let asked: Bool
        let insurance: Int?
    }

    struct ShoeState: Encodable {
        let number: Int
        let decks: Int
        let behindCutCard: Int
        /// The digest of the order in play, where the shuffle is provable.
        let order: String?
    }

    struct Closing: Encodable {
        /// `table` or `server`.
        let cause: String
        let reason: String?
        let deadline: Int64?
    }

    struct Turn: Encodable {
        let seat: Int
        let hand: Int
    }

    /// House rules by key, as in a rules file.
    struct Rules: Encodable {
        let values: [(String, RuleValue)]

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            for (key, value) in values {
                switch value {
                case .text(let text), .other(let text): try fields.encode(text, forKey: Key(stringValue: key))
                case .integer(let number): try fields.encode(number, forKey: Key(stringValue: key))
                case .number(let number): try fields.encode(number, forKey: Key(stringValue: key))
                case .flag(let flag): try fields.encode(flag, forKey: Key(stringValue: key))
                }
            }
        }

        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }

    struct Shoe: Encodable {
        var type = "shoe"
        let table: String
        let shoe: Int
        /// `verified`, `unproven` or `dishonest`.
        let verdict: String
        let reason: String?
        let seen: Int
        let total: Int
        let included: Bool
    }

    struct Lobby: Encodable {
        var type = "lobby"
        let tables: [Table]

        struct Table: Encodable {
            let table: String
            let seats: Int
            let freeSeats: Int
            let players: [String]
            let watchers: Int
            let rules: Rules
            let locked: Bool
            let closing: Bool
            let owner: String?
        }
    }

    struct Hand: Encodable {
        let seat: Int
        let hand: Int
        let bet: Int?
        let cards: [String]
        let total: String?
        let result: String?
        let net: Int?
    }

    struct Question: Encodable {
        let seat: Int
        let hand: Int
        /// Words of the commands that answer, with their cost in chips.
        let legal: [String: Int]
    }
}

extension StateReport.Table {
    init(_ state: ClientState, _ snapshot: TableSnapshot, _ table: String) {
        self.table = table
        revision = state.revision
        phase = snapshot.phase?.rawValue ?? "waiting"
        round = snapshot.round?.number ?? 0
        deadline = snapshot.clock?.deadline
        seats = state.seats
        cardsLeft = snapshot.cardsLeft
        shoe = snapshot.shoe.map {
            .init(
                number: $0.number, decks: $0.decks, behindCutCard: $0.behindCutCard, order: snapshot.fairShoe?.order.hex)
        }
        rules = state.rules.map { .init(values: $0.fieldValues) }
        closing = snapshot.closing.map {
            .init(cause: $0.cause.rawValue, reason: $0.reason.isEmpty ? nil : $0.reason, deadline: $0.deadline)
        }
        turn = snapshot.activeHand.map { .init(seat: $0.seat, hand: $0.number) }
        dealer = .init(cards: snapshot.cards(in: .dealer).map(Self.text), total: snapshot.dealerTotal?.text)
        players = snapshot.seats.compactMap { seat in
            snapshot.player(seat).map { player in
                .init(
                    seat: seat, name: player.name, chips: player.chips, presence: "\(player.presence)", bot: player.isBot,
                    asked: snapshot.isAsked(seat), insurance: snapshot.insurance(seat))
            }
        }
        hands = snapshot.hands.map { hand in
            let result = snapshot.result(hand)
            return .init(
                seat: hand.seat, hand: hand.number, bet: snapshot.bet(hand),
                cards: snapshot.cards(in: .hand(hand)).map(Self.text), total: snapshot.total(hand)?.text,
                result: result?.outcome.name, net: result?.net)
        }
        question = state.seats.lazy.compactMap { seat in snapshot.choice(seat).map { (seat, $0) } }.first.map { seat, choice in
            let legal = choice.options.map { ($0.action.word, $0.cost) }
            return .init(seat: seat, hand: choice.hand, legal: Dictionary(legal) { first, _ in first })
        }
    }

    private static func text(_ card: Card?) -> String { card?.description ?? "??" }
}

extension Action {
    /// The word of the command.
    var word: String { PlainCommand.act(self, amount: nil).name.text }
}

extension StateReport.Shoe {
    init(_ report: ShoeReport, _ verdict: String, _ reason: String? = nil) {
        (table, shoe, self.verdict, self.reason) = (report.table, report.shoe, verdict, reason)
        (seen, total, included) = (report.seen, report.total, report.isIncluded)
    }
}

extension StateReport.Lobby.Table {
    init(_ summary: TableSummary) {
        (table, seats, freeSeats) = (summary.name, summary.seats, summary.freeSeats)
        (players, watchers) = (summary.players, summary.watchers)
        rules = .init(values: summary.rules.fieldValues)
        (locked, closing, owner) = (summary.isLocked, summary.isClosing, summary.owner)
    }
}

/// The lines that a session prints for programs: a contract with their authors. Members may be added; a change of a member or of its meaning
/// raises ``version``.
public enum JSONLines {
    /// In the first line.
    public static let version = 1

    /// Bytes of a line at most, its end included. A longer one is replaced by `skipped`.
    public static let longest = 1 << 22

    /// Each `type`, with its members.
    public static let types: [Script.Name] = [
        ("hello", "The first line: version, 1."),
        (
            "link",
            "The connection: link (connecting, connected, loggedIn, lost or ended), reason, player (the name), and silent where the "
                + "server does not answer."
        ),
        ("event", "A sentence: event (its kind) and text. Everything that --plain prints."),
        (
            "table",
            "The table as a whole, after each change: table (its name), revision, phase, round, deadline (milliseconds since 1970), "
                + "rules, shoe (number, decks, behindCutCard, order) and cardsLeft, dealer (cards and total), players (seat, name, "
                + "chips, presence, bot, asked, insurance), hands (seat, hand, bet, cards, total, result, net), turn (seat and hand), "
                + "closing (cause, reason, deadline), seats (your own), and while you are asked question (seat, hand, and legal: the "
                + "words of commands with their cost)."
        ),
        ("lobby", "The answer to 'lobby': tables (table, seats, freeSeats, players, watchers, rules, locked, closing, owner)."),
        ("chat", "A line of chat, as in Protocol.md: name, text, time, seq. Muted players are left out."),
        (
            "notice",
            "The host speaks, or the host or a table's owner removes a player, as in Protocol.md: kind, name, reason, by, time."
        ),
        ("history", "The answer to 'history', as in Protocol.md: rounds, since, cut."),
        ("statement", "The answer to 'statement', as in Protocol.md: balance, issued, days, issues, since, cut."),
        ("shoe", "A shoe is over: table, shoe, verdict (verified, unproven or dishonest), reason, seen, total, included."),
        (
            "command",
            "The server's answer to a command: command, done (true or false), revision (the table's with its effect), and code, "
                + "of Protocol.md, where it was refused."
        ),
        ("error", "A refusal, as in Protocol.md: code, message, legal, retryAfter."),
        ("bye", "The server ends the connection, as in Protocol.md: code and message."),
        ("skipped", "A line that would be longer than the limit: bytes. No honest server is the cause."),
        ("end", "The last line: status (the exit status), reason, and summary: the session in words."),
    ]
}
