import Synchronization

/// What is logged and how, known on every thread and changed while the program runs.
public final class LogSettings: Sendable {
    private let rank: Atomic<Int>
    private let isJSON: Atomic<Bool>

    public init(level: LogLevel = .info, format: LogFormat = .logfmt) {
        rank = Atomic(level.rank)
        isJSON = Atomic(format == .json)
    }

    /// The least severe events that are logged.
    public var level: LogLevel {
        get { LogLevel.allCases[rank.load(ordering: .relaxed)] }
        set { rank.store(newValue.rank, ordering: .relaxed) }
    }

    /// How lines are written.
    public var format: LogFormat {
        get { isJSON.load(ordering: .relaxed) ? .json : .logfmt }
        set { isJSON.store(newValue == .json, ordering: .relaxed) }
    }

    /// Whether events of a level are logged.
    public func includes(_ level: LogLevel) -> Bool { level.rank >= rank.load(ordering: .relaxed) }
}
