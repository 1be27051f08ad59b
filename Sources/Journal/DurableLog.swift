import Dispatch
import Synchronization

/// A journal that is open for writing, with a writer thread (group commit).
///
/// Any thread appends a frame, without waiting: `append` copies the records into `State.pending` under the lock and returns
/// the frame's sequence. The writer thread repeats: take all pending frames, write them with one call, sync once, store the
/// new ``durable`` sequence, then call the observers and wake the waiters. While a sync runs, further frames collect for the
/// next group, so the load sets the group's size.
///
/// ``appended`` and ``durable`` are atomics that only grow, with `durable <= appended`. ``durable`` is stored before observers
/// are called: code that registers later, or misses a call, sees the new value when it reads. After a failed write or sync
/// nothing is written again and ``durable`` stays, since the system may have dropped the data and report success for the next
/// sync. The thread ends with ``close()``.
public final class DurableLog: Sendable {
    /// Called on the writer thread; must not call ``DurableLog/close()``.
    public struct Callbacks: Sendable {
        /// The journal has failed and writes nothing more. Called once.
        public var failed: @Sendable (JournalError) -> Void
        /// No space, which is retried. Called at most twice per shortage: with the bytes left in the current segment while they last, and
        /// with nil once frames wait.
        public var full: @Sendable (JournalError, _ room: Int?) -> Void
        /// There is space again.
        public var spaceFound: @Sendable () -> Void

        public init(
            failed: @escaping @Sendable (JournalError) -> Void,
            full: @escaping @Sendable (JournalError, Int?) -> Void = { _, _ in },
            spaceFound: @escaping @Sendable () -> Void = {}
        ) {
            self.failed = failed
            self.full = full
            self.spaceFound = spaceFound
        }
    }

    public let configuration: JournalConfiguration
    public let house: UInt64
    public let epoch: UInt64

    package let folder: JournalFolder
    let callbacks: Callbacks
    let state: Mutex<State>
    let wakeUp = WakeUp()
    private let lastAppended: Atomic<UInt64>
    let lastDurable: Atomic<UInt64>
    private let scheduled = Mutex<(any SteppedWriter)?>(nil)
    let executor: WriterExecutor
    /// The writer thread: one block, which lasts until ``close()``.
    private let writing = DispatchQueue(label: "journal.write")
    /// Prefills segments and writes the anchor off the writer thread: each slice of 256 KiB would delay it by milliseconds.
    let preparing = DispatchQueue(label: "journal.prepare", qos: .utility)

    /// Shared by the threads that append and the writer thread.
    struct State {
        var pending = PendingFrames()
        /// Time of the oldest append in `pending`.
        var pendingSince: UInt64?
        /// Time of the oldest append that the writer thread has and that is not durable.
        var takenSince: UInt64?
        /// Bytes that the writer thread has and that are not durable.
        var takenBytes = 0
        /// The writer thread sleeps and an append wakes it.
        var wakesForAppend = false
        var isClosing = false
        var isFinished = false
        var failure: JournalError?
        var preparation: Result<(segment: UInt64, bytes: Int), JournalError>?
        /// The frame that the anchor has since it was last written; 0 if that failed.
        var anchored: UInt64?
        var observers: [@Sendable (UInt64) -> Void] = []
        var syncObserver: (@Sendable (_ microseconds: UInt64) -> Void)?
        var waiters: [(sequence: UInt64, wakeUp: WakeUp)] = []

        /// Removes the waiters for frames up to a sequence, for the caller to wake without the lock: they take it next.
        mutating func takeWaiters(through sequence: UInt64) -> [WakeUp] {
            guard !waiters.isEmpty else { return [] }
            let taken = waiters.filter { $0.sequence <= sequence }.map(\.wakeUp)
            waiters.removeAll { $0.sequence <= sequence }
            return taken
        }
    }

