import ClientCore
import Foundation
import Rules
import ServerCore
import TestKit
import Testing

@testable import TerminalUI

/// The list of tables, between a real server and a terminal.
@Suite(.ownThread, .timeLimit(.minutes(5)))
struct LobbyFaceTests {
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

    /// Chooses a row of the list, at or below the one chosen.
    private func select(_ table: String, _ screen: PseudoTerminal) {
        // The list changes by itself, too: only another row is the key's effect.
        func selected(_ grid: TerminalScreen) -> Substring? { grid.text.firstMatch(of: /▶ (\S+)/)?.1 }
        for _ in 0..<8 where selected(screen.grid) != table[...] {
            let before = selected(screen.grid)
            screen.press("\u{1B}[B")
            _ = screen.shows { selected($0) != before }
        }
    }

    private func quit(_ run: SessionRun, _ screen: PseudoTerminal, _ keys: String = "q") async {
        screen.press(keys)
        #expect(await run.ending()?.status == 0)
        await server.stop()
    }

    /// Waits until the player sits at a table.
    private func sits(_ screen: PseudoTerminal, at table: String) -> Bool {
        screen.shows { $0.lines[0].hasPrefix(" \(table) · ") && $0.text.contains("Your bet:") }
    }

    /// A session whose player has bet and is asked.
    private func playing(at table: String, columns: Int = 80) throws -> (PseudoTerminal, SessionRun) {
        let (screen, run) = try startSession(server.port, columns: columns) { $0.wish = .sit(table: table, seat: nil) }
        #expect(sits(screen, at: table))
        screen.press("\r")
        #expect(screen.shows("h hit"))
        return (screen, run)
    }

    @Test func theEdge_comesToAListThatIsShown() async throws {
        let new = try HouseRules.patient.with([("decks", .integer(1))])
        // Known before the server asks: no wait of the test is for the computation, which takes as long as the machine lets it.
        for rules in [.patient, new] { _ = ChartMaker.line(for: rules) }
        let edges = try RunningServer(edgeDelay: 0) {
            $0.tables += [.init(name: "low", rules: .patient), .init(name: "new", rules: new)]
            $0.lobbyMilliseconds = 10
        }
        let (screen, run) = try startSession(edges.port, columns: 100, rows: 40)
        #expect(screen.shows("the house has an edge of 0.4059 % of the minimum bet."), "\(screen.grid.text)")
        select("new", screen)
        #expect(screen.shows("you have an edge of 0.1441 % of the minimum bet."), "\(screen.grid.text)")
        await quit(run, screen)
        await edges.stop()
    }

    @Test func severalTables_areListed_andOneIsChosen() async throws {
        let (screen, run) = try startSession(server.port)
        #expect(screen.shows("4 tables"))
        #expect(screen.grid.text.contains("private          7 of 7     10 to 500      locked"), "\(screen.grid.text)")
        select("high", screen)
        screen.resize(columns: 40, rows: 12)
        run.send(SIGWINCH)
        #expect(screen.shows { $0.text.contains("▶ high") }, "\(screen.grid.text)")
        screen.resize(columns: 80, rows: 24)
        run.send(SIGWINCH)
        #expect(screen.shows { $0.text.contains("▶ high") })
        screen.press("\r")
        #expect(sits(screen, at: "high"))
        await quit(run, screen)
    }

    @Test func watching_isWhatEnterDoes_forThoseWhoCameToWatch() async throws {
        let (screen, run) = try startSession(server.port) { $0.wish = .watch(table: nil) }
        #expect(screen.shows("Enter w watch  s sit"))
        screen.press("\r")
        #expect(screen.shows { $0.lines[0].hasPrefix(" high · ") && $0.text.contains("You are watching.") })
        #expect(run.onQueue { run.session.player.state.seats.isEmpty })
        await quit(run, screen)
    }

    /// Nobody is asked for a name, and an account that is in use in another window stays there.
    @Test func aViewerWithoutAName_isAGuest() async throws {
        let (screen, run) = try startSession(server.port, name: .asked(suggestion: "ann")) {
            $0.wish = .watch(table: "main")
            $0.client.accounts = AccountFile(folder: "/dev/null/bjclient")
        }
        #expect(screen.shows("You are watching."))
        #expect(run.onQueue { run.session.player.state.login?.name.hasPrefix("guest-") == true })
        screen.press("s")
        #expect(screen.shows("You play as a guest: seat and chips"))
        await quit(run, screen)
    }

