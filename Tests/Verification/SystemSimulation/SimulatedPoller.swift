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
        var interest: Interest
    }

    private static let eventsPerTick = 8

    private let process: VirtualProcess
    private let loop: Int
    private weak var owner: (any PollerOwner)?
    private var slots = PollSlots<Watched>()
    /// Slots with an event to report, oldest first. A slot that is used again keeps its turn.
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
        let token = slots.insert(target) { _ in Watched(descriptor: descriptor, interest: interest) }
        process.network.observe(descriptor) { [weak self] in self?.note(token.slot) }
        note(token.slot)
        return token
    }

    func change(_ token: PollToken, _ interest: Interest) {
        guard slots[token] != nil else { return }
        slots[token]?.interest = interest
        note(token.slot)
    }

    func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest) {
        slots.transfer(token, to: target)
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
        guard let descriptor = slots[token]?.descriptor else { return nil }
        process.network.observe(descriptor, nil)
        _ = slots.remove(token)
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
        for token in slots.tokens {
            let target = slots.target(token)
            removeAndClose(token)
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
        guard let watched = slots.token(ofSlot: slot).flatMap({ slots[$0] }) else { return [] }
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
                guard !events.isEmpty, let token = slots.token(ofSlot: slot) else { continue }
                slots.target(token)?.ready(events)
                // The slot's use after the event: the target may have removed or replaced it.
                let watched = slots.token(ofSlot: slot).flatMap { slots[$0] }
                if watched?.interest.contains(.edgeTriggered) != true { note(slot) }
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

/// A poller's slots: the target of each watched descriptor, and the poller's own content. Freed slots are used again, the last freed first.
struct PollSlots<Content> {
    private struct Slot {
        var target: (any PollTarget)?
        var generation: UInt32 = 0
        var content: Content?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    /// The tokens of all slots in use, in the order of the slots.
    var tokens: [PollToken] {
        slots.indices.filter { slots[$0].target != nil }.map { PollToken(slot: $0, generation: slots[$0].generation) }
    }

    mutating func insert(_ target: any PollTarget, _ content: (PollToken) -> Content) -> PollToken {
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        let token = PollToken(slot: slot, generation: slots[slot].generation)
        slots[slot].target = target
        slots[slot].content = content(token)
        return token
    }

    /// Ends a slot's use: its tokens expire.
    /// - Returns: its content; nil for an expired token.
    mutating func remove(_ token: PollToken) -> Content? {
        guard isCurrent(token) else { return nil }
        defer {
            slots[token.slot] = Slot(generation: token.generation &+ 1)
            free.append(token.slot)
        }
        return slots[token.slot].content
    }

    /// The current token of a slot; nil for a free one.
    func token(ofSlot slot: Int) -> PollToken? {
        slots[slot].target == nil ? nil : PollToken(slot: slot, generation: slots[slot].generation)
    }

    /// nil for an expired token.
    func target(_ token: PollToken) -> (any PollTarget)? { isCurrent(token) ? slots[token.slot].target : nil }

    /// No effect for an expired token.
    mutating func transfer(_ token: PollToken, to target: any PollTarget) {
        if isCurrent(token) { slots[token.slot].target = target }
    }

    /// The content; nil for an expired token, whose new content is dropped.
    subscript(token: PollToken) -> Content? {
        get { isCurrent(token) ? slots[token.slot].content : nil }
        set { if isCurrent(token) { slots[token.slot].content = newValue } }
    }

    private func isCurrent(_ token: PollToken) -> Bool {
        slots.indices.contains(token.slot) && slots[token.slot].generation == token.generation
            && slots[token.slot].target != nil
    }
}
