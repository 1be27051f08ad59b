import Foundation
import TestKit
import Testing

/// `bjclient host`: the server is a process of its own, which this suite ends by `bjserver ctl`.
@Suite(.ownThread, .timeLimit(.minutes(3)))
struct HostCommandTests {
    private let scratch = ScratchFolder()
    private var environment: [String: String] { ["HOME": scratch.path, "BJ_LISTEN": "127.0.0.1:0"] }

    /// The second bet waits for the end of the first round, however that goes.
    private func host(
        _ options: [String] = [], _ commands: String = "bet 10\nno\nstand\nbet 10\n", rules: String? = nil
    ) throws -> Tool.Ending {
        var environment = environment
        environment["BJ_RULES"] = rules
        return try Tool.run("bjclient", ["host"] + options, input: commands, environment: environment)
    }

    /// Of the servers so far.
    private func pids() throws -> [pid_t] {
        try String(contentsOfFile: scratch.path + "/.local/state/bjserver/host.log", encoding: .utf8)
            .matches(of: /event=started .*pid=(\d+)/).compactMap { pid_t($0.1) }
    }

    private func control(_ request: String) throws -> Tool.Ending {
        try Tool.run("bjserver", ["ctl", request], environment: environment)
    }

    /// The files that another user of the machine may read or write.
    private func filesForOthers() throws -> [String] {
        let names = FileManager.default.subpaths(atPath: scratch.path + "/.local") ?? []
        #expect(names.contains("state/bjserver/door.sock") && names.contains("state/bjserver/host.log"))
        return try names.filter { name in
            let file = try FileManager.default.attributesOfItem(atPath: "\(scratch.path)/.local/\(name)")
            return (file[.posixPermissions] as? Int ?? 0) & 0o077 != 0
        }
    }

