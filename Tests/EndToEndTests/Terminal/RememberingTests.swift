import ClientCore
import Foundation
import ServerCore
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// Names that a session leaves for the next one.
@Suite(.ownThread, .timeLimit(.minutes(2)))
struct RememberingTests {
    private let scratch = ScratchFolder(isMade: false)
    private var home: String { scratch.path }

    @Test func anAccountThatReachedNoTable_isTheNextName_onlyWhereItIsAlone() async throws {
        let server = try RunningServer { $0.tables += [.init(name: "private", rules: .patient, pass: "open sesame")] }
        let file = AccountFile(folder: home)
        let address = "127.0.0.1:\(server.port)"
        let pipes = try PipeTerminal()
        pipes.type("bet 10")
        pipes.endInput()
        let refused = SessionRun(port: server.port, terminal: pipes.terminal, name: .asked(suggestion: "ann")) {
            $0.client.accounts = file
            $0.initialPlacement = .sit(table: "private", seat: nil)
        }
        #expect(await refused.ending()?.status == 77)
        #expect(try file.accounts().map(\.name) == ["ann"] && file.lastName(server: address) == "ann")
        let again = try PipeTerminal()
        let played = SessionRun(port: server.port, terminal: again.terminal, name: .asked(suggestion: "bob")) {
            $0.client.accounts = file
            $0.initialPlacement = .sit(table: "main", seat: nil)
        }
        #expect(again.shows("Your bet, 10 to 500"))
        again.type("leave")
        again.endInput()
        #expect(await played.ending()?.status == 0, "\(again.rest())")
        #expect(file.lastName(server: address) == "bob")
        await server.stop()
    }

    @Test func anAccountOfAKey_isStoredWithItsFirstSeat() async throws {
        let server = try RunningServer { $0.tables += [.init(name: "private", rules: .patient, pass: "open sesame")] }
        let file = AccountFile(folder: home)
        for (table, status) in [("private", 77), ("main", 0), ("main", 0)] as [(String, Int32)] {
            let pipes = try PipeTerminal()
            pipes.type("leave")
            pipes.endInput()
            let run = SessionRun(port: server.port, terminal: pipes.terminal, name: .given("ann")) {
                ($0.client.accounts, $0.client.storesSeated) = (file, true)
                $0.initialPlacement = .sit(table: table, seat: nil)
            }
            #expect(await run.ending()?.status == status, "\(pipes.rest())")
            #expect(PrivateFile.exists(home) == (status == 0))
        }
        #expect(try file.accounts().map(\.name) == ["ann"])
        await server.stop()
    }

    @Test func accountsThatCannotBeStored_endTheSession_withAWayOut() async throws {
        #expect(FileManager.default.createFile(atPath: home, contents: nil))
        let server = try ScriptedServer { server, request in
            if request.type == "available" { server.send(.ok(id: request.id, .available(true))) }
        }
        let pipes = try PipeTerminal()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) {
            $0.client.accounts = AccountFile(folder: home + "/bjclient")
        }
        let ending = await run.ending()
        #expect(ending?.status == 74)
        #expect(
            ending?.reason?.text.hasSuffix("Not a directory; --guest plays without an account") == true,
            "\(String(describing: ending))")
        server.stop()
    }

    /// A server that turns into another house on each connection.
    @Test func anAccountGoesToItsOwnAddress_andAtMostThreeAreMade() async throws {
        let houses = { (connection: Int) in "00000000000000e\(connection)" }
        let server = try ScriptedServer(house: houses) { server, request in
            switch request.message {
            case .success(.available): server.send(.ok(id: request.id, .available(true)))
            case .success(.login):
                server.answer(request)
                server.cut()
            default: server.answer(request)
            }
        }
        let file = AccountFile(folder: home)
        let kept = try (1...2).map { try file.make("ann", house: "00000000000000e\($0)", server: "old\($0):1") }
        let (screen, run) = try startSession(server.port, columns: 100, name: .given("ann")) {
            $0.client.accounts = file
        }
        let ending = await run.ending()
        let reason = ending?.reason?.text ?? ""
        #expect(ending?.status == 74 && reason.hasPrefix("the server requires more than 3 new accounts"), "\(reason)")
        let sent = server.loop.performAndWait { server.secrets }
        #expect(kept.allSatisfy { !sent.contains($0) } && Set(sent).count == 3)
        withExtendedLifetime(screen) {}
        server.stop()
    }

    @Test func aLoginThatIsRefused_leavesNoSecret() async throws {
        let server = try ScriptedServer { server, request in
            switch request.type {
            case "available": server.send(.ok(id: request.id, .available(true)))
            case "login": server.refuse(request, .serverFull, "This house is full.")
            default: server.answer(request)
            }
        }
        let file = AccountFile(folder: home)
        let pipes = try PipeTerminal()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.client.accounts = file }
        #expect(await run.ending()?.status == 69)
        #expect(try file.accounts().isEmpty)
        server.stop()
    }
}
