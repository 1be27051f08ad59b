import Foundation
import TestKit
import Testing

#if os(Linux)
    import Foundation
    import TestKit
    import Testing

    /// Every way out of the client leaves the terminal as it was: real processes at a controlling terminal.
    @Suite(.ownThread, .timeLimit(.minutes(3)))
    struct WaysOutTests {
        private let scratch = ScratchFolder()

        private func start(_ options: String...) throws -> TerminalProcess {
            let words = ["practice", "--bots", "0", "--name", "ann", "--seed", "7", "--no-motion"] + options
            let terminal = try TerminalProcess(Tool.path("bjclient"), words, environment: ["HOME": scratch.path])
            #expect(terminal.shows(options.isEmpty ? "Your bet:" : "Your bet, 10 to 500"))
            #expect((terminal.modes == terminal.modesBefore) == options.contains("--plain"))
            return terminal
        }

        /// The last use of each mode that the client sets: alternate screen, cursor, wrapping, marked pastes.
        private func isRestored(_ terminal: TerminalProcess) -> Bool {
            let isReset = ["?1049l": "?1049h", "?25h": "?25l", "?7h": "?7l", "?2004l": "?2004h"].allSatisfy { off, on in
                guard let set = terminal.text.range(of: on, options: .backwards) else { return true }
                return terminal.text.range(of: off, options: .backwards).map { $0.lowerBound > set.lowerBound } ?? false
            }
            return isReset && terminal.modes == terminal.modesBefore
        }

        @Test(arguments: [("q", 0), ("\u{3}", 0), ("\u{1C}", 0)])
        func aKey_leavesTheTerminalAsItWas(_ key: String, _ status: Int32) throws {
            let terminal = try start()
            terminal.press(key)
            #expect(terminal.exitStatus().map(Int32.init) == status)
            #expect(isRestored(terminal), "\(key.debugDescription)")
            // Else tmux keeps lines of it above the prompt.
            #expect(terminal.text.contains("\u{1B}[2J\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"), "the alternate screen is left empty")
        }

        /// A trap is SIGILL on x86-64, and SIGTRAP on ARM; it leaves a backtrace behind the restored terminal.
        @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGUSR1, SIGALRM, SIGXCPU])
        func aSignal_leavesTheTerminalAsItWas(_ number: Int32) throws {
            let terminal = try start()
            terminal.signal(number)
            let isFatal = ![SIGTERM, SIGHUP, SIGINT, SIGQUIT].contains(number)
            #expect(terminal.exitStatus().map(Int32.init) == (isFatal ? 128 + number : 0))
            #expect(isRestored(terminal), "signal \(number)")
            let isReported = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT].contains(number)
            #expect(terminal.text.contains("crashed: signal \(number), addresses 0x") == isReported)
        }

        @Test func controlZ_restoresTheTerminalWhileTheProgramIsStopped() throws {
            let terminal = try start()
            let raw = terminal.modes
            terminal.press("\u{1A}")
            #expect(terminal.waitsUntilStopped())
            let count = terminal.count
            terminal.signal(SIGCONT)
            #expect(terminal.shows("?1049h", after: count))
            #expect(terminal.modes == raw)
            terminal.press("q")
            #expect(terminal.exitStatus() == 0)
            #expect(isRestored(terminal))
        }

        /// A shell with jobs: the reads of one in the background fail, and its terminal is the shell's.
        @Test func aJobInTheBackground_leavesTheTerminalToTheShell_andPlaysOnInTheForeground() throws {
            let terminal = try TerminalProcess("/bin/sh", ["-i"], environment: ["HOME": scratch.path])
            terminal.press("\(Tool.path("bjclient")) practice --bots 0 --name ann --seed 7 --no-motion\r")
            #expect(terminal.shows("Your bet:"))
            let raw = terminal.modes
            #expect(terminal.press("\r", until: " against "))
            #expect(terminal.press("\u{1A}", until: "Stopped"))
            #expect(terminal.press("bg; echo back=$?\r", until: "back=0"))
            let background = terminal.count
            #expect(terminal.press("jobs; echo seen=$?\r", until: "seen=0"))
            #expect(terminal.shows("Running", after: background))
            #expect(terminal.text.ranges(of: "?1049h").count == 1, "nothing is drawn over the shell")
            let foreground = terminal.count
            terminal.press("fg; echo left=$?\r")
            #expect(terminal.shows(" against ", after: foreground) && terminal.modes == raw)
            #expect(terminal.press("s", until: "Round 1: "))
            #expect(terminal.press("q", until: "left=0"))
            #expect(isRestored(terminal))
        }

        /// The terminal's driver edits the line and acts on Control-Z: nothing is set, so nothing needs to be restored.
        @Test(arguments: [SIGTERM, SIGILL]) func plainMode_leavesTheTerminalAlone_alsoWhileStopped(_ number: Int32) throws {
            let terminal = try start("--plain")
            terminal.signal(SIGSTOP)
            #expect(terminal.waitsUntilStopped())
            #expect(isRestored(terminal))
            let count = terminal.count
            terminal.signal(SIGCONT)
            terminal.press("bet 10\r")
            #expect(terminal.shows("You bet 10.", after: count))
            #expect(isRestored(terminal))
            terminal.signal(number)
            #expect(terminal.exitStatus() == (number == SIGTERM ? 0 : 128 + Int(number)))
            #expect(isRestored(terminal) && !terminal.text.contains("\u{1B}"))
        }

        /// The only mode that plain mode changes: a pass phrase is typed unseen.
        @Test func aTrapWhileAPhraseIsTyped_showsAgainWhatIsTyped() throws {
            let file = try scratch.file("server.json", #"{"tables":[{"name":"main","pass":"open sesame"}]}"#)
            let server = Tool.process(
                "bjserver", ["--config", file, "--listen", "127.0.0.1:0", "--data", "none"], environment: ["HOME": scratch.path])
            let output = Pipe()
            server.standardOutput = output
            try server.start()
            defer { server.terminate() }
            var text = ""
            while !text.contains(/listening on \S+\s/),
                let more = String(bytes: output.fileHandleForReading.availableData, encoding: .utf8),
                !more.isEmpty
            { text += more }
            let address = try #require(text.firstMatch(of: /listening on (\S+)\s/)?.1)
            let terminal = try TerminalProcess(
                Tool.path("bjclient"), ["\(address)", "--name", "ann", "--plain"], environment: ["HOME": scratch.path])
            #expect(terminal.shows("Pass phrase of main"))
            #expect(terminal.modes != terminal.modesBefore)
            terminal.signal(SIGILL)
            #expect(terminal.exitStatus() == 128 + Int(SIGILL))
            #expect(isRestored(terminal))
        }

        @Test func aClosedTerminal_endsTheProgram() throws {
            let terminal = try start()
            terminal.hangUp()
            #expect(terminal.waitsUntilGone())
        }

        @Test func controlC_withAHandInPlay_asksOnce() throws {
            let terminal = try start()
            terminal.press("\r")
            #expect(terminal.shows(" against "))
            let count = terminal.count
            terminal.press("\u{3}")
            #expect(terminal.shows("Leave? Your hand stands", after: count))
            terminal.press("\u{3}")
            #expect(terminal.exitStatus() == 0)
            #expect(isRestored(terminal))
        }
    }
