import Synchronization

/// Level and format of the log; readable on every thread, changeable while the program runs.
public final class LogSettings: Sendable {
    private let rank: Atomic<Int>
    private let isJSON: Atomic<Bool>

    public init(level: LogLevel = .info, format: LogFormat = .logfmt) {
        rank = Atomic(level.rank)
        isJSON = Atomic(format == .json)
    }

    /// The lowest severity logged.
    public var level: LogLevel {
        get { LogLevel.allCases[rank.load(ordering: .relaxed)] }
        set { rank.store(newValue.rank, ordering: .relaxed) }
    }

    /// The format of lines.
    public var format: LogFormat {
        get { isJSON.load(ordering: .relaxed) ? .json : .logfmt }
        set { isJSON.store(newValue == .json, ordering: .relaxed) }
    }

    public func includes(_ level: LogLevel) -> Bool { level.rank >= rank.load(ordering: .relaxed) }
}
