import ClientCore
import Foundation
import Synchronization
import TestKit
import Testing
import Wire

@testable import TerminalUI

@Suite(.ownThread, .timeLimit(.minutes(5)))
struct TableSessionTests {
    private let pipes: PipeTerminal

    init() throws { pipes = try PipeTerminal() }

    private func start(
        _ server: ScriptedServer, name: TableSession.Name = .given("ann"), change: (inout TableSession.Options) -> Void = { _ in }
    ) -> SessionRun {
        SessionRun(port: server.port, terminal: pipes.terminal, name: name) {
            $0.wish = .nothing
            change(&$0)
        }
    }

    /// A session that is logged in.
    private func started() throws -> (ScriptedServer, SessionRun) {
        let server = try ScriptedServer()
        let run = start(server)
        #expect(pipes.shows("You are ann."))
        return (server, run)
    }

    private func leaving(_ run: SessionRun) async -> TableSession.Ending? {
        run.onQueue { run.session.handle(.leave(.init(status: 0))) }
        return await run.ending()
    }

    /// Codes of the results that a request was completed with; `ok` for a reply.
    private final class Results: Sendable {
        private let codes = Mutex<[String]>([])
        var all: [String] { codes.withLock { $0 } }
        func note(_ result: Result<Reply, Refusal>) {
            let code = if case .failure(let refusal) = result { refusal.code } else { "ok" }
            codes.withLock { $0.append(code) }
        }
    }

    // MARK: Completions

    /// A question is refused with the connection; a change is repeated on the next one.
    @Test(arguments: [(ClientMessage.lobby(follow: nil), "not_connected"), (.sitOut(), "ok")])
    func aRequest_isCompletedOnce_thoughTheConnectionIsLost(_ message: ClientMessage, as result: String) async throws {
        let server = try ScriptedServer { server, request in
            guard request.type == message.type else { return server.answer(request) }
            if server.names.count == 1 {
                server.cut()
            } else {
                server.send(.ok(id: request.id, .applied("sitOut", at: 1)))
            }
        }
        let run = start(server)
        #expect(pipes.shows("You are ann."))
        let results = Results()
        run.onQueue { run.session.client.send(message) { results.note($0) } }
        #expect(pipes.shows("The connection is back."))
        #expect(await leaving(run)?.status == 0)
        #expect(run.onQueue { results.all } == [result])
        server.stop()
    }

    @Test func aRequestWithoutAnAnswer_isCompletedOnce_byTheEndOfTheSession() async throws {
        let (server, run) = try started()
        let results = Results()
        let (completions, continuation) = AsyncStream.makeStream(of: Void.self)
        run.onQueue {
            run.session.client.send(.lobby(follow: nil)) {
                results.note($0)
                continuation.yield()
            }
        }
        run.onQueue { run.session.handle(.leave(.init(status: 0))) }
        for await _ in completions { break }
        #expect(await run.ending()?.status == 0)
        #expect(run.onQueue { results.all } == ["not_connected"])
        server.stop()
    }

    // MARK: Endings

    @Test func aServerThatRestarts_isWaitedFor() async throws {
        let (server, run) = try started()
        server.loop.performAndWait { server.sayGoodbye(.shuttingDown, "Back soon") }
        #expect(pipes.shows("The connection is back."))
        #expect(run.endingCount == 0)
        #expect(await leaving(run)?.status == 0)
        server.stop()
    }

    /// Not where the terminal is gone: the seat is kept for a player who comes back from another one.
    @Test(arguments: [(SIGINT, true), (SIGTERM, true), (SIGHUP, false)])
    func aSignalThatEndsPrograms_logsOut(_ signal: Int32, _ logsOut: Bool) async throws {
        let (server, run) = try started()
        run.send(signal)
        #expect(await run.ending()?.status == 0)
        #expect(server.loop.performAndWait { server.types.contains("logout") } == logsOut)
        server.stop()
    }

    /// The seat is kept for a player who comes back from another terminal.
    @Test(arguments: [false, true])
    func aTerminalThatIsClosed_endsTheSession_withoutALogout(_ isPlain: Bool) async throws {
        let server = try ScriptedServer()
        let (screen, run) = try startSession(server.port) { ($0.wish, $0.isPlain) = (.nothing, isPlain) }
        #expect(screen.shows(isPlain ? "You are ann." : "q quit"))
        #expect(Waiting.until { run.onQueue { run.session.player.state.link == .loggedIn } })
        // The end of the input may come before the signal, or alone.
        screen.hangUp()
        #expect(await run.ending()?.status == 0)
        #expect(server.loop.performAndWait { server.types.contains("logout") } == false)
        server.stop()
    }

    @Test func aServerThatIsNotThere_endsTheSession_withoutASecondAttempt() async throws {
        let port = try ClosedPort()
        let run = SessionRun(port: port.number, terminal: pipes.terminal)
        let ending = await run.ending()
        #expect(ending?.status == 69)
        #expect(ending?.reason.map { "\($0)".contains("Is a server there?") } == true, "\(String(describing: ending))")
        withExtendedLifetime(port) {}
    }

    // MARK: Names, tables, seats

    @Test func anAssumedName_thatIsTaken_getsANumber() async throws {
        let server = try ScriptedServer { server, request in
            if server.names.count < 3 { server.refuse(request, .nameTaken, "The name is taken.") } else { server.answer(request) }
        }
        let run = start(server, name: .assumed("ann"))
        #expect(pipes.shows("You are ann-3."))
        #expect(server.loop.performAndWait { server.names } == ["ann", "ann-2", "ann-3"])
        #expect(await leaving(run)?.status == 0)
        server.stop()
    }

    @Test func aTableThatDoesNotExist_endsTheSession_withThoseThatDo() async throws {
        let server = try RunningServer()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.wish = .sit(table: "nowhere", seat: nil) }
        let ending = await run.ending()
        #expect(ending?.status == 69)
        #expect(ending?.reason == "no such table; tables: main")
        await server.stop()
    }

    @Test func aTableWithoutAFreeSeat_isWatched() async throws {
        let server = try RunningServer()
        var peers: [RawPeer] = []
        for seat in 1...7 {
            let peer = try #require(RawPeer(port: server.port))
            peer.send("{\"type\":\"login\",\"name\":\"player\(seat)\"}")
            peer.send("{\"type\":\"sit\",\"seat\":\(seat)}")
            #expect(peer.line(with: "\"seat\":\(seat)") != nil)
            peers.append(peer)
        }
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.wish = .sit(table: "main", seat: nil) }
        #expect(pipes.shows("player7 has seat 7"))
        #expect(run.onQueue { run.session.player.state.seat } == nil)
        pipes.type("leave")
        let ending = await run.ending()
        #expect(ending?.status == 0, "\(String(describing: ending)) \(pipes.rest())")
        for peer in peers { peer.close() }
        await server.stop()
    }
}
