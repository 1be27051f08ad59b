import Foundation
import Operations
import TestKit
import Testing

@testable import bjserver

/// The words for a host at a terminal.
struct HostViewTests {
    private let machine = ["127.0.0.1", "::1", "192.168.1.5", "10.0.0.7", "fe80::1%eth0", "2001:db8::5", "169.254.3.4"]

    @Test func friendsTypeEachAddressThatTheyCanReach() {
        #expect(
            HostView.invitation(host: "::", port: 2121, machine: machine) == [
                "Friends type one of these:", "  bjclient 192.168.1.5:2121", "  bjclient 10.0.0.7:2121",
                "  bjclient [2001:db8::5]:2121",
            ])
        #expect(
            HostView.invitation(host: "0.0.0.0", port: 9, machine: machine) == [
                "Friends type one of these:", "  bjclient 192.168.1.5:9", "  bjclient 10.0.0.7:9",
            ])
        #expect(HostView.invitation(host: "10.0.0.7", port: 9, machine: machine).dropFirst() == ["  bjclient 10.0.0.7:9"])
    }

    @Test func loopback_isNamedOnlyWhereItIsAllThereIs() {
        let lines = HostView.invitation(host: "127.0.0.1", port: 2121, machine: machine)
        #expect(lines[1...] == ["  bjclient 127.0.0.1:2121", "For others, listen on all addresses: bjserver --listen :2121"])
        #expect(HostView.invitation(host: "0.0.0.0", port: 1, machine: ["127.0.0.1"]).last == "  bjclient 127.0.0.1:1")
    }

    @Test func theMachineHasAnAddress() { #expect(MachineAddresses.all.contains { $0 == "127.0.0.1" || $0 == "::1" }) }

    @Test func comingAndGoing_isToldInWords_andNothingReachesTheTerminalsControls() {
        func words(_ event: StaticString, _ fields: LogField...) -> String? {
            HostView.words(for: LogLine(time: 3_723_000, level: .info, event: event, fields: fields))
        }
        #expect(words("login", LogField("conn", 1), LogField("name", "ann")) == "01:02:03Z  ann comes in.")
        let sat = words("sat", LogField("table", "low"), LogField("seat", 3), LogField("name", "ann"))
        #expect(sat == "01:02:03Z  ann sits down at low, seat 3.")
        let left = words("left", LogField("table", "low"), LogField("name", "ann"), LogField("chips", 90))
        #expect(left == "01:02:03Z  ann leaves low with 90 chips.")
        let hostile = words("gone", LogField("name", "a\u{1B}]0;x\u{7}\n\u{202E}b"))
        #expect(hostile == "01:02:03Z  a\\u{1b}]0;x\\u{7} \\u{202e}b goes.")
        #expect(words("admin", LogField("request", "tables")) == nil)
        #expect(
            words("table_owner_unknown", LogField("table", "friends"), LogField("owner", "ann"))
                == "01:02:03Z  The table friends has no owner yet: ann plays here once, then start the server again.")
    }

    /// A server at a terminal, and one whose standard error is a file.
    @Test(.timeLimit(.minutes(2)))
    func atATerminal_theHostReadsWords_andElsewhereLogfmt() throws {
        let words = try TerminalProcess(ShellServer.program, ["--listen", "127.0.0.1:0", "--data", "none"])
        #expect(words.shows("Players on this machine type:"))
        // The line behind the address: before it, a part of the address may be there.
        #expect(words.shows("For others, listen on all addresses"))
        let port = try #require(words.text.firstMatch(of: /bjclient 127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) })
        let ann = try #require(ShellPeer(port: port))
        ann.send(#"{"type":"login","name":"ann"}"#)
        ann.send(#"{"type":"sit"}"#)
        #expect(words.shows("ann comes in."))
        #expect(words.shows("ann sits down at "))
        words.signal(SIGTERM)
        _ = words.exitStatus()

        let log = try ShellServer("exec \"$0\" --listen 127.0.0.1:0 --data none 2>\"$1/log\"")
        let bob = try #require(ShellPeer(port: try log.port()))
        bob.send(#"{"type":"login","name":"bob"}"#)
        #expect(log.waits(forLog: "event=login") && !log.log.contains("comes in") && !log.log.contains("type:"))
    }

    @Test func sayIsARequestWithAText_andATable() throws {
        func request(_ words: String...) -> AdminRequest? {
            guard case .run(let program, _) = ServerProgram.command.parse(["ctl", "-s", "/tmp/none"] + words),
                case .control(let options) = program
            else { return nil }
            return try? options.request()
        }
        #expect(request("say", "Last rounds.") == .say(text: "Last rounds.", table: nil))
        #expect(request("say", "Last rounds.", "--table", "low") == .say(text: "Last rounds.", table: "low"))
        #expect(request("say") == nil && request("say", "a\u{1B}b") == nil)
        #expect(request("kick", "ann", "--table", "low") == nil)
    }
}
