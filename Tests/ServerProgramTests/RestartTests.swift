import Foundation
import Journal
import TestKit
import Testing

/// SIGTERM on a server with a data folder: a planned restart costs nobody a seat or a hand.
@Suite(.ownThread) struct RestartTests {
    private let scratch = DataScratch()

    /// Ann has bet and is asked; the seed's cards let her decide.
    private func asked(_ server: DataServer) throws -> (peer: RawPeer, question: String) {
        let ann = try server.bettor("ann")
        return (ann, try #require(ann.line(with: #""actions""#)))
    }

    private func turn(in line: String) -> Substring? { line.firstMatch(of: /"turn":(\d+)/)?.output.1 }

    @Test func aRestartInMidHand_saysSo_andTheSameHandGoesOn() throws {
        let server = try DataServer(on: scratch, "--seed 37")
        let (ann, question) = try asked(server)
        let viewer = try server.player("bob")
        viewer.send(#"{"type":"watch"}"#)
        let shown = /"c\d+":\["[a-z0-9.]+","\w\w"\]/
        let cards = try #require(viewer.line(with: #""snapshot""#)?.matches(of: shown).map { $0.output })
        // Not read any more: neither a decision nor the end of a connection.
        server.stop()
        #expect(ann.line(with: #""bye""#)?.contains(#""code":"restart""#) == true)
        #expect(viewer.line(with: #""bye""#)?.contains(#""code":"restart""#) == true)
        #expect(server.shell.process.terminationStatus == 0)
        #expect(server.shell.log.contains("suspending cause=SIGTERM hands=1") && server.shell.log.contains("imbalance=0"))
        #expect(try scratch.run("bjserver", ["audit", scratch.path("data")]).status == 0)

        let next = try DataServer(on: scratch, "--seed 37")
        let again = try next.player("ann")
        #expect(again.line(with: #""id":"l""#)?.contains(#""table":"main","seats":[1]"#) == true)
        again.send(#"{"type":"watch"}"#)
        let table = try #require(again.line(with: #""snapshot""#))
        #expect(turn(in: table) == turn(in: question) && turn(in: question) != nil)
        #expect(table.matches(of: shown).map { $0.output } == cards && cards.count >= 3)
        again.send(#"{"type":"act","action":"stand","id":"s","turn":1}"#)
        #expect(again.line(with: #""id":"s""#)?.contains(#""ok""#) == true)
        #expect(again.line(with: #""outcome""#) != nil)
        next.kill()
    }

    /// As the page says to restore a backup: without the settings of the server that wrote it.
    @Test func withoutTablesInTheSettings_theHandsOfTheFoldersTablesGoOn_andWithOthers_theirBetsGoBack() throws {
        let server = try DataServer(on: scratch, "--seed 37 --table high --table low")
        let ann = try server.player("ann")
        ann.send(#"{"type":"sit","table":"low"}"#)
        ann.send(#"{"type":"bet","amount":10,"id":"b","round":0}"#)
        _ = try #require(ann.line(with: #""actions""#))
        // Beside the server that runs, and by its settings: what the restarts below do.
        func check(_ arguments: String...) throws -> (status: Int32, output: String) {
            let run = try scratch.run(
                "bjserver", ["--check", "--listen", "127.0.0.1:0", "--data", scratch.path("data")] + arguments)
            return (run.status, run.output)
        }
        let goesOn = try check()
        #expect(goesOn.status == 0 && goesOn.output.contains("1 account, tables high, low\n"), "\(goesOn)")
        #expect(!goesOn.output.contains("will be closed"))
        let ends = try check("--table", "high")
        #expect(ends.status == 0, "\(ends)")
        #expect(
            ends.output.contains(
                "table low will be closed: it is not in the settings; bets will be returned: 10 to ann\n"), "\(ends)")
        #expect(try check("--rules", "nonsense").status == 65)
        #expect(try check("--metrics", "192.0.2.7:9").status == 69)
        #expect(try scratch.run("bjserver", ["--check", "--data", scratch.path("none")]).status == 66)
        server.shell.end(SIGHUP)
        let restored = try DataServer(on: scratch, "--seed 37")
        let back = try restored.player("ann")
        #expect(try #require(back.line(with: #""id":"l""#)).contains(#""table":"low","seats":[1]"#))
        #expect(!restored.shell.log.contains("table_not_continued"))
        let tables = try scratch.control("tables").output
        #expect(tables.contains("high") && tables.contains("low") && !tables.contains("main"), "\(tables)")
        #expect(try scratch.control("config").output.contains("high,low"))
        restored.stop()
        let other = try DataServer(on: scratch, "--seed 37 --table high")
        let told = try other.player("ann")
        #expect(try #require(told.line(with: #""id":"l""#)).contains(#""chips":1000"#))
        #expect(
            try #require(told.line(with: "notice")).contains(
                "Table low is closed: it is not in the settings. Your bets of 10"))
        #expect(other.shell.log.contains("event=table_not_continued table=low players=ann bets_returned=10"))
        other.kill()
    }

    @Test func aRestartDuringADrain_waitsForNoHand_andTheNextStartReturnsTheBets() throws {
        let server = try DataServer(on: scratch, "--seed 37 --drain-timeout 1h")
        let (ann, _) = try asked(server)
        #expect(try scratch.control("drain").status == 0)
        _ = try #require(ann.line(with: #""closing""#))
        server.stop()
        #expect(server.shell.process.terminationStatus == 0 && ann.line(with: #""code":"restart""#) != nil)
        let next = try DataServer(on: scratch, "--seed 37")
        #expect(try next.login("ann").contains(#""chips":1000"#))
        next.kill()
    }

    @Test func aFolderWithWhichThreeStartsDied_isLeftAlone() throws {
        try DataServer(on: scratch).stop()
        let note = scratch.path("data/start.attempts")
        func write(attempt: Int, before: UInt64 = 0) throws {
            let frame = try JournalFolder(reading: FileStorage(path: scratch.path("data"), creating: false)).anchoredFrame()
            try "start attempt=\(attempt) frame=\(frame - before)".write(toFile: note, atomically: true, encoding: .utf8)
        }
        try write(attempt: 3)
        let files = try scratch.files("data")
        let refused = try scratch.run("bjserver", ["--listen", "127.0.0.1:0", "--data", scratch.path("data")])
        #expect(refused.status == 65 && refused.errors.contains("3 consecutive starts crashed on it"), "\(refused)")
        #expect(try scratch.files("data") == files)
        for (attempt, before) in [(3, 1), (2, 0)] as [(Int, UInt64)] {
            try write(attempt: attempt, before: before)
            let server = try DataServer(on: scratch)
            #expect(!FileManager.default.fileExists(atPath: note), "it serves")
            server.stop()
        }
    }

    @Test func withoutData_handsArePlayedToTheirEnd() throws {
        let server = try ShellServer("exec \"$0\" --listen 127.0.0.1:0 --seed 37 --settle 0s 2>\"$1/log\"")
        let ann = try #require(RawPeer(port: try server.port()))
        for line in [#"{"type":"login","name":"ann"}"#, #"{"type":"sit"}"#, #"{"type":"bet","amount":10,"round":0}"#] {
            ann.send(line)
        }
        _ = try #require(ann.line(with: #""actions""#))
        server.signal(SIGTERM)
        _ = try #require(ann.line(with: #""closing""#))
        ann.send(#"{"type":"act","action":"stand","turn":1}"#)
        #expect(ann.line(with: #""outcome""#) != nil && ann.line(with: #""bye""#)?.contains("shutting_down") == true)
        #expect(server.status() == 0)
    }

    @Test func thePythonClientOfTheSchema_comesBackToItsSeat() throws {
        let schema = try scratch.run("bjserver", ["schema", "--language", "python"])
        try Data(schema.output.utf8).write(to: URL(filePath: scratch.path("blackjack.py")))
        try Data(
            """
            import sys
            from blackjack import Connection, Table
            table = Table()
            server = Connection("127.0.0.1", int(sys.argv[1]), table.take)
            server.login("ann", secret="\(DataServer.secret("ann"))")
            seat = server.sit()["seat"]
            print("sat\\n", end="", flush=True)
            sys.stdin.readline()
            print(f'{server.bet(10, round=0)["to"]} {table.get(f"p{seat}") is not None}')
            """.utf8
        ).write(to: URL(filePath: scratch.path("bot.py")))
        let server = try DataServer(on: scratch)
        let (input, output) = (Pipe(), Pipe())
        let bot = Tool.process("/usr/bin/env", ["python3", scratch.path("bot.py"), "\(server.port)"])
        (bot.standardInput, bot.standardOutput) = (input, output)
        try bot.run()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "sat\n")
        server.stop()
        let next = try DataServer(on: scratch, port: server.port)
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "bet True\n")
        bot.waitUntilExit()
        #expect(bot.terminationStatus == 0)
        next.kill()
    }
}
