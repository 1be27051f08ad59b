import TableModel

extension ServerMessage {
    /// Appends the line of a ``diff(from:to:check:_:)`` to a buffer, without a message that holds the difference: whoever writes one after the
    /// other into the same memory shares it with nobody.
    public static func encodeDiff(
        from: Int, to: Int, check: UInt32?, _ difference: borrowing TableDifference, into bytes: inout [UInt8]
    ) {
        JSONWriter.append(to: &bytes) { writer in
            writer.beginObject()
            writer.key("type")
            difference.writeDiff(from, to, check, to: &writer)
            writer.endObject()
            writer.newline()
        }
    }
}

extension TableDifference {
    /// The members of a diff, from its type on.
    func writeDiff(_ from: Int, _ to: Int, _ check: UInt32?, to writer: inout JSONWriter) {
        writer.string("diff")
        writer.key("from")
        writer.integer(from)
        writer.key("to")
        writer.integer(to)
        writer.optional("check", check.map(Int.init))
        write(to: &writer)
    }
}
