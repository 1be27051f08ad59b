import Rules
import ServerCore
import Sockets
import TestKit
import Testing

@testable import LoadGenerator

private func answer(_ body: String, head: String = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n") -> [UInt8] {
    Array((head + body).utf8)
}

/// Asks whoever listens at a port of this machine.
private func ask(_ port: Int, path: String = "/metrics", patience: Int64 = 60_000) async -> Result<MetricsAnswer, MetricsFault> {
    let loop = Loop(label: "test.metrics")
    defer { loop.stop() }
    let reader = LoopConfined(
        sending: MetricsReader(.init(host: "127.0.0.1", port: port, path: path), loop: loop, timeout: patience), on: loop)
    return await withCheckedContinuation { done in
        reader.perform { $0.read { done.resume(returning: $0) } }
    }
}

@Test func metrics_areReadFromTheText() throws {
    let text = """
        # HELP bj_players Players.
        # TYPE bj_players gauge
        bj_players{state="here"} 3
        bj_players{state="a \\" } b"} 4 1700000000000

        up 1\r
        process_cpu_seconds_total 12.75
        odd:name_9 -1e3
        infinite +Inf
        """
    let metrics = try MetricsAnswer(answer(text))
    #expect(metrics["up"] == 1 && metrics["process_cpu_seconds_total"] == 12.75 && metrics["odd:name_9"] == -1000)
    #expect(metrics["infinite"] == .infinity && metrics["bj_players"] == nil && metrics.sum("bj_players") == 7)
    #expect(metrics.sum("bj_play") == nil && metrics.names.count == 6)
}

@Test(
    arguments: [
        ("HTTP/1.1 404 Not Found\r\n\r\nnot found\n", MetricsFault.status("HTTP/1.1 404 Not Found")),
        ("HTTP/1.1 200 OK\r\n\r\n<html>\n", .notMetrics("<html>")), ("HTTP/1.1 200 OK\r\n\r\n9up 1\n", .notMetrics("9up 1")),
        ("HTTP/1.1 200 OK\r\n\r\nup one\n", .notMetrics("up one")), ("HTTP/1.1 200 OK\r\n\r\nup\n", .notMetrics("up")),
        ("HTTP/1.1 200 OK\r\n\r\nup{a=\"}\" 1\n", .notMetrics("up{a=\"}\" 1")), ("HTTP/1.1 200 OK\r\n\r\n", .notMetrics("")),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nup 1\n", .cutShort), ("HTTP/1.1 200 OK\r\nContent-", .cutShort),
        ("", .cutShort), ("+PONG\r\n", .notMetrics("+PONG")), ("HTTP/1.1 nonsense\r\n\r\nup 1\n", .status("HTTP/1.1 nonsense")),
    ])
func whatIsNoMetrics_isSaidSo(_ text: String, _ fault: MetricsFault) {
    #expect(throws: fault) { try MetricsAnswer(Array(text.utf8)) }
    // For a terminal: no control character, and not too much.
    #expect(fault.description.unicodeScalars.allSatisfy { $0.value >= 0x20 } && fault.description.count < 140)
}

@Test(.ownThread) func aServersOwnMetrics_areRead_andAreWorthTwoLines() async throws {
    let metrics = ServerMetrics(version: "test")
    ProcessMetrics.add(to: metrics.registry)
    let endpoint = MetricsEndpoint(pages: OperatorPages(metrics: { metrics.registry.text }, unreadiness: { nil }))
    let port = try endpoint.start(host: "127.0.0.1", port: 0).port
    let read = try await ask(port).get()
    #expect(read["bj_connections"] == 0 && read["bj_ledger_imbalance_chips"] == 0 && read.names.count > 50)
    var figures = ServerFigures()
    figures.take(.success(read), at: 0)
    #expect(figures.lines.count == 2 && figures.lines.allSatisfy { $0.hasPrefix("server: ") }, "\(figures.lines)")
    #expect(figures.lines[0].contains("connections 0") && figures.lines[1].contains("imbalance 0"))
    // Another path is another page, and a port where nobody is says so.
    #expect(await ask(port, path: "/nothing") == .failure(.status("HTTP/1.1 404 Not Found")))
    #expect(await ask(port, path: "/livez") == .failure(.notMetrics("ok")))
    endpoint.stop()
    let closed = try ClosedPort()
    guard case .failure(.unreachable(let reason)) = await ask(closed.number) else {
        Issue.record("nobody listens there")
        return
    }
    #expect(reason.hasPrefix("cannot connect to 127.0.0.1:\(closed.number)"))
}

