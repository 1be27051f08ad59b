import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Fallback for systems without epoll: a Dispatch source per direction of each descriptor.
final class SourcePoller: Poller {
    private let queue: DispatchQueue
    private weak var owner: (any PollerOwner)?
    private var isCancelled = false
    /// By slot, which is never used again.
    private var watched: [Int: (target: any PollTarget, sources: SourcePair)] = [:]
    private var lastSlot = 0

    init(queue: DispatchQueue, owner: any PollerOwner) {
        self.queue = queue
        self.owner = owner
    }

    func add(_ descriptor: Int32, _ interest: Interest, _ target: any PollTarget) -> PollToken? {
        guard !isCancelled else {
            errno = ECANCELED
            return nil
        }
        lastSlot += 1
        let token = PollToken(slot: lastSlot)
        watched[lastSlot] = (target, SourcePair(descriptor, queue) { [weak self] in self?.deliver($0, to: token) })
        change(token, interest)
        return token
    }

    func change(_ token: PollToken, _ interest: Interest) { watched[token.slot]?.sources.watch(interest) }

    func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest) {
        watched[token.slot]?.target = target
        change(token, interest)
    }

    func removeAndClose(_ token: PollToken) { watched.removeValue(forKey: token.slot)?.sources.cancel(then: nil) }

    func release(_ token: PollToken, then: @escaping () -> Void) {
        watched.removeValue(forKey: token.slot)?.sources.cancel(then: then)
    }

    /// Dispatch delivers events itself.
    func serve() {}

    func deliverReady() {
        let reading = watched.filter(\.value.sources.isReading).sorted { $0.key < $1.key }
        var polled = reading.map { pollfd(fd: $0.value.sources.descriptor, events: Int16(POLLIN), revents: 0) }
        guard !polled.isEmpty, poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
        for (entry, state) in zip(reading, polled) where state.revents != 0 {
            deliver(.readable, to: PollToken(slot: entry.key))
        }
    }

    func wake() {}

    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        for (slot, entry) in watched.sorted(by: { $0.key < $1.key }) {
            removeAndClose(PollToken(slot: slot))
            entry.target.loopStopped()
        }
    }

    private func deliver(_ readiness: Readiness, to token: PollToken) {
        guard let target = watched[token.slot]?.target else { return }
        owner?.tick { target.ready(readiness) }
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
