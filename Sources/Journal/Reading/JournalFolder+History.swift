/// History to keep behind the newest checkpoint.
public enum JournalHistory: Hashable, Sendable {
    case everything
    /// As much as fits into so many bytes, checkpoints included.
    case size(bytes: Int)
    /// At least so many milliseconds, by the times of the checkpoints.
    case age(milliseconds: UInt64)
}

extension JournalFolder {
    /// Sequence after which every frame is kept: 0, or a checkpoint's. Nil if no checkpoint is left for the frames kept.
    public func historyStart() throws(JournalError) -> UInt64? {
        let checkpoints = try checkpoints()
        guard let oldest = try oldestSegment()?.header, oldest.first > 1 else { return 0 }
        return checkpoints.first { $0 + 1 >= oldest.first }
    }

    /// Sequence after which reading to the end takes at most so many bytes: 0, or a checkpoint's; the last but one's if none but the newest
    /// does, which may have been written a moment ago.
    ///
    /// ``prune(keeping:now:)`` keeps checkpoints between the last ``recentSegments`` for this.
    public func readingStart(within bytes: Int) throws(JournalError) -> UInt64 {
        let checkpoints = try checkpoints()
        do throws(StorageError) {
            let segments = try usedSegments()
            // Newest first: the history before the bound is not looked at.
            var (total, firstRead) = (0, UInt64.max)
            for segment in segments.reversed() {
                total += try size(FileName.segment(segment.number))
                guard total <= bytes else { break }
                firstRead = segment.number
            }
            let beginnings = (segments.first.map { $0.first == 1 } ?? true ? [0] : []) + checkpoints
            let fitting = beginnings.first { Self.segment(after: $0, in: segments) >= firstRead }
            if let fitting, fitting != checkpoints.last { return fitting }
            return beginnings.dropLast().last ?? beginnings.last ?? 0
        } catch {
            throw .storage(error)
        }
    }

    /// Identifies the host; nil for an empty journal.
    public func house() throws(JournalError) -> UInt64? {
        do throws(StorageError) {
            for number in try segments() {
                if case .header(let header, _) = try storage.segmentHeader(number) { return header.house }
            }
            return nil
        } catch { throw .storage(error) }
    }

    /// The last frame before the segment that is being written; 0 for none.
    public func sealedThrough() throws(JournalError) -> UInt64 {
        do throws(StorageError) {
            // From the end: a long history has hundreds of segments.
            for number in try segments().reversed() {
                if case .header(let header, _) = try storage.segmentHeader(number) { return header.first - 1 }
            }
            return 0
        } catch { throw .storage(error) }
    }

    /// Bytes of the segments that are sealed and have frames after a checkpoint's.
    package func sealedBytes(after checkpoint: UInt64) throws(JournalError) -> Int {
        do throws(StorageError) {
            var (bytes, isOpen) = (0, true)
            // From the end: a long history has hundreds of segments.
            for number in try segments().reversed() {
                guard case .header(let header, _) = try storage.segmentHeader(number) else { continue }
                if !isOpen { bytes += try size(FileName.segment(number)) }
                isOpen = false
                if header.first <= checkpoint + 1 { break }
            }
            return bytes
        } catch { throw .storage(error) }
    }

    /// Length of a checkpoint's file; 0 for the state before the first frame.
    package func checkpointBytes(at sequence: UInt64) throws(JournalError) -> Int {
        guard sequence > 0 else { return 0 }
        do throws(StorageError) { return try size(FileName.checkpoint(sequence)) } catch { throw .storage(error) }
    }

    /// Bytes of all files, and the time of the newest checkpoint in milliseconds since 1970; nil for none.
    package func usage() throws(JournalError) -> (bytes: Int, checkpointTime: UInt64?) {
        let newest = try checkpoints().last
        do throws(StorageError) {
            var bytes = 0
            for name in try storage.names() { bytes += try size(name) }
            guard let newest else { return (bytes, nil) }
            return (bytes, try storage.modificationTime(of: FileName.checkpoint(newest)))
        } catch { throw .storage(error) }
    }

    /// Segments behind the newest between which checkpoints stay, for readers of the recent past: one in ``recentStep`` segments.
    static let recentSegments: UInt64 = 20
    static let recentStep: UInt64 = 4

