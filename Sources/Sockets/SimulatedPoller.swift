#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reports readiness of a simulated system's descriptors, edge-triggered, at most eight events per tick, as the epoll poller does.
final class SimulatedPoller: Poller {
    private struct Slot {
        var target: (any PollTarget)?
        var generation: UInt32 = 0
        var descriptor: Int32 = -1
        var interest: Interest = []
        var isPending = false
    }

    private static let eventsPerTick = 8

    private let system: any SimulatedSystem
    private let loop: Int
    private weak var owner: (any PollerOwner)?
    private var slots: [Slot] = []
    private var free: [Int] = []
    /// Slots with an event to report, oldest first.
    private var pending: [Int] = []
    private var isScheduled = false
    private var isCancelled = false

    init(_ system: any SimulatedSystem, loop: Int, owner: any PollerOwner) {
        (self.system, self.loop, self.owner) = (system, loop, owner)
    }

    func add(_ descriptor: Int32, _ interest: Interest, _ target: any PollTarget) -> PollToken? {
        guard !isCancelled else {
            errno = ECANCELED
            return nil
        }
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        slots[slot].target = target
        slots[slot].descriptor = descriptor
        slots[slot].interest = interest
        system.observe(descriptor) { [weak self] in self?.note(slot) }
        note(slot)
        return PollToken(slot: slot, generation: slots[slot].generation)
    }

    func change(_ token: PollToken, _ interest: Interest) {
        guard isCurrent(token) else { return }
        slots[token.slot].interest = interest
        note(token.slot)
    }

    func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest) {
        guard isCurrent(token) else { return }
        slots[token.slot].target = target
        change(token, interest)
    }

    func removeAndClose(_ token: PollToken) {
        if isCurrent(token) { system.close(remove(token)) }
    }

    func release(_ token: PollToken, then: @escaping () -> Void) {
        guard isCurrent(token) else { return }
        _ = remove(token)
        then()
    }

    private func remove(_ token: PollToken) -> Int32 {
        let descriptor = slots[token.slot].descriptor
        system.observe(descriptor, nil)
        slots[token.slot] = Slot(generation: slots[token.slot].generation &+ 1, isPending: slots[token.slot].isPending)
        free.append(token.slot)
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
        for index in slots.indices {
            let target = slots[index].target
            removeAndClose(PollToken(slot: index, generation: slots[index].generation))
            target?.loopStopped()
        }
        pending = []
    }

    /// The descriptor of a slot may have become ready.
    private func note(_ slot: Int) {
        guard !isCancelled, !slots[slot].isPending, !events(of: slot).isEmpty else { return }
        slots[slot].isPending = true
        pending.append(slot)
        guard !isScheduled else { return }
        isScheduled = true
        system.enqueue(onLoop: loop) { [weak self] in self?.run() }
    }

    private func run() {
        isScheduled = false
        serve()
    }

    private func events(of slot: Int) -> Readiness {
        guard slots[slot].target != nil else { return [] }
        let ready = Readiness(rawValue: system.readiness(of: slots[slot].descriptor).rawValue)
        var wanted: Readiness = .hangup
        if slots[slot].interest.contains(.reading) { wanted.formUnion([.readable, .finished]) }
        if slots[slot].interest.contains(.writing) { wanted.insert(.writable) }
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
                slots[slot].isPending = false
                // An earlier event of the batch may have removed the descriptor.
                let events = events(of: slot)
                guard !events.isEmpty else { continue }
                slots[slot].target?.ready(events)
                if !slots[slot].interest.contains(.edgeTriggered) { note(slot) }
            }
        }
        return true
    }

    private func isCurrent(_ token: PollToken) -> Bool {
        token.slot < slots.count && slots[token.slot].generation == token.generation && slots[token.slot].target != nil
    }
}
