#if !os(Linux)
    import Darwin
    import Dispatch

    /// A Dispatch source for each direction of each descriptor: the same small interface where there is no epoll.
    final class Poller {
        private final class Slot {
            var target: (any PollTarget)?
            var generation: UInt32 = 0
            var descriptor: Int32 = -1
            var reading: (any DispatchSourceRead)?
            var writing: (any DispatchSourceWrite)?
            var isWriting = false
        }

        private let queue: DispatchQueue
        private let beforeBatch: () -> Void
        private let afterBatch: () -> Void
        private var slots: [Slot] = []
        private var free: [Int] = []

        init(queue: DispatchQueue, beforeBatch: @escaping () -> Void, afterBatch: @escaping () -> Void) {
            self.queue = queue
            self.beforeBatch = beforeBatch
            self.afterBatch = afterBatch
        }

        func add(_ descriptor: Int32, _ interest: Interest, _ target: any PollTarget) -> PollToken? {
            let index = free.popLast() ?? slots.count
            if index == slots.count { slots.append(Slot()) }
            let slot = slots[index]
            slot.target = target
            slot.descriptor = descriptor
            let token = PollToken(slot: index, generation: slot.generation)
            let reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            reading.setEventHandler { [unowned self] in deliver(.readable, to: token) }
            reading.setCancelHandler { close(descriptor) }
            slot.reading = reading
            reading.resume()
            change(token, interest)
            return token
        }

        func change(_ token: PollToken, _ interest: Interest) {
            guard isCurrent(token) else { return }
            let slot = slots[token.slot]
            let wanted = interest.contains(.writing)
            guard wanted != slot.isWriting else { return }
            slot.isWriting = wanted
            if wanted {
                let writing = DispatchSource.makeWriteSource(fileDescriptor: slot.descriptor, queue: queue)
                writing.setEventHandler { [unowned self] in deliver(.writable, to: token) }
                slot.writing = writing
                writing.resume()
            } else {
                slot.writing?.cancel()
                slot.writing = nil
            }
        }

        func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest) {
            guard isCurrent(token) else { return }
            slots[token.slot].target = target
            change(token, interest)
        }

        /// Stops watching; the descriptor is closed by the cancel handler, once no event of it can be on its way.
        func removeAndClose(_ token: PollToken) {
            guard isCurrent(token) else { return }
            let slot = slots[token.slot]
            slot.writing?.cancel()
            slot.reading?.cancel()
            slot.writing = nil
            slot.reading = nil
            slot.isWriting = false
            slot.target = nil
            slot.descriptor = -1
            slot.generation &+= 1
            free.append(token.slot)
        }

        func cancel() {
            for (index, slot) in slots.enumerated() { removeAndClose(PollToken(slot: index, generation: slot.generation)) }
        }

        private func deliver(_ readiness: Readiness, to token: PollToken) {
            guard isCurrent(token) else { return }
            beforeBatch()
            slots[token.slot].target?.ready(readiness)
            afterBatch()
        }

        private func isCurrent(_ token: PollToken) -> Bool {
            token.slot < slots.count && slots[token.slot].generation == token.generation && slots[token.slot].target != nil
        }
    }
#endif
