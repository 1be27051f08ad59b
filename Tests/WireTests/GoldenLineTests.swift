import Rules
import Snapshots
import TableModel
import TestKit
import Testing

@testable import Wire

/// The typical messages, byte for byte as they are recorded in `Golden/lines.txt`.
struct GoldenLineTests {
    private static let hand = HandIdentifier(seat: 3, number: 1)
    private static let before: [(TableSection, [TableEntry])] = [
        (.table, [.round(12), .phase(.playing), .cardsLeft(213), .clock(Clock(deadline: 1_700_000_015_000))]),
        (.dealer, [.card(9, Card(.ace, .spades)), .card(10, nil), .dealerTotal(.soft(11))]),
        (.seat(3), [.player(3, Player(name: "Ann", chips: 975))]),
        (.hand(hand), [.bet(hand, 25), .card(7, Card(.ace, .clubs)), .card(8, Card(.six, .hearts)), .total(hand, .soft(17))]),
    ]

    private static func diff(_ change: (inout [(TableSection, [TableEntry])]) -> Void) throws -> String {
        var after = before
        change(&after)
        let difference = try TableSnapshot(before).difference(to: TableSnapshot(after))
        return text(ServerMessage.diff(from: 1041, to: 1042, check: nil, difference).encoded())
    }

    private static func deal(_ contents: inout [(TableSection, [TableEntry])]) {
        contents[3].1.insert(.card(11, Card(.ten, .diamonds)), at: 3)
        contents[3].1[4] = .total(hand, .hard(17))
    }

    private static func lines() throws -> [(name: String, line: String)] {
        let second = HandIdentifier(seat: 3, number: 2)
        let requests: [(String, Request)] = [
            ("request: act", Request(id: .number(17), .act(.hit, seat: nil, hand: nil, amount: nil, turn: 1))),
            ("request: bet", Request(id: .text("b-1"), .bet(amount: 25, seat: nil, round: 0))),
            ("request: login", Request(id: .number(1), .login(name: "Ann", secret: nil, isBot: false, version: 1))),
        ]
        let refusal = Refusal(id: .number(17), type: "act", code: "illegal_action", message: "Not now.", legal: [.hit, .stand])
        let messages: [(String, ServerMessage)] = [
            ("ok", .ok(id: .number(17), .applied("act", at: 1042))), ("error", .error(refusal)),
            ("hello", .hello(Hello(server: "bjserver", time: 0, idleSeconds: 90))),
            ("snapshot", .snapshot(table: "main", epoch: "5eed0001", revision: 1041, try TableSnapshot(before))),
        ]
        let diffs: [(String, (inout [(TableSection, [TableEntry])]) -> Void)] = [
            ("a card and its total", deal),
            (
                "a card, its total, and what is left in the shoe",
                { contents in
                    deal(&contents)
                    contents[0].1[2] = .cardsLeft(212)
                }
            ),
            (
                "the hole card is turned",
                { contents in
                    contents[1].1[1] = .card(10, Card(.king, .hearts))
                    contents[1].1[2] = .dealerTotal(.blackjack)
                }
            ),
            (
                "a split",
                { contents in
                    let moved = contents[3].1.remove(at: 2)
                    contents[3].1[2] = .total(hand, .soft(11))
                    contents.append((.hand(second), [.bet(second, 25), moved, .total(second, .hard(6))]))
                }
            ),
            (
                "the table is cleared",
                { contents in
                    contents[0].1[1] = .phase(.waiting)
                    contents[0].1.remove(at: 3)
                    contents[1].1 = []
                    contents.removeLast()
                }
            ),
        ]
        return requests.map { ($0, text($1.encoded())) } + messages.map { ($0, text($1.encoded())) }
            + (try diffs.map { ("diff: \($0)", try diff($1)) })
    }

    @Test func theTypicalMessages_areAsTheyWere() throws {
        let text = try Self.lines().map { "# \($0.name), \($0.line.utf8.count) bytes\n\($0.line)" }.joined()
        try expectGolden(text, "lines.txt")
    }

    @Test func aDifferenceForACardWithItsTotal_hasAtMost120Bytes() throws {
        #expect(try Self.diff(Self.deal).utf8.count <= 120)
        let line = try Self.lines().first { $0.name == "diff: a card, its total, and what is left in the shoe" }
        #expect(try #require(line).line.utf8.count <= 120)
    }

    @Test func aDifferenceThatClearsTheTable_hasAtMost80Bytes() throws {
        let line = try Self.lines().first { $0.name == "diff: the table is cleared" }
        #expect(try #require(line).line.utf8.count <= 80)
    }

    @Test func noDifference_isLargerThanItsSnapshot_inTheseCases() throws {
        let snapshot = try #require(Self.lines().first { $0.name == "snapshot" })
        for (name, line) in try Self.lines() where name.hasPrefix("diff") { #expect(line.utf8.count < snapshot.line.utf8.count) }
    }
}
