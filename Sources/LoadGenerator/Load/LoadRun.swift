import Measuring
import Rules
import Sockets

/// A load run from the first connection to the report.
public final class LoadRun: Sendable {
    public struct Options: Sendable {
        public var host: String
        public var port: Int
        public var scenario: Scenario
        /// The charts that the scenario names.
        public var charts: [String: StrategyChart] = [:]
        /// Loops that honest bots run on.
        public var loops = 1
        /// When the run begins, as ISO 8601, for the report.
        public var started = ""
        /// Prefix of the bots' names: 1 to 10 characters, different in each run, since a server keeps names for a while.
        public var namePrefix = "load-"
        /// Whether each diff is to carry its check value.
        public var wantsChecks = false
        /// Whether every bot reads each line as it arrives. Otherwise one that has nothing to do is read a little later, several lines at once.
        public var readsAtOnce = false
        /// Addresses of this machine that honest bots connect from, in turn: one has too few ports for very many of them.
        public var sources: [String] = []
        /// Where the server tells its metrics, if it does.
        public var metrics: MetricsReader.Source?
        /// Seconds between two looks at how it goes, at least; a run of hours is looked at less often.
        var interval = 1.0

        public init(host: String, port: Int, scenario: Scenario) {
            self.host = host
            self.port = port
            self.scenario = scenario
        }
    }

    /// How far a run is.
    public struct Progress: Sendable {
        /// Seconds.
        public var elapsed: Double
        public var duration: Double
        var phase: String
        var point: LoadReport.Point
        /// Everything so far.
        public var report: LoadReport
        /// The server's own figures, a few lines; nothing unless they are asked for.
        public var server: [String] = []
    }

    private let driver: LoopConfined<LoadRunDriver>

    /// - Parameters:
    ///   - progress: called after each look, on the run's loop.
    ///   - completion: called once, on the run's loop: the report and the scripts of its violations, in the same order, or the
    ///     reason why the server could not be reached.
    public init(
        _ options: Options, progress: @escaping @Sendable (Progress) -> Void = { _ in },
        completion: @escaping @Sendable (Result<(LoadReport, scripts: [String]), SocketError>) -> Void
    ) {
        let loop = Loop(label: "bj.load.control")
        driver = LoopConfined(sending: LoadRunDriver(options, loop, progress: progress, completion: completion), on: loop)
    }

    public func begin() { driver.perform { $0.begin() } }

    /// When actions are due in the open phases, in microseconds of ``now``, in order. In `progress` and `completion` only.
    public var dueMoments: [Int64] {
        precondition(driver.loop.isCurrent, "due moments are read on the run's loop")
        return driver.value.dueMoments
    }

    /// The clock of all moments of a run: microseconds of the system's monotonic clock.
    public static var now: Int64 { Microclock.now }

    /// Ends the run early; the report covers the time until then.
    public func interrupt() { driver.perform { $0.interrupt() } }
}

extension Scenario.Phase {
    /// In words, for people.
    public var words: String {
        func span(_ time: Int64) -> String { Distribution.Span.text(milliseconds: Double(time)) }
        return switch self {
        case .ramp(let bots, let over): "ramp to \(grouped(bots)) bots over \(span(over))"
        case .hold(let time): "hold \(span(time))"
        case .actions(let rate, let time): "\(JSONTree.text(of: rate)) actions a second for \(span(time))"
        case .sessions(let rate, let time): "\(JSONTree.text(of: rate)) sessions a second for \(span(time))"
        }
    }
}
