import Sockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reports readiness of a virtual process's descriptors, edge-triggered, at most eight events per tick, as the epoll poller does.
final class SimulatedPoller: Poller {
    private struct Watched {
        let descriptor: Int32
        var target: any PollTarget
        var interest: Interest
    }

    private static let eventsPerTick = 8

    private let process: VirtualProcess
    private let loop: Int
    private weak var owner: (any PollerOwner)?
    /// By the slot of its token: no slot is used again, so a token of a removed descriptor finds nothing.
    private var watched: [Int: Watched] = [:]
    private var nextSlot = 0
    /// Slots with an event to report, oldest first.
    private var pending: [Int] = []
    /// Slots of `pending`, and of the batch that is being reported.
    private var isPending: Set<Int> = []
    private var isScheduled = false
    private var isCancelled = false

    init(of process: VirtualProcess, loop: Int, owner: any PollerOwner) {
        (self.process, self.loop, self.owner) = (process, loop, owner)
    }

    func add(_ descriptor: Int32, _ interest: Interest, _ target: any PollTarget) -> PollToken? {
        guard !isCancelled else {
            errno = ECANCELED
            return nil
        }
        let token = PollToken(slot: nextSlot, generation: 0)
        nextSlot += 1
        watched[token.slot] = Watched(descriptor: descriptor, target: target, interest: interest)
        process.network.observe(descriptor) { [weak self] in self?.note(token.slot) }
        note(token.slot)
        return token
    }

    func change(_ token: PollToken, _ interest: Interest) {
        watched[token.slot]?.interest = interest
        note(token.slot)
    }

    func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest) {
        watched[token.slot]?.target = target
        change(token, interest)
    }

    func removeAndClose(_ token: PollToken) {
        if let descriptor = remove(token) { process.network.close(descriptor) }
    }

    func release(_ token: PollToken, then: @escaping () -> Void) {
        if remove(token) != nil { then() }
    }

    /// - Returns: the descriptor; nil for an expired token.
    private func remove(_ token: PollToken) -> Int32? {
        guard let descriptor = watched.removeValue(forKey: token.slot)?.descriptor else { return nil }
        process.network.observe(descriptor, nil)
        return descriptor
    }

    func serve() {
        while deliver() {}
    }

    func deliverReady() {
        // Descriptors accepted in one pass are read in the next.
        for _ in 0..<4 where !deliverBatch() { return }
    }

    func wake() {}

    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        for slot in watched.keys.sorted() {
            let target = watched[slot]?.target
            removeAndClose(PollToken(slot: slot, generation: 0))
            target?.loopStopped()
        }
        pending = []
    }

    /// The descriptor of a slot may have become ready.
    private func note(_ slot: Int) {
        guard !isCancelled, !isPending.contains(slot), !events(of: slot).isEmpty else { return }
        isPending.insert(slot)
        pending.append(slot)
        guard !isScheduled else { return }
        isScheduled = true
        process.enqueue(onLoop: loop) { [weak self] in self?.run() }
    }

    private func run() {
        isScheduled = false
        serve()
    }

    private func events(of slot: Int) -> Readiness {
        guard let watched = watched[slot] else { return [] }
        let ready = process.network.readiness(of: watched.descriptor)
        var wanted: Readiness = .hangup
        if watched.interest.contains(.reading) { wanted.formUnion([.readable, .finished]) }
        if watched.interest.contains(.writing) { wanted.insert(.writable) }
        return ready.intersection(wanted)
    }

    private func deliverBatch() -> Bool {
        let count = pending.count
        var delivered = 0
        while delivered < count, deliver() { delivered += Self.eventsPerTick }
        return count > 0
    }

    /// Reports the oldest events in one tick.
    /// - Returns: whether there were any.
    private func deliver() -> Bool {
        guard !pending.isEmpty, !isCancelled, let owner else { return false }
        let batch = pending.prefix(Self.eventsPerTick)
        pending.removeFirst(batch.count)
        owner.tick {
            for slot in batch {
                isPending.remove(slot)
                // An earlier event of the batch may have removed the descriptor.
                let events = events(of: slot)
                guard !events.isEmpty else { continue }
                let target = watched[slot]?.target
                target?.ready(events)
                if watched[slot]?.interest.contains(.edgeTriggered) != true { note(slot) }
            }
        }
        return true
    }
}

/// A timer of a simulated loop: a later setting replaces an earlier one.
final class SimulatedAlarm: LoopAlarm, Sendable {
    private let process: VirtualProcess
    private let loop: Int
    private let fired: @Sendable () -> Void
    private let setting = Atomic<Int>(0)

    init(_ process: VirtualProcess, loop: Int, _ fired: @escaping @Sendable () -> Void) {
        (self.process, self.loop, self.fired) = (process, loop, fired)
    }

    func set(at time: Int64, on clock: LoopClock) {
        let number = setting.add(1, ordering: .relaxed).newValue
        process.enqueue(after: max(0, time - clock.now)) { [weak self] in
            guard let self, setting.load(ordering: .relaxed) == number else { return }
            process.enqueue(onLoop: loop) { [weak self] in
                guard let self, setting.load(ordering: .relaxed) == number else { return }
                fired()
            }
        }
    }

    func cancel() { setting.add(1, ordering: .relaxed) }
}
