#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system below simulated loops: virtual time, one thread for everything, sockets without a kernel. Deterministic: its owner's seed decides
/// every order and delay. Production code has none.
package protocol SimulatedSystem: AnyObject, Sendable {
    /// Milliseconds of a clock that never goes back.
    var monotonic: Int64 { get }
    /// Milliseconds since 1970, which may jump.
    var wallClock: Int64 { get }

    /// Queues work behind earlier work of the same loop; -1 for background work.
    func enqueue(onLoop index: Int, _ work: @escaping () -> Void)
    /// Runs work after this many milliseconds, or later.
    func enqueue(after milliseconds: Int64, _ work: @escaping () -> Void)
    /// Runs a loop's queued work, then `body` on the loop, before returning.
    func runNow(onLoop index: Int, _ body: () -> Void)
    /// The loop whose work runs now; -1 for none.
    var currentLoop: Int { get }
    var sockets: any SimulatedSockets { get }
}

/// The socket calls of a loop's connections: one indirect call beside a system call.
package protocol SocketSystem: AnyObject {
    func accept(_ listener: Int32, _ peer: inout SocketAddress) -> Int32
    /// As socket(2), connect(2) on a non-blocking socket, and SO_ERROR.
    func makeSocket(family: Int32) -> Int32
    func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32
    func pendingError(_ descriptor: Int32) -> Int32
    /// As send(2) and recv(2) on non-blocking sockets.
    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int
    func shutdownWriting(_ descriptor: Int32)
    /// Makes `close` send a reset.
    func resetOnClose(_ descriptor: Int32)
    func close(_ descriptor: Int32)
    /// Sets the options of a game's connection.
    func configureStream(_ descriptor: Int32)
    func makeRoom(_ descriptor: Int32)
}

final class KernelSockets: SocketSystem, Sendable {
    static let shared = KernelSockets()

    func accept(_ listener: Int32, _ peer: inout SocketAddress) -> Int32 { Descriptor.accept(listener, &peer) }
    func makeSocket(family: Int32) -> Int32 { Descriptor.makeSocket(family: family) }
    func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
        address.withPointer { Descriptor.connect(descriptor, $0, $1) }
    }
    func pendingError(_ descriptor: Int32) -> Int32 { Descriptor.pendingError(descriptor) }
    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { Descriptor.send(descriptor, bytes) }
    func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int { Descriptor.receive(descriptor, buffer) }
    func shutdownWriting(_ descriptor: Int32) { Descriptor.shutdownWriting(descriptor) }
    func resetOnClose(_ descriptor: Int32) { Descriptor.resetOnClose(descriptor) }
    func close(_ descriptor: Int32) { Descriptor.close(descriptor) }
    func configureStream(_ descriptor: Int32) { Descriptor.configureStream(descriptor) }
    func makeRoom(_ descriptor: Int32) { Descriptor.makeRoom(descriptor) }
}

package protocol SimulatedSockets: SocketSystem {
    /// A new listener's descriptor; -1 with errno set if the port is in use.
    func listen(port: Int) -> Int32
    /// Calls `changed` whenever the readiness may have gained an event; nil stops it.
    func observe(_ descriptor: Int32, _ changed: (() -> Void)?)
    func readiness(of descriptor: Int32) -> SocketReadiness
}

/// The events that a simulated descriptor is ready for.
package struct SocketReadiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = SocketReadiness(rawValue: 1)
    package static let writable = SocketReadiness(rawValue: 2)
    package static let hangup = SocketReadiness(rawValue: 4)
    /// The peer has shut down its sending side.
    package static let finished = SocketReadiness(rawValue: 8)
}

extension SimulatedSockets {
    package func configureStream(_ descriptor: Int32) {}
    package func makeRoom(_ descriptor: Int32) {}
}

/// Reports readiness of a simulated system's descriptors, edge-triggered, at most eight events per tick, as the epoll poller does.
final class SimulatedPoller: Poller {
    private struct Watched {
        let descriptor: Int32
        var interest: Interest
    }

    private static let eventsPerTick = 8

    private let system: any SimulatedSystem
    private let loop: Int
    private weak var owner: (any PollerOwner)?
    private var slots = PollSlots<Watched>()
    /// Slots with an event to report, oldest first. A slot that is used again keeps its turn.
    private var pending: [Int] = []
    /// Slots of `pending`, and of the batch that is being reported.
    private var isPending: Set<Int> = []
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
        let token = slots.insert(target) { _ in Watched(descriptor: descriptor, interest: interest) }
        system.sockets.observe(descriptor) { [weak self] in self?.note(token.slot) }
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
        if let descriptor = remove(token) { system.sockets.close(descriptor) }
    }

    func release(_ token: PollToken, then: @escaping () -> Void) {
        if remove(token) != nil { then() }
    }

    /// - Returns: the descriptor; nil for an expired token.
    private func remove(_ token: PollToken) -> Int32? {
        guard let descriptor = slots[token]?.descriptor else { return nil }
        system.sockets.observe(descriptor, nil)
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
        system.enqueue(onLoop: loop) { [weak self] in self?.run() }
    }

    private func run() {
        isScheduled = false
        serve()
    }

    private func events(of slot: Int) -> Readiness {
        guard let watched = slots.token(ofSlot: slot).flatMap({ slots[$0] }) else { return [] }
        let ready = Readiness(rawValue: system.sockets.readiness(of: watched.descriptor).rawValue)
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
