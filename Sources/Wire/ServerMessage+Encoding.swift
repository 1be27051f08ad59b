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
        JSONWriter.append(to: &bytes) { writer in
            switch self {
            case .diff(let from, let to, let check, let difference): writer.writeDiff(from, to, check, difference)
            case .ok(let id, .done(let type)): writer.writeDone(id, type, nil)
            case .ok(let id, .applied(let type, let revision)): writer.writeDone(id, type, revision)
            default: write(to: &writer)
            }
        }
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
    fileprivate mutating func writeDone(_ id: RequestID?, _ type: String, _ revision: TableRevision?) {
        room(64)
        put("{\"type\":\"ok\"")
        put(id: id)
        room(16)
        put(",\"to\":\"")
        append(escaping: type)
        room(48)
        put(UInt8(ascii: "\""))
        if let revision {
            put(",\"rev\":")
            put(revision.number)
            if let epoch = revision.epoch {
                put(",\"epoch\":\"")
                append(escaping: epoch)
                room(3)
                put(UInt8(ascii: "\""))
            }
        }
        put("}\n")
    }
}
