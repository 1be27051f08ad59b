import Fairness
import Foundation
import Rules
import TableEngine
import TableModel
import TestKit
import Testing
import Wire

@testable import Records

/// A table saved at any moment plays on as the original does.
struct SavingTests {
    /// A table written as JSON and read back.
    static func restored(_ table: Table) throws -> Table {
        let bytes = written(table)
        let restored = try read(bytes)
        #expect(written(restored) == bytes)
        return restored
    }

    static func read(_ bytes: [UInt8]) throws -> Table {
        let fields = try bytes.withUnsafeBufferPointer { bytes in
            try JSONValue.read(bytes) { value throws(JSONError) in try SavedTable.Fields.read(value) }
        }
        return try Table(fields.saved)
    }

    static func written(_ table: Table) -> [UInt8] {
        var bytes: [UInt8] = []
        let saved = SavedTable(table: table, pass: nil, opened: 0, time: 0).fields("t")
        JSONWriter.append(to: &bytes) { SavedTable.Fields.write(saved, to: &$0) }
        return bytes
    }

    @Test func aTableRestoredAtAnyMoment_playsOnWithTheSameFacts_andSoDoesOneReplayedFromItsFacts() throws {
        var players = RandomPlayers()
        var rounds = 0
        let runs = Thorough.count(7, most: 200)
        // Further houses until enough was played.
        for run in 0..<10 * runs where run < runs || rounds <= 4 * runs {
            let preset = HouseRules.presetNames[run % HouseRules.presetNames.count]
            let house = run % 2 == 0 ? players.house() : try HouseRules(preset: preset)
            var table = Table(rules: house, pace: players.pace())
            let begin = Command.beginCeremonies(table: "t")
            if run % 3 > 0 { _ = Self.outcome(begin, Timestamp(milliseconds: 0), &table) }
            // Restored every few steps, restored once at a random step, and replayed from facts alone.
            var often = table
            var once: Table?
            var replayed = table
            let start = players.random.below(400)
            var now = Timestamp(milliseconds: 0)
            for step in 0..<600 {
                let command = Self.ceremony(table, &players.random) ?? players.command(table)
                if players.random.below(4) == 0 { now = now.adding(milliseconds: players.random.below(8000)) }
                // Made for a failure alone: a command's text takes as long as a step.
                var place: String { "seed \(Seed.value), run \(run), step \(step), \(command)" }
                if players.random.below(3) == 0 { often = try Self.restored(often) }
                if step == start { once = try Self.restored(table) }
                let expected = Self.outcome(command, now, &table)
                #expect(Self.outcome(command, now, &often) == expected, "\(place)")
                if once != nil { #expect(Self.outcome(command, now, &once!) == expected, "\(place)") }
                for fact in expected.facts { #expect(throws: Never.self, "\(place), \(fact)") { try replayed.replay(fact) } }
                #expect(replayed == table && often == table, "\(place)")
                #expect(replayed.saved == table.saved && often.saved == table.saved, "\(place)")
                #expect(often.nextEvent == table.nextEvent && TableSnapshot(often) == TableSnapshot(table), "\(place)")
            }
            rounds += table.round
        }
        #expect(rounds > 4 * runs, "\(rounds)")
    }

    /// A secret where one is needed; now and then a contribution.
    static func ceremony(_ table: Table, _ random: inout SeededStream) -> Command? {
        if table.needsSecret {
            return ShoeSecret((0..<32).map { _ in UInt8(truncatingIfNeeded: random.next64()) }).map { .supplySecret($0) }
        }
        let views = table.playerViews
        guard random.below(4) == 0, !views.isEmpty, let next = table.nextShoe else { return nil }
        let player = views[random.below(views.count)]
        guard
            let mine = ShoeSecret(SHA256.hash("\(next.commitment.hex) \(player.id.rawValue)".utf8).bytes)
        else { return nil }
        if random.below(4) == 0 { return .declare(player: player.id, contributes: random.below(4) > 0) }
        if let list = table.closedList { return .reveal(player: player.id, list: list, contribution: mine) }
        let own = player.profile.name
        let commitment = mine.contribution(table: "t", shoe: next.shoe, player: own, to: next.commitment)
        return .commit(player: player.id, name: own, server: next.commitment, contribution: commitment)
    }

    struct Outcome: Equatable {
        var facts: [Fact]
        var refusal: Rejection?
    }

    static func outcome(_ command: Command, _ now: Timestamp, _ table: inout Table) -> Outcome {
        var sink = FactList()
        do {
            try table.perform(command, at: now, into: &sink)
            return Outcome(facts: sink.facts)
        } catch {
            return Outcome(facts: sink.facts, refusal: error)
        }
    }
}
