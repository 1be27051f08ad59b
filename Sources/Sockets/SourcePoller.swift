import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Fallback for systems without epoll: a Dispatch source per direction of each descriptor.
final class SourcePoller: Poller {
    private struct Slot {
        var target: (any PollTarget)?
        var generation: UInt32 = 0
        var sources: SourcePair?
    }

    private let queue: DispatchQueue
    private weak var owner: (any PollerOwner)?
    private var isCancelled = false
    private var slots: [Slot] = []
    private var free: [Int] = []

    init(queue: DispatchQueue, owner: any PollerOwner) {
        self.queue = queue
        self.owner = owner
    }

    func add(_ descriptor: Int32, _ interest: Interest, _ target: any PollTarget) -> PollToken? {
        guard !isCancelled else {
            errno = ECANCELED
            return nil
        }
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        let token = PollToken(slot: slot, generation: slots[slot].generation)
        slots[slot].target = target
        slots[slot].sources = SourcePair(descriptor, queue) { [weak self] in self?.deliver($0, to: token) }
        change(token, interest)
        return token
    }

    func change(_ token: PollToken, _ interest: Interest) {
        guard isCurrent(token) else { return }
        slots[token.slot].sources?.watch(interest)
    }

    func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest) {
        guard isCurrent(token) else { return }
        slots[token.slot].target = target
        change(token, interest)
    }

    func removeAndClose(_ token: PollToken) { remove(token, then: nil) }

    func release(_ token: PollToken, then: @escaping () -> Void) { remove(token, then: then) }

    /// Passes the descriptor to `then`, or closes it if that is nil.
    private func remove(_ token: PollToken, then: (() -> Void)?) {
        guard isCurrent(token) else { return }
        slots[token.slot].sources?.cancel(then: then)
        slots[token.slot].sources = nil
        slots[token.slot].target = nil
        slots[token.slot].generation &+= 1
        free.append(token.slot)
    }

    /// Dispatch delivers events itself.
    func serve() {}

    func deliverReady() {
        let watched = slots.indices.filter { slots[$0].sources?.isReading ?? false }
        var polled = watched.map { pollfd(fd: slots[$0].sources?.descriptor ?? -1, events: Int16(POLLIN), revents: 0) }
        guard !polled.isEmpty, poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
        let ready = zip(watched, polled).filter { $1.revents != 0 }.map { slot, _ in
            PollToken(slot: slot, generation: slots[slot].generation)
        }
        for token in ready { deliver(.readable, to: token) }
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
    }

    private func deliver(_ readiness: Readiness, to token: PollToken) {
        guard isCurrent(token) else { return }
        owner?.tick { slots[token.slot].target?.ready(readiness) }
    }

    private func isCurrent(_ token: PollToken) -> Bool {
        token.slot < slots.count && slots[token.slot].generation == token.generation && slots[token.slot].target != nil
    }
}

/// The two sources of one descriptor, each suspended while its direction is not watched: Dispatch sources are level-triggered,
/// and end of file and room to write persist.
private final class SourcePair {
    /// State shared by the two cancel handlers, which run on the loop's queue.
    private final class Ending {
        var isOneCancelled = false
        var handOver: (() -> Void)?
    }

    private let reading: any DispatchSourceRead
    private let writing: any DispatchSourceWrite
    private let ending = Ending()
    private var watched: Interest = []
    let descriptor: Int32
    var isReading: Bool { watched.contains(.reading) }

    init(_ descriptor: Int32, _ queue: DispatchQueue, _ deliver: @escaping (Readiness) -> Void) {
        self.descriptor = descriptor
        reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        reading.setEventHandler { deliver(.readable) }
        writing.setEventHandler { deliver(.writable) }
        // The second cancel handler closes or hands over the descriptor: only then can no event of either source be pending.
        let ending = ending
        let cancelled: () -> Void = {
            guard ending.isOneCancelled else {
                ending.isOneCancelled = true
                return
            }
            if let handOver = ending.handOver { handOver() } else { Descriptor.close(descriptor) }
        }
        reading.setCancelHandler(handler: cancelled)
        writing.setCancelHandler(handler: cancelled)
    }

    func watch(_ interest: Interest) {
        if interest.contains(.reading) != watched.contains(.reading) {
            if interest.contains(.reading) { reading.resume() } else { reading.suspend() }
        }
        if interest.contains(.writing) != watched.contains(.writing) {
            if interest.contains(.writing) { writing.resume() } else { writing.suspend() }
        }
        watched = interest
    }

    /// - Parameter handOver: receives the descriptor when both sources are cancelled; nil closes it.
    func cancel(then handOver: (() -> Void)?) {
        ending.handOver = handOver
        reading.cancel()
        writing.cancel()
        // A suspended source never runs its cancel handler; a resumed, cancelled one runs nothing else.
        watch([.reading, .writing])
    }
}
