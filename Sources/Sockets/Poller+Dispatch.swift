#if !os(Linux)
    import Darwin
    import Dispatch

    /// A Dispatch source for each direction of each descriptor: the same small interface where there is no epoll.
    final class Poller {
        private struct Slot {
            var target: (any PollTarget)?
            var generation: UInt32 = 0
            var sources: SourcePair?
        }

        private let queue: DispatchQueue
        /// Runs work as a tick of the loop, unless the loop is gone.
        private let tick: (() -> Void) -> Void
        private var isCancelled = false
        private var slots: [Slot] = []
        private var free: [Int] = []

        init(queue: DispatchQueue, tick: @escaping (() -> Void) -> Void) {
            self.queue = queue
            self.tick = tick
        }

        /// Watches a descriptor, unless the poller was cancelled; errno says so.
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

        /// Gives a watched descriptor to another owner.
        func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest) {
            guard isCurrent(token) else { return }
            slots[token.slot].target = target
            change(token, interest)
        }

        /// Stops watching, then closes the descriptor.
        func removeAndClose(_ token: PollToken) {
            guard isCurrent(token) else { return }
            slots[token.slot].sources?.cancelAndClose()
            slots[token.slot].sources = nil
            slots[token.slot].target = nil
            slots[token.slot].generation &+= 1
            free.append(token.slot)
        }

        /// Ends the poller, on its queue, and closes every descriptor.
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
            tick { slots[token.slot].target?.ready(readiness) }
        }

        private func isCurrent(_ token: PollToken) -> Bool {
            token.slot < slots.count && slots[token.slot].generation == token.generation && slots[token.slot].target != nil
        }
    }

    /// The two sources of one descriptor, each suspended while its direction is of no interest: end of file, and room to write, stay
    /// ready for ever.
    private final class SourcePair {
        private let reading: any DispatchSourceRead
        private let writing: any DispatchSourceWrite
        private var watched: Interest = []

        init(_ descriptor: Int32, _ queue: DispatchQueue, _ deliver: @escaping (Readiness) -> Void) {
            reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
            reading.setEventHandler { deliver(.readable) }
            writing.setEventHandler { deliver(.writable) }
            // Closed by whichever cancel handler runs last, once no event of either can be on its way.
            var isOneCancelled = false
            let cancelled: () -> Void = {
                if isOneCancelled { close(descriptor) }
                isOneCancelled = true
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

        func cancelAndClose() {
            reading.cancel()
            writing.cancel()
            // A suspended source would never run its cancel handler. A resumed one that is cancelled runs nothing else.
            watch([.reading, .writing])
        }
    }
#endif
