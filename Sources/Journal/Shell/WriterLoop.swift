/// The writer thread's body: asks the writer for steps and performs them.
struct WriterLoop: ~Copyable {
    private let log: DurableLog
    private var writer: JournalWriter
    private var files: SegmentFiles
    /// No space for the next segment, no space for a batch.
    private var (lacksSegment, lacksSpace) = (false, false)
    private var hasReported = false
    /// Time of the next look whether the segment has its name.
    private var nextLook: UInt64 = 0
    /// Copies of the log's observers, which are called without the lock.
    private var observers: [@Sendable (UInt64) -> Void] = []
    private var syncObserver: (@Sendable (UInt64) -> Void)?

    init(_ log: DurableLog, _ writer: JournalWriter) {
        self.log = log
        self.writer = writer
        files = SegmentFiles(log.storage)
    }

    consuming func run() {
        var isRunning = true
        while isRunning {
            isRunning = perform(next())
        }
        finish()
        // Set with the lock held: a later caller does not begin to wait.
        let waiters = log.state.withLock { state in
            state.isFinished = true
            return state.takeWaiters(through: .max)
        }
        for waiter in waiters { waiter.signal() }
    }

    /// Closes the files. After an orderly end the anchor has the last frame.
    mutating func finish() {
        files.close()
        // A journal that has failed stays as its disk has it; any lag of the anchor is harmless.
        if writer.isFailed == false { try? log.folder.anchor.note(segment: writer.begun, sequence: writer.synced) }
    }

    /// The next step, after the frames appended and the answers of others were taken.
    mutating func next() -> JournalStep {
        exchange()
        return writer.next(now: log.executor.now)
    }

    private mutating func exchange() {
        let (preparation, failure) = log.state.withLock { state in
            state.wakesForAppend = false
            state.takenBytes += state.pending.byteCount
            writer.pending.absorb(&state.pending)
            state.takenSince = state.takenSince ?? state.pendingSince
            state.pendingSince = nil
            if state.isClosing { writer.close() }
            defer { state.preparation = nil }
            return (state.preparation, state.failure)
        }
        if let failure, !hasReported { fail(failure) }
        switch preparation {
        case .success(let (segment, bytes)):
            writer.prepared(segment: segment, bytes: bytes)
            report(segment: nil)
        case .failure(let error):
            guard error.isShortage else { return fail(.storage(error)) }
            report(segment: error)
            writer.couldNotPrepare(now: log.executor.now)
        case nil: break
        }
    }

    /// False when there is nothing left to do.
    mutating func perform(_ step: consuming JournalStep) -> Bool {
        switch step {
        case .prepare(let segment, let bytes): prepare(segment, bytes)
        case .write(let batch): write(batch)
        case .sync(let segment, let sequence):
            do throws(StorageError) {
                let start = log.executor.now
                try files.sync(segment: segment)
                let duration = log.executor.now - start
                writer.synced(through: sequence)
                publish()
                syncObserver?(duration)
            } catch {
                fail(.storage(error))
            }
        case .wait(let time, let forAppend):
            if mayWait(forAppend: forAppend) { log.wakeUp.wait(until: time) }
        case .finished: return false
        }
        return true
    }

    /// False after an append since the exchange: ask again.
    func mayWait(forAppend: Bool) -> Bool {
        log.state.withLock { state in
            guard !forAppend || state.pending.isEmpty else { return false }
            state.wakesForAppend = forAppend
            return true
        }
    }

    private mutating func write(_ batch: consuming JournalBatch) {
        let now = log.executor.now
        do throws(StorageError) {
            // Before the write counts as durable: writes to a removed file succeed.
            if now >= nextLook {
                nextLook = now + log.configuration.lookInterval
                guard try files.isNamed(batch.segment) else { return fail(.removed(folder: log.storage.location)) }
            }
            try files.write(batch)
            report(batch: nil)
            writer.wrote(batch, now: now)
            if log.configuration.durability != .sync { publish() }
        } catch {
            guard error.isFull else { return fail(.storage(error)) }
            report(batch: error)
            writer.couldNotWrite(batch, now: log.executor.now)
        }
    }

    private func prepare(_ segment: UInt64, _ bytes: Int) {
        switch log.executor {
        case .thread: log.preparing.async { [log, synced = writer.synced] in log.prepare(segment, bytes: bytes, synced: synced) }
        case .scheduled: log.prepare(segment, bytes: bytes, synced: writer.synced)
        }
    }

    /// Makes the growth of `durable` known.
    private mutating func publish() {
        let durable = writer.durable
        if log.configuration.durability != .none { log.lastDurable.store(durable, ordering: .releasing) }
        let waiters = log.state.withLock { state in
            // After the growth is stored: an observer that is missing here sees it when it looks.
            if state.observers.count != observers.count { observers = state.observers }
            if syncObserver == nil { syncObserver = state.syncObserver }
            state.takenBytes = writer.pending.byteCount
            if writer.pending.isEmpty { state.takenSince = nil }
            return state.takeWaiters(through: durable)
        }
        for waiter in waiters { waiter.signal() }
        guard log.configuration.durability != .none else { return }
        for observer in observers { observer(durable) }
    }

    /// Never tried again as if it had worked: after a failed sync the system may have dropped the data and call the next sync a success.
    private mutating func fail(_ error: JournalError) {
        guard !hasReported else { return }
        hasReported = true
        writer.fail()
        let (first, waiters) = log.state.withLock { state in
            let first = state.failure ?? error
            state.failure = first
            return (first, state.takeWaiters(through: .max))
        }
        for waiter in waiters { waiter.signal() }
        log.callbacks.failed(first)
    }

    private mutating func report(segment: StorageError?) {
        let wasFull = lacksSegment || lacksSpace
        lacksSegment = segment != nil
        report(segment, wasFull: wasFull)
    }

    private mutating func report(batch: StorageError?) {
        let wasFull = lacksSegment || lacksSpace
        lacksSpace = batch != nil
        report(batch, wasFull: wasFull)
    }

    private func report(_ error: StorageError?, wasFull: Bool) {
        if let error, !wasFull { log.callbacks.full(error) }
        if wasFull, !lacksSegment, !lacksSpace { log.callbacks.spaceFound() }
    }
}
