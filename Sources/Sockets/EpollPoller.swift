#if os(Linux)
    import CSockets
    import Dispatch
    import Glibc

    /// One epoll set, itself watched by one Dispatch source and drained in batches: one wake-up serves every descriptor that is
    /// ready. (A source per descriptor costs 1.3 times the processor time of a bare epoll loop; this costs 1.0.)
    final class EpollPoller: Poller {
        private struct Slot {
            var target: (any PollTarget)?
            var generation: UInt32 = 0
            var descriptor: Int32 = -1
        }

        private static let batch = 256
        private static let batchesPerWake = 16

        private let epoll: Int32
        private let source: any DispatchSourceRead
        /// Runs work as a tick of the loop, unless the loop is gone.
        private let tick: (() -> Void) -> Void
        private var isCancelled = false
        private var slots: [Slot] = []
        private var free: [Int] = []
        private let events = UnsafeMutableBufferPointer<bj_event>.allocate(capacity: EpollPoller.batch)

        init(queue: DispatchQueue, tick: @escaping (() -> Void) -> Void) {
            self.tick = tick
            epoll = bj_epoll_create()
            precondition(epoll >= 0, "the system has no descriptor left for an event loop")
            source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
            let descriptor = epoll
            source.setCancelHandler { close(descriptor) }
            source.setEventHandler { [weak self] in self?.drain() }
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

        /// The epoll set itself is closed by the source's cancel handler, as Dispatch requires.
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

        private func drain() {
            for _ in 0..<Self.batchesPerWake {
                guard !isCancelled else { return }
                let count = Int(bj_epoll_poll(epoll, events.baseAddress, Int32(Self.batch)))
                guard count > 0 else { return }
                tick { deliver(count) }
            }
        }

        private func deliver(_ count: Int) {
            for event in events[..<count] {
                let token = PollToken(packed: event.token)
                // An event before this one may have given the descriptor up.
                guard isCurrent(token) else { continue }
                slots[token.slot].target?.ready(Readiness(rawValue: event.events))
            }
        }

        private func isCurrent(_ token: PollToken) -> Bool {
            token.slot < slots.count && slots[token.slot].generation == token.generation && slots[token.slot].target != nil
        }

        deinit {
            source.cancel()
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
