/// Buffers that connections of a loop take when they have something to send and give back when it has left: an idle connection holds
/// none, and in the steady state none is allocated.
struct BufferPool {
    /// Larger ones are not worth keeping: they come from a snapshot or from a reader that stalled.
    private static let largest = 16 * 1024
    /// How much is kept altogether, in bytes.
    private static let most = 1024 * 1024

    private var spare: [[UInt8]] = []
    private var bytes = 0

    /// An empty buffer, the one used last: it is still in the processor's cache.
    mutating func take() -> [UInt8] {
        guard let buffer = spare.popLast() else { return [] }
        bytes -= buffer.capacity
        return buffer
    }

    /// - Parameter buffer: nobody else's, else emptying it would copy it.
    mutating func giveBack(_ buffer: consuming [UInt8]) {
        let capacity = buffer.capacity
        guard capacity > 0, capacity <= Self.largest, bytes + capacity <= Self.most else { return }
        buffer.removeAll(keepingCapacity: true)
        bytes += capacity
        spare.append(buffer)
    }
}
