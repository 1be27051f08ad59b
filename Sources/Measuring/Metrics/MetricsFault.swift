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
