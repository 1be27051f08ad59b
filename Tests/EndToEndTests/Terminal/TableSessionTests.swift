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

    @Test(arguments: [GoodbyeCode.kicked, .banned, .replaced])
    func aGoodbyeOfTheServer_endsTheSession_withItsReason(_ code: GoodbyeCode) async throws {
        let (server, run) = try started()
        server.loop.performAndWait { server.sayGoodbye(code, "It is late") }
        let ending = await run.ending()
        #expect(ending?.status == 69)
        let other: SafeText = "this account is in use in another window: the player went on there"
        #expect(ending?.reason == (code == .replaced ? other : "the server ended the session: It is late"))
        #expect(pipes.rest().contains("The server says goodbye: It is late.\n"))
        #expect(run.endingCount == 1)
        server.stop()
    }

    @Test func aLogoutOfTheServersOwn_isNoFault() async throws {
        let (server, run) = try started()
        server.loop.performAndWait { server.sayGoodbye(.loggedOut, "Goodbye.") }
        #expect(await run.ending()?.status == 0)
        server.stop()
    }

    @Test func aServerThatRestarts_isWaitedFor() async throws {
        let (server, run) = try started()
        server.loop.performAndWait { server.sayGoodbye(.shuttingDown, "Back soon") }
        #expect(pipes.shows("The connection is back."))
        #expect(run.endingCount == 0)
        #expect(await leaving(run)?.status == 0)
        server.stop()
    }

    @Test func leavingTwice_endsOnce_withTheFirstReason() async throws {
        let (server, run) = try started()
        run.onQueue {
            run.session.handle(.leave(.init(status: 7, reason: "first")))
            run.session.handle(.leave(.init(status: 0)))
        }
        let ending = await run.ending()
        #expect(ending?.status == 7 && ending?.reason == "first")
        run.onQueue { run.session.handle(.closed(.init(status: 0))) }
        #expect(run.endingCount == 1)
        #expect(server.loop.performAndWait { server.types } == ["login", "logout"])
        server.stop()
    }

    @Test func leaving_withoutAConnection_endsAtOnce() async throws {
        let (server, run) = try started()
        server.stop()
        #expect(pipes.shows("The connection is lost:"))
        #expect(await leaving(run)?.status == 0)
    }

    @Test func aServerThatDoesNotAnswerTheLogout_isLeftAllTheSame() async throws {
        let server = try ScriptedServer { if $1.type == "login" { $0.answer($1) } }
        let run = start(server)
        #expect(pipes.shows("You are ann."))
        #expect(await leaving(run)?.status == 0)
        #expect(server.loop.performAndWait { server.types } == ["login", "logout"])
        server.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalThatEndsPrograms_logsOut(_ signal: Int32) async throws {
        let (server, run) = try started()
        run.send(signal)
        #expect(await run.ending()?.status == 0)
        #expect(server.loop.performAndWait { server.types.last } == "logout")
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

    /// The server's clock may be read differently after a stop of minutes.
    @Test func aProcessThatGoesOnAfterAStop_asksForTheTime() async throws {
        let server = try ScriptedServer { server, request in
            server.answer(request)
            if request.type == "ping" { server.send(.chat(ChatLine(sequence: 1, name: "dealer", text: "pinged", time: 1))) }
        }
        let (screen, run) = try startSession(server.port) {
            ($0.wish, $0.isPlain, $0.pingInterval) = (.nothing, true, 3_600_000)
        }
        #expect(screen.shows("You are ann."))
        run.send(SIGCONT)
        #expect(screen.shows("pinged"))
        #expect(await leaving(run)?.status == 0)
        server.stop()
    }

    @Test
    func aTerminalThatIsGone_endsTheSession_withoutALogout() async throws {
        let (server, run) = try started()
        run.send(SIGHUP)
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

    @Test func aGivenName_thatIsTaken_endsTheSession() async throws {
        let server = try ScriptedServer { $0.refuse($1, .nameTaken, "The name is taken.") }
        let ending = await start(server).ending()
        #expect(ending?.status == 69)
        #expect(ending?.reason?.text.hasPrefix("the name ann is taken: choose another with --name; if it is you,") == true)
        server.stop()
    }

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

    @Test func anAssumedName_thatTheHostKeeps_isReplaced_andThatOneGetsANumber() async throws {
        let server = try ScriptedServer { server, request in
            switch server.names.count {
            case 1: server.refuse(request, .invalidName, "This name is kept for the host.")
            case 2: server.refuse(request, .nameTaken, "The name is taken.")
            default: server.answer(request)
            }
        }
        let run = start(server, name: .assumed("dealer"))
        #expect(pipes.shows("You are player-2."))
        #expect(server.loop.performAndWait { server.names } == ["dealer", "player", "player-2"])
        #expect(await leaving(run)?.status == 0)
        server.stop()
    }

    @Test func anAssumedName_thatIsRefusedWithItsReplacement_endsTheSession() async throws {
        let server = try ScriptedServer { $0.refuse($1, .invalidName, "No.") }
        #expect(await start(server, name: .assumed("dealer")).ending()?.status == 69)
        #expect(server.loop.performAndWait { server.names } == ["dealer", "player"])
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
