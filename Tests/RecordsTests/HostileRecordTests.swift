import Foundation
import TableEngine
import TableModel
import TestKit
import Testing

@testable import Records

/// Corrupt journals: numbers changed, records dropped, repeated and exchanged. An error or another state, never a trap.
struct HostileRecordTests {
    private var random = SeededGenerator()
    private let numbers = [0, 1, 2, 3, 4, 5, 7, 8, 20, 21, 52, 415, 65_535, 1 << 40, 1 << 53, 1 << 60, Int.max]

    @Test mutating func aCorruptRecord_isAnErrorWithItsPlace_neverATrap() throws {
        var house = RecordedHouse(tables: 2)
        house.run(steps: 500)
        let lines = house.records.map { $0.encoded() }
        var errors = 0
        let runs = Thorough.count(60, most: 3000)
        for _ in 0..<runs {
            var changed = lines
            for _ in 0...random.below(3) { corrupt(&changed) }
            if !replays(changed) { errors += 1 }
        }
        // About half of them; far fewer would say that nothing was changed.
        #expect(errors > runs / 6, "\(errors)")
    }

    private mutating func corrupt(_ lines: inout [[UInt8]]) {
        let index = random.below(lines.count)
        switch random.below(8) {
        case 0: lines.remove(at: index)
        case 1: lines.insert(lines[index], at: random.below(lines.count))
        case 2: lines.swapAt(index, random.below(lines.count))
        case 3: lines[index] = mixedFacts(lines[index])
        default: lines[index] = changedNumber(lines[index])
        }
    }

    /// Another order of the facts, or one of them dropped.
    private mutating func mixedFacts(_ line: [UInt8]) -> [UInt8] {
        guard case .facts(let table, let time, var facts)? = try? Record(line: line), facts.count > 1 else { return line }
        if random.below(2) == 0 {
            facts.swapAt(random.below(facts.count), random.below(facts.count))
        } else {
            facts.remove(at: random.below(facts.count))
        }
        return Record.facts(table: table, time: time, facts).encoded()
    }

    private mutating func changedNumber(_ line: [UInt8]) -> [UInt8] {
        let text = String(decoding: line, as: UTF8.self)
        let matches = text.matches(of: /:(-?\d+)/)
        guard !matches.isEmpty else { return line }
        let match = matches[random.below(matches.count)]
        let old = Int(match.output.1) ?? 0
        let new = random.below(3) == 0 ? old &+ random.below(5) - 2 : numbers[random.below(numbers.count)]
        return Array(text.replacingCharacters(in: match.output.1.startIndex..<match.output.1.endIndex, with: "\(new)").utf8)
    }

    /// Replays to the end, or to the first error; then uses each table in every way.
    private mutating func replays(_ lines: [[UInt8]]) -> Bool {
        var state = SavedState(house: "h")
        for (index, line) in lines.enumerated() {
            let place = RecordPlace(sequence: 1, line: index + 1)
            let result = line.withUnsafeBufferPointer { line in
                Result { () throws(ReplayError) in try state.apply(line: line, at: place) }
            }
            guard case .failure(let error) = result else {
                #expect(state.ledger == 0 || index % 50 != 0)
                continue
            }
            #expect(error.place == place && "\(error)".contains("line \(index + 1)"))
            use(state)
            return false
        }
        use(state)
        return true
    }

    /// No state that records gave traps when it is shown, saved, restored and played on.
    private mutating func use(_ state: SavedState) {
        var players = RandomPlayers(seed: random.next())
        for saved in state.tables.sorted(by: { $0.key < $1.key }).map(\.value) {
            var table = saved.table
            _ = TableSnapshot(table)
            _ = try? SavingTests.restored(table)
            var now = Timestamp(milliseconds: saved.time)
            for _ in 0..<60 {
                now = now.adding(milliseconds: players.random.below(20_000))
                _ = SavingTests.outcome(players.command(table), now, &table)
                for seat in 1...table.rules.seats { _ = table.legalActions(seat: seat) }
            }
        }
    }

    @Test mutating func aSavedTableWithChangedNumbers_isRefused_orPlaysOn() throws {
        var house = RecordedHouse(tables: 3)
        for _ in 0..<Thorough.count(20, most: 400) {
            house.run(steps: 20)
            let state = try ReplayTests.replayed(house.records)
            for table in state.tables.sorted(by: { $0.key < $1.key }).map(\.value.table) {
                for _ in 0..<10 {
                    guard let restored = try? SavingTests.read(changedNumber(SavingTests.written(table))) else { continue }
                    var other = SavedState(house: "h")
                    other.tables["t"] = SavedTable(table: restored, pass: nil, opened: 0, time: house.now)
                    use(other)
                }
            }
        }
    }
}
