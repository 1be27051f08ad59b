import Foundation
import Rules
import ServerCore
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// Sessions without a screen: a real server, and the bytes of pipes. The sentences are those of the screenplays of TerminalUITests.
@Suite(.ownThread, .timeLimit(.minutes(15)))
struct PlainFrontendTests {
    private let pipes: PipeTerminal

    init() throws { pipes = try PipeTerminal() }

    /// All lines come at once, and the last one has no end.
    @Test func aWholeScriptAtOnce_waitsForEachTurn_andLeavesWhenItIsOver() async throws {
        let server = try RunningServer { $0.tables += [.init(name: "low", rules: .patient)] }
        for line in ["lobby", "sit low", "bet 10", "stand", "sit main", "bet 20"] { pipes.type(line) }
        pipes.endInput(after: "stand")
        let ending = await SessionRun(port: server.port, terminal: pipes.terminal).ending()
        let text = pipes.rest()
        #expect(ending?.status == 0 && ending?.reason == nil, "\(String(describing: ending)) \(text)")
        for sentence in ["You are ann.", "Table low: 7 of 7 seats free", "You bet 10.", "You stand on", "You bet 20."] {
            #expect(text.contains(sentence), "\(sentence) is not in:\n\(text)")
        }
        #expect(text.hasSuffix("Logged out.\n") && server.rounds == 2, "\(text)")
        await server.stop()
    }

    @Test func aLongScript_isReadNoFasterThanItIsCarriedOut() async throws {
        let server = try RunningServer()
        let run = SessionRun(port: server.port, terminal: pipes.terminal)
        for _ in 0..<2000 { pipes.type("help") }
        pipes.type("rules")
        pipes.endInput()
        #expect(pipes.shows("A blackjack pays 3:2."))
        #expect(!pipes.text.contains("were dropped"))
        #expect(await run.ending()?.status == 0)
        await server.stop()
    }

    @Test func aRequestWithoutAnAnswer_isCompletedOnce_byTheEndOfTheSession() async throws {
        let server = try ScriptedServer()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.initialPlacement = .nothing }
        #expect(pipes.shows("You are ann."))
        let (results, continuation) = AsyncStream.makeStream(of: String.self)
        run.onQueue {
            run.session.client.send(.lobby(follow: nil)) {
                if case .failure(let refusal) = $0 { continuation.yield(refusal.code) } else { continuation.yield("ok") }
            }
            run.session.handle(.leave(.init(status: 0)))
        }
        #expect(await run.ending()?.status == 0)
        run.onQueue { continuation.finish() }
        var codes: [String] = []
        for await code in results { codes.append(code) }
        #expect(codes == ["not_connected"])
        server.stop()
    }

    /// Not where the terminal is gone: the seat is kept for a player who comes back from another one.
    @Test(arguments: [(SIGINT, true), (SIGTERM, true), (SIGHUP, false)])
    func aSignalThatEndsPrograms_logsOut(_ signal: Int32, _ logsOut: Bool) async throws {
        let server = try ScriptedServer()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.initialPlacement = .nothing }
        #expect(pipes.shows("You are ann."))
        run.send(signal)
        #expect(await run.ending()?.status == 0)
        #expect(server.loop.performAndWait { server.types.contains("logout") } == logsOut)
        server.stop()
    }

    /// The seat is kept for a player who comes back from another terminal.
    @Test(arguments: [false, true])
    func aTerminalThatIsClosed_endsTheSession_withoutALogout(_ isPlain: Bool) async throws {
        let server = try ScriptedServer()
        let (screen, run) = try startSession(server.port) { ($0.initialPlacement, $0.settings.isPlain) = (.nothing, isPlain) }
        #expect(screen.shows(isPlain ? "You are ann." : "q quit"))
        #expect(Waiting.until { run.onQueue { run.session.player.state.link == .loggedIn } })
        // The end of the input may come before the signal, or alone.
        screen.hangUp()
        #expect(await run.ending()?.status == 0)
        #expect(server.loop.performAndWait { server.types.contains("logout") } == false)
        server.stop()
    }

    @Test func aPhrase_isTypedUnseen_withoutAScreen() async throws {
        let server = try RunningServer { $0.tables += [.init(name: "private", rules: .patient, pass: "open sesame")] }
        let (screen, run) = try startSession(server.port) {
            ($0.settings.isPlain, $0.initialPlacement) = (true, .watch(table: "private"))
        }
        #expect(screen.shows("Pass phrase of private"))
        screen.press("mellon\n")
        #expect(screen.shows("Wrong pass phrase for private."))
        #expect(Waiting.until { screen.modes != screen.modesBefore })
        let hidden = screen.modes
        // As a shell does after a stop.
        screen.terminal.setEcho(true)
        run.send(SIGCONT)
        #expect(Waiting.until { screen.modes == hidden })
        screen.press("open sesame\n")
        #expect(screen.shows("Table private"))
        #expect(!screen.grid.text.contains("mellon") && !screen.grid.text.contains("sesame"))
        server.server.kick("ann")
        #expect(screen.shows("The host has kicked you.") && screen.shows("'sit TABLE' takes a seat"))
        screen.press("leave\n")
        #expect(await run.ending()?.status == 0)
        #expect(screen.modes == screen.modesBefore)
        await server.stop()
    }
}
