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
        #expect(HealthCheck.run(host: "127.0.0.1", port: metrics, timeout: 120_000) == nil)
        let admin = server.folder.appending(path: "a").path
        guard case .table = try AdminClient.ask(["config"], path: admin, milliseconds: 120_000) else {
            Issue.record("the configuration is a table")
            return
        }
        server.end(SIGTERM)
        #expect(server.process.terminationStatus == 0 && server.log.contains("imbalance=0"), "\(server.log)")
        withExtendedLifetime(hogs) {}
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
}
