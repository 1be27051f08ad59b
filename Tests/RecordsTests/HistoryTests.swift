import Foundation
import Rules
import TableEngine
import TestKit
import Testing
import Wire

@testable import Records

struct HistoryTests {
    /// The records of a scripted round: each card is given.
    private static func rounds(_ facts: [[Fact]]) -> [PlayedRound] {
        var history = RoundHistory()
        var rounds: [PlayedRound] = []
        for (index, group) in facts.enumerated() {
            let place = RecordPlace(sequence: UInt64(index + 1), line: 1)
            history.add(.facts(table: "low-3", time: 1_795_356_180_000, group), at: place) { rounds.append($0) }
        }
        return rounds + history.unfinished
    }

    private static func card(_ text: String) -> Card {
        guard let card = Card(text) else { preconditionFailure(text) }
        return card
    }

    private static func id(_ number: UInt16) -> CardID { CardID(rawValue: number) }

    private static let start: [Fact] = [
        .sat(player: PlayerID(1), profile: PlayerProfile(name: "ann"), seat: 2, chips: 1000),
        .sat(player: PlayerID(2), profile: PlayerProfile(name: "bob"), seat: 5, chips: 1000), .betPlaced(seat: 2, amount: 50),
        .betPlaced(seat: 5, amount: 10), .roundStarted(round: 12), .dealt(id(0), card("AS"), seat: 2, hand: 0),
        .dealt(id(1), card("8D"), seat: 5, hand: 0), .dealtToDealer(id(2), card("TD")),
        .dealt(id(3), card("KH"), seat: 2, hand: 0), .dealt(id(4), card("8C"), seat: 5, hand: 0), .holeDealt(id(5)), .peeked,
        .settled(seat: 2, hand: 0, .blackjack, stake: 50, paid: 125),
    ]

    private static let end: [[Fact]] = [
        [.split(seat: 5, hand: 0, newHand: 1), .dealt(id(6), card("3H"), seat: 5, hand: 0)],
        [
            .doubled(seat: 5, hand: 0, added: 10), .dealt(id(7), card("TH"), seat: 5, hand: 0),
            .dealt(id(8), card("7H"), seat: 5, hand: 1),
        ],
        [.hit(seat: 5, hand: 1), .dealt(id(9), card("TS"), seat: 5, hand: 1)],
        [
            .holeRevealed(id(5), card("7C")), .settled(seat: 5, hand: 0, .win, stake: 20, paid: 40),
            .settled(seat: 5, hand: 1, .bust, stake: 10, paid: 0), .roundEnded(until: Timestamp(milliseconds: 0)),
        ],
    ]

    @Test func aRound_readsAsPeopleTellIt() {
        let rounds = Self.rounds([Self.start] + Self.end)
        #expect(
            rounds.map(\.description) == [
                """
                round 12 at low-3, 2026-11-22 14:03 UTC
                  ann (seat 2) bets 50: A♠ K♥, blackjack, +75
                  bob (seat 5) bets 10: 8♦ 3♥, splits, doubles for 10 10♥, wins with 21, +20; 8♣ 7♥, hits 10♠, busts, -10; in all +10
                  dealer: 10♦ 7♣, 17
                """
            ])
    }

    @Test func aRoundInPlay_doesNotShowTheHoleCard() throws {
        let round = try #require(Self.rounds([Self.start, Self.end[0]]).first)
        #expect(
            round.description == """
                round 12 at low-3, 2026-11-22 14:03 UTC, in play
                  ann (seat 2) bets 50: A♠ K♥, blackjack, +75
                  bob (seat 5) bets 10: 8♦ 3♥, splits, open; 8♣, open
                  dealer: 10♦ ??
                """)
        var bytes: [UInt8] = []
        round.encode(into: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""dealer":["TD","??"]"#))
    }

    @Test func aVoidedRound_saysSo() {
        let void: [Fact] = [
            .settled(seat: 5, hand: 0, .push, stake: 10, paid: 10), .roundEnded(until: Timestamp(milliseconds: 0)),
        ]
        #expect(Self.rounds([Self.start, void]).map(\.isVoided) == [true])
    }

    @Test func everyRoundOfAHouse_isTold_withTheNetsOfItsPlayers() throws {
        for seed in 0..<UInt64(Thorough.count(3, most: 30)) {
            var house = RecordedHouse(seed: Seed.value &+ seed)
            house.run(steps: 2500)
            let frames = house.frames.map(\.records)
            let middle = house.players.random.below(frames.count)
            let state = try ReplayTests.replayed(Array(frames[..<middle].joined()))
            for (start, from) in [(nil, 0), (state, middle)] as [(SavedState?, Int)] {
                var history = RoundHistory(start)
                var rounds: [PlayedRound] = []
                Self.each(frames, from: from) { record, place in history.add(record, at: place) { rounds.append($0) } }
                let summary = try AuditTests.audit(Array(frames[from...]), from: start ?? SavedState(house: "h"))
                #expect(rounds.count == summary.rounds)
                for round in rounds {
                    var bytes: [UInt8] = []
                    round.encode(into: &bytes)
                    #expect(try JSONSerialization.jsonObject(with: Data(bytes)) is [String: Any])
                    #expect(!round.description.isEmpty && round.seats.allSatisfy { !$0.hands.contains { $0.settlement == nil } })
                    // A hole card that was not shown is a sign of a voided round.
                    #expect(!round.holeIsHidden || round.isVoided)
                }
            }
        }
    }

    static func each(_ frames: [[Record]], from start: Int, _ body: (Record, RecordPlace) -> Void) {
        for (number, frame) in frames.enumerated().dropFirst(start) {
            for (index, record) in frame.enumerated() {
                body(record, RecordPlace(sequence: UInt64(number + 1), line: index + 1))
            }
        }
    }

    @Test func times_areThoseOfTheCalendar() {
        #expect(UniversalTime.text(0) == "1970-01-01 00:00:00")
        #expect(UniversalTime.text(951_827_696_000) == "2000-02-29 12:34:56")
        #expect(UniversalTime.text(1_709_164_799_999) == "2024-02-28 23:59:59")
        #expect(UniversalTime.text(4_107_542_400_000) == "2100-03-01 00:00:00")
        #expect(UniversalTime.text(.max).count == 19 && UniversalTime.text(.min).count == 19)
    }

    @Test func corruptFacts_makeOddHistories_neverATrap() throws {
        let samples = Samples.facts + Samples.ceremonies
        var random = SeededGenerator()
        var (history, own) = (RoundHistory(), PlayerHistory(PlayerID(1)))
        var bytes: [UInt8] = []
        let place = RecordPlace(sequence: 1, line: 1)
        for run in 0..<Thorough.count(3000, most: 100_000) {
            let facts = (0..<10).map { _ in samples[random.below(samples.count)] }
            let record = Record.facts(table: "t", time: 5, facts)
            history.add(record, at: place) { _ = ($0.description, $0.encode(into: &bytes)) }
            _ = history.unfinished.map(\.description)
            bytes.removeAll()
            guard run % 6 == 0 else { continue }
            try record.encoded().dropLast().withUnsafeBufferPointer { try own.add($0, at: place) }
            _ = own.historyLines(at: 0)
        }
    }
}