    @Test func theTableOutlivesTheProgram_andItsHostComesBack() throws {
        let rules = scratch.path + "/rules.json"
        try #"{"maximumBet":40}"#.write(toFile: rules, atomically: true, encoding: .utf8)
        let options = ["--table", "poker", "--bots", "1", "--pass", "open sesame", "--name", "bob", "--assist"]
        let first = try host(options, rules: rules)
        defer { _ = try? control("drain") }
        let line = try #require(
            first.output.firstMatch(of: /\n  (bjclient 127\.0\.0\.1:\d+ --table poker --pass 'open sesame')\n/))
        for sentence in ["You own poker", "Carla (bot) has seat", "The table stays open"] {
            #expect(first.output.contains(sentence), "\(first)")
        }
        #expect(first.output.contains(/have \d+ chips\./), "\(first)")
        // The accounts of one device: the host's, then the friend's.
        let friend = try Tool.run(
            "/bin/sh",
            ["-c", "PATH=\(URL(filePath: Tool.path("bjclient")).deletingLastPathComponent().path):$PATH; \(line.1) --name ann"],
            input: "leave\n", environment: environment)
        #expect(friend.status == 0 && friend.output.contains("You are ann."), "\(friend)")
        let second = try host(["--pass", "another"], "leave\n")
        for words in [line.1, "You are bob.", "You own poker"] {
            #expect(second.output.contains(words), "the owner, not the last to play: \(second)")
        }
        #expect(second.errors == "bjclient: the table is already open: --pass, --bots, --assist and --new are ignored\n")
        let locked = try host([], "pass kiwi\nleave\n")
        let renewed = try host([], "leave\n")
        #expect(renewed.output.contains("--table poker --pass kiwi\n"), "the phrase in force: \(locked) \(renewed)")
        // Who has no client comes by the door, whose address only this user's processes may name.
        let port = try #require(first.output.firstMatch(of: /\nWithout bjclient: nc 127\.0\.0\.1 (\d+)\n/).flatMap { Int($0.1) })
        let caller = try #require(RawPeer(port: port))
        #expect(caller.sees("Blackjack at bob's table. Your name?"))
        for (line, answer) in [("cat", "Pass phrase of poker"), ("kiwi", "You have seat")] {
            caller.send(line)
            #expect(caller.sees(answer), "\(line)")
        }
        // A crash: the keeper starts the server again, and the evening goes on with its bot, its rules and the caller.
        #expect(try pids().count == 1)
        kill(try #require(try pids().first), SIGKILL)
        #expect(Waiting.until { (try? pids().count) == 2 && (try? control("tables").status) == 0 })
        #expect(caller.sees("The connection is back."))
        caller.send("leave")
        #expect(caller.isClosedByServer())
        // At the address of another port bob's account is another's.
        let again = try host(["--name", "eve"], "bet 10\nno\nstand\nbet 10\nstandings\n")
        for words in ["--pass kiwi\n", "Carla (bot) has seat", ". bob: ", ". eve: "] {
            #expect(again.output.contains(words), "\(again)")
        }
        #expect(try control("tables").output.contains(/\b40\b/))
        let kept = try String(contentsOfFile: scratch.path + "/.local/state/bjserver/host-rules.json", encoding: .utf8)
        #expect(kept.contains(#""assist":true"#) && kept.contains(#""maximumBet":40"#))
        // A close, and another Friday: the table as it was, or with --new another one of that name and owner.
        #expect(try control("drain").status == 0 && Waiting.until { (try? control("tables").status) == 69 })
        let friday = try host(["--table", "Poker!"], "leave\n")
        for words in [
            "The table is called poker.", "--pass 'open sesame'\n", "Carla (bot) has seat", "You are eve.", "You own poker",
        ] {
            #expect(friday.output.contains(words), "\(friday)")
        }
        #expect(friday.output.contains(/Last time: .*\bbob [+−]?\d+.*\.\n/) && !friday.output.contains(", Carla"), "\(friday)")
        #expect(try control("tables").output.contains(/\b40\b/))
        #expect(try control("drain").status == 0 && Waiting.until { (try? control("tables").status) == 69 })
        let new = try host(["--new"], "leave\n")
        #expect(new.output.contains("--table poker --pass ") && new.output.contains("You are eve."), "\(new)")
        #expect(!new.output.contains("open sesame") && !new.output.contains("Carla"), "\(new)")
        #expect(try filesForOthers() == [])
        let other = try host(["--table", "other"])
        #expect(
            other.status == 69 && other.errors == "bjclient: another table is already open; 'bjserver ctl drain' closes it\n",
            "\(other)")
    }

    #if os(Linux)
        @Test func leavingAsks_andEndsTheEvening() throws {
            let terminal = try TerminalProcess(
                Tool.path("bjclient"), ["host", "--name", "bob", "--no-motion"], environment: environment)
            defer { _ = try? control("drain") }
            #expect(
                terminal.shows("Players on this machine paste this line") && terminal.shows("Friends paste:")
                    && terminal.shows("Your bet:"))
            terminal.press("/pass kiwi\r")
            #expect(terminal.shows("The pass phrase is changed."))
            let count = terminal.count
            terminal.press("q")
            #expect(
                terminal.shows("The line for friends has changed:\r\n", after: count) && terminal.shows("kiwi\r\n", after: count))
            #expect(terminal.shows("Close it after the hands in play? [y/N]"))
            // Ctrl-C leaves it open.
            terminal.press("\u{3}")
            #expect(try terminal.exitStatus() == 0 && control("tables").status == 0)
            let again = try TerminalProcess(Tool.path("bjclient"), ["host", "--no-motion"], environment: environment)
            #expect(again.shows("Your bet:"))
            // A signal, which no reader of keys sees: the answer is the question's.
            again.press("\u{3}")
            #expect(again.shows("[y/N]"))
            again.press("y\r")
            #expect(
                again.exitStatus() == 0 && again.text.contains("The table closes after the hands in play."), "\(again.text)")
            #expect(Waiting.until { (try? control("tables").status) == 69 })
            let next = try host([], "leave\n")
            #expect(
                next.output.contains("You are bob.") && next.output.contains("--pass kiwi\n"),
                "the account of a former port, and the owner's phrase: \(next)")
            // The menu, whose first line is what was done last.
            let menu = try TerminalProcess(Tool.path("bjclient"), [], environment: environment)
            #expect(menu.shows("1  host again (friends)") && menu.shows("2  practice against bots\r\n"))
            menu.press("no.such.invalid\r")
            #expect(menu.shows("There is no host 'no.such.invalid'"))
            menu.press("\r")
            #expect(menu.shows("Your bet:"))
            menu.press("q")
            #expect(menu.shows("[y/N]"))
            menu.press("n\r")
            #expect(menu.exitStatus() == 0)
            #expect(try filesForOthers() == [])
        }
    #endif

    @Test func hostsAtOneMoment_shareAServer_whosePhraseIsInTheSettings() throws {
        let outputs = try ["ann", "bob", "cat", "dan"].map { try scratch.file($0, "") }
        let hosts = try outputs.map { path in
            let words = ["host", "--name", URL(filePath: path).lastPathComponent]
            let host = Tool.process("bjclient", words, environment: environment)
            host.standardOutput = try FileHandle(forWritingTo: URL(filePath: path))
            try host.start()
            return host
        }
        defer { _ = try? control("drain") }
        for host in hosts { host.waitUntilExit() }
        let all = try outputs.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        let lines = all.matches(of: /bjclient 127\.0\.0\.1:\d+ --table friends --pass (\S+)\n/)
        #expect(lines.count >= 4 && Set(lines.map(\.0)).count == 1, "\(all)")
        let settings = try String(contentsOfFile: scratch.path + "/.local/state/bjserver/host.json", encoding: .utf8)
        #expect(settings.contains("\"\(try #require(lines.first?.1))\""), "\(settings) \(all)")
    }

    @Test func withoutAServer_theReasonIsSaid() throws {
        let taken = try Tool.run(
            "bjclient", ["host"], environment: ["HOME": scratch.path, "BJ_LISTEN": "192.0.2.1:1", "XDG_STATE_HOME": "relative"])
        #expect(taken.status == 69 && taken.errors.contains("192.0.2.1"), "\(taken)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/.local/state/bjserver/host.json"))
        let copy = scratch.path + "/bjclient"
        // By another process: a program that this one has open for writing cannot be started by a concurrent test's child.
        #expect(try Tool.run("/bin/cp", [Tool.path("bjclient"), copy]).status == 0)
        let alone = try Tool.run(copy, ["host"], environment: ["HOME": scratch.path, "PATH": "/nowhere"])
        #expect(
            alone.status == 69 && alone.errors.hasPrefix("bjclient: bjserver was not found"), "\(alone)")
    }
}
