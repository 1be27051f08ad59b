import Fairness
import Foundation
import Rules
import TableEngine
import TestKit
import Testing

@testable import Records

struct AuditTests {
    static func audit(_ frames: [[Record]], from state: SavedState = SavedState(house: "h")) throws -> AuditSummary {
        var auditor = try Auditor(state)
        for (number, frame) in frames.enumerated() {
            for (index, record) in frame.enumerated() {
                try auditor.audit(record, at: RecordPlace(sequence: UInt64(number + 1), line: index + 1))
            }
        }
        return try auditor.summary()
    }

    @Test func anHonestJournal_isFoundInOrder_fromItsStartAndFromAnyCheckpoint() throws {
        var total = AuditSummary()
        let seeds = Thorough.count(2, most: 40)
        var isEnough: Bool { total.rounds > 15 * seeds && total.cards > 150 * seeds && total.decisions > 15 * seeds }
        // Further houses until enough was audited.
        for seed in 0..<UInt64(20 * seeds) where seed < seeds || !isEnough {
            var house = RecordedHouse(seed: Seed.value &+ seed)
            house.run(steps: 3000)
            let frames = house.frames.map(\.records)
            let summary = try Self.audit(frames)
            total.rounds += summary.rounds
            total.cards += summary.cards
            total.decisions += summary.decisions
            #expect(summary.records == house.records.count)
            let middle = house.players.random.below(frames.count)
            let state = try ReplayTests.replayed(Array(frames[..<middle].joined()))
            let (read, _) = try ReplayTests.read(ReplayTests.checkpoint(of: state, sequence: UInt64(middle)))
            let rest = try Self.audit(Array(frames[middle...]), from: read)
            #expect(rest.rounds <= summary.rounds)
        }
        #expect(isEnough, "\(total), BJ_SEED=\(Seed.value)")
    }

    /// A lie: the record that it is planted in is the first one found wrong.
    struct Lie: Sendable, CustomStringConvertible {
        let description: String
        /// The changed facts; nil where the lie does not apply.
        let change: @Sendable ([Fact]) -> [Fact]?
    }

    static func replacing(_ name: String, _ change: @escaping @Sendable (Fact) -> Fact?) -> Lie {
        Lie(description: name) { facts in
            guard let index = facts.firstIndex(where: { change($0) != nil }), let other = change(facts[index]) else { return nil }
            var facts = facts
            facts[index] = other
            return facts
        }
    }

    /// The engine replays its own mistake and finds nothing: the payouts of the audit are not the engine's.
    @Test(arguments: [Outcome.win, .push, .blackjack, .lose, .surrender, .bust])
    func aMistakeOfTheEngineAboutAnOutcome_isFoundByTheAuditsOwnPayouts(_ outcome: Outcome) throws {
        let mistake = Self.replacing("it pays a chip more") {
            guard case .settled(let seat, let hand, outcome, let stake, let paid) = $0 else { return nil }
            return .settled(seat: seat, hand: hand, outcome, stake: stake, paid: paid + 1)
        }
        for seed in 0..<20 {
            var house = RecordedHouse(seed: Seed.value &+ UInt64(seed))
            house.run(steps: 1000)
            var (state, checks) = (SavedState(house: "h"), [String: RoundCheck]())
            for record in house.records {
                if case .opened(let name, let rules, _, _, _) = record { checks[name] = RoundCheck(name, rules) }
                if case .facts(let name, let time, let facts) = record, let before = state.tables[name] {
                    var inference = CommandInference(before.table, name, at: time, facts)
                    try inference.run()
                    let mistaken = mistake.change(facts)
                    do throws(AuditFinding.Reason) {
                        for (index, fact) in (mistaken ?? facts).enumerated() {
                            try checks[name]?.check(fact, index + 1, isVoided: inference.voided.contains(index))
                        }
                        #expect(mistaken == nil, "seed \(Seed.value), \(facts)")
                    } catch {
                        guard mistaken != nil, case .payout = error else { throw error }
                        return
                    }
                }
                try state.apply(record)
            }
        }
        Issue.record("no \(outcome) in 20 houses, BJ_SEED=\(Seed.value)")
    }

    static func dropping(_ name: String, _ isDropped: @escaping @Sendable (Fact) -> Bool) -> Lie {
        Lie(description: name) { facts in
            guard let index = facts.firstIndex(where: isDropped) else { return nil }
            var facts = facts
            facts.remove(at: index)
            return facts
        }
    }

