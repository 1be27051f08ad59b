import Foundation
import TestKit
import Testing

/// Restarts as players see them are in `Sessions/restarts.session`.
@Suite(.ownThread) struct RestartTests {
    private let scratch = DataScratch()

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
