import Foundation
import Rules
import ServerCore
import TestKit
import Testing

@testable import bjserver

/// The words for a host at a terminal.
struct HostViewTests {
    private let machine = ["127.0.0.1", "::1", "192.168.1.5", "10.0.0.7", "fe80::1%eth0", "2001:db8::5", "169.254.3.4"]

    private func invitation(_ host: String, _ port: Int, passes: [String?] = [nil], machine: [String]? = nil) -> [String] {
        let tables = passes.enumerated().map {
            ShardConfiguration.TableSetting(name: "low-\($0)", rules: HouseRules(), pass: $1)
        }
        return HostView.invitation(host: host, port: port, machine: machine ?? self.machine, to: tables)
    }

    @Test func friendsPasteOneLine_withTheTableAndItsPhrase() {
        let words = "Friends can paste this line into a terminal:"
        #expect(
            invitation("::", 2121) == [
                words, "  bjclient 192.168.1.5:2121 --table low-0", "This machine is also at 10.0.0.7:2121, [2001:db8::5]:2121",
            ])
        #expect(
            invitation("10.0.0.7", 9, passes: ["it's us"]) == [
                words, #"  bjclient 10.0.0.7:9 --table low-0 --pass 'it'\''s us'"#,
            ])
        #expect(invitation("10.0.0.7", 9, passes: ["-x"]) == [words, "  bjclient 10.0.0.7:9 --table low-0 --pass=-x"])
        for pass in ["a\nrm -rf x", "a\tb", "\u{1B}[2J", "\u{200B}"] {
            #expect(invitation("10.0.0.7", 9, passes: [pass]) == [words, "  bjclient 10.0.0.7:9 --table low-0"])
        }
        #expect(invitation("10.0.0.7", 9, passes: [nil, "sesame"]) == [words, "  bjclient 10.0.0.7:9"], "they choose")
    }

    @Test func loopback_isNamedOnlyWhereItIsAllThereIs() {
        let lines = invitation("127.0.0.1", 2121)
        #expect(
            lines[1...] == [
                "  bjclient 127.0.0.1:2121 --table low-0", "To let others join, listen on all addresses: bjserver --listen :2121",
            ])
        #expect(invitation("0.0.0.0", 1, machine: ["127.0.0.1"]).last == "  bjclient 127.0.0.1:1 --table low-0")
    }

    @Test func codes_areLongAndDiffer() {
        let codes = Set((0..<100).map { _ in HostView.ownerCode() })
        #expect(codes.count == 100 && codes.allSatisfy { $0.utf8.count == 19 })
    }

    /// The command line precedes the environment.
    @Test func ctlAsksTheServerOfData_alsoWhereTheEnvironmentNamesASocket() {
        var options = ControlOptions()
        (options.socket, options.data) = ("/run/a.sock", .path("/srv/b"))
        #expect(options.path(environment: ["BJ_ADMIN": "/run/a.sock"]) == "/srv/b/admin.sock")
        #expect(options.path(environment: ["BJ_ADMIN": "/run/a.sock", "BJ_DATA": "/srv/b"]) == "/run/a.sock")
        #expect(options.path(environment: [:]) == "/run/a.sock")
        options.data = nil
        #expect(options.path(environment: ["BJ_ADMIN": "/run/a.sock"]) == "/run/a.sock")
        options.socket = nil
        #expect(options.path(environment: [:]) == nil)
    }

    @Test func theMachineHasAnAddress() { #expect(MachineAddresses.all.contains { $0 == "127.0.0.1" || $0 == "::1" }) }

    @Test func comingAndGoing_isToldInWords_andNothingReachesTheTerminalsControls() {
        func words(_ event: StaticString, _ fields: LogField...) -> String? {
            HostView.words(for: LogLine(time: 3_723_000, level: .info, event: event, fields: fields))
        }
        #expect(
            words("login", LogField("conn", 1), LogField("name", "ann"), LogField("address", "192.0.2.1"))
                == "01:02:03Z  ann logged in from 192.0.2.1.")
        let sat = words("sat", LogField("table", "low"), LogField("seat", 3), LogField("name", "ann"))
        #expect(sat == "01:02:03Z  ann took seat 3 at low.")
        let left = words("left", LogField("table", "low"), LogField("name", "ann"), LogField("chips", 90))
        #expect(left == "01:02:03Z  ann left low with 90 chips.")
        let hostile = words("gone", LogField("name", "a\u{1B}]0;x\u{7}\n\u{202E}b"))
        #expect(hostile == "01:02:03Z  a\\u{1b}]0;x\\u{7} \\u{202e}b left.")
        #expect(words("admin", LogField("request", "tables")) == nil, "a line of the log")
        let place = words(
            "leaderboard", LogField("place", 1), LogField("name", "ann"), LogField("bot", "no"), LogField("rounds", 12),
            LogField("net", 350), LogField("biggest_win", 75))
        #expect(place == "01:02:03Z  Place 1: ann, +350 chips in 12 rounds, biggest win 75.")
    }

    /// Names, tables, reasons and addresses of any bytes: one line each, bounded, without a control.
    @Test func outsideText_neverControlsTheHostsTerminal() throws {
        var generator = SeededGenerator()
        let events: [StaticString] = ["login", "sat", "left", "gone", "table_owned", "leaderboard", "stopping"]
        for _ in 0..<Thorough.count(2_000, most: 200_000) {
            let outside = HostileText.random(using: &generator)
            let fields = ["name", "table", "reason", "address"].map { key -> LogField in
                switch key {
                case "name": LogField("name", outside)
                case "table": LogField("table", outside)
                case "reason": LogField("reason", outside)
                default: LogField("address", outside)
                }
            }
            let event = events.randomElement(using: &generator) ?? "login"
            let line = try #require(HostView.words(for: LogLine(time: 0, level: .info, event: event, fields: fields)))
            #expect(line.unicodeScalars.count <= HostView.longest + 12, "BJ_SEED=\(Seed.value)")
            #expect(HostileText.isHarmless(line), "BJ_SEED=\(Seed.value) \(line.debugDescription)")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func atATerminal_aLineMakesOneOfTheFriendsTheOwner_once() throws {
        let words = try TerminalProcess(ShellServer.program, ["--listen", "127.0.0.1:0", "--data", "none"], columns: 200)
        #expect(words.shows("To own the table main, paste this line instead (valid once, for an hour):"))
        #expect(words.shows(" --owner "))
        let line = /bjclient 127\.0\.0\.1:(\d+) --table main --owner ([a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4})/
        let found = try #require(words.text.firstMatch(of: line))
        let port = try #require(Int(found.1))
        let ann = try #require(RawPeer(port: port))
        func login(_ name: String, _ digit: String) -> String {
            #"{"type":"login","name":"\#(name)","secret":"\#(String(repeating: digit, count: 64))","owner":"\#(found.2)"}"#
        }
        ann.send(login("ann", "a"))
        #expect(ann.line(with: #""to":"login""#)?.contains(#""owner":"main""#) == true)
        #expect(words.shows("ann owns table main."))
        let bob = try #require(RawPeer(port: port))
        bob.send(login("bob", "b"))
        #expect(bob.line(with: #""to":"login""#)?.contains("wrong_owner") == true)
        #expect(words.shows("event=wrong_owner"))
        #expect(words.text.matches(of: line).count == 1 && words.text.components(separatedBy: String(found.2)).count == 2)
        words.signal(SIGINT)
        #expect(words.exitStatus() == 0)
    }

    /// A server at a terminal, and one whose standard error is a file.
    @Test(.timeLimit(.minutes(5)))
    func atATerminal_theHostReadsWords_andElsewhereLogfmt() throws {
        // By this seed the first hand is no blackjack, which leaves nothing to decide.
        let words = try TerminalProcess(ShellServer.program, ["--listen", "127.0.0.1:0", "--data", "none", "--seed", "1"])
        #expect(words.shows("Players on this machine can paste this line"))
        // The line behind the address: before it, a part of the address may be there.
        #expect(words.shows("To let others join, listen on all addresses"))
        let port = try #require(words.text.firstMatch(of: /bjclient 127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) })
        let ann = try #require(RawPeer(port: port))
        ann.send(#"{"type":"login","name":"ann"}"#)
        ann.send(#"{"type":"sit"}"#)
        #expect(words.shows("ann logged in from 127.0.0.1."))
        #expect(words.shows("ann took seat "))
        #expect(words.text.contains("Data in memory only."))
        ann.send(#"{"type":"bet","amount":10,"round":0}"#)
        #expect(ann.line(with: #""a1""#) != nil)
        words.signal(SIGINT)
        #expect(words.shows("Draining: no new seats. 1 hand is played out, for at most "))
        #expect(words.shows("Ctrl-C again stops at once and returns the bets. Chips are not kept (--data none)."))
        words.signal(SIGINT)
        #expect(words.shows("Stopping at once; bets are returned."))
        #expect(ann.line(with: #""bye""#)?.contains("The server is stopping. Your bets were returned: 10 chips.") == true)
        #expect(words.shows("Stopped after 1 round."))
        #expect(words.exitStatus() == 0)
        #expect(!words.text.contains("level=") && !words.text.contains("event="), "\(words.text)")

        let log = try ShellServer("exec \"$0\" --listen 127.0.0.1:0 --data none 2>\"$1/log\"")
        let bob = try #require(RawPeer(port: try log.port()))
        bob.send(#"{"type":"login","name":"bob"}"#)
        #expect(log.waits(forLog: "event=login") && !log.log.contains("logged in") && !log.log.contains("type:"))
    }

    /// The server does not stay on its port behind a terminal that is gone.
    @Test(.timeLimit(.minutes(5)))
    func closingTheTerminal_drainsTheServer() throws {
        let server = try TerminalProcess(ShellServer.program, ["--listen", "127.0.0.1:0", "--data", "none"])
        #expect(server.shows("To let others join, listen on all addresses"))
        server.hangUp()
        #expect(server.waitsUntilGone())
    }
}