    @Test func theList_isLive_andATableIsChanged_withTheChips() async throws {
        let (screen, run) = try startSession(server.port) { $0.wish = .sit(table: "main", seat: nil) }
        #expect(sits(screen, at: "main") && screen.shows("l tables"))
        screen.press("l")
        #expect(screen.shows("seated"))
        let peer = try server.seated("zoe", table: "low")
        #expect(screen.shows { $0.lines.contains { $0.contains("low") && $0.contains("1 player") } })
        select("low", screen)
        screen.press("s")
        #expect(sits(screen, at: "low") && screen.shows("zoe"))
        #expect(screen.grid.lines[0].hasSuffix("ann, 1000 chips "))
        screen.press("l")
        #expect(screen.shows { $0.text.contains("low") && $0.text.contains("seated") })
        select("main", screen)
        screen.press("w")
        #expect(screen.shows { $0.lines[0].hasPrefix(" main · ") && $0.text.contains("You are watching.") })
        peer.close()
        await quit(run, screen)
    }

    @Test func aHandInPlay_isPlayed_beforeTheTableIsLeft() async throws {
        let (screen, run) = try playing(at: "main")
        #expect(screen.shows("l tables"))
        screen.press("l")
        #expect(screen.shows("It is your turn at main"))
        select("low", screen)
        screen.press("s")
        #expect(screen.shows("You move to low when your hand is over.") && screen.shows("h hit"))
        #expect(run.onQueue { run.session.player.state.table } == "main")
        screen.press("s")
        #expect(sits(screen, at: "low"))
        #expect(server.rounds == 1)
        await quit(run, screen)
    }

    @Test func aPassPhrase_isAskedFor_andSaidToBeWrongOnce() async throws {
        let (screen, run) = try startSession(server.port) { $0.wish = .sit(table: "private", seat: nil) }
        #expect(screen.shows(" Pass phrase of private:"))
        screen.press("mellon\r")
        #expect(screen.shows(" Wrong phrase. Pass phrase of private:"))
        screen.press("open sesame")
        #expect(screen.shows("Pass phrase of private: •••••••••••") && !screen.grid.text.contains("sesame"))
        screen.press("\r")
        #expect(sits(screen, at: "private"))
        #expect(!screen.grid.text.contains("phrase"), "nothing is said twice, or late")
        // The phrase is known: it is not asked for after a break.
        server.server.inspect { $0.cutEveryConnection() }
        #expect(screen.shows("reconnecting, attempt 1") && sits(screen, at: "private"))
        await quit(run, screen)
    }

    @Test func aPassPhrase_isAskedFor_afterTheName() async throws {
        let (screen, run) = try startSession(server.port, name: .asked(suggestion: "ann")) {
            $0.wish = .sit(table: "private", seat: nil)
        }
        #expect(screen.shows("Who plays?") && screen.shows("free"))
        screen.press("\r")
        #expect(screen.shows(" Pass phrase of private:"))
        screen.press("open sesame\r")
        #expect(sits(screen, at: "private"))
        await quit(run, screen)
    }

    @Test func aKick_leadsBackToTheList_onAConnectionOfItsOwn() async throws {
        let (screen, run) = try startSession(server.port, columns: 100) { $0.wish = .sit(table: "low", seat: nil) }
        #expect(screen.shows("Your bet:"))
        server.server.kick("ann", reason: "late")
        #expect(screen.shows("The host has sent you away: late.") && screen.shows("4 tables"))
        select("high", screen)
        #expect(screen.shows("Enter s sit"), "logged in again")
        screen.press("\r")
        #expect(sits(screen, at: "high"), "\(screen.grid.text)")
        await quit(run, screen)
    }

    @Test func aServerThatDrains_endsTheEvening_withTheStandingsOnTheScreen() async throws {
        let (screen, run) = try playing(at: "low", columns: 100)
        server.server.drain(timeout: 60_000, reason: "update") {}
        #expect(screen.shows("The server stops after this round"))
        screen.press("s")
        #expect(screen.shows("The evening is over.") && screen.shows("You: place 1, 1 round"), "\(screen.grid.text)")
        #expect(run.endingCount == 0)
        screen.press("x")
        let ending = try #require(await run.ending())
        #expect(ending.status == 0 && ending.summaries.contains("The evening is over."), "\(ending)")
    }

    @Test func aBetOnTheTable_isSaidToBeReturned_whenThePlayerLeaves() async throws {
        let (screen, run) = try startSession(server.port) { $0.wish = .sit(table: "low", seat: nil) }
        let peer = try server.seated("zoe", table: "low")
        #expect(screen.shows("zoe") && screen.shows("Your bet:"))
        screen.press("25\r")
        #expect(screen.shows("You bet 25."))
        screen.press("q")
        #expect(await run.ending()?.summaries.map(\.text) == ["Your bet of 25 is returned."])
        peer.close()
        await server.stop()
    }

    // MARK: Without a screen

