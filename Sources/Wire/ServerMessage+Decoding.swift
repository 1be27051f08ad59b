import Rules
import TableModel

extension ServerMessage {
    /// Reads one line. A server is not trusted either: every bound of the protocol is checked.
    /// - Throws: `ProtocolError.json` for a line that is no message.
    public init(line: UnsafeBufferPointer<UInt8>) throws(ProtocolError) {
        // `{"type":"d`. An empty diff, made in vain, takes 300 instructions: half a reply.
        if line.count > 9, line[9] == UInt8(ascii: "d") {
            do throws(Detour) {
                var diff = ServerLineReader.Diff()
                try diff.readShortcut(line)
                self = .diff(from: diff.from, to: diff.to, check: diff.check, diff.difference)
                return
            } catch {}
        }
        if let reply = try? ServerMessage(shortcut: line) {
            self = reply
        } else {
            try self.init(readingGenerally: line)
        }
    }

    /// Reads any line, without shortcuts; tests compare both.
    package init(readingGenerally line: UnsafeBufferPointer<UInt8>) throws(ProtocolError) {
        do {
            self = try JSONValue.read(line) { value throws(JSONError) in
                var object = try value.object()
                let type = try object.required("type").string()
                var message = Catalog.blankEvents[type] ?? .unknown(type: type)
                try message.visit(&object)
                return message
            }
        } catch {
            throw .json(error)
        }
    }

    /// Reads the reply to a `bet` or `act` as we write it.
    init(shortcut line: UnsafeBufferPointer<UInt8>) throws(Detour) {
        var cursor = try LineCursor(line)
        try cursor.expect("{\"type\":\"ok\",")
        var id: RequestID?
        if cursor.take("\"id\":") {
            id = try cursor.requestID()
            try cursor.expect(UInt8(ascii: ","))
        }
        try cursor.expect("\"to\":\"")
        let type: String
        switch try cursor.shortText() {
        case wordOf("act"): type = "act"
        case wordOf("bet"): type = "bet"
        default: throw Detour()
        }
        try cursor.expect(",\"rev\":")
        let revision = TableRevision(try cursor.integer(in: WireRange.revision))
        // A repeated answer, which is rare, has the epoch, too.
        try cursor.expect(UInt8(ascii: "}"))
        guard cursor.isAtEnd else { throw Detour() }
        self = .ok(id: id, .applied(type, at: revision))
    }
}
