import TestKit
import Testing
import Wire

@testable import TerminalUI

@Suite(.ownThread, .timeLimit(.minutes(5)))
struct PlainFaceTests {
    private let pipes: PipeTerminal

    init() throws { pipes = try PipeTerminal() }

    /// A session at the table of a server of its own.
    private func seated() throws -> (RunningServer, SessionRun) {
        let server = try RunningServer()
        let run = SessionRun(port: server.port, terminal: pipes.terminal)
        #expect(pipes.shows("Your bet, 10 to 500"))
        return (server, run)
    }

    /// Plays a script to its end.
    private func play(_ lines: String..., at port: Int) async -> TableSession.Ending? {
        for line in lines { pipes.type(line) }
        pipes.endInput()
        return await SessionRun(port: port, terminal: pipes.terminal).ending()
    }

    @Test func aScript_playsARound_andLeavesWhenItIsOver() async throws {
        let server = try RunningServer()
        let ending = await play("bet 10", "stand", at: server.port)
        #expect(ending?.status == 0 && ending?.reason == nil)
        let text = pipes.rest()
        for sentence in ["You are ann.", "You bet 10.", "Round 1.", "You stand on", "this round, and have"] {
            #expect(text.contains(sentence), "\(sentence) is not in:\n\(text)")
        }
        #expect(text.hasSuffix("The server says goodbye.\n"), "\(text)")
        #expect(server.rounds == 1)
        await server.stop()
    }

    @Test func aWholeScriptAtOnce_waitsForEachTurn_andLeaveLetsTheHandEnd() async throws {
        let server = try RunningServer()
        let ending = await play("bet 10", "stand", "bet 10", "stand", "say good night", "leave", at: server.port)
        let text = pipes.rest()
        #expect(ending?.status == 0 && ending?.reason == nil, "\(String(describing: ending)) \(text)")
        #expect(text.components(separatedBy: "this round, and have").count == 3, "\(text)")
        #expect(text.hasSuffix("The server says goodbye.\n") && server.rounds == 2, "\(text)")
        await server.stop()
    }

    @Test(arguments: ["hit", "bett 10", "bet 7", "mute"])
    func aScriptOfWhichAPartWasRefused_saysSoInItsStatus(_ line: String) async throws {
        let server = try RunningServer()
        let ending = await play(line, "leave", at: server.port)
        #expect(ending?.status == 65 && ending?.reason == "a command was refused", "\(pipes.rest())")
        await server.stop()
    }

    @Test func aScriptWithoutAServer_failsEvenIfItOnlyLeaves() async throws {
        let port = try ClosedPort()
        #expect(await play("leave", at: port.number)?.status == 69)
        withExtendedLifetime(port) {}
    }

