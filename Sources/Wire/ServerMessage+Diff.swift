import TableModel

extension ServerMessage {
    /// Appends the line of a ``diff(from:to:check:_:)`` to a buffer, without a message that holds the difference: whoever writes one after the
    /// other into the same memory shares it with nobody.
    public static func encodeDiff(
        from: Int, to: Int, check: UInt32?, _ difference: borrowing TableDifference, into bytes: inout [UInt8]
    ) {
        JSONWriter.append(to: &bytes) { $0.writeDiff(from, to, check, difference) }
    }
}
