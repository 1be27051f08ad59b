import ClientCore
import ClientSession
import Foundation
import Rules
import TableModel

/// Lines of JSON for programs: events in words, the table, the link, the end. Pure; ASCII only.
enum StateReport {
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
        return line(Link(link: word, reason: reason, player: state.login?.name))
    }

    static func end(_ ending: TableSession.Ending) -> String {
        let summary = ending.summaries.isEmpty ? nil : ending.summaries.map(\.text).joined(separator: " ")
        return line(End(status: Int(ending.status), reason: ending.reason?.text, summary: summary))
    }

    // MARK: Forms

    fileprivate struct Event: Encodable {
        var type = "event"
        let event: String
        let text: String
    }

    fileprivate struct Link: Encodable {
        var type = "link"
        let link: String
        let reason: String?
        let player: String?
    }

    fileprivate struct End: Encodable {
        var type = "end"
        let status: Int
        let reason: String?
        let summary: String?
    }

    fileprivate struct Table: Encodable {
        var type = "table"
        let table: String
        let revision: Int
        let phase: String
        let round: Int
        /// Milliseconds since 1970 on the server's clock.
        let deadline: Int64?
        let seats: [Int]
        let cardsLeft: Int?
        let dealer: Dealer
        let players: [Seat]
        let hands: [Hand]
        let question: Question?
    }

    fileprivate struct Dealer: Encodable {
        /// `??` for a face-down card.
        let cards: [String]
        let total: String?
    }

    fileprivate struct Seat: Encodable {
        let seat: Int
        let name: String
        let chips: Int
        let presence: String
        let bot: Bool
        let insurance: Int?
    }

    fileprivate struct Hand: Encodable {
        let seat: Int
        let hand: Int
        let bet: Int?
        let cards: [String]
        let total: String?
        let result: String?
        let net: Int?
    }

    fileprivate struct Question: Encodable {
        let seat: Int
        let hand: Int
        /// Words of the commands that answer, with their cost in chips.
        let legal: [String: Int]
    }

    private static func line(_ form: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and numbers always encode.
        guard let data = try? encoder.encode(form) else { preconditionFailure("texts and numbers always encode") }
        return escaped(String(decoding: data, as: UTF8.self)) + "\n"
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
}

extension StateReport.Table {
    fileprivate init(_ state: ClientState, _ snapshot: TableSnapshot, _ table: String) {
        self.table = table
        revision = state.revision
        phase = snapshot.phase?.rawValue ?? "waiting"
        round = snapshot.round?.number ?? 0
        deadline = snapshot.clock?.deadline
        seats = state.seats
        cardsLeft = snapshot.cardsLeft
        dealer = .init(cards: snapshot.cards(in: .dealer).map(Self.text), total: snapshot.dealerTotal?.text)
        players = snapshot.seats.compactMap { seat in
            snapshot.player(seat).map { player in
                .init(
                    seat: seat, name: player.name, chips: player.chips, presence: "\(player.presence)", bot: player.isBot,
                    insurance: snapshot.insurance(seat))
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