/// Sends some bytes to whoever connects, and says no more.
private final class Mumbler: ConnectionHandler, @unchecked Sendable {  // touched on its loop alone
    let loop = Loop(label: "test.mumbler")
    private(set) var port = 0
    private var listener: Listener?

    init(_ bytes: [UInt8], closes: Bool) throws {
        port = try loop.performAndWait {
            let limits = ConnectionLimits(outboundBytes: bytes.count + 1, linger: 60_000)
            let listener = try Listener(host: "127.0.0.1", port: 0, loop: loop, limits: limits) { [weak self] connection in
                guard let self else { return }
                connection.handler = self
                connection.send(bytes)
                if closes { connection.close() }
            }
            self.listener = listener
            return listener.address.port
        }
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {}
    func connection(_ connection: Connection, endedBy reason: EndReason) {}
    deinit { loop.stop() }
}

@Test(.ownThread) func aSlowAnswer_andOneWithoutEnd_areGivenUp() async throws {
    let silent = try Mumbler(Array("HTTP/1.1 200 OK\r\n".utf8), closes: false)
    #expect(await ask(silent.port, patience: 30) == .failure(.silent(milliseconds: 30)))
    let endless = try Mumbler(answer(String(repeating: "up 1\n", count: MetricsReader.limit / 5 + 1)), closes: false)
    #expect(await ask(endless.port) == .failure(.tooLong(limit: MetricsReader.limit)))
    let short = try Mumbler(answer("up 1\n", head: "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"), closes: true)
    #expect(await ask(short.port) == .failure(.cutShort))
    // A server that keeps the connection open is not waited for longer than its answer is.
    let kept = try Mumbler(answer("up 1\n", head: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), closes: false)
    #expect(try await ask(kept.port).get()["up"] == 1)
}

@Test func theServersFigures_areRatesBetweenTwoAnswers() throws {
    var figures = ServerFigures()
    func take(_ text: String, at moment: Int64) throws { figures.take(.success(try MetricsAnswer(answer(text))), at: moment) }
    try take("bj_connections 700\nbj_rounds_total 100\nprocess_cpu_seconds_total 1.0\n", at: 0)
    #expect(figures.lines == ["server: connections 700"])
    try take(
        "bj_connections 1700\nbj_rounds_total 900\nprocess_cpu_seconds_total 2.5\nprocess_resident_memory_bytes 52428800\nbj_loop_lag_seconds 0.00025\nbj_protocol_errors_total{code=\"a\"} 2\nbj_protocol_errors_total{code=\"b\"} 3\nbj_ledger_imbalance_chips 0\n",
        at: 2_000_000)
    #expect(
        figures.lines == [
            "server: connections 1,700 · rounds/s 400 · processors 0.75 · memory 50.0 MiB · loop lag 250 µs",
            "server: protocol errors 5 · imbalance 0",
        ])
    figures.take(.failure(.silent(milliseconds: 2000)), at: 4_000_000)
    #expect(figures.lines == ["server: no answer within 2000 ms"])
    try take("up 1\nhttp_requests_total{code=\"200\"} 5\n", at: 6_000_000)
    #expect(figures.lines == ["server: up 1.00"])
}

@Test(.ownThread) func aRunThatIsGivenAServersMetrics_tellsWhatBothSidesUsed() async throws {
    let registry = MetricsRegistry()
    ProcessMetrics.add(to: registry)
    // Each page is made anew: a page that is kept would show a short run the same figures twice.
    let endpoint = MetricsEndpoint(pages: OperatorPages(metrics: { registry.text }, unreadiness: { nil }), pageLifetime: 0)
    let port = try endpoint.start(host: "127.0.0.1", port: 0).port
    var plan = Scenario()
    plan.phases = [.ramp(bots: 4, over: 0), .hold(60_000)]
    let report = try await load(plan, metrics: .init(host: "127.0.0.1", port: port)) { $0.hands >= 20 }
    #expect(report.generatorSeconds > 0 && (report.serverSeconds ?? 0) > 0 && report.serverPerAction != nil)
    #expect(report.text.contains(" an action for the generator, ") && report.text.contains(" for the server, "))
    #expect(report.json[path: "processor.serverPerAction"]?.number != nil)
    endpoint.stop()
}
