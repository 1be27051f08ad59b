import Foundation
import TableEngine
import TestKit
import Testing
import Wire

@testable import Records

struct ReplayTests {
    @Test func replayedRecords_giveTheHouseThatWroteThem_andTheLedgerIsAlwaysZero() throws {
        var rounds = 0
        let seeds = Thorough.count(4, most: 40)
        // Further houses until enough rounds were played: with many players a round has many steps.
        for seed in 0..<UInt64(4 * seeds) where seed < seeds || rounds <= 20 * seeds {
            var house = RecordedHouse(seed: Seed.value &+ seed)
            house.run(steps: 3000)
            var state = SavedState(house: "00112233aabbccdd")
            for (number, frame) in house.frames.enumerated() {
                for (index, record) in frame.records.enumerated() {
                    let line = record.encoded()
                    let place = RecordPlace(sequence: UInt64(number + 1), line: index + 1)
                    try line.withUnsafeBufferPointer { line throws(ReplayError) in try state.apply(line: line, at: place) }
                    #expect(state.ledger == 0, "\(place): \(record)")
                }
            }
            #expect(state.tables.mapValues(\.table) == house.tables)
            #expect(state.accounts.mapValues(\.chips) == house.chips)
            rounds += state.tables.values.reduce(state.former.rounds) { $0 + $1.table.round }
        }
        #expect(rounds > 20 * seeds, "\(rounds)")
    }

    @Test func aCheckpoint_readsBackAsItWasWritten_andEqualStatesGiveEqualBytes() throws {
        var house = RecordedHouse()
        house.run(steps: 600)
        let state = try Self.replayed(house.records)
        let bytes = Self.checkpoint(of: state, sequence: 77)
        let (read, sequence) = try Self.read(bytes)
        #expect(sequence == 77)
        #expect(read == state)
        #expect(Self.checkpoint(of: read, sequence: 77) == bytes)
        // The rest applies to both alike.
        let before = house.records.count
        house.run(steps: 500)
        var (one, other) = (state, read)
        for record in house.records.dropFirst(before) {
            try one.apply(record)
            try other.apply(record)
        }
        #expect(one == other && one.tables.mapValues(\.table) == house.tables)
    }

    /// A changed byte is found by the checksum of the journal's file: `CheckpointTests` of `Journal`.
    @Test func aCheckpointWithoutOneOfItsLines_isRefused() throws {
        var house = RecordedHouse()
        house.run(steps: 300)
        let bytes = Self.checkpoint(of: try Self.replayed(house.records), sequence: 1)
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map { Array($0) + [10] }
        for index in lines.indices {
            var cut = lines
            cut.remove(at: index)
            #expect(throws: CheckpointError.self) { try Self.read(cut.flatMap { $0 }) }
        }
    }

    /// One start in 2030: the next one goes on from the clock, and nothing waits until 2030.
    @Test func aStartWhoseClockIsBeforeTheLastRecord_keepsDistances() throws {
        var house = RecordedHouse(tables: 2)
        house.run(steps: 300)
        var state = try Self.replayed(house.records)
        let owner = try #require(state.accounts.keys.min { $0.rawValue < $1.rawValue })
        let late = state.time + 1000
        for record in [
            .issued(owner, chips: 5, reason: .rebuy, time: late), .banned(block: "192.0.2.0/24", until: late + 60_000),
            .banned(block: "198.51.100.0/24", until: nil), .sentAway(table: "x", owner: owner, PlayerID(7), until: late + 90_000),
        ] as [Record] { try state.apply(record) }
        let before = state
        let distance: Int64 = 4 * 365 * 86_400_000
        try state.apply(.started(time: late - distance, version: "2"))
        #expect(state.time == late - distance && state.ledger == 0)
        #expect(state.accounts[owner]?.lastRebuy == late - distance)
        #expect(state.bans["192.0.2.0/24"] == late - distance + 60_000 && state.bans["198.51.100.0/24"] == .some(nil))
        #expect(state.decisions["x"]?.sentAway.wait(of: PlayerID(7), at: state.time) == 90_000)
        for (name, saved) in state.tables {
            let (now, then) = (saved.table.nextEvent, before.tables[name]?.table.nextEvent)
            #expect(now?.milliseconds == then.map { $0.milliseconds - distance })
        }
        // Later times are as before.
        try state.apply(.started(time: late, version: "3"))
        #expect(state.time == late && state.bans["192.0.2.0/24"] == late - distance + 60_000)
    }

    @Test func aRecordsWallTime_isForPeople_andNotForReplay() throws {
        let lines = Record.started(time: 5, version: "1").encoded() + Record.stopped(time: 6).encoded()
        let dated = Record.dated(lines, at: 99).split(separator: UInt8(ascii: "\n")).map { Array($0) }
        let records = try dated.map { line in
            try (Record(line: line), line.withUnsafeBufferPointer { try Record(line: $0, isShown: true) })
        }
        #expect(records.map(\.0) == [.started(time: 5, version: "1"), .stopped(time: 6)])
        #expect(records.map(\.1) == [.started(time: 99, version: "1"), .stopped(time: 99)])
    }

    static func replayed(_ records: [Record]) throws -> SavedState {
        var state = SavedState(house: "00112233aabbccdd")
        for record in records { try state.apply(record) }
        return state
    }

    static func checkpoint(of state: SavedState, sequence: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        state.writeCheckpoint(sequence: sequence) { bytes += copy $0 }
        return bytes
    }

    static func read(_ bytes: [UInt8]) throws -> (state: SavedState, sequence: UInt64) {
        var reader = CheckpointReader()
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count - 1
            try bytes[start...end].withUnsafeBufferPointer { line throws(CheckpointError) in try reader.read(line) }
            start = end + 1
        }
        return try reader.finish()
    }
}
