import TableModel

extension ServerMessage {
    /// The message as a line, its end included.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// Appends the message as a line, its end included.
    public func encode(into bytes: inout [UInt8]) {
        switch self {
        case .ok(let id, .applied(let type, let revision)):
            Self.encodeApplied(id: id, type, at: revision, into: &bytes)
        case .diff(let from, let to, let check, let difference):
            Self.encodeDiff(from: from, to: to, check: check, difference, into: &bytes)
        default: encodeGenerally(into: &bytes)
        }
    }

    /// Appends any message, without shortcuts; tests compare both.
    package func encodeGenerally(into bytes: inout [UInt8]) { JSONWriter.append(to: &bytes) { write(to: &$0) } }

    /// Appends the line of an ``ok(id:_:)`` with ``Reply/applied(_:at:)`` without the message, which is large to pass around.
    public static func encodeApplied(id: RequestID?, _ type: String, at revision: TableRevision, into bytes: inout [UInt8]) {
        JSONWriter.append(to: &bytes) { $0.writeApplied(id, type, revision) }
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        writer.string(type)
        var copy = self
        copy.visit(&writer)
        writer.endObject()
        writer.newline()
    }
}

extension JSONWriter {
    @inline(__always)
    mutating func writeDiff(_ from: Int, _ to: Int, _ check: UInt32?, _ difference: borrowing TableDifference) {
        room(128)
        put("{\"type\":\"diff\",\"from\":")
        put(from)
        put(",\"to\":")
        put(to)
        if let check {
            put(",\"check\":")
            put(Int(check))
        }
        write(difference)
        room(2)
        put("}\n")
    }

    /// The reply to a request at a table: by hand, since each `bet` and `act` gets one.
    @inline(__always)
    fileprivate mutating func writeApplied(_ id: RequestID?, _ type: String, _ revision: TableRevision) {
        room(64)
        put("{\"type\":\"ok\"")
        put(id: id)
        room(16)
        put(",\"to\":\"")
        // These need no escapes: 16 % of an encoded reply in bjbench wire.
        switch type {
        case "act": put("act")
        case "bet": put("bet")
        default: append(escaping: type)
        }
        room(64)
        put("\",\"rev\":")
        put(revision.number)
        if let epoch = revision.epoch {
            put(",\"epoch\":\"")
            append(escaping: epoch)
            room(3)
            put(UInt8(ascii: "\""))
        }
        put("}\n")
    }
}