    static let lies: [Lie] = [
        replacing("another card is dealt") {
            guard case .dealt(let id, let card, let seat, let hand) = $0 else { return nil }
            return .dealt(id, Card(code: (card.code + 1) % 52), seat: seat, hand: hand)
        },
        replacing("the dealer gets another card") {
            if case .dealtToDealer(let id, let card) = $0 { .dealtToDealer(id, Card(code: (card.code + 13) % 52)) } else { nil }
        },
        replacing("the hole card is another one") {
            if case .holeRevealed(let id, let card) = $0 { .holeRevealed(id, Card(code: (card.code + 4) % 52)) } else { nil }
        },
        Lie(description: "two cards are exchanged") { facts in
            let dealt = facts.indices.filter { if case .dealt = facts[$0] { true } else { false } }
            guard dealt.count > 1, case .dealt(let id, let card, let seat, let hand) = facts[dealt[0]],
                case .dealt(let id2, let card2, let seat2, let hand2) = facts[dealt[1]], card != card2
            else { return nil }
            var facts = facts
            facts[dealt[0]] = .dealt(id, card2, seat: seat, hand: hand)
            facts[dealt[1]] = .dealt(id2, card, seat: seat2, hand: hand2)
            return facts
        },
        replacing("a payout is off by one") {
            guard case .settled(let seat, let hand, let outcome, let stake, let paid) = $0, paid > 0 else { return nil }
            return .settled(seat: seat, hand: hand, outcome, stake: stake, paid: paid + 1)
        },
        replacing("a loss is called a push") {
            guard case .settled(let seat, let hand, .lose, let stake, _) = $0 else { return nil }
            return .settled(seat: seat, hand: hand, .push, stake: stake, paid: stake)
        },
        replacing("the insurance pays although it lost") {
            guard case .insuranceSettled(let seat, let stake, 0) = $0 else { return nil }
            return .insuranceSettled(seat: seat, stake: stake, paid: 3 * stake)
        },
        replacing("a hit becomes a double") {
            if case .hit(let seat, let hand) = $0 { .doubled(seat: seat, hand: hand, added: 500) } else { nil }
        },
        replacing("a stand becomes a surrender of nothing") {
            if case .stood(let seat, 0, .chosen) = $0 { .surrendered(seat: seat) } else { nil }
        },
        replacing("chips from nowhere") {
            guard case .sat(let id, let profile, let seat, let chips) = $0 else { return nil }
            return .sat(player: id, profile: profile, seat: seat, chips: chips + 1_000_000)
        },
        replacing("a player leaves with a chip more") {
            if case .left(let id, let chips) = $0 { .left(player: id, chips: chips + 1) } else { nil }
        },
        replacing("a bet above the maximum") {
            guard case .betPlaced(let seat, let amount) = $0, amount > 0 else { return nil }
            return .betPlaced(seat: seat, amount: amount + 495)
        },
        replacing("a shoe of another key") {
            guard case .shuffled(let shoe, .keyed(let key)) = $0 else { return nil }
            return .shuffled(shoe: shoe, source: .keyed(key.segment(1)))
        },
        Lie(description: "a key that its ceremony does not give") { facts in
            // In the record of a ceremony: at a table without them any key will do.
            guard facts.contains(where: { if case .listClosed = $0 { true } else { false } }),
                let index = facts.firstIndex(where: { if case .shoeSupplied = $0 { true } else { false } }),
                case .shoeSupplied(.keyed(let key)) = facts[index]
            else { return nil }
            var facts = facts
            facts[index] = .shoeSupplied(.keyed(key.segment(1)))
            return facts
        },
        replacing("a reveal of other bytes") {
            guard case .revealed(let player, let bytes) = $0, let other = ShoeSecret(bytes.bytes.reversed()) else { return nil }
            return .revealed(player: player, contribution: other)
        },
        dropping("a list closes in silence") { if case .listClosed = $0 { true } else { false } },
        dropping("a void attempt goes on") { if case .attemptVoided = $0 { true } else { false } },
        replacing("a time-out comes early") {
            if case .stood(let seat, let hand, .chosen) = $0 { .stood(seat: seat, hand: hand, .timedOut) } else { nil }
        },
        replacing("a turn lasts longer") {
            guard case .turnStarted(let seat, let hand, let legal, let closes) = $0 else { return nil }
            return .turnStarted(seat: seat, hand: hand, legal: legal, closes: closes.adding(milliseconds: 1))
        },
        replacing("a split is not offered") {
            guard case .turnStarted(let seat, let hand, let legal, let closes) = $0, legal.allows(.split) else { return nil }
            return .turnStarted(seat: seat, hand: hand, legal: legal.subtracting(.split), closes: closes)
        },
        dropping("the dealer does not peek") { $0 == .peeked },
        dropping("a card of a hit is missing") { if case .dealt = $0 { true } else { false } },
        dropping("a settlement is missing") { if case .settled = $0 { true } else { false } },
        dropping("the end of a round is missing") { if case .roundEnded = $0 { true } else { false } },
        dropping("a card is not burned") { if case .burned = $0 { true } else { false } },
        dropping("a player does not leave") { if case .left = $0 { true } else { false } },
    ]

