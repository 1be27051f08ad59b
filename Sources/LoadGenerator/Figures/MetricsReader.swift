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

/// A server's metrics in the text format of Prometheus, as received over HTTP.
public struct MetricsAnswer: Equatable, Sendable {
    /// By name, with the labels as they were written: `bj_players{state="here"}`.
    public private(set) var values: [String: Double] = [:]
    /// The names in the order of the text.
    public private(set) var names: [String] = []

    /// Reads an answer of HTTP/1.0 or 1.1, head and body.
    public init(_ answer: [UInt8]) throws(MetricsFault) {
        guard let head = Self.head(of: answer) else {
            throw answer.isEmpty || answer.starts(with: Array("HTTP/1.".utf8)) ? .cutShort : .notMetrics(Self.firstLine(answer))
        }
        guard head.status == 200 else { throw .status(Self.firstLine(answer)) }
        let body = answer[head.count...]
        if let length = head.length, body.count < length { throw .cutShort }
        for line in body.prefix(head.length ?? body.count).split(separator: UInt8(ascii: "\n")) {
            try read(String(decoding: line, as: UTF8.self))
        }
        guard !names.isEmpty else { throw .notMetrics("") }
    }

    /// The value of a metric without labels; nil when absent.
    public subscript(_ name: String) -> Double? { values[name] }

    /// A metric over all its labels; nil when there is none of that name.
    func sum(_ name: String) -> Double? {
        let all = names.filter { $0 == name || $0.hasPrefix(name + "{") }
        return all.isEmpty ? nil : all.reduce(0) { $0 + (values[$1] ?? 0) }
    }

    private mutating func read(_ line: String) throws(MetricsFault) {
        let text = line.hasSuffix("\r") ? line.dropLast() : line[...]
        guard let first = text.unicodeScalars.first, first != "#" else { return }
        var end = text.startIndex
        while end < text.endIndex, text[end].isASCII, text[end].isLetter || text[end].isNumber || "_:".contains(text[end]) {
            end = text.index(after: end)
        }
        guard end > text.startIndex, !("0"..."9").contains(first) else { throw .notMetrics(line) }
        if end < text.endIndex, text[end] == "{" {
            guard let close = Self.endOfLabels(text[end...]) else { throw .notMetrics(line) }
            end = close
        }
        // A value, and perhaps a time.
        let rest = text[end...].split(separator: " ")
        guard (1...2).contains(rest.count), text[end...].first == " ", let value = Self.number(rest[0]) else {
            throw .notMetrics(line)
        }
        let name = String(text[..<end])
        if values.updateValue(value, forKey: name) == nil { names.append(name) }
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.utf8.allSatisfy { "+-.0123456789eE".utf8.contains($0) } ? Double(text) : nil
        }
    }

    /// The text after the `}` that ends the labels; quoted braces end nothing.
    private static func endOfLabels(_ text: Substring) -> Substring.Index? {
        var (isQuoted, isEscaped) = (false, false)
        for index in text.indices {
            switch text[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "}" where !isQuoted: return text.index(after: index)
            default: break
            }
        }
        return nil
    }
}

extension MetricsAnswer {
    /// The head of an HTTP response.
    struct Head: Equatable {
        var status: Int
        /// Bytes of the body, where given.
        var length: Int?
        /// Bytes, the blank line included.
        var count: Int
    }

    /// nil while incomplete, and for anything that is no response.
    static func head(of answer: [UInt8]) -> Head? {
        guard answer.starts(with: Array("HTTP/1.".utf8)) else { return nil }
        let end = Array("\r\n\r\n".utf8)
        var start = 0
        while start + 4 <= answer.count, !answer[start..<start + 4].elementsEqual(end) { start += 1 }
        guard start + 4 <= answer.count else { return nil }
        let lines = String(decoding: answer[..<start], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        var head = Head(status: words.count > 1 ? Int(words[1]) ?? 0 : 0, length: nil, count: start + 4)
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            head.length = Int(parts[1].filter { $0 != " " }).flatMap { $0 >= 0 ? $0 : nil }
        }
        return head
    }