    /// Starts the writer thread.
    /// - Parameters:
    ///   - folder: locked by this process.
    ///   - end: of the journal in it, as a reader found it.
    ///   - house: identifier for a new journal; an existing one keeps its own.
    public convenience init(
        _ folder: JournalFolder, continuing end: JournalEnd, house: UInt64,
        configuration: JournalConfiguration = JournalConfiguration(), callbacks: Callbacks
    ) throws(JournalError) {
        try self.init(
            folder, continuing: end, house: house, configuration: configuration, executor: .thread, callbacks: callbacks)
    }

    package init(
        _ folder: JournalFolder, continuing end: JournalEnd, house: UInt64,
        configuration: JournalConfiguration = JournalConfiguration(), executor: WriterExecutor, callbacks: Callbacks
    ) throws(JournalError) {
        if configuration.durability != .none { try folder.settle(end) }
        let writer = JournalWriter(continuing: end, house: house, configuration: configuration)
        try folder.anchor(end, house: writer.house, through: writer.synced)
        self.configuration = configuration
        self.executor = executor
        self.callbacks = callbacks
        self.folder = folder
        (self.house, epoch) = (writer.house, writer.epoch)
        lastAppended = Atomic(end.sequence)
        lastDurable = Atomic(end.sequence)
        state = Mutex(State())
        switch executor {
        case .thread: writing.async { [self] in WriterLoop(self, writer).run() }
        case .scheduled(let scheduler): scheduled.withLock { $0 = scheduler.start(WriterLoop(self, writer)) }
        }
    }

    /// Has the writer look for work.
    private func wakeWriter() {
        switch executor {
        case .thread: wakeUp.signal()
        case .scheduled: scheduled.withLock { $0 }?.wake()
        }
    }

    var storage: any JournalStorage { folder.storage }

    func prepare(_ segment: UInt64, bytes: Int, synced: UInt64) {
        let result = Result { () throws(JournalError) in
            try folder.prepare(segment, bytes: bytes, synced: synced)
            return (segment: segment, bytes: bytes)
        }
        state.withLock { $0.preparation = result }
    }

    /// A failure is none of the journal's: the anchor lags.
    func anchor(through sequence: UInt64) {
        let isWritten = (try? folder.anchor.note(sequence: sequence)) != nil
        state.withLock { $0.anchored = isWritten ? sequence : 0 }
    }

    /// The process of a simulated server has ended: nothing more is written.
    package func abandon() { scheduled.withLock { $0.take() }?.abandon() }

    /// Appends one frame; returns its sequence. Never blocks for the disk. After a failure or ``close()`` it has no effect.
    /// - Parameter records: lines, each with its newline.
    public func append(_ records: borrowing [UInt8]) -> UInt64 {
        let (sequence, wakes) = state.withLock { state in
            guard state.failure == nil, !state.isClosing else { return (lastAppended.load(ordering: .relaxed) + 1, false) }
            let waiting = state.pending.byteCount + state.takenBytes + records.count
            guard waiting <= configuration.waitingBytes else {
                state.failure = .overflow(bytes: waiting)
                return (lastAppended.load(ordering: .relaxed) + 1, true)
            }
            if state.pending.isEmpty { state.pendingSince = executor.now }
            let before = state.pending.byteCount
            state.pending.append(records)
            let sequence = lastAppended.load(ordering: .relaxed) + 1
            lastAppended.store(sequence, ordering: .releasing)
            if configuration.durability == .none { lastDurable.store(sequence, ordering: .releasing) }
            defer { state.wakesForAppend = false }
            let isLarge = before < configuration.groupBytes && before + records.count >= configuration.groupBytes
            return (sequence, state.wakesForAppend || isLarge)
        }
        if wakes { wakeWriter() }
        return sequence
    }

    /// Sequence of the last frame appended; 0 for none.
    public var appended: UInt64 { lastAppended.load(ordering: .acquiring) }

    /// Sequence of the last durable frame; 0 for none.
    public var durable: UInt64 { lastDurable.load(ordering: .acquiring) }

    /// Whether appended frames become durable: neither the journal has failed, nor is it closed.
    package var isOpen: Bool { state.withLock { $0.failure == nil && !$0.isClosing } }

