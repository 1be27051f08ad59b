import Foundation
import ServerCore
import Sockets
import TestKit
import Testing

@testable import bjserver

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct DescriptorTests {
    /// One peer takes whatever connections it can get, of a server with few descriptors.
    @Test func whoTakesEveryConnection_stopsNoClock_noDrain_noReload_andNoOperator() throws {
        let server = try ShellServer(
            #"ulimit -n 256; exec "$0" --config "$1/bj.json" --admin "$1/a" --metrics 127.0.0.1:0 -l 127.0.0.1:0 2>"$1/log""#,
            settings: #"{"maxConnections": 1000, "rules": {"decisionSeconds": 1, "bettingSeconds": 1}, "settle": "0s"}"#)
        let metrics = try server.port("metrics on 127.0.0.1:")
        let port = try server.port()
        #expect(server.waits(forLog: "descriptors_short connections=92 max_connections=1000"))
        let ann = try #require(RawPeer(port: port))
        ann.send(#"{"type":"login","name":"ann"}"#)
        ann.send(#"{"type":"sit"}"#)
        #expect(ann.line(with: #""type":"snapshot""#) != nil)
        DescriptorLimit.raise()
        // More than the process has descriptors, none of which is let go.
        let hogs = (0..<500).compactMap { _ in RawPeer(port: port) }
        #expect(hogs.count == 500)

        // The clocks of the game go on: nobody answers, so a round is dealt, decided and settled by them alone.
        ann.send(#"{"type":"bet","amount":10,"round":0}"#)
        #expect(ann.line(with: #""type":"ok""#) != nil && ann.line(with: #""r1.1":"#) != nil)
        #expect(HealthCheck.run(host: "127.0.0.1", port: metrics, timeout: 120_000) == .healthy)
        let admin = server.folder.appending(path: "a").path
        guard case .table = try AdminClient.ask(["config"], path: admin, milliseconds: 120_000) else {
            Issue.record("the configuration is a table")
            return
        }
        server.end(SIGTERM)
        #expect(server.process.terminationStatus == 0 && server.log.contains("imbalance=0"), "\(server.log)")
        withExtendedLifetime(hogs) {}
    }

    @Test func withTooFewDescriptors_aServerSaysSo() throws {
        let server = try ShellServer(#"ulimit -n 100; exec "$0" -l 127.0.0.1:0 2>"$1/log""#)
        #expect(server.status() == 69)
        #expect(server.log.hasPrefix("bjserver: 100 descriptors are too few: "), "\(server.log)")
    }

    @Test func aDecisionThatWasSentInTime_isInTime_afterTheServerWasStopped() throws {
        let server = try ShellServer(
            #"exec "$0" --config "$1/bj.json" --seed 3 -l 127.0.0.1:0 2>"$1/log""#,
            settings: #"{"rules": {"decisionSeconds": 4, "bettingSeconds": 600}, "settle": "0s"}"#)
        let ann = try #require(RawPeer(port: try server.port()))
        ann.send(#"{"type":"login","name":"ann"}"#)
        ann.send(#"{"type":"sit","seat":1}"#)
        ann.send(#"{"type":"bet","amount":10,"round":0}"#)
        let question = try #require(ann.line(with: #""a1":{"#))
        server.signal(SIGSTOP)
        // More lines than are heard in one turn, the decision last.
        for id in 1...6 { ann.send(#"{"type":"ping","id":\#(id)}"#) }
        ann.send(#"{"type":"act","id":7,"action":"stand","turn":1}"#)
        // Her clock runs out while the server stands still.
        let deadline = try #require(
            question.firstMatch(of: /"clock":([0-9]+)/).flatMap { Double($0.1) }.map {
                Date(timeIntervalSince1970: $0 / 1000)
            }
        )
        Waiting.until(deadline.addingTimeInterval(0.2))
        server.signal(SIGCONT)
        let answer = try #require(ann.line(with: #""id":7"#))
        #expect(answer.contains(#""type":"ok""#), "\(answer)")
    }

    @Test func aQuestionWhoseTimeRanOutWhileTheServerWasStopped_hasItAgain() throws {
        let server = try ShellServer(
            #"exec "$0" --config "$1/bj.json" --seed 3 -l 127.0.0.1:0 2>"$1/log""#,
            settings: #"{"rules": {"decisionSeconds": 4, "bettingSeconds": 600}, "settle": "0s"}"#)
        let ann = try #require(RawPeer(port: try server.port()))
        ann.send(#"{"type":"login","name":"ann"}"#)
        ann.send(#"{"type":"sit","seat":1}"#)
        ann.send(#"{"type":"bet","amount":10,"round":0}"#)
        let question = try #require(ann.line(with: #""a1":{"#))
        let deadline = try #require(question.firstMatch(of: /"clock":([0-9]+)/).flatMap { Double($0.1) })
        server.signal(SIGSTOP)
        Waiting.until(Date(timeIntervalSince1970: deadline / 1000 + 1))
        server.signal(SIGCONT)
        let change = try #require(ann.line(with: #""clock":"#))
        let moved = try #require(change.firstMatch(of: /"clock":([0-9]+)/).flatMap { Double($0.1) })
        #expect(moved - deadline > 3000)
        ann.send(#"{"type":"act","id":7,"action":"stand","turn":1}"#)
        #expect(try #require(ann.line(with: #""id":7"#)).contains(#""type":"ok""#))
        #expect(server.log.contains("event=paused"))
    }

    @Test(arguments: ["<&-", "2>&-", "<&- 2>&-"])
    func aServerThatIsStartedWithoutStandardDescriptors_givesTheirNumbersToNothingElse(_ closed: String) throws {
        let server = try ShellServer(#"exec "$0" --config "$1/bj.json" --log debug -l 127.0.0.1:0 \#(closed)"#)
        let peer = try #require(RawPeer(port: try server.port()))
        #expect(peer.line(with: "hello") != nil)
        #if os(Linux)
            for number in [0, 2] {
                let path = "/proc/\(server.process.processIdentifier)/fd/\(number)"
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null", "\(number)")
            }
        #endif
    }

    @Test func aPipeForAFile_isRefusedAtOnce() throws {
        for (words, message) in [
            (#"--config "$1/pipe""#, "pipe: cannot be read: it is a pipe or a device, not a regular file"),
            (#"--rules "$1/pipe""#, "pipe: it is a pipe or a device, not a regular file"),
        ] {
            let server = try ShellServer(#"mkfifo "$1/pipe"; exec "$0" \#(words) -l 127.0.0.1:0 2>"$1/log""#)
            #expect(server.status() == 65 && server.log.contains(message), "\(server.log)")
        }
    }
}
