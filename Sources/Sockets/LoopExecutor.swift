import Dispatch
import Synchronization

/// Runs a loop's work: one serial Dispatch queue, or the scheduler of a simulation.
enum LoopExecutor {
    case queue(DispatchQueue)
    case simulated(any SimulatedSystem, loop: Int)

    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    /// - Parameter loop: identifies the loop whose work this executor runs.
    func prepare(for loop: ObjectIdentifier) {
        if case .queue(let queue) = self { queue.setSpecific(key: Self.current, value: loop) }
    }

    func isCurrent(_ loop: ObjectIdentifier) -> Bool {
        switch self {
        case .queue: DispatchQueue.getSpecific(key: Self.current) == loop
        case .simulated(let system, let index): system.currentLoop == index
        }
    }

    func async(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue): queue.async(execute: work)
        case .simulated(let system, let index): system.enqueue(onLoop: index, work)
        }
    }

    /// Runs work on the loop and waits for it.
    func sync<Result>(_ work: () throws -> Result) rethrows -> Result {
        switch self {
        case .queue(let queue):
            dispatchPrecondition(condition: .notOnQueue(queue))
            return try queue.sync(execute: work)
        case .simulated(let system, let index):
            system.runNow(onLoop: index) {}
            return try withoutActuallyEscaping(work) { work in
                var result: Swift.Result<Result, any Error>?
                system.runNow(onLoop: index) { result = Swift.Result { try work() } }
                guard let result else { preconditionFailure("a simulated system runs the work before it returns") }
                return try result.get()
            }
        }
    }
}

/// Wakes a loop at the earliest deadline of its timers.
enum LoopAlarm {
    case source(any DispatchSourceTimer)
    case simulated(SimulatedAlarm)

    /// - Parameter fired: called on the executor.
    init(on executor: LoopExecutor, fired: @escaping @Sendable () -> Void) {
        switch executor {
        case .queue(let queue):
            let source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
            source.setEventHandler(handler: fired)
            source.schedule(deadline: .distantFuture)
            source.resume()
            self = .source(source)
        case .simulated(let system, let index): self = .simulated(SimulatedAlarm(system, loop: index, fired))
        }
    }

    /// - Parameter time: milliseconds on the clock.
    func set(at time: Int64, on clock: LoopClock) {
        switch self {
        case .source(let source): source.schedule(deadline: clock.dispatchTime(of: time), leeway: .milliseconds(1))
        case .simulated(let alarm): alarm.set(after: max(0, time - clock.now))
        }
    }

    func cancel() {
        switch self {
        case .source(let source): source.cancel()
        case .simulated(let alarm): alarm.cancel()
        }
    }
}

/// A timer of a simulated loop: a later setting replaces an earlier one.
final class SimulatedAlarm: Sendable {
    private let system: any SimulatedSystem
    private let loop: Int
    private let fired: @Sendable () -> Void
    private let setting = Atomic<Int>(0)

    init(_ system: any SimulatedSystem, loop: Int, _ fired: @escaping @Sendable () -> Void) {
        (self.system, self.loop, self.fired) = (system, loop, fired)
    }

    func set(after milliseconds: Int64) {
        let number = setting.add(1, ordering: .relaxed).newValue
        system.enqueue(after: milliseconds) { [weak self] in
            guard let self, setting.load(ordering: .relaxed) == number else { return }
            system.enqueue(onLoop: loop) { [weak self] in
                guard let self, setting.load(ordering: .relaxed) == number else { return }
                fired()
            }
        }
    }

    func cancel() { setting.add(1, ordering: .relaxed) }
}
