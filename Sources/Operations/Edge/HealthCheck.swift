import Dispatch
import Sockets

/// Queries a server's readiness, as a container's health check does.
public enum HealthCheck {
    /// The result of a check.
    public enum Verdict: Sendable, Equatable {
        case healthy
        /// The reason, in a few words.
        case unhealthy(String)
    }

    /// Requests `/readyz` and blocks until the answer. Must not run on a loop.
    /// - Parameter timeout: for all steps together, in milliseconds.
    public static func run(host: String, port: Int, timeout: Int64 = 5_000) -> Verdict {
        // A wildcard address is reachable on loopback.
        let host = host.isEmpty || host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        let loop = Loop(label: "bj.health")
        let isAnswered = DispatchSemaphore(value: 0)
        let question = LoopConfined(sending: Question(loop: loop, isAnswered), on: loop)
        defer { loop.stop() }
        question.perform { $0.ask(host: host, port: port, timeout: timeout) }
        _ = isAnswered.wait(timeout: .now() + .milliseconds(Int(timeout)))
        return question.performAndWait { $0.verdict }
    }
}

/// One request and its answer. Confined to its loop.
private final class Question: ConnectionHandler {
    /// Signalled once the verdict is in.
    private let isAnswered: DispatchSemaphore
    private(set) var verdict = HealthCheck.Verdict.unhealthy("no answer in time")
    private let loop: Loop
    private var connector: Connector?
    private var connection: Connection?
    private var answer: [UInt8] = []

    init(loop: Loop, _ isAnswered: DispatchSemaphore) {
        self.loop = loop
        self.isAnswered = isAnswered
    }

    func ask(host: String, port: Int, timeout: Int64) {
        connector = Connector.connect(host: host, port: port, loop: loop, timeout: timeout) { [self] result in
            switch result {
            case .success(let connection):
                self.connection = connection
                connection.handler = self
                connection.send(Array("GET /readyz HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8))
            case .failure(let error): finish(.unhealthy(error.description))
            }
        }
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        answer.append(contentsOf: bytes.prefix(65_536 - answer.count))
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        let text = String(decoding: answer, as: UTF8.self)
        let words = text.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1.") else { return finish(.unhealthy("no HTTP answer")) }
        guard words[1] != "200" else { return finish(.healthy) }
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }
        let body = lines.drop { !$0.isEmpty }.dropFirst().first ?? ""
        // The answer may come from another program and goes to a terminal: printable ASCII only.
        let shown = body.unicodeScalars.prefix(80).map { (0x20..<0x7F).contains($0.value) ? String($0) : "?" }.joined()
        finish(.unhealthy("status \(words[1].prefix(3))" + (shown.isEmpty ? "" : ": \(shown)")))
    }

    private func finish(_ verdict: HealthCheck.Verdict) {
        self.verdict = verdict
        isAnswered.signal()
    }
}
