/// An operation that a ``JournalWriter`` asks for.
public enum JournalStep: Sendable {
    /// Create a segment of newlines, durably. May go on beside later steps. Answered by `prepared` or `couldNotPrepare`.
    case prepare(segment: UInt64, bytes: Int)
    /// Answered by `wrote`, `couldNotWrite` or `fail`.
    case write(JournalBatch)
    /// Answered by `synced(through:)` or `fail`.
    case sync(segment: UInt64, through: UInt64)
    /// Nothing to do until a time; nil for none. An append or an answer may come before it.
    /// - `forAppend`: whether an append gives reason to ask again at once.
    case wait(until: UInt64?, forAppend: Bool)
    /// After `close`: everything is written, or cannot be.
    case finished
}

extension JournalWriter {
    /// The next step. Times are in microseconds of one clock that never runs backwards.
    public mutating func next(now: UInt64) -> JournalStep {
        if isFailed || closing == .givenUp { return closing == .no ? .wait(until: nil, forAppend: false) : .finished }
        // First the sync: the anchor, which is written with the next segment, then has the frames.
        if isSyncDue(now: now), let segment { return .sync(segment: segment.number, through: written) }
        if let bytes = bytesToPrepare(now: now) {
            nextSegment = .preparing(bytes: bytes)
            return .prepare(segment: nextNumber, bytes: bytes)
        }
        if case .refused(let batch, let time) = flight, now >= time || closing != .no {
            flight = .writing
            return .write(batch)
        }
        if now >= groupDue || closing != .no, let batch = beginWrite() {
            noteGroup(of: batch.last - written, at: now)
            return .write(batch)
        }
        if closing != .no, case .none = flight, pending.isEmpty { return .finished }
        return wait(now: now)
    }

    /// Reports a prepared segment.
    public mutating func prepared(segment: UInt64, bytes: Int) {
        if segment == nextNumber { nextSegment = .ready(bytes: bytes) }
    }

    /// Reports that there is no space for a segment.
    public mutating func couldNotPrepare(now: UInt64) {
        guard case .preparing(let bytes) = nextSegment else { return }
        nextSegment = .refused(bytes: bytes, retryAt: now + configuration.retryInterval)
        if closing != .no { closing = .givenUp }
    }

    /// Reports that there was no space to write a batch; any part of it may be written.
    public mutating func couldNotWrite(_ batch: consuming JournalBatch, now: UInt64) {
        flight = .refused(batch, retryAt: now + configuration.retryInterval)
        if closing != .no { closing = .givenUp }
    }

    /// Reports any other error: nothing more is ever written, and `durable` stays.
    public mutating func fail() { isFailed = true }

    /// Nothing more is appended: writes what waits without pauses.
    public mutating func close() {
        if closing == .no { closing = .flushing }
    }

    /// Whether frames wait for a segment or for space.
    public var isStalled: Bool {
        if case .refused = flight { return true }
        if case .refused = nextSegment, let first = pending.firstCount { return !hasRoom(for: first) }
        return false
    }

    /// Earliest time of the next group: at once for a large one.
    private var groupDue: UInt64 {
        if pending.byteCount >= configuration.groupBytes { return 0 }
        let interval =
            if configuration.durability == .none {
                configuration.syncInterval
            } else {
                configuration.groupInterval * (isBusy ? JournalConfiguration.busyFactor : 1)
            }
        return lastGroup.map { $0 + interval } ?? 0
    }

    private mutating func noteGroup(of frames: UInt64, at now: UInt64) {
        isBusy = lastGroup.map { now - $0 <= frames * 1000 / JournalConfiguration.busyFrames } ?? false
        lastGroup = now
    }

    /// Length of the segment to prepare now; nil for none.
    private func bytesToPrepare(now: UInt64) -> Int? {
        let needed = pending.firstCount.flatMap { hasRoom(for: $0) ? nil : Self.segmentBytes(for: $0) }
        // A closing journal makes no segment ahead.
        guard needed != nil || closing == .no else { return nil }
        let bytes = max(configuration.segmentBytes, needed ?? 0)
        switch nextSegment {
        case .wanted: return bytes
        case .preparing: return nil
        case .ready(let ready): return ready < needed ?? 0 ? bytes : nil
        case .refused(_, let time): return now >= time || closing != .no ? bytes : nil
        }
    }

    private func isSyncDue(now: UInt64) -> Bool {
        guard written > synced, case .none = flight else { return false }
        switch configuration.durability {
        case .sync: return true
        case .interval:
            let endsSegment = pending.firstCount.map { !hasRoom(for: $0) } ?? false
            return endsSegment || closing != .no || now >= syncDue
        case .none: return false
        }
    }

    private var syncDue: UInt64 { unsyncedSince.map { $0 + configuration.syncInterval } ?? .max }

    private func wait(now: UInt64) -> JournalStep {
        var (until, forAppend) = (UInt64.max, false)
        if case .none = flight {
            if pending.isEmpty {
                // Sleeps through the rest of the group's time: appends need not wake it.
                if now < groupDue { until = groupDue } else { forAppend = true }
            } else if now < groupDue {
                until = groupDue
            }
            if configuration.durability == .interval { until = min(until, syncDue) }
        }
        if case .refused(_, let time) = flight { until = min(until, time) }
        if case .refused(_, let time) = nextSegment { until = min(until, time) }
        return .wait(until: until == .max ? nil : until, forAppend: forAppend)
    }
}