    fileprivate static func firstLine(_ answer: [UInt8]) -> String {
        String(decoding: answer.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(200), as: UTF8.self)
    }
}

/// Why a server's metrics could not be read.
public enum MetricsFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// There was no connection, or it broke.
    case unreachable(String)
    /// No answer within this many milliseconds.
    case silent(milliseconds: Int64)
    /// Another status than 200: the first line of the answer.
    case status(String)
    /// A line that is no metric, or no answer of HTTP.
    case notMetrics(String)
    /// More bytes than that.
    case tooLong(limit: Int)
    /// The connection ended before the answer did.
    case cutShort

    public var description: String {
        switch self {
        case .unreachable(let reason): reason
        case .silent(let milliseconds): "no answer within \(milliseconds) ms"
        case .status(let line): "the answer was not 200: \(Self.plain(line))"
        case .notMetrics(let line): "not the text format of Prometheus: \(line.isEmpty ? "nothing was said" : Self.plain(line))"
        case .tooLong(let limit): "the answer is longer than \(grouped(limit)) bytes"
        case .cutShort: "the answer was cut short"
        }
    }

    /// A terminal's own, and not too much of it.
    private static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(60).map { (0x20..<0x7F).contains($0.value) ? $0 : "?" }))
    }
}

/// Sums up a server's metrics in two lines during a load run.
public struct ServerFigures: Sendable {
    private var last: (moment: Int64, answer: MetricsAnswer)?
    /// For people, a few lines; why there are none otherwise.
    public private(set) var lines: [String] = []

    public init() {}

    /// - Parameter moment: microseconds.
    public mutating func take(_ result: Result<MetricsAnswer, MetricsFault>, at moment: Int64) {
        switch result {
        case .failure(let fault): lines = ["server: \(fault)"]
        case .success(let answer):
            let seconds = last.map { Double(moment - $0.moment) / 1_000_000 } ?? 0
            lines = Self.lines(answer, before: last?.answer, seconds: seconds)
            last = (moment, answer)
        }
    }

    private static func lines(_ now: MetricsAnswer, before: MetricsAnswer?, seconds: Double) -> [String] {
        func count(_ name: String, _ label: String) -> String? { now.sum(name).map { "\(label) \(grouped(Self.whole($0)))" } }
        func rate(_ name: String) -> Double? {
            guard seconds > 0, let value = now.sum(name), let old = before?.sum(name) else { return nil }
            return max(0, value - old) / seconds
        }
        let first: [String?] = [
            count("bj_connections", "connections"), rate("bj_rounds_total").map { "rounds/s \(fixed($0, 0))" },
            rate("process_cpu_seconds_total").map { "processors \(fixed($0, 2))" },
            now["process_resident_memory_bytes"].map { "memory \(fixed($0 / 1_048_576, 1)) MiB" },
            now["bj_loop_lag_seconds"].map { "loop lag \(spoken(microseconds: $0 * 1_000_000))" },
        ]
        let second: [String?] = [
            count("bj_outbound_queue_bytes", "bytes queued"), count("bj_viewers_evicted_total", "evicted"),
            count("bj_protocol_errors_total", "protocol errors"), count("bj_turn_timeouts_total", "time-outs"),
            now["bj_ledger_imbalance_chips"].map { "imbalance \(fixed($0, 0))" },
        ]
        let known = [first, second].map { $0.compactMap(\.self) }.filter { !$0.isEmpty }
        guard known.isEmpty else { return known.map { "server: " + $0.joined(separator: " · ") } }
        // Another implementation's server: its first metrics.
        let plain = now.names.filter { !$0.contains("{" as Character) }
        return plain.prefix(6).map { "server: \($0) \(fixed(now.values[$0] ?? 0, 2))" }
    }

    private static func whole(_ value: Double) -> Int { Int(exactly: value.rounded()) ?? 0 }
}
