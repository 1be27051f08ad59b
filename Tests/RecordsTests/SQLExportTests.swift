import Foundation
import TableEngine
import TestKit
import Testing

@testable import Records

private let sqlite = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/sqlite3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

@Suite(.ownThread)
struct SQLExportTests {
    private static func export(_ frames: [[Record]], from start: Int, _ state: SavedState?) -> [UInt8] {
        var export = SQLExport(state)
        var bytes: [UInt8] = []
        export.begin(into: &bytes)
        HistoryTests.each(frames, from: start) { record, place in export.add(record, at: place, into: &bytes) }
        export.end(into: &bytes)
        return bytes
    }

    /// The output of a query on a database that was made from statements.
    private static func query(_ statements: [UInt8], _ query: String) throws -> [[String]] {
        let process = Process()
        process.executableURL = URL(filePath: sqlite ?? "")
        process.arguments = ["-batch", "-bail", "-separator", "|"]
        let file = FileManager.default.temporaryDirectory.appending(path: "bj-\(UUID().uuidString).sql")
        try Data(statements + Array((query + "\n").utf8)).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (output, input) = (Pipe(), try FileHandle(forReadingFrom: file))
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.start()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text.prefix(500))")
        return text.split(separator: "\n").map {
            $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }
    }

    @Test(.enabled(if: sqlite != nil, "sqlite3 is not in the PATH"))
    func balancesRoundsAndTheHouse_areThoseOfTheServer_fromTheStartAndFromACheckpoint() throws {
        var house = RecordedHouse()
        house.run(steps: 2500)
        let frames = house.frames.map(\.records)
        let final = try ReplayTests.replayed(house.records)
        let owned = final.owned(RoundHistory(final).unfinished)
        for middle in [0, frames.count / 3] {
            let state = middle == 0 ? nil : try ReplayTests.replayed(Array(frames[..<middle].joined()))
            let statements = Self.export(frames, from: middle, state)
            let balances = try Self.query(
                statements, "SELECT player, balance FROM balances WHERE player IN (SELECT id FROM players);")
            var found: [PlayerID: Int] = [:]
            for row in balances where row.count == 2 { found[PlayerID(Int(row[0]) ?? 0)] = Int(row[1]) }
            #expect(found.filter { final.accounts[$0.key] != nil } == owned)
            #expect(found.filter { final.accounts[$0.key] == nil }.values.allSatisfy { $0 == 0 })
            guard middle == 0 else { continue }
            let rounds = try Self.query(statements, "SELECT COUNT(*) FROM rounds;")
            #expect(rounds.first?.first == String(try AuditTests.audit(frames).rounds))
        }
    }

    @Test(.enabled(if: sqlite != nil, "sqlite3 is not in the PATH"))
    func anAccountThatGoesAndComesBack_isOnePlayer_withTheChipsThatItBrings() throws {
        let id = PlayerID(7)
        let opened = Record.account(id, name: "ann", isBot: false, secret: nil, chips: 1000, time: 5)
        var account = AccountState(id: id, name: "anna", isBot: false, secret: nil)
        (account.serial, account.chips) = (4, 1200)
        let frames: [[Record]] = [
            [opened, .departed(id, ticket: nil, time: 6), .delivered(id, serial: 0, time: 6)],
            [.arrived(account, answers: [], time: 7)],
        ]
        let players = try Self.query(Self.export(frames, from: 0, nil), "SELECT name, balance FROM balances;")
        #expect(players == [["anna", "1200"]])
        #expect(try Self.query(Self.export([frames[0]], from: 0, nil), "SELECT balance FROM balances;") == [["0"]])
    }

    @Test func aShoeInPlay_isNeverWritten_andItsKeyIsOnceItIsOver() throws {
        var house = RecordedHouse()
        var text = ""
        var keys: [String] = []
        while keys.count < 4 {
            house.run(steps: 3000)
            text = String(decoding: Self.export(house.frames.map(\.records), from: 0, nil), as: UTF8.self)
            keys = text.matches(of: /INSERT INTO shoes .*'([0-9a-f]{64})'/).map { String($0.output.1) }
        }
        let state = try ReplayTests.replayed(house.records)
        var live: Set<String> = []
        for table in state.tables.values where table.table.phase != .closed {
            let saved = table.table.saved
            for case .keyed(let key)? in [saved.shoe.source, saved.nextSource] { live.insert(key.bytes.hex) }
        }
        #expect(!live.isEmpty && live.allSatisfy { !text.contains($0) })
        #expect(live.isDisjoint(with: keys))
    }

    @Test func text_cannotEndALiteral() {
        #expect(SQLExport.text("a'b") == "'a''b'")
        #expect(SQLExport.text("'); DROP TABLE hands;--") == "'''); DROP TABLE hands;--'")
        #expect(SQLExport.text("x\u{0}\n\u{7F}y\\") == "'x\u{FFFD}\u{FFFD}\u{FFFD}y\\'")
    }

    @Test(.enabled(if: sqlite != nil, "sqlite3 is not in the PATH"))
    func anyName_isKeptAsItIs() throws {
        let names = ["O'Hara", "'); DELETE FROM players;--", "Zoë 🂡", "\"x\"", "\\'"]
        let records = names.enumerated().map { index, name in
            Record.account(PlayerID(index + 1), name: name, isBot: false, secret: nil, chips: 5, time: 0)
        }
        let rows = try Self.query(Self.export([records], from: 0, nil), "SELECT name FROM players ORDER BY id;")
        #expect(rows.map { $0.joined(separator: "|") } == names)
    }
}
