import EventStreams
import Foundation

#if canImport(Combine)
    // On Apple's systems Foundation already declares these members.
    extension OperationQueue.SchedulerTimeType.Stride: EventStreams.SchedulerTimeIntervalConvertible {}
    extension OperationQueue: EventStreams.Scheduler {}
#else
    import Dispatch

    extension OperationQueue: Scheduler {
        public typealias SchedulerTimeType = FoundationTime

        /// Empty: an operation queue has no options.
        public struct SchedulerOptions {
            public init() {}
        }

        public var now: FoundationTime { FoundationTime(Date()) }
        public var minimumTolerance: FoundationTime.Stride { 0 }

        public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
            let action = Carried(action)
            addOperation { action.value() }
        }

        public func schedule(
            after date: FoundationTime, tolerance: FoundationTime.Stride, options: SchedulerOptions?,
            _ action: @escaping () -> Void
        ) {
            let action = Carried(action)
            let delay = DispatchTime.now() + Swift.max(0, date.date.timeIntervalSinceNow)
            // Dispatch provides the delay only; a suspended queue still holds the action back.
            DispatchQueue.global().asyncAfter(deadline: delay) { [self] in addOperation { action.value() } }
        }

        public func schedule(
            after date: FoundationTime, interval: FoundationTime.Stride, tolerance: FoundationTime.Stride,
            options: SchedulerOptions?, _ action: @escaping () -> Void
        ) -> any Cancellable {
            let action = Carried(action)
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.setEventHandler { [self] in addOperation { action.value() } }
            timer.schedule(
                deadline: .now() + Swift.max(0, date.date.timeIntervalSinceNow), repeating: interval.timeInterval,
                leeway: .nanoseconds(Int(Swift.min(tolerance.timeInterval, 1_000) * 1_000_000_000)))
            timer.activate()
            return AnyCancellable { timer.cancel() }
        }
    }
#endif
