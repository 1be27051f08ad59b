import ClientCore
import Foundation
import ServerCore
import TestKit
import Testing

@testable import TerminalUI

/// Sessions at a screen: a real server, and the bytes of a terminal. The pictures are those of the screenplays of TerminalUITests.
@Suite(.ownThread, .timeLimit(.minutes(5)))
struct ScreenFrontendTests {
    private let server: RunningServer

    init() throws {
        server = try RunningServer {
            $0.tables += [
                .init(name: "low", rules: .patient), .init(name: "high", rules: .patient),
                .init(name: "private", rules: .patient, pass: "open sesame"),
            ]
            $0.lobbyMilliseconds = 10
        }
    }

    /// A session at its table.
    private func seated(columns: Int = 80, rows: Int = 24) throws -> (PseudoTerminal, SessionRun) {
        let (screen, run) = try startSession(server.port, columns: columns, rows: rows) {
            $0.initialPlacement = .sit(table: "main", seat: nil)
        }
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

    /// Waits until the player sits at a table.
    private func sits(_ screen: PseudoTerminal, at table: String) -> Bool {
        screen.shows { $0.lines[0].hasPrefix(" \(table) · ") && $0.text.contains("Your bet:") }
    }

    /// Chooses a row of the list, at or below the one chosen.
    private func select(_ table: String, _ screen: PseudoTerminal) {
        // The list changes by itself, too: only another row is the key's effect.
        func selected(_ grid: TerminalScreen) -> Substring? { grid.text.firstMatch(of: /▶ (\S+)/)?.1 }
        for _ in 0..<8 where selected(screen.grid) != table[...] {
            let before = selected(screen.grid)
            screen.press("\u{1B}[B")
            guard screen.shows(where: { selected($0) != before }) else {
                Issue.record("no row below \(before ?? "none")\n\(screen.grid.text)")
                return
            }
        }
    }

    /// A name, the list, a hand, a stop of the process, a lost connection, a kick, a pass phrase, and the way out.
    @Test func anEvening_atAScreen() async throws {
        let (screen, run) = try startSession(server.port, name: .asked(suggestion: "bo"))
        #expect(screen.shows("Name  bo"))
        // Typing replaces the suggestion.
        screen.press("ann\r")
        #expect(screen.shows("4 tables") && screen.shows { $0.text.contains("7 of 7     10 to 500      locked") })
        let peer = try server.seated("zoe", table: "main")
        #expect(screen.shows("1 player"))
        select("low", screen)
        screen.resize(columns: 40, rows: 12)
        run.send(SIGWINCH)
        #expect(screen.shows { $0.text.contains("▶ low") }, "\(screen.grid.text)")
        screen.resize(columns: 100, rows: 30)
        run.send(SIGWINCH)
        #expect(screen.shows { $0.text.contains("▶ low") })
        screen.press("\r")
        #expect(sits(screen, at: "low"))
        #expect(screen.grid.lines[0].count == 100 && screen.grid.lines[0].hasSuffix("ann, 1000 chips "), "\(screen.grid.text)")
        #expect(screen.isRaw && screen.grid.isAlternate && !screen.grid.isCursorShown && !screen.grid.wrapsLines)
        screen.press("25\r")
        #expect(screen.shows("h hit"))
        screen.press("q")
        #expect(screen.shows("Leave? Your hand stands on"))
        screen.press("n/stand\r")
        // The hand is over: a stop discards keys that the terminal still has.
        #expect(screen.shows("Your bet:"))
        run.send(SIGTSTP)
        #expect(run.stopCount == 1)
        expectRestored(screen)
        let clearCount = screen.grid.clearCount
        run.send(SIGCONT)
        #expect(
            screen.shows { $0.isAlternate && $0.clearCount > clearCount && $0.text.contains("Your bet:") }, "\(screen.grid.text)")
        screen.press("t\u{1B}[200~good\nluck\u{1B}[201~\r")
        #expect(screen.shows("<ann> good luck"))
        server.server.cutEveryConnection()
        #expect(screen.shows("reconnecting, attempt 1 ...") && sits(screen, at: "low"))
        server.server.kick("ann", reason: "late")
        #expect(screen.shows("The host has kicked you: late.") && screen.shows("4 tables"))
        select("private", screen)
        #expect(screen.shows("Enter or s: sit"), "logged in again")
        screen.press("\r")
        #expect(screen.shows(" Pass phrase of private:"))
        screen.press("mellon\r")
        #expect(screen.shows(" Wrong phrase. Pass phrase of private:"))
        screen.press("open sesame\r")
        #expect(sits(screen, at: "private"))
        peer.close()
        await leave(run, screen)
        expectRestored(screen)
    }

    @Test func aTerminalThatIsTooSmall_saysSo_andCanBeMadeLarger() async throws {
        let (screen, run) = try startSession(server.port, columns: 40, rows: 11) {
            $0.initialPlacement = .sit(table: "main", seat: nil)
        }
        #expect(screen.shows("This terminal has 40 x 11 characters;"))
        screen.resize(columns: 40, rows: 12)
        run.send(SIGWINCH)
        #expect(screen.shows("Your bet:"))
        await leave(run, screen)
        expectRestored(screen)
    }

    @Test func aTerminalOfUnknownSize_isTakenFor80Times24() async throws {
        let screen = try PseudoTerminal(columns: 80, rows: 24)
        screen.resize(columns: 0, rows: 0)
        let run = SessionRun(port: server.port, terminal: screen.terminal) {
            $0.initialPlacement = .sit(table: "main", seat: nil)
        }
        #expect(screen.shows { $0.lines[0].hasPrefix(" main · ") })
        await leave(run, screen)
    }

    @Test func aSignal_restoresTheTerminal() async throws {
        let (screen, run) = try seated()
        run.send(SIGTERM)
        #expect(await run.ending()?.status == 0)
        expectRestored(screen)
        await server.stop()
    }

    @Test func aServerThatEndsTheSession_leavesTheTerminalRestored() async throws {
        let (screen, run) = try seated()
        server.server.inspect { $0.disconnectAll(code: .banned, message: "No more.") }
        #expect(await run.ending()?.status == 69)
        expectRestored(screen)
        await server.stop()
    }

    /// No name is asked for, and an account that is in use in another window stays there.
    @Test func aViewerWithoutAName_isAGuest() async throws {
        let (screen, run) = try startSession(server.port, columns: 120, rows: 40, name: .asked(suggestion: "ann")) {
            $0.initialPlacement = .watch(table: "main")
            $0.client.accounts = AccountFile(folder: "/dev/null/bjclient")
        }
        #expect(screen.shows("You are watching."))
        #expect(run.onQueue { run.session.player.state.login?.name.hasPrefix("guest-") == true })
        screen.press("s")
        #expect(screen.shows("You are playing as a guest"))
        await leave(run, screen)
    }

    /// Standard input and output decide whether there is a screen; the screen itself refuses what is no terminal.
    @Test func aPipe_isNoScreen() async throws {
        let pipes = try PipeTerminal()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.initialPlacement = .sit(table: "main", seat: nil) }
        #expect(pipes.shows("Your bet, 10 to 500"))
        run.onQueue { ScreenFrontend(run.session).open() }
        let ending = await run.ending()
        #expect(ending?.status == 69 && ending?.reason == "standard input or output is not a terminal")
        #expect(!pipes.rest().contains("\u{1B}"))
        await server.stop()
    }
}