    /// Calls `body` on the writer thread whenever ``durable`` grows, with its value. With `.none` it grows at the append, uncalled.
    public func notify(_ body: @escaping @Sendable (UInt64) -> Void) {
        state.withLock { $0.observers.append(body) }
    }

    /// Calls `body` on the writer thread after each sync, with the time that it took.
    public func observeSyncs(_ body: @escaping @Sendable (_ microseconds: UInt64) -> Void) {
        state.withLock { $0.syncObserver = body }
    }

    /// Blocks until a frame is durable; not for loops. False if it never will be: the journal failed or closed before.
    /// - Parameter milliseconds: the longest wait; false after it. Nil: as long as it takes.
    @discardableResult
    public func waitUntilDurable(_ sequence: UInt64, milliseconds: UInt64? = nil) -> Bool {
        let wakeUp = WakeUp()
        let waits = state.withLock { state in
            guard durable < sequence, state.failure == nil, !state.isFinished else { return false }
            state.waiters.append((sequence, wakeUp))
            return true
        }
        guard waits else { return durable >= sequence }
        wakeUp.wait(until: milliseconds.map { MonotonicClock.microseconds() + $0 * 1000 })
        if milliseconds != nil { state.withLock { $0.waiters.removeAll { $0.wakeUp === wakeUp } } }
        return durable >= sequence
    }

    /// Milliseconds since the oldest append that is not yet durable; 0 for none.
    public var oldestWaiting: UInt64 {
        let since = state.withLock { $0.takenSince ?? $0.pendingSince }
        guard configuration.durability != .none, let since else { return 0 }
        let now = executor.now
        return now > since ? (now - since) / 1000 : 0
    }

    /// Bytes of records that are not yet written durably.
    public var waitingBytes: Int { state.withLock { $0.pending.byteCount + $0.takenBytes } }

    /// Why nothing more is written; nil while the journal works.
    public var failure: JournalError? { state.withLock { $0.failure } }

    /// Writes and syncs what waits, ends the writer thread and unlocks the folder. Further calls have no effect.
    /// - Returns: whether every frame appended is durable.
    @discardableResult
    public func close() -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isClosing = true }
            return !state.isClosing
        }
        wakeUp.signal()
        scheduled.withLock { $0.take() }?.finish()
        writing.sync {}
        preparing.sync {}
        if isFirst { storage.unlock() }
        return failure == nil && waitingBytes == 0
    }
}

