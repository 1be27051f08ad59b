import Dispatch

#if canImport(Combine)
    // On Apple's systems Dispatch already declares these members.
    extension DispatchQueue.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
    extension DispatchQueue: Scheduler {}
#else
    extension DispatchQueue: Scheduler {
        /// A time on the queue's clock, which pauses while the machine sleeps.
        public struct SchedulerTimeType: Strideable, Hashable, Sendable {
            public var dispatchTime: DispatchTime

            public init(_ time: DispatchTime) {
                dispatchTime = time
            }

            public func distance(to other: Self) -> Stride {
                let (mine, others) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
                return Stride(.nanoseconds(others >= mine ? Int(clamping: others - mine) : -Int(clamping: mine - others)))
            }

            public func advanced(by n: Stride) -> Self {
                Self(dispatchTime + n.timeInterval)
            }

            public func hash(into hasher: inout Hasher) {
                hasher.combine(dispatchTime.rawValue)
            }

            public typealias Stride = Nanoseconds
        }

        /// How a queue runs a closure.
        public struct SchedulerOptions {
            public var qos: DispatchQoS
            public var flags: DispatchWorkItemFlags
            public var group: DispatchGroup?

            public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
                self.qos = qos
                self.flags = flags
                self.group = group
            }
        }

        public var now: SchedulerTimeType { SchedulerTimeType(.now()) }
        public var minimumTolerance: SchedulerTimeType.Stride { .zero }

        public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
            let action = Carried(action)
            let options = options ?? SchedulerOptions()
            async(group: options.group, qos: options.qos, flags: options.flags) { action.value() }
        }

        public func schedule(
            after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
            _ action: @escaping () -> Void
        ) {
            let action = Carried(action)
            let options = options ?? SchedulerOptions()
            asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags) { action.value() }
        }

        public func schedule(
            after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
            options: SchedulerOptions?, _ action: @escaping () -> Void
        ) -> any Cancellable {
            let action = Carried(action)
            let timer = DispatchSource.makeTimerSource(queue: self)
            timer.setEventHandler(qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { action.value() }
            timer.schedule(
                deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: max(tolerance, .zero).timeInterval)
            timer.activate()
            return AnyCancellable { timer.cancel() }
        }
    }

    extension Nanoseconds {
        /// `.never` becomes the longest stride.
        public init(_ timeInterval: DispatchTimeInterval) {
            switch timeInterval {
            case .seconds(let s): self = .seconds(s)
            case .milliseconds(let ms): self = .milliseconds(ms)
            case .microseconds(let us): self = .microseconds(us)
            case .nanoseconds(let ns): self = .nanoseconds(ns)
            case .never: self = .nanoseconds(.max)
            @unknown default: self = .nanoseconds(.max)
            }
        }

        public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }
    }
#endif
