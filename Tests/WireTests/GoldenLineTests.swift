import Rules
import TableModel
import TestKit
import Testing

@testable import Wire

/// The typical messages, byte for byte as they are recorded in `Golden/lines.txt`.
struct GoldenLineTests {
    private static let hand = HandIdentifier(seat: 3, number: 1)
    private static let before: [TableEntry] = [
        .round(12), .phase(.playing), .cardsLeft(213), .clock(Clock(deadline: 1_700_000_015_000)),
        .card(9, .dealer, Card(.ace, .spades)), .card(10, .dealer, nil), .dealerTotal(.soft(11)),
        .player(3, Player(name: "Ann", chips: 975)), .bet(hand, 25), .card(7, .hand(hand), Card(.ace, .clubs)),
        .card(8, .hand(hand), Card(.six, .hearts)), .total(hand, .soft(17)),
    ]
    private static let deal: [TableEntry] = [.card(11, .hand(hand), Card(.ten, .diamonds)), .total(hand, .hard(17))]

    private static func diff(_ changes: [TableEntry]) -> String { diff(to: TableSnapshot(before + changes)) }

    private static func diff(to after: TableSnapshot) -> String {
        text(ServerMessage.diff(from: 1041, to: 1042, check: nil, TableSnapshot(before).difference(to: after)).encoded())
    }

    private static func lines() throws -> [(name: String, line: String)] {
        let second = HandIdentifier(seat: 3, number: 2)
        let requests: [(String, Request)] = [
            ("request: act", Request(id: .number(17), .act(.hit, seat: nil, hand: nil, amount: nil, turn: 1))),
            ("request: bet", Request(id: .text("b-1"), .bet(amount: 25, seat: nil, round: 0))),
            ("request: login", Request(id: .number(1), .login(name: "Ann", secret: nil, isBot: false, version: 1))),
        ]
        let refusal = Refusal(
            id: .number(17), type: "act", .rule, code: "illegal_action", message: "Not now.", legal: [.hit, .stand])
        let messages: [(String, ServerMessage)] = [
            ("ok", .ok(id: .number(17), .applied("act", at: 1042))), ("error", .error(refusal)),
            ("hello", .hello(Hello(server: "bjserver", time: 0, idleSeconds: 90))),
            ("snapshot", .snapshot(table: "main", epoch: "5eed0001", revision: 1041, TableSnapshot(before))),
        ]
        let split: [TableEntry] = [
            .total(hand, .soft(11)), .bet(second, 25), .card(8, .hand(second), Card(.six, .hearts)), .total(second, .hard(6)),
        ]
        let diffs = [
            ("a card and its total", diff(deal)),
            ("a card, its total, and what is left in the shoe", diff(deal + [.cardsLeft(212)])),
            ("the hole card is turned", diff([.card(10, .dealer, Card(.king, .hearts)), .dealerTotal(.blackjack)])),
            ("a split", diff(split)),
            ("the table is cleared", diff(to: TableSnapshot(TableSnapshot(before).cleared().entries + [.phase(.waiting)]))),
        ]
        return requests.map { ($0, text($1.encoded())) } + messages.map { ($0, text($1.encoded())) }
            + diffs.map { ("diff: \($0)", $1) }
    }

    @Test func theTypicalMessages_areAsTheyWere() throws {
        let text = try Self.lines().map { "# \($0.name), \($0.line.utf8.count) bytes\n\($0.line)" }.joined()
        try expectGolden(text, "lines.txt")
    }

    @Test func aDifferenceForACardWithItsTotal_hasAtMost120Bytes() throws {
        #expect(Self.diff(Self.deal).utf8.count <= 120)
        let line = try Self.lines().first { $0.name == "diff: a card, its total, and what is left in the shoe" }
        #expect(try #require(line).line.utf8.count <= 120)
    }

    @Test func aDifferenceThatClearsTheTable_hasAtMost80Bytes() throws {
        let line = try Self.lines().first { $0.name == "diff: the table is cleared" }
        #expect(try #require(line).line.utf8.count <= 80)
    }
}
