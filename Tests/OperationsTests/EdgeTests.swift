import Foundation
import Sockets
import TestKit
import Testing

@testable import ServerCore

/// The bytes that an endpoint answers with until it closes.
private func exchange(_ port: Int, _ text: String) throws -> String {
    let peer = try #require(RawPeer(port: port))
    peer.send(Array(text.utf8))
    return peer.rest()
}

@Test(.ownThread) func theEndpointServesItsPagesOverTCP() throws {
    let page = "bj_up 1\n"
    let endpoint = MetricsEndpoint(
        pages: OperatorPages(metrics: { page }, unreadiness: { nil }), timeout: 120_000)
    let address = try endpoint.start(host: "127.0.0.1", port: 0)
    defer { endpoint.stop() }
    let answer = try exchange(address.port, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n" + page))
    #expect(try exchange(address.port, "nonsense\n\n").hasPrefix("HTTP/1.1 400 "))
    #expect(try exchange(address.port, "GET /" + String(repeating: "x", count: 10_000)).hasPrefix("HTTP/1.1 431 "))
    #expect(HealthCheck.run(host: "0.0.0.0", port: address.port, timeout: 120_000) == nil)
}

@Test(.ownThread) func aHealthCheckTellsWhatIsWrong() throws {
    let endpoint = MetricsEndpoint(
        pages: OperatorPages(metrics: { "" }, unreadiness: { "draining" }), timeout: 120_000)
    let address = try endpoint.start(host: "127.0.0.1", port: 0)
    #expect(HealthCheck.run(host: "127.0.0.1", port: address.port, timeout: 120_000) == "status 503: draining")
    endpoint.stop()
    let nobody = try ClosedPort()
    let reason = HealthCheck.run(host: "127.0.0.1", port: nobody.number, timeout: 120_000)
    #expect(reason?.hasPrefix("cannot connect to 127.0.0.1:") == true)
    withExtendedLifetime(nobody) {}
}

@Test(.ownThread) func silentPeersKeepNoHealthCheckFromItsAnswer() throws {
    let endpoint = MetricsEndpoint(pages: OperatorPages(metrics: { "" }, unreadiness: { nil }), timeout: 120_000)
    let address = try endpoint.start(host: "127.0.0.1", port: 0)
    defer { endpoint.stop() }
    let silent = try (0..<PagesDriver.connectionLimit + 8).map { _ in try #require(RawPeer(port: address.port)) }
    #expect(HealthCheck.run(host: "127.0.0.1", port: address.port, timeout: 120_000) == nil)
    // The oldest has made room.
    #expect(silent[0].isClosedByServer())
}

@Test(.ownThread) func aPageOfMetricsIsMadeOnceForManyWhoAskAtOnce() throws {
    let made = Metric("bj_pages_total", "Pages.")
    let pages = OperatorPages(
        metrics: {
            made.add()
            return "bj_up 1\n"
        }, unreadiness: { nil })
    let endpoint = MetricsEndpoint(pages: pages, timeout: 120_000, pageLifetime: 120_000)
    let address = try endpoint.start(host: "127.0.0.1", port: 0)
    defer { endpoint.stop() }
    let request = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
    for _ in 0..<3 { #expect(try exchange(address.port, request).hasSuffix("\r\n\r\nbj_up 1\n")) }
    #expect(made.value == 1)
}

/// What a service manager hears at an address.
private final class Manager {
    let descriptor = socket(AF_UNIX, Descriptor.datagramType, 0)
    let path: String

    init(_ path: String) throws {
        self.path = path
        let address = try SocketAddress(unixPath: path, isAbstract: path.hasPrefix("@"))
        Loopback.setTimeout(of: descriptor)
        try #require(address.withPointer { bind(descriptor, $0, $1) } == 0)
    }

    func hear() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? "nothing" : String(decoding: bytes[..<count], as: UTF8.self)
    }

    deinit {
        close(descriptor)
        if path.hasPrefix("/") { unlink(path) }
    }
}

@Test(.ownThread) func theServiceManagerIsToldAtAPath() throws {
    let manager = try Manager("/tmp/bj-\(UUID().uuidString.prefix(13)).notify")
    let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.path]))
    #expect(notifier.watchdogMilliseconds == nil)
    #expect(notifier.notify(.ready, .status("7 tables\nREADY=0")))
    #expect(manager.hear() == "READY=1\nSTATUS=7 tables READY=0")
    #expect(notifier.notify(.stopping) && notifier.notify(.watchdog))
    #expect(manager.hear() == "STOPPING=1" && manager.hear() == "WATCHDOG=1")
}

#if os(Linux)
    @Test func theServiceManagerIsToldAtAnAbstractName() throws {
        let manager = try Manager("@bj-\(UUID().uuidString.prefix(13))")
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.path]))
        #expect(notifier.notify(.ready) && manager.hear() == "READY=1")
    }
#endif

@Test func theWatchdogIsPattedTwiceInItsTimeAndOnlyIfItIsOurs() {
    func interval(_ variables: [String: String]) -> Int64? {
        ServiceNotifier(environment: variables.merging(["NOTIFY_SOCKET": "/run/x"]) { $1 }, process: 7)?.watchdogMilliseconds
    }
    #expect(interval(["WATCHDOG_USEC": "30000000"]) == 15_000)
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == 15_000)
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]) == nil)
    #expect(interval(["WATCHDOG_USEC": "soon"]) == nil && interval(["WATCHDOG_USEC": "1"]) == 1)
}

@Test func withoutAServiceManagerThereIsNoNotifier() {
    #expect(ServiceNotifier(environment: [:]) == nil)
    for path in ["", "relative", "@", "vsock:2:1", "/" + String(repeating: "x", count: 200)] {
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": path]) == nil)
    }
    // Nobody is there any more: that is no reason to stop.
    #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "/no/such/socket"])?.notify(.ready) == false)
}
