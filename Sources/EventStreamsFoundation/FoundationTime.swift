#if !canImport(Combine)
    import EventStreams
    import Foundation

    /// Wall-clock time, used by run loops and operation queues.
    public struct FoundationTime: Strideable, Hashable, Codable, Sendable {
        public var date: Date

        public init(_ date: Date) {
            self.date = date
        }

        public func distance(to other: Self) -> Stride {
            Stride(other.date.timeIntervalSince(date))
        }

        public func advanced(by n: Stride) -> Self {
            Self(date.addingTimeInterval(n.timeInterval))
        }

        /// Seconds.
        public struct Stride: SchedulerTimeIntervalConvertible, Hashable, Codable, Sendable, ExpressibleByFloatLiteral {
            public var timeInterval: TimeInterval

            public init(_ timeInterval: TimeInterval) {
                self.timeInterval = timeInterval
            }

            public init(integerLiteral value: Int) { self.init(TimeInterval(value)) }
            public init(floatLiteral value: Double) { self.init(value) }

            public init?<T: BinaryInteger>(exactly source: T) {
                guard let seconds = TimeInterval(exactly: source) else { return nil }
                self.init(seconds)
            }

            /// Seconds.
            public var magnitude: TimeInterval { timeInterval.magnitude }

            public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }
            public static func seconds(_ s: Double) -> Self { Self(s) }
            public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1_000) }
            public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1_000_000) }
            public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1_000_000_000) }

            public static func < (lhs: Self, rhs: Self) -> Bool { lhs.timeInterval < rhs.timeInterval }
            public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.timeInterval + rhs.timeInterval) }
            public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.timeInterval - rhs.timeInterval) }
            public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.timeInterval * rhs.timeInterval) }
            public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
        }
    }

    /// Cancels a timer of a run loop.
    final class TimerHold: Cancellable, Sendable {
        // Invalidated on its run loop only.
        private let timer: Carried<Timer>
        private let runLoop: Carried<RunLoop>

        init(_ timer: Timer, on runLoop: RunLoop) {
            self.timer = Carried(timer)
            self.runLoop = Carried(runLoop)
        }

        func cancel() {
            if RunLoop.current === runLoop.value { return timer.value.invalidate() }
            runLoop.value.perform { [self] in timer.value.invalidate() }
        }
    }
#endif
