import EventStreams
import Foundation

#if canImport(Combine)
    // On Apple's systems Foundation already declares these members.
    extension RunLoop.SchedulerTimeType.Stride: EventStreams.SchedulerTimeIntervalConvertible {}
    extension RunLoop: EventStreams.Scheduler {}
#else
    extension RunLoop: Scheduler {
        public typealias SchedulerTimeType = FoundationTime

        /// Empty: a run loop has no options.
        public struct SchedulerOptions {
            public init() {}
        }

        public var now: FoundationTime { FoundationTime(Date()) }
        public var minimumTolerance: FoundationTime.Stride { 0 }

        public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
            let action = Carried(action)
            perform { action.value() }
        }

        public func schedule(
            after date: FoundationTime, tolerance: FoundationTime.Stride, options: SchedulerOptions?,
            _ action: @escaping () -> Void
        ) {
            let action = Carried(action)
            let timer = Timer(fire: date.date, interval: 0, repeats: false) { _ in action.value() }
            timer.tolerance = tolerance.timeInterval
            add(timer, forMode: .default)
        }

        public func schedule(
            after date: FoundationTime, interval: FoundationTime.Stride, tolerance: FoundationTime.Stride,
            options: SchedulerOptions?, _ action: @escaping () -> Void
        ) -> any Cancellable {
            let action = Carried(action)
            let timer = Timer(fire: date.date, interval: interval.timeInterval, repeats: true) { _ in action.value() }
            timer.tolerance = tolerance.timeInterval
            add(timer, forMode: .default)
            return AnyCancellable(TimerHold(timer, on: self))
        }
    }
#endif
