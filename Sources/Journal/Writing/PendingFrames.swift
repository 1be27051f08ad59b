/// Frames that wait to be written, oldest first. Without allocations once its buffers have grown.
struct PendingFrames: Sendable {
    private var bytes: [UInt8] = []
    /// End of each frame in `bytes`.
    private var ends: [Int] = []
    /// Frames removed from the front.
    private var removed = 0

    var isEmpty: Bool { removed == ends.count }
    var count: Int { ends.count - removed }
    var byteCount: Int { bytes.count - start }

    private var start: Int { removed == 0 ? 0 : ends[removed - 1] }

    /// Length of the oldest frame's records.
    var firstCount: Int? { isEmpty ? nil : ends[removed] - start }

    /// Removes the oldest frame after `body` has read its records. They share the queue's memory: a reference that outlived `body`
    /// would have the removal copy it.
    mutating func takeFirst(_ body: (ArraySlice<UInt8>) -> Void) {
        body(bytes[start..<ends[removed]])
        removed += 1
        if isEmpty { removeAll() }
    }

    mutating func append(_ records: borrowing [UInt8]) {
        precondition(records.isEmpty || records[records.count - 1] == Text.newline, "a record is a line")
        bytes.append(contentsOf: copy records)
        ends.append(bytes.count)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        removed = 0
    }

    /// Moves all frames of another queue to the end of this one.
    mutating func absorb(_ other: inout PendingFrames) {
        guard !other.isEmpty else { return }
        // Exchanges the buffers instead of copying: the usual case.
        if isEmpty { return swap(&self, &other) }
        let (shift, first) = (bytes.count - other.start, other.start)
        bytes.append(contentsOf: other.bytes[first...])
        for end in other.ends[other.removed...] { ends.append(end + shift) }
        other.removeAll()
    }
}
