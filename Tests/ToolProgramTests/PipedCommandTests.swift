import Foundation
import TestKit
import Testing

/// `bjclient` with its commands in a pipe, as the documents show it.
@Suite(.ownThread, .timeLimit(.minutes(2)))
struct PipedCommandTests {
    private let scratch = ScratchFolder()

    private func play(_ commands: String, bots: Int = 0, name: String = "ann") throws -> Tool.Ending {
        let words = ["practice", "--bots", "\(bots)", "--seed", "7", "--name", name]
        return try Tool.run("bjclient", words, input: commands, environment: ["HOME": scratch.path])
    }

    @Test func theCommandsOnTheClientsPage_playARound() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "Sources/bjclient/bjclient.docc/Playing.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        let example = try #require(page.firstMatch(of: /printf '(.+)' \| bjclient practice --bots 0 --seed 7 --name ann\n/))
        let ending = try play(String(example.1).replacing("\\n", with: "\n"))
        #expect(ending.status == 0 && ending.errors == "", "\(ending.errors) \(ending.output)")
        #expect(ending.output.contains("You stand on") && ending.output.contains(/have \d+ chips\./), "\(ending.output)")
    }

    @Test func thePast_isAnsweredInPractice_andNothingIsRefused() throws {
        let ending = try play("bet 10\nstand\nhistory\n")
        #expect(ending.status == 0 && ending.errors == "", "\(ending)")
        #expect(
            ending.output.contains("You are playing without an account") && ending.output.contains(/have \d+ chips\./),
            "\(ending.output)")
        #expect(!ending.output.contains("You left a hand") && !ending.output.contains("without you"), "\(ending.output)")
    }

    @Test func practice_goesOnWhereItEnded_andASecondOneBesideItKeepsNothing() throws {
        func practice(_ commands: String, _ name: String...) throws -> Tool.Ending {
            try Tool.run("bjclient", ["practice", "--bots", "0"] + name, input: commands, environment: ["HOME": scratch.path])
        }
        let first = try practice("bet 10\nno\nstand\n", "--name", "ann")
        let chips = try #require(first.output.matches(of: /have (\d+) chips\./).last?.1, "\(first)")
        let second = try practice("history\n")
        for words in ["You are ann.", "You have seat 1 and \(chips) chips", "practice, round 1:"] {
            #expect(
                second.output.contains(words)
                    || second.output.contains(words.replacing("have seat 1 and", with: "take seat 1 with")), "\(second)")
        }
        #if os(Linux)
            let open = try TerminalProcess(
                Tool.path("bjclient"), ["practice", "--bots", "0", "--plain"], environment: ["HOME": scratch.path])
            #expect(open.shows("You are ann."))
            #expect(try addressedSockets(of: open.program) == [])
            let beside = try practice("bet 10\nno\nstand\n", "--name", "bob")
            #expect(beside.output.contains("\nThis practice is not saved: another one is running.\n"), "\(beside)")
            open.signal(SIGKILL)
        #endif
    }

    #if os(Linux)
        /// The sockets of a process that others can reach: over TCP, and of Unix-domain sockets those with a path.
        private func addressedSockets(of process: pid_t) throws -> [String] {
            func sockets(of process: some CustomStringConvertible) throws -> Set<Substring> {
                let (files, folder) = (FileManager.default, "/proc/\(process)/fd")
                let links = try files.contentsOfDirectory(atPath: folder).compactMap {
                    try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
                }
                return Set(links.compactMap { $0.wholeMatch(of: /socket:\[(\d+)\]/)?.1 })
            }
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            // The shell has what other tests of this process let both inherit.
            let own = try sockets(of: process).subtracting(sockets(of: #require(status.firstMatch(of: /PPid:\s+(\d+)/)).1))
            #expect(own.count >= 2, "both ends of the player's connection")
            return try ["tcp", "tcp6", "unix"].flatMap { kind in
                try String(contentsOfFile: "/proc/\(process)/net/\(kind)", encoding: .utf8).split(separator: "\n").filter {
                    line in
                    let words = line.split(separator: " ")
                    return own.contains(where: words.contains) && (kind != "unix" || words.count > 7)
                }.map(String.init)
            }
        }
    #endif

    @Test(arguments: ["bet 7", "bett 10"]) func aRefusedCommand_isInTheStatus(_ line: String) throws {
        let ending = try play("bet 10\nstand\n\(line)\n")
        #expect(ending.status == 65 && ending.errors == "bjclient: a command was refused\n", "\(ending)")
    }

    @Test func aReaderWhoHasGone_endsTheSessionInSilence() throws {
        let words = ["practice", "--bots", "0", "--seed", "7", "--name", "ann", "--plain"]
        let ending = try Tool.run("bjclient", words, output: .closedPipe, environment: ["HOME": scratch.path])
        #expect(ending.status == 141 && ending.errors == "", "\(ending.status) \(ending.errors)")
    }

    /// `/dev/full` is Linux's.
    @Test(arguments: [
        (">/dev/full", "cannot write to standard output: No space left on device"),
        (">&-", "cannot write to standard output: Bad file descriptor"),
        ("<&-", "cannot read standard input: Bad file descriptor"), ("</", "cannot read standard input: Is a directory"),
    ]) func aStandardStreamThatFails_isNamed(_ redirection: String, _ reason: String) throws {
        #if !os(Linux)
            guard redirection != ">/dev/full" else { return }
        #endif
        let words = ["-c", "exec \"$0\" practice --bots 0 --seed 7 --name ann \(redirection)", Tool.path("bjclient")]
        let ending = try Tool.run("/bin/sh", words, input: "bet 10\nstand\n", environment: ["HOME": scratch.path])
        #expect(ending.status == 74 && ending.errors == "bjclient: \(reason)\n", "\(ending)")
    }

    @Test func aUserWhoseNameIsTheHosts_playsUnderAnother() throws {
        let variables = ["HOME": scratch.path, "USER": "root"]
        let words = ["practice", "--bots", "0", "--seed", "7"]
        let ending = try Tool.run("bjclient", words, input: "bet 10\nstand\n", environment: variables)
        #expect(ending.status == 0 && ending.output.contains("You are player."), "\(ending)")
    }

    /// The last drill is of the mistakes before it.
    @Test func aDrill_beginsWithItsHands_andKeepsMistakesBesideTheAccounts() throws {
        func drill(_ kind: String) throws -> Tool.Ending {
            let words = ["practice", "--drill", kind, "--seed", "3", "--name", "ann", "--plain"]
            return try Tool.run("bjclient", words, input: "bet 10\nstand\n", environment: ["HOME": scratch.path])
        }
        let without = try drill("mistakes")
        #expect(without.status == 65 && without.errors == "bjclient: no mistakes are kept yet: play some hands first\n")
        let folder = URL(filePath: scratch.path).appending(path: ".config/bjclient")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(#"["hard 21 10","pair 8 10"]"#.utf8).write(to: folder.appending(path: "mistakes.json"))
        let ending = try drill("mistakes")
        #expect(ending.output.contains("Each round begins with a hand that you have played wrong."), "\(ending)")
        #expect(
            ending.output.contains(/Your hand: 8 of \w+, 8 of \w+: 16. The dealer shows the (10|jack|queen|king)/), "\(ending)")
    }

    @Test func theSameSeed_playsTheSameGame_whateverTheName() throws {
        let games = try ["ann", "bob"].map { name in
            try play("bet 10\nstand\n", bots: 3, name: name).output.split(separator: "\n").filter {
                $0.contains(" get") || $0.contains("The dealer shows")
            }
        }
        #expect(games[0].count >= 9 && games[0] == games[1], "\(games)")
    }
}
