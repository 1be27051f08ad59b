import ClientCore
import Rules
import TableModel

/// The objects of the lines.
extension StateReport {
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
