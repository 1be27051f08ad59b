#if os(Linux)
    import CSystem
    import Dispatch
    import Glibc
    import Synchronization

    /// One epoll set, watched by one Dispatch source and drained in batches: 1.0 × a bare epoll loop; a source per descriptor
    /// costs 1.3 ×.
    ///
    /// A busy loop stays on its thread: after an event the poller begins a *shift*, in which it waits in `epoll_wait` for up
    /// to the idle wait and runs the loop's timers and turns between the waits. A wake-up through Dispatch passes two threads,
    /// which is half the cost of a single action. When no event has come for the idle wait, or other work is queued, the shift
    /// ends and the thread goes back to Dispatch.
    final class EpollPoller: Poller {
        private struct Slot {
            var target: (any PollTarget)?
            var generation: UInt32 = 0
            var descriptor: Int32 = -1
        }

        private static let batch = 256
        /// Events per tick. Small, so that state touched for them is still in the processor's caches when the tick sends.
        private static let eventsPerTick = 8
        private static let passesAtLeast = 16
        private static let passesToCatchUp = 4
        /// The token of the wake-up eventfd; no slot has this number.
        private static let wakeToken = UInt64.max

        private let epoll: Int32
        private let source: any DispatchSourceRead
        private let idleWait: Int64
        private weak var owner: (any PollerOwner)?
        /// An eventfd that ends a wait; -1 for a poller that never waits.
        private let wakeDescriptor: Int32
        private let isWaiting = Atomic<Bool>(false)
        private var isCancelled = false
        // No exclusive access checks per event: one queue, and a target is copied out before it is called.
        @exclusivity(unchecked) private var slots: [Slot] = []
        private var free: [Int] = []
        private let events = UnsafeMutableBufferPointer<bj_event>.allocate(capacity: EpollPoller.batch)

        init(queue: DispatchQueue, idleWait: Int64, owner: any PollerOwner) {
            self.idleWait = idleWait
            self.owner = owner
            epoll = bj_epoll_create()
            wakeDescriptor = idleWait > 0 ? bj_eventfd() : -1
            precondition(epoll >= 0 && (idleWait == 0 || wakeDescriptor >= 0), "no descriptor left for an event loop")
            if idleWait > 0 { _ = bj_epoll_add(epoll, wakeDescriptor, Interest.reading.rawValue, Self.wakeToken) }
            source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
            let descriptor = epoll
            source.setCancelHandler { close(descriptor) }
            source.setEventHandler { [weak self] in self?.serve() }
            source.resume()
        }

        func add(_ descriptor: Int32, _ interest: Interest, _ target: any PollTarget) -> PollToken? {
            guard !isCancelled else {
                errno = ECANCELED
                return nil
            }
            let slot = free.popLast() ?? slots.count
            if slot == slots.count { slots.append(Slot()) }
            let token = PollToken(slot: slot, generation: slots[slot].generation)
            guard bj_epoll_add(epoll, descriptor, interest.rawValue, token.packed) == 0 else {
                free.append(slot)
                return nil
            }
            slots[slot].target = target
            slots[slot].descriptor = descriptor
            return token
        }

        func change(_ token: PollToken, _ interest: Interest) {
            guard isCurrent(token) else { return }
            _ = bj_epoll_change(epoll, slots[token.slot].descriptor, interest.rawValue, token.packed)
        }

        func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest) {
            guard isCurrent(token) else { return }
            slots[token.slot].target = target
            change(token, interest)
        }

        func removeAndClose(_ token: PollToken) {
            guard isCurrent(token) else { return }
            close(remove(token))
        }

        func release(_ token: PollToken, then: @escaping () -> Void) {
            guard isCurrent(token) else { return }
            _ = remove(token)
            then()
        }

        private func remove(_ token: PollToken) -> Int32 {
            let descriptor = slots[token.slot].descriptor
            _ = bj_epoll_remove(epoll, descriptor)
            slots[token.slot].target = nil
            slots[token.slot].descriptor = -1
            slots[token.slot].generation &+= 1
            free.append(token.slot)
            return descriptor
        }

        /// The source's cancel handler closes the epoll set, as Dispatch requires.
        func cancel() {
            guard !isCancelled else { return }
            isCancelled = true
            source.cancel()
            for index in slots.indices {
                let target = slots[index].target
                removeAndClose(PollToken(slot: index, generation: slots[index].generation))
                target?.loopStopped()
            }
        }

        /// Runs one shift.
        func serve() {
            guard !isCancelled, let end = owner?.beginShift(of: idleWait) else { return }
            var passes = 0
            var count = deliver(waitingFor: 0)
            while !isCancelled {
                passes += 1
                // The owner is not retained during the wait, so an unreferenced loop can be released.
                if let time = owner?.idleTime(until: end) {
                    count = deliver(waitingFor: time)
                } else {
                    guard count > 0, passes < Self.passesAtLeast else { break }
                    count = deliver(waitingFor: 0)
                }
            }
            owner?.endShift()
        }

        func deliverReady() {
            var delivered = 0
            for pass in 1... {
                guard !isCancelled else { return }
                let count = deliver(waitingFor: 0)
                delivered += count
                // Reads connections accepted in the previous pass; further passes only for events beyond the batch.
                guard count > 0, pass < Self.passesToCatchUp || count == Self.batch && delivered < slots.count else { return }
            }
        }

        func wake() {
            guard isWaiting.exchange(false, ordering: .sequentiallyConsistent) else { return }
            var one: UInt64 = 1
            _ = write(wakeDescriptor, &one, 8)
        }

        /// - Returns: the number of events.
        private func deliver(waitingFor time: Int64) -> Int {
            let count = Int(wait(Int32(clamping: time)))
            guard count > 0, let owner else { return 0 }
            for start in stride(from: 0, to: count, by: Self.eventsPerTick) {
                owner.tick { deliver(events[start..<min(count, start + Self.eventsPerTick)]) }
            }
            return count
        }

        private func wait(_ milliseconds: Int32) -> Int32 {
            guard milliseconds > 0 else { return bj_epoll_wait(epoll, events.baseAddress, Int32(Self.batch), 0) }
            // Posting counts the work before it wakes the poller: either the count is seen here, or the eventfd ends this wait.
            isWaiting.store(true, ordering: .sequentiallyConsistent)
            defer { isWaiting.store(false, ordering: .relaxed) }
            guard owner?.hasWork == false else { return 0 }
            return bj_epoll_wait(epoll, events.baseAddress, Int32(Self.batch), milliseconds)
        }

        private func deliver(_ events: Slice<UnsafeMutableBufferPointer<bj_event>>) {
            for event in events {
                guard event.token != Self.wakeToken else {
                    var value: UInt64 = 0
                    _ = read(wakeDescriptor, &value, 8)
                    continue
                }
                let token = PollToken(packed: event.token)
                // An earlier event of the batch may have removed the descriptor.
                guard isCurrent(token) else { continue }
                let target = slots[token.slot].target
                target?.ready(Readiness(rawValue: event.events))
            }
        }

        private func isCurrent(_ token: PollToken) -> Bool {
            token.slot < slots.count && slots[token.slot].generation == token.generation && slots[token.slot].target != nil
        }

        deinit {
            source.cancel()
            if wakeDescriptor >= 0 { close(wakeDescriptor) }
            events.deallocate()
        }
    }

    extension PollToken {
        fileprivate var packed: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(slot)) }

        fileprivate init(packed: UInt64) {
            self.init(slot: Int(UInt32(truncatingIfNeeded: packed)), generation: UInt32(packed >> 32))
        }
    }
#endif
