import Rules
import TableEngine
import TestKit
import Testing
import Wire

@testable import Records

/// A player's own past, out of a journal's lines.
struct PlayerHistoryTests {
    private func history(_ line: [UInt8]) throws -> HandHistory {
        let message = try line.dropLast().withUnsafeBufferPointer { line throws(ProtocolError) in try ServerMessage(line: line) }
        guard case .history(let history) = message else { throw RecordError.unknownType("not a history") }
        return history
    }

    private func folded(_ id: PlayerID, _ state: SavedState?, _ frames: [[Record]], from start: Int) throws -> PlayerHistory {
        var history = PlayerHistory(id, state)
        for frame in frames[start...] {
            for record in frame {
                try record.encoded().dropLast().withUnsafeBufferPointer {
                    try history.add($0, at: RecordPlace(sequence: 1, line: 1))
                }
            }
        }
        return history
    }

    @Test func theLinesThatItReads_areAllThatConcernThePlayer_alsoFromACheckpoint() throws {
        for seed in 0..<UInt64(Thorough.count(2, most: 30)) {
            var house = RecordedHouse(seed: Seed.value &+ seed)
            house.run(steps: 1500)
            let frames = house.frames.map(\.records)
            let final = try ReplayTests.replayed(house.records)
            for start in [0, frames.count / 3, frames.count - 40] {
                let state = start == 0 ? nil : try ReplayTests.replayed(Array(frames[..<start].joined()))
                var all = RoundHistory(state)
                var rounds: [PlayedRound] = []
                HistoryTests.each(frames, from: start) { record, place in all.add(record, at: place) { rounds.append($0) } }
                for id in final.accounts.keys {
                    let folded = try folded(id, state, frames, from: start)
                    let mine = rounds.compactMap { PastRound($0, of: id) }
                    let history = try history(folded.historyLines(at: 0))
                    #expect(history.rounds == mine.suffix(WireLimits.historyRounds).reversed())
                    #expect(history.isCut == (mine.count > WireLimits.historyRounds || state?.accounts[id] != nil))
                }
            }
        }
    }

    @Test func aRoundOfOthers_andOneInPlay_areNotShown() throws {
        var house = RecordedHouse(seed: Seed.value)
        house.run(steps: 400)
        let nobody = try folded(PlayerID(9_999_999), nil, house.frames.map(\.records), from: 0)
        #expect(try history(nobody.historyLines(at: 0)).rounds.isEmpty)
        let final = try ReplayTests.replayed(house.records)
        let playing = RoundHistory(final).unfinished
        for id in final.accounts.keys {
            let rounds = try history(folded(id, nil, house.frames.map(\.records), from: 0).historyLines(at: 0)).rounds
            for round in playing { #expect(!rounds.contains { $0.table == round.table && $0.round == round.number }) }
        }
    }

    /// Seven seats with four hands each.
    @Test func aLongHistory_isCut_oldestFirst_andSaysSo() throws {
        var history = PlayerHistory(PlayerID(1))
        var facts: [Fact] = []
        for seat in 1...7 {
            facts.append(.sat(player: PlayerID(1), profile: PlayerProfile(name: "ann"), seat: seat, chips: 1))
        }
        var lines: [Record] = [.facts(table: "t", time: 5, facts)]
        for round in 1...20 {
            facts = (1...7).map { .betPlaced(seat: $0, amount: 1) } + [.roundStarted(round: round)]
            let ace = Card.deck[0]
            for seat in 1...7 {
                facts += (0..<2).map { _ in .dealt(CardID(rawValue: 1), ace, seat: seat, hand: 0) }
                for new in 1...3 {
                    facts += [.split(seat: seat, hand: 0, newHand: new), .dealt(CardID(rawValue: 1), ace, seat: seat, hand: 0)]
                }
                for hand in 0..<4 {
                    facts += (0..<6).map { _ in .dealt(CardID(rawValue: 1), ace, seat: seat, hand: hand) }
                    facts.append(.settled(seat: seat, hand: hand, .lose, stake: 1, paid: 0))
                }
            }
            facts.append(.roundEnded(until: Timestamp(milliseconds: 0)))
            lines.append(.facts(table: "t", time: Int64(round), facts))
        }
        for record in lines {
            try record.encoded().dropLast().withUnsafeBufferPointer { try history.add($0, at: RecordPlace(sequence: 1, line: 1)) }
        }
        let line = history.historyLines(at: 0)
        let shown = try self.history(line)
        #expect(line.count <= WireLimits.historyBytes + 1 && shown.isCut && shown.rounds.count > 3)
        #expect(shown.rounds.map(\.round) == (0..<shown.rounds.count).map { 20 - $0 }, "newest first")
    }
}
