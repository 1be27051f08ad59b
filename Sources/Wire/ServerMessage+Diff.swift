import TableModel

extension ServerMessage {
    /// Appends the line of a ``diff(from:to:check:_:)`` without a message that would retain the difference's arrays.
    public static func encodeDiff(
        from: Int, to: Int, check: UInt32?, _ difference: borrowing TableDifference, into bytes: inout [UInt8]
    ) {
        JSONWriter.append(to: &bytes) { $0.writeDiff(from, to, check, difference) }
    }
}
