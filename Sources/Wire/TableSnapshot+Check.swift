import TableModel

extension TableSnapshot {
    /// A value that two tables share only if, as good as certainly, they are the same: the CRC-32 of the text of `sections` as a snapshot
    /// of the table carries it, without spaces and with the keys of each object in alphabetical order.
    public var check: UInt32 {
        var bytes: [UInt8] = []
        return check(using: &bytes)
    }

    /// The same, with memory that may be used again and again.
    public func check(using bytes: inout [UInt8]) -> UInt32 {
        bytes.removeAll(keepingCapacity: true)
        JSONWriter.append(to: &bytes) { $0.write(self) }
        return bytes.withUnsafeBufferPointer(CRC32.value)
    }
}