#endif

/// The short form of `.ci/crash`: the seed is in the failure's text.
@Test(.ownThread) func tenKills_loseNothingThatPlayersWereTold() throws {
    let folder = ScratchFolder()
    let words = [
        "--kills", "10", "--seed", "\(Seed.value % 1_000_000)", "--tables", "3", "--players", "8", "--data", folder.path,
    ]
    let run = try Tool.run("bjverify", ["crash", Tool.path("bjserver")] + words)
    #expect(run.status == 0, "\(words): \(run.output)\(run.errors)")
    #expect(run.output.contains("10 kills, "), "\(run.output)")
    #expect(run.output.contains("1 stops with imbalance=0"), "\(run.output)")
}

/// Without the journal's promise the run fails: the proof would notice.
@Test(.ownThread) func aServerThatPromisesNothing_isFoundOut() throws {
    let folder = ScratchFolder()
    let words = [
        "--kills", "40", "--seed", "1", "--tables", "2", "--players", "6", "--durability", "none", "--data", folder.path,
    ]
    let run = try Tool.run("bjverify", ["crash", Tool.path("bjserver")] + words)
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("FAILED seed 1, kill "), "\(run.output)")
}

@Test(.ownThread) func aServerThatCannotBeStarted_isSaid() throws {
    let folder = ScratchFolder()
    let run = try Tool.run("bjverify", ["crash", folder.path + "/absent", "--kills", "1", "--data", folder.path])
    #expect(run.status == 69)
    #expect(run.output.contains("cannot start"), "\(run.output)")
}
