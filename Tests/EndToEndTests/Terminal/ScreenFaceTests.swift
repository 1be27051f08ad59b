import Foundation
import ServerCore
import TestKit
import Testing
import Wire

@testable import TerminalUI

@Suite(.ownThread, .timeLimit(.minutes(5)))
struct ScreenFaceTests {
    private let server: RunningServer

    init() throws { server = try RunningServer() }

    /// A session at its table.
    private func seated(columns: Int = 80, rows: Int = 24) throws -> (PseudoTerminal, SessionRun) {
        let (screen, run) = try startSession(server.port, columns: columns, rows: rows)
        #expect(screen.shows("Your bet:"))
        return (screen, run)
    }

    private func leave(_ run: SessionRun, _ screen: PseudoTerminal) async {
        screen.press("q")
        #expect(await run.ending()?.status == 0)
        await server.stop()
    }

    private func expectRestored(_ screen: PseudoTerminal) {
        screen.drawRest()
        #expect(screen.modes == screen.modesBefore)
        #expect(!screen.grid.isAlternate && screen.grid.isCursorShown && screen.grid.wrapsLines)
    }

    /// Whether all keys of the key map are on the screen at this moment.
    private func showsHints(_ grid: TerminalScreen, _ run: SessionRun) -> Bool {
        run.onQueue {
            KeyMap(run.session.player).hints.allSatisfy { grid.text.contains("\($0.key) \($0.meaning)") }
        }
    }

    @Test func theTable_isDrawn_inRawModeOnTheAlternateScreen() async throws {
        let (screen, run) = try seated()
        let lines = screen.grid.lines
        #expect(lines[0].hasPrefix(" main · ") && lines[0].hasSuffix("ann, 1000 chips "), "\(screen.grid.text)")
        #expect(screen.grid.isAlternate && !screen.grid.isCursorShown && !screen.grid.wrapsLines)
        #expect(screen.isRaw)
        await leave(run, screen)
        expectRestored(screen)
    }

    @Test func anotherSize_isDrawnInFull() async throws {
        let (screen, run) = try seated()
        screen.drawRest()
        let clearCount = screen.grid.clearCount
        screen.resize(columns: 100, rows: 30)
        run.send(SIGWINCH)
        #expect(screen.shows { $0.lines[29].hasPrefix(" q quit") && $0.clearCount == clearCount + 1 })
        #expect(screen.grid.lines[0].count == 100 && screen.grid.lines[0].hasSuffix("ann, 1000 chips "), "\(screen.grid.text)")
        await leave(run, screen)
    }

    @Test func aTerminalThatIsTooSmall_saysSo_andCanBeLeft() async throws {
        let (screen, run) = try startSession(server.port, columns: 40, rows: 11)
        #expect(screen.shows("This terminal has 40 x 11 characters;"))
        #expect(screen.shows("the table needs 40 x 12. Make it larger,"))
        screen.resize(columns: 40, rows: 12)
        run.send(SIGWINCH)
        #expect(screen.shows("Your bet:"))
        await leave(run, screen)
        expectRestored(screen)
    }

    @Test func aTerminalOfUnknownSize_isTakenFor80Times24() async throws {
        let screen = try PseudoTerminal(columns: 80, rows: 24)
        screen.resize(columns: 0, rows: 0)
        let run = SessionRun(port: server.port, terminal: screen.terminal)
        #expect(screen.shows { $0.lines[0].hasPrefix(" main · ") })
        await leave(run, screen)
    }

    /// The hints are those of the key map throughout a round, and the keys that they name do what they say.
    @Test func hints_areTheKeyMaps_andTheirKeysSendRequests() async throws {
        let (screen, run) = try startSession(server.port, columns: 120, rows: 30)
        #expect(screen.shows { $0.text.contains("Enter bet 10") })
        #expect(screen.shows { showsHints($0, run) }, "\(screen.grid.text)")
        // The amount, then the bet: 2, 5, Enter.
        screen.press("25")
        #expect(screen.shows { $0.text.contains("Enter bet 25") })
        #expect(screen.shows { showsHints($0, run) }, "\(screen.grid.text)")
        screen.press("\r")
        #expect(screen.shows { $0.text.contains("h hit  s stand  d double for 25") })
        #expect(screen.shows { showsHints($0, run) }, "\(screen.grid.text)")
        screen.press("s")
        #expect(screen.shows("You stand on"))
        #expect(screen.shows { $0.text.contains("Enter bet 25") && showsHints($0, run) }, "\(screen.grid.text)")
        #expect(server.rounds == 1)
        screen.press("o")
        #expect(screen.shows { $0.text.contains("You are sitting out.") && showsHints($0, run) }, "\(screen.grid.text)")
        screen.press("o")
        #expect(screen.shows { $0.text.contains("Enter bet 25") })
        await leave(run, screen)
    }

