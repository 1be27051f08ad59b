/// Severity of an event, lowest first.
public enum LogLevel: String, Comparable, CaseIterable, Sendable {
    case debug, info, warning, error

    /// 0 for the lowest.
    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }
}

/// Format of log lines.
public enum LogFormat: String, CaseIterable, Sendable {
    /// `time=… level=info event=login name="ann b"`
    case logfmt
    /// `{"time":"…","level":"info","event":"login","name":"ann b"}`
    case json
}
