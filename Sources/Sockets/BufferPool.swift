/// Pool of outbound buffers of a loop: an idle connection holds none, and the steady state allocates none.
struct BufferPool {
    /// Larger buffers are freed: they come from a snapshot or a stalled reader.
    private static let largest = 16 * 1024
    /// Bytes kept in total.
    private static let most = 1024 * 1024

    private var spare: [[UInt8]] = []
    private var bytes = 0

    /// Takes the most recently used buffer, which is still in the processor's cache, or an empty array.
    mutating func take() -> [UInt8] {
        guard let buffer = spare.popLast() else { return [] }
        bytes -= buffer.capacity
        return buffer
    }

    /// - Parameter buffer: uniquely referenced, otherwise emptying it would copy it.
    mutating func put(_ buffer: consuming [UInt8]) {
        let capacity = buffer.capacity
        guard capacity > 0, capacity <= Self.largest, bytes + capacity <= Self.most else { return }
        buffer.removeAll(keepingCapacity: true)
        bytes += capacity
        spare.append(buffer)
    }
}

/// A reference that does not keep its object alive, for a ``LoopConfined`` handle that a callback holds.
public struct WeakReference<Object: AnyObject> {
    public private(set) weak var object: Object?

    public init(_ object: Object) { self.object = object }
}