    @Test(arguments: lies)
    func aPlantedLie_isFoundAtItsRecord(_ lie: Lie) throws {
        var planted = 0
        for seed in 0..<UInt64(400) where seed < 40 ? planted < 4 : planted == 0 {
            var house = RecordedHouse(seed: Seed.value &+ seed)
            house.run(steps: 1500)
            for (number, frame) in house.frames.enumerated() where planted < 4 {
                for (index, record) in frame.records.enumerated() {
                    guard case .facts(let table, let time, let facts) = record, let changed = lie.change(facts) else { continue }
                    var frames = house.frames.map(\.records)
                    frames[number][index] = .facts(table: table, time: time, changed)
                    let place = RecordPlace(sequence: UInt64(number + 1), line: index + 1)
                    do {
                        _ = try Self.audit(Array(frames[...number]))
                        // A lie at the end of a record shows when the table goes on; a leave left out, if player or seat matter again; a
                        // surrender in place of a stand, if the hand is settled.
                        let isSurrender = changed.contains { if case .surrendered = $0 { !facts.contains($0) } else { false } }
                        let isLeave = if case .left? = facts.first(where: { !changed.contains($0) }) { true } else { false }
                        if isSurrender || isLeave, (try? Self.audit(frames)) != nil { continue }
                        #expect(throws: AuditFinding.self, "\(place)") { try Self.audit(frames) }
                    } catch let finding as AuditFinding {
                        #expect(finding.place == place && !finding.description.contains("key("), "\(finding)")
                    }
                    planted += 1
                    break
                }
            }
        }
        #expect(planted > 0, "the games have no place for this lie, BJ_SEED=\(Seed.value)")
    }

    @Test func chipsOutOfThinAir_andRecordsThatAreMissing_areFound() throws {
        var house = RecordedHouse()
        var found = 0
        // Further houses until enough was found.
        for seed in 0..<UInt64(40) where found <= 10 {
            house = RecordedHouse(seed: Seed.value &+ seed)
            house.run(steps: 1500)
            let frames = house.frames.map(\.records)
            for index in stride(from: 0, to: frames.count, by: 3) {
                guard case .facts(let table, _, let facts)? = frames[index].last, facts.count > 1 else { continue }
                let later = frames[(index + 1)...].joined().flatMap { record in
                    if case .facts(table, _, let facts) = record { facts } else { [Fact]() }
                }
                var less = frames
                less.remove(at: index)
                if (try? Self.audit(less)) == nil {
                    found += 1
                } else if facts.contains(where: \.dealsACard),
                    later.prefix(while: { !$0.endsAShoe }).contains(where: \.dealsACard)
                {
                    Issue.record("frame \(index + 1) is missing, BJ_SEED=\(Seed.value &+ seed): \(facts)")
                }
            }
        }
        #expect(found > 10, "BJ_SEED=\(Seed.value)")
        var state = try ReplayTests.replayed(house.records)
        let id = try #require(state.accounts.keys.first)
        state.accounts[id]?.chips += 1
        #expect(throws: AuditFinding(place: nil, reason: .ledger(1))) { try Auditor(state) }
    }

    /// Each type that keeps cards secret says so itself, so that a new fact with one is not printed either.
    @Test(arguments: Samples.facts + Samples.ceremonies)
    func aFinding_namesAFactWithASecret_withoutItsFields(_ fact: Fact) {
        let finding = AuditFinding.Reason.unexpected(table: "t", fact: 1, expected: fact, found: fact).description
        let name = String(String(describing: fact).prefix { $0 != "(" })
        #expect(finding.contains("must be \(name), but is \(name)"))
        let isSecret = ["key\":", "seed\":", "serverSecret\":", "contribution\":"].contains { key in
            String(decoding: Record.facts(table: "t", time: 0, [fact]).encoded(), as: UTF8.self).contains(key)
        }
        #expect(finding.hasSuffix(", but is \(name).") == (isSecret || !String(describing: fact).contains("(")))
    }

    @Test func aTamperedCheckpoint_isFound_whereTheShoeIsNotThatOfItsKey() throws {
        // The first house with a table in its first segment.
        let states = (0..<UInt64(40)).lazy.map { seed in
            var house = RecordedHouse(seed: Seed.value &+ seed)
            house.run(steps: 400)
            return try? ReplayTests.replayed(house.records)
        }
        func name(in state: SavedState) -> String? {
            state.tables.first { $0.value.table.saved.core.shoe.segment == 0 && $0.value.table.round > 0 }?.key
        }
        var state = try #require(states.compactMap(\.self).first { name(in: $0) != nil })
        let name = try #require(name(in: state))
        var saved = try #require(state.tables[name]).table.saved
        let last = saved.core.shoe.order.count - 1
        let other = try #require(saved.core.shoe.order.lastIndex { $0 != saved.core.shoe.order[last] })
        saved.core.shoe.order.swapAt(last, other)
        state.tables[name]?.table = try Table(saved)
        #expect(throws: AuditFinding(place: nil, reason: .shoe(table: name, fact: 0))) { try Auditor(state) }
    }
}

extension Fact {
    /// Whether it is a card of the shoe: a history without it cannot be right where another one follows.
    fileprivate var dealsACard: Bool {
        switch self {
        case .dealt, .dealtToDealer, .holeDealt, .burned: true
        default: false
        }
    }
    fileprivate var endsAShoe: Bool {
        switch self {
        case .shuffled, .reshuffled, .closed: true
        default: false
        }
    }
}