    @Test func leave_asksAPerson_whileAHandIsInPlay_andSaysWhatIsLeft() async throws {
        let (screen, run) = try startSession(server.port) { ($0.isPlain, $0.wish) = (true, .sit(table: "main", seat: nil)) }
        #expect(screen.shows("Your bet, 10 to 500"))
        screen.press("bet 10\n")
        #expect(screen.shows("Your turn: hit, stand"))
        screen.press("leave\n")
        #expect(screen.shows("Your hand is in play and would stand: once more 'leave' or Ctrl-C leaves."))
        #expect(run.endingCount == 0)
        screen.press("rules\n")
        #expect(screen.shows("A blackjack pays 3:2."))
        screen.press("leave\nleave\n")
        let ending = await run.ending()
        #expect(ending?.status == 0)
        #expect(
            ending?.summaries.first?.text.hasPrefix("You left a hand in play, which stands: ") == true,
            "\(String(describing: ending))")
        await server.stop()
    }

    @Test func aScript_choosesItsTables_byName() async throws {
        let pipes = try PipeTerminal()
        for line in ["lobby", "sit low", "bet 10", "stand", "sit high", "bet 20", "stand"] { pipes.type(line) }
        pipes.endInput()
        let run = SessionRun(port: server.port, terminal: pipes.terminal)
        #expect(await run.ending()?.status == 0)
        let text = pipes.rest()
        for sentence in ["Table private: 7 of 7 seats free", "'sit TABLE' takes a seat", "You bet 10.", "You bet 20."] {
            #expect(text.contains(sentence), "\(sentence) is not in:\n\(text)")
        }
        #expect(server.rounds == 2)
        await server.stop()
    }

    @Test func aScript_thatLeftForATableThatIsNone_getsTheList() async throws {
        let pipes = try PipeTerminal()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.wish = .sit(table: "low", seat: nil) }
        pipes.type("sit nowhere")
        #expect(pipes.shows("There is no table of that name.") && pipes.shows("Table high: 7 of 7 seats free"))
        pipes.type("leave")
        #expect(await run.ending()?.status == 65)
        #expect(!pipes.rest().contains("There are no tables"))
        await server.stop()
    }

    @Test func aCommandForATable_withoutOne_isExplained() async throws {
        let pipes = try PipeTerminal()
        let run = SessionRun(port: server.port, terminal: pipes.terminal)
        #expect(pipes.shows("'sit TABLE' takes a seat, 'watch TABLE' watches."))
        pipes.type("bet 10")
        #expect(pipes.shows("You are not at a table: 'sit TABLE' or 'watch TABLE' takes you to one"))
        pipes.type("sit nowhere")
        #expect(pipes.shows("There is no table of that name"))
        pipes.type("leave")
        #expect(await run.ending()?.status == 65)
        await server.stop()
    }

    @Test(arguments: [
        ("sit private", "the table private has a pass phrase: give it with --pass, with BJ_PASS or after the table's name"),
        ("sit private mellon", "the pass phrase of the table private is wrong"), ("sit private open sesame", ""),
    ])
    func aScript_withoutTheRightPhrase_fails(_ line: String, _ reason: String) async throws {
        let pipes = try PipeTerminal()
        pipes.type(line)
        pipes.endInput()
        let run = SessionRun(port: server.port, terminal: pipes.terminal)
        let ending = await run.ending()
        #expect(ending?.status == (reason.isEmpty ? 0 : 77) && (ending?.reason?.text ?? "") == reason)
        #expect(!pipes.rest().contains("add \"pass\""), "the server's words are for programs")
        await server.stop()
    }

    @Test func aPhrase_isTypedUnseen_withoutAScreen() async throws {
        let (screen, run) = try startSession(server.port) { ($0.isPlain, $0.wish) = (true, .watch(table: "private")) }
        #expect(screen.shows("Pass phrase of private"))
        screen.press("mellon\n")
        #expect(screen.shows("That is not the pass phrase of private."))
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
        #expect(screen.shows("The host has sent you away.") && screen.shows("'sit TABLE' takes a seat"))
        screen.press("leave\n")
        #expect(await run.ending()?.status == 0)
        #expect(screen.modes == screen.modesBefore)
        await server.stop()
    }

    @Test func anEmptyLine_givesAPhraseUp_andTheNextLineIsNone() async throws {
        let (screen, run) = try startSession(server.port) { ($0.isPlain, $0.wish) = (true, .watch(table: "private")) }
        #expect(screen.shows("Pass phrase of private"))
        screen.press("\n")
        #expect(screen.shows("'sit TABLE' takes a seat"))
        screen.press("leave\n")
        #expect(await run.ending()?.status == 0)
        #expect(!screen.grid.text.contains("not the pass phrase"))
        await server.stop()
    }
}