    /// Removes old checkpoints, and the segments before the oldest that stays. Recovery from the newest one keeps all that it needs.
    /// - Parameter now: milliseconds since 1970, for an age.
    /// - Returns: bytes removed.
    /// - Throws: `.damagedCheckpoint` for the newest one; then nothing is removed.
    @discardableResult
    public func prune(keeping history: JournalHistory, now: UInt64) throws(JournalError) -> Int {
        let checkpoints = try checkpoints()
        guard let newest = checkpoints.last else { return 0 }
        try readCheckpoint(at: newest) { _ throws(JournalError) in }
        do throws(StorageError) {
            let segments = try usedSegments()
            // A damaged newest checkpoint must leave another to recover from.
            let start = min(try start(of: history, now: now, checkpoints, segments), checkpoints.dropLast().last ?? 0)
            var removed = 0
            // Checkpoints before segments, each oldest first: after a crash in between, the oldest checkpoint has its frames.
            for sequence in surplus(checkpoints, from: start, history, segments) {
                removed += try remove(FileName.checkpoint(sequence))
            }
            let firstKept = Self.segment(after: start, in: segments)
            if let kept = segments.first(where: { $0.number == firstKept }) { try anchor.note(oldest: kept.first) }
            // Also those that a power cut left without a header.
            for number in try self.segments() where number < firstKept { removed += try remove(FileName.segment(number)) }
            if removed > 0 { try storage.syncFolder() }
            return removed
        } catch {
            throw .storage(error)
        }
    }

    /// The checkpoint that becomes the oldest; 0 to keep the journal's beginning.
    private func start(
        of history: JournalHistory, now: UInt64, _ checkpoints: [UInt64], _ segments: [UsedSegment]
    ) throws(StorageError) -> UInt64 {
        let newest = checkpoints.last ?? 0
        switch history {
        case .everything: return 0
        case .age(let milliseconds):
            let limit = now > milliseconds ? now - milliseconds : 0
            for sequence in checkpoints.reversed() {
                if try storage.modificationTime(of: FileName.checkpoint(sequence)) <= limit { return sequence }
            }
            return 0
        case .size(let bytes):
            var total = 0
            for sequence in checkpoints { total += try size(FileName.checkpoint(sequence)) }
            for segment in segments { total += try size(FileName.segment(segment.number)) }
            if total <= bytes { return 0 }
            for (index, sequence) in checkpoints.enumerated() {
                var total = 0
                for kept in checkpoints[index...] { total += try size(FileName.checkpoint(kept)) }
                let first = Self.segment(after: sequence, in: segments)
                for segment in segments where segment.number >= first { total += try size(FileName.segment(segment.number)) }
                if total <= bytes { return sequence }
            }
            return newest
        }
    }

    /// Checkpoints to remove: those before the start, and those that no later pruning needs: it cuts between segments.
    private func surplus(
        _ checkpoints: [UInt64], from start: UInt64, _ history: JournalHistory, _ segments: [UsedSegment]
    ) -> [UInt64] {
        var segmentsSeen: Set<UInt64> = []
        let newest = segments.last?.number ?? 0
        return checkpoints.filter { sequence in
            if sequence < start { return true }
            let segment = Self.segment(after: sequence, in: segments)
            let isFirstOfSegment = segmentsSeen.insert(segment).inserted
            if sequence == start || checkpoints.suffix(2).contains(sequence) { return false }
            let isRecent = segment % Self.recentStep == 0 && newest - segment <= Self.recentSegments
            return history == .everything && !isRecent || !isFirstOfSegment
        }
    }

    // MARK: Segments

    struct UsedSegment {
        var number: UInt64
        /// Sequence of its first frame.
        var first: UInt64
    }

    /// Segments with an intact header, ascending.
    func usedSegments() throws(StorageError) -> [UsedSegment] {
        var used: [UsedSegment] = []
        for number in try segments() {
            if case .header(let header, _) = try storage.segmentHeader(number) {
                used.append(UsedSegment(number: number, first: header.first))
            }
        }
        return used
    }

    /// The segment in which reading after a frame begins: the newest that starts with the next frame or before.
    private static func segment(after sequence: UInt64, in segments: [UsedSegment]) -> UInt64 {
        segments.last { $0.first <= sequence + 1 }?.number ?? 0
    }

    private func size(_ name: String) throws(StorageError) -> Int {
        let file = try storage.open(name, forWriting: false)
        defer { storage.close(file) }
        return try storage.size(of: file)
    }

    private func remove(_ name: String) throws(StorageError) -> Int {
        let bytes = try size(name)
        try storage.remove(name)
        return bytes
    }
}