/// The writer thread's body: asks the writer for steps and performs them.
package struct WriterLoop: ~Copyable {
    private let log: DurableLog
    private var writer: JournalWriter
    private var files: SegmentFiles
    /// Why there is no space: for the next segment, for a batch.
    private var lacking: (segment: JournalError?, batch: JournalError?)
    /// Reported of this shortage: that it comes, that frames wait.
    private var (isAnnounced, isFull) = (false, false)
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
    package mutating func finish() {
        files.close()
        // A failed journal is left as it is on the disk; a lagging anchor is harmless.
        if writer.isFailed == false { try? log.folder.anchor.note(segment: writer.begun, sequence: writer.synced) }
    }

    /// The next step, after the frames appended and the answers of others were taken.
    package mutating func next() -> JournalStep {
        exchange()
        reportSpace()
        return writer.next(now: log.executor.now)
    }

    private mutating func exchange() {
        let (preparation, failure, anchored) = log.state.withLock { state in
            state.wakesForAppend = false
            state.takenBytes += state.pending.byteCount
            writer.pending.absorb(&state.pending)
            state.takenSince = state.takenSince ?? state.pendingSince
            state.pendingSince = nil
            if state.isClosing { writer.close() }
            defer { (state.preparation, state.anchored) = (nil, nil) }
            return (state.preparation, state.failure, state.anchored)
        }
        if let anchored { writer.anchored(through: anchored) }
        if let failure, !hasReported { fail(failure) }
        switch preparation {
        case .success(let (segment, bytes)):
            writer.prepared(segment: segment, bytes: bytes)
            lacking.segment = nil
        case .failure(let error):
            guard error.isShortage else { return fail(error) }
            lacking.segment = error
            writer.couldNotPrepare(now: log.executor.now)
        case nil: break
        }
    }

    /// False when there is nothing left to do.
    package mutating func perform(_ step: consuming JournalStep) -> Bool {
        switch step {
        case .prepare(let segment, let bytes):
            beside { [synced = writer.synced] log in log.prepare(segment, bytes: bytes, synced: synced) }
        case .anchor(let sequence): beside { $0.anchor(through: sequence) }
        case .write(let batch): write(batch)
        case .sync(let segment, let sequence):
            do throws(JournalError) {
                let start = log.executor.now
                try files.sync(segment: segment)
                let duration = log.executor.now - start
                writer.synced(through: sequence)
                publish()
                syncObserver?(duration)
            } catch {
                fail(error)
            }
        case .wait(let time, let forAppend):
            if mayWait(forAppend: forAppend) { log.wakeUp.wait(until: time) }
        case .finished: return false
        }
        return true
    }

    /// False after an append since the exchange: ask again.
    package func mayWait(forAppend: Bool) -> Bool {
        log.state.withLock { state in
            guard !forAppend || state.pending.isEmpty else { return false }
            state.wakesForAppend = forAppend
            return true
        }
    }

    private mutating func write(_ batch: consuming JournalBatch) {
        let now = log.executor.now
        do throws(JournalError) {
            // Before the write counts as durable: writes to a removed file succeed.
            if now >= nextLook {
                nextLook = now + log.configuration.lookInterval
                guard try files.isNamed(batch.segment) else { return fail(.removed(folder: log.storage.location)) }
            }
            try files.write(batch)
            lacking.batch = nil
            writer.wrote(batch, now: now)
            if log.configuration.durability != .sync { publish() }
        } catch {
            guard error.isTransient else { return fail(error) }
            lacking.batch = error
            writer.couldNotWrite(batch, now: log.executor.now)
        }
    }

    /// Off the writer thread, which then looks for the answer.
    private func beside(_ work: @escaping @Sendable (DurableLog) -> Void) {
        switch log.executor {
        case .thread:
            log.preparing.async { [log] in
                work(log)
                log.wakeUp.signal()
            }
        case .scheduled: work(log)
        }
    }

    /// Calls the observers and wakes the waiters after `durable` has grown.
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

    /// Permanent: after a failed sync the system may have dropped the data, and report success for the next sync.
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

    /// Reports a shortage of space when it begins, when it has frames wait, and when it ends.
    private mutating func reportSpace() {
        if let error = lacking.batch ?? lacking.segment {
            guard !isFull, writer.isStalled || !isAnnounced else { return }
            (isAnnounced, isFull) = (true, writer.isStalled || writer.room == 0)
            log.callbacks.full(error, isFull ? nil : writer.room)
        } else if isAnnounced {
            (isAnnounced, isFull) = (false, false)
            log.callbacks.spaceFound()
        }
    }
}

/// Starts a journal's writer in a simulation.
package protocol WriterScheduler: AnyObject, Sendable {
    /// Microseconds of a clock that never goes back.
    var microseconds: UInt64 { get }
    func start(_ writer: consuming sending WriterLoop) -> any SteppedWriter
}

/// A writer whose steps a scheduler carries out.
package protocol SteppedWriter: Sendable {
    /// Has it look for work.
    func wake()
    /// Carries out everything that waits, at once.
    func finish()
    /// Carries out nothing more: the process has ended.
    func abandon()
}

/// Runs a journal's writer: on a thread of its own, or step by step on a scheduler.
package enum WriterExecutor: Sendable {
    case thread
    case scheduled(any WriterScheduler)

    var now: UInt64 {
        switch self {
        case .thread: MonotonicClock.microseconds()
        case .scheduled(let scheduler): scheduler.microseconds
        }
    }
}