    @Test func aCommandThatNeverBecomesLegal_isGivenUp() async throws {
        let server = try ScriptedServer()
        pipes.type("bet 10")
        pipes.endInput()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.commandWait = 200 }
        let ending = await run.ending()
        #expect(ending?.status == 69, "\(pipes.rest())")
        #expect(pipes.rest().contains("bet 10: not possible within 0 seconds."))
        server.stop()
    }

    @Test func aLongScript_isReadNoFasterThanItIsCarriedOut() async throws {
        let server = try RunningServer()
        let run = SessionRun(port: server.port, terminal: pipes.terminal)
        for _ in 0..<2000 { pipes.type("help") }
        pipes.type("rules")
        pipes.endInput()
        #expect(pipes.shows("A blackjack pays 3:2."))
        #expect(!pipes.text.contains("left out"))
        #expect(await run.ending()?.status == 0)
        await server.stop()
    }

    @Test func aCommandTypedInPlay_isSent_andItsEffectIsTold() async throws {
        let (server, run) = try seated()
        pipes.type("bet 25")
        #expect(pipes.shows("Your turn: hit, stand"))
        pipes.type("s")
        #expect(pipes.shows("this round, and have"))
        pipes.type("out")
        #expect(pipes.shows("You sit out"))
        pipes.type("leave")
        #expect(await run.ending()?.status == 0)
        await server.stop()
    }

    @Test func anUnknownCommand_isAnsweredAtOnce_andNotSent() async throws {
        let server = try ScriptedServer()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.wish = .nothing }
        pipes.type("bett 10")
        #expect(pipes.shows("Unknown command 'bett'. Did you mean 'bet'? 'help' lists the commands.\n"))
        pipes.type("bet")
        #expect(pipes.shows("Amount missing, for example 'bet 10'"))
        #expect(pipes.shows("You are ann."))
        pipes.type("quit")
        #expect(await run.ending()?.status == 65)
        #expect(server.loop.performAndWait { server.types } == ["login", "logout"])
        server.stop()
    }

    @Test func aRefusal_isTold() async throws {
        let (server, run) = try seated()
        pipes.type("hit")
        #expect(pipes.shows("There is nothing to decide now.\n"))
        pipes.type("leave")
        #expect(await run.ending()?.status == 65)
        #expect(server.rounds == 0)
        await server.stop()
    }

    @Test func theEndOfInput_waitsForTheReply() async throws {
        let house = try RunningServer()
        let table = try #require(house.server.inspect { $0.shown("main") })
        await house.stop()
        // Shows a table, and holds back the answer to the question.
        let server = try ScriptedServer { server, request in
            switch request.type {
            case "watch":
                server.send(.ok(id: request.id, .watch(table: "main", CatchUp(epoch: "e", revision: 1))))
                server.send(.snapshot(table: "main", epoch: "e", revision: 1, table.snapshot))
            case "lobby":
                server.held = request
                server.send(.chat(ChatLine(sequence: 1, name: "dealer", text: "Let me see.", time: 1)))
            default: server.answer(request)
            }
        }
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.wish = .watch(table: "main") }
        pipes.type("tables")
        #expect(pipes.shows("Let me see."))
        // The last line has no end: it is a command once the input has ended.
        pipes.endInput(after: "help")
        #expect(pipes.shows("leave, quit or exit: leaves the table and the program;"))
        server.loop.performAndWait { server.send(.chat(ChatLine(sequence: 2, name: "dealer", text: "Still here?", time: 1))) }
        #expect(pipes.shows("Still here?"))
        #expect(run.endingCount == 0)
        server.loop.performAndWait {
            #expect(server.held != nil && !server.types.contains("logout"))
            server.send(.ok(id: server.held?.id, .lobby(revision: 1, total: 0, [])))
        }
        #expect(await run.ending()?.status == 0)
        #expect(server.loop.performAndWait { server.types.last } == "logout")
        server.stop()
    }

    @Test func theEndOfInput_leavesTheTable_andFreesTheName() async throws {
        let server = try RunningServer()
        let run = SessionRun(port: server.port, terminal: pipes.terminal)
        #expect(pipes.shows("You have seat 1"))
        pipes.endInput()
        #expect(await run.ending()?.status == 0)
        #expect(pipes.rest().hasSuffix("You have left the table.\nThe server says goodbye.\n"), "\(pipes.text)")
        let other = try #require(RawPeer(port: server.port))
        other.send(#"{"type":"login","name":"ann"}"#)
        #expect(other.line(with: #""ok""#) != nil)
        other.send(#"{"type":"sit","seat":1}"#)
        #expect(other.line(with: #""seat":1"#) != nil)
        other.close()
        await server.stop()
    }

    @Test func aLostConnection_isTold_andSoIsItsReturn() async throws {
        let (server, run) = try seated()
        server.server.inspect { $0.cutEveryConnection() }
        #expect(pipes.shows("The connection is lost:"))
        #expect(pipes.shows("The connection is back.\n"))
        pipes.type("bet 10")
        #expect(pipes.shows("You bet 10."))
        pipes.type("stand")
        pipes.type("leave")
        #expect(await run.ending()?.status == 0)
        await server.stop()
    }
}