    /// Each word of the vocabulary may be typed on the screen, too.
    @Test func aWordBehindASlash_isTheSameCommandAsItsKey() async throws {
        let (screen, run) = try seated(columns: 120, rows: 40)
        screen.press("/status\r")
        #expect(screen.shows("Connected to ") && screen.shows("The coach is off."))
        screen.press("/hit\r")
        #expect(screen.shows("There is nothing to decide now."))
        screen.press("/mute bob\r")
        #expect(screen.shows("bob is muted") && run.onQueue { run.session.player.muted.contains("bob") })
        screen.press("/rules\r")
        #expect(screen.shows("A blackjack pays 3:2."))
        screen.press(" /bet 35\r")
        #expect(screen.shows("h hit"))
        screen.press("/stand\r")
        #expect(screen.shows("You stand on") && server.rounds == 1)
        screen.press("/leave\r")
        #expect(await run.ending()?.status == 0)
        await server.stop()
    }

    @Test func panels_openAndCloseByKeys() async throws {
        let (screen, run) = try startSession(server.port)
        #expect(screen.shows("Your bet:") && screen.shows("6 decks, dealer stands on soft 17"), "who joins reads the rules")
        screen.press("?")
        #expect(screen.shows("Your available moves are shown"))
        screen.press("\u{1B}[6~\u{1B}[6~\u{1B}[6~")
        #expect(screen.shows("Ctrl-L redraws the screen."))
        #expect(screen.shows { showsHints($0, run) }, "\(screen.grid.text)")
        // An escape with silence behind it is a key of its own; the prompt is there with and without a panel.
        screen.press("\u{1B}")
        #expect(Waiting.until { run.onQueue { run.session.player.panel == .table } })
        #expect(screen.shows("Your bet:"))
        screen.drawRest()
        let clearCount = screen.grid.clearCount
        screen.press("\u{0C}")
        #expect(screen.shows { $0.clearCount > clearCount && $0.text.contains("Your bet:") })
        await leave(run, screen)
    }

    @Test func leavingWithAHandInPlay_asksFirst() async throws {
        let (screen, run) = try seated()
        screen.press("\r")
        #expect(screen.shows("h hit"))
        screen.press("q")
        #expect(screen.shows("Leave anyway?"))
        screen.press("n")
        #expect(screen.shows("h hit"))
        #expect(run.endingCount == 0)
        screen.press("q")
        await leave(run, screen)
        expectRestored(screen)
    }

    @Test func stopping_restoresTheTerminal_andContinuingDrawsItAgain() async throws {
        let (screen, run) = try seated()
        run.send(SIGTSTP)
        #expect(run.stopCount == 1)
        expectRestored(screen)
        let clearCount = screen.grid.clearCount
        run.send(SIGCONT)
        #expect(screen.shows { $0.isAlternate && $0.clearCount > clearCount && $0.text.contains("Your bet:") })
        #expect(screen.isRaw && !screen.grid.isCursorShown)
        await leave(run, screen)
        expectRestored(screen)
    }

    @Test func aSignal_restoresTheTerminal() async throws {
        let (screen, run) = try seated()
        run.send(SIGTERM)
        #expect(await run.ending()?.status == 0)
        expectRestored(screen)
        await server.stop()
    }

    @Test func aTerminalThatIsClosed_endsTheSession() async throws {
        let (screen, run) = try seated()
        screen.hangUp()
        #expect(await run.ending()?.status == 0)
        await server.stop()
    }

    @Test func aServerThatEndsTheSession_leavesTheTerminalRestored() async throws {
        let (screen, run) = try seated()
        server.server.inspect { $0.disconnectAll(code: .banned, message: "No more.") }
        #expect(await run.ending()?.status == 69)
        expectRestored(screen)
        await server.stop()
    }

