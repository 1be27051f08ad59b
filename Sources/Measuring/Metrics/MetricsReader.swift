import Sockets

/// Asks for a server's metrics by HTTP, over one connection for each question. Confined to its loop.
public final class MetricsReader {
    /// Where metrics are served.
    public struct Source: Equatable, Sendable {
        public var host: String
        public var port: Int
        /// With the slash that it begins with.
        public var path: String

        public init(host: String, port: Int, path: String = "/metrics") {
            self.host = host
            self.port = port
            self.path = path
        }
    }

    /// Bytes of an answer, at most.
    public static let limit = 1 << 20

    private let source: Source
    private let loop: Loop
    /// Milliseconds for a question and its answer.
    private let timeout: Int64
    private var completion: ((Result<MetricsAnswer, MetricsFault>) -> Void)?
    private var connector: Connector?
    private var connection: Connection?
    private var answer: [UInt8] = []
    private var timer: LoopTimer?

    /// - Parameter timeout: milliseconds for a question and its answer.
    public init(_ source: Source, loop: Loop, timeout: Int64 = 2000) {
        self.source = source
        self.loop = loop
        self.timeout = timeout
    }

    /// Whether an answer is being waited for.
    public var isBusy: Bool { completion != nil }

    /// Asks; while an answer is being waited for nothing new is asked.
    /// - Parameter completion: called once, on the loop, in time.
    public func read(_ completion: @escaping (Result<MetricsAnswer, MetricsFault>) -> Void) {
        guard self.completion == nil else { return }
        self.completion = completion
        answer = []
        if timer == nil {
            timer = loop.makeTimer { [weak self] in
                guard let self else { return }
                finish(.failure(.silent(milliseconds: timeout)))
            }
        }
        timer?.arm(at: loop.now + timeout)
        connector = Connector.connect(host: source.host, port: source.port, loop: loop, timeout: timeout) { [weak self] result in
            self?.connected(result)
        }
    }

    private func connected(_ result: Result<Connection, SocketError>) {
        connector = nil
        switch result {
        case .failure(let error): finish(.failure(.unreachable(error.description)))
        case .success(let connection):
            guard completion != nil else { return connection.abort() }
            connection.handler = self
            self.connection = connection
            connection.send(
                Array(
                    "GET \(source.path) HTTP/1.0\r\nHost: \(source.host)\r\nAccept: text/plain\r\nConnection: close\r\n\r\n".utf8)
            )
        }
    }

    private func finish(_ result: Result<MetricsAnswer, MetricsFault>) {
        timer?.disarm()
        connector?.cancel()
        connector = nil
        connection?.handler = nil
        connection?.abort()
        connection = nil
        answer = []
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    private func finishWithAnswer() {
        finish(Result { () throws(MetricsFault) in try MetricsAnswer(answer) })
    }
}

extension MetricsReader: ConnectionHandler {
    public func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard answer.count + bytes.count <= Self.limit else { return finish(.failure(.tooLong(limit: Self.limit))) }
        answer.append(contentsOf: bytes)
        // A server may keep the connection open: then its own count says when all is there.
        if let head = MetricsAnswer.head(of: answer), let length = head.length, answer.count - head.count >= length {
            finishWithAnswer()
        }
    }

    public func connection(_ connection: Connection, endedBy reason: EndReason) {
        if case .failed(let why) = reason { finish(.failure(.unreachable(why))) } else { finishWithAnswer() }
    }
}