    @Test func aConnectionThatIsLost_isShownAsSuch_andComesBack() async throws {
        let (screen, run) = try seated()
        server.server.inspect { $0.cutEveryConnection() }
        #expect(screen.shows("reconnecting, attempt 1 ..."))
        #expect(screen.shows { $0.lines[0].hasPrefix(" main · ") && $0.text.contains("Your bet:") })
        await leave(run, screen)
    }

    @Test func aNameThatIsAskedFor_isTyped_andJoins() async throws {
        let (screen, run) = try startSession(server.port, name: .asked(suggestion: "bo"))
        #expect(screen.shows("Name  bo"))
        // Typing replaces the suggestion.
        screen.press("bob\r")
        #expect(screen.shows { $0.lines[0].hasSuffix("bob, 1000 chips ") })
        await leave(run, screen)
    }

    @Test func aGivenName_thatIsTaken_isAskedForAgain() async throws {
        let other = try #require(RawPeer(port: server.port))
        other.send(#"{"type":"login","name":"ann"}"#)
        #expect(other.line(with: #""ok""#) != nil)
        let (screen, run) = try startSession(server.port)
        #expect(screen.shows { $0.text.contains("Name  ann") && $0.text.contains("The server refused the login.") })
        #expect(screen.shows("taken by another player"))
        screen.press("e\r")
        #expect(screen.shows { $0.lines[0].hasSuffix("anne, 1000 chips ") })
        other.close()
        await leave(run, screen)
    }

    @Test func aPaste_isNeverAKey() async throws {
        let (screen, run) = try seated()
        screen.press("\u{1B}[200~o\rq\u{1B}[201~")
        #expect(screen.shows("A paste is text, not keys"))
        screen.press("t\u{1B}[200~good\nluck\u{1B}[201~\r")
        #expect(screen.shows("ann: good luck"))
        #expect(run.onQueue { run.session.player.state.snapshot?.player(1)?.presence } == .here)
        await leave(run, screen)
    }

    @Test func aServerThatStopsAnswering_isSaid_andIsHeardAgain() async throws {
        let house = try RunningServer()
        let table = try #require(house.server.inspect { $0.shown("main") })
        await house.stop()
        let quiet = try ScriptedServer { server, request in
            switch request.type {
            case "sit":
                server.send(.ok(id: request.id, .watch(table: "main", CatchUp(epoch: "e", revision: 1))))
                server.send(.snapshot(table: "main", epoch: "e", revision: 1, table.snapshot))
            case "ping" where !server.answersPings: server.held = request
            case "ping": server.send(.ok(id: request.id, .ping(time: 0)))
            default: server.answer(request)
            }
        }
        let (screen, run) = try startSession(quiet.port) {
            ($0.client.pingInterval, $0.client.answerTime, $0.wish) = (100, 50, .sit(table: "main", seat: nil))
        }
        func seconds(_ grid: TerminalScreen) -> Int {
            grid.text.firstMatch(of: /No answer: last heard (\d+) s ago\./).flatMap { Int($0.1) } ?? -1
        }
        #expect(screen.shows { seconds($0) >= 0 })
        let first = seconds(screen.grid)
        #expect(screen.shows { seconds($0) > first })
        #expect(!screen.grid.text.contains("t talk"), "\(screen.grid.text)")
        quiet.loop.performAndWait {
            quiet.answersPings = true
            quiet.send(.ok(id: quiet.held?.id, .ping(time: 0)))
        }
        #expect(screen.shows { $0.text.contains("The server answers again.") && !$0.text.contains("No answer: last") })
        run.onQueue { run.session.handle(.leave(.init(status: 0))) }
        #expect(await run.ending()?.status == 0)
        quiet.stop()
    }

    /// Standard input and output decide whether there is a screen; the screen itself refuses what is no terminal.
    @Test func aPipe_isNoScreen() async throws {
        let pipes = try PipeTerminal()
        let run = SessionRun(port: server.port, terminal: pipes.terminal)
        #expect(pipes.shows("Your bet, 10 to 500"))
        run.onQueue { ScreenFace(run.session).open() }
        let ending = await run.ending()
        #expect(ending?.status == 69 && ending?.reason == "standard input or output is not a terminal")
        #expect(!pipes.rest().contains("\u{1B}"))
        await server.stop()
    }
}
