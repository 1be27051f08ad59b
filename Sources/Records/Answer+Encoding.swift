import TableEngine
import Wire

/// Records of answers, without making a record: one for each request that changes something.
///
/// `request` is a whole line of the protocol, its id included.
extension Record {
    /// Appends ``RecordedAnswer/done``.
    public static func encodeDone(
        _ account: PlayerID, _ id: RequestID, _ request: ClientMessage, into bytes: inout [UInt8]
    ) {
        begin(account, id, request, &bytes)
        JSONWriter.append(to: &bytes) { writer in
            writer.comesFirst(false)
            writer.member("answer", "done")
            writer.endObject()
            writer.newline()
        }
    }

    /// Appends ``RecordedAnswer/applied(_:)``.
    public static func encodeApplied(
        _ account: PlayerID, _ id: RequestID, _ request: ClientMessage, at revision: TableRevision, into bytes: inout [UInt8]
    ) {
        begin(account, id, request, &bytes)
        JSONWriter.append(to: &bytes) { writer in
            writer.comesFirst(false)
            writer.member("answer", "applied")
            writer.member("rev", revision.number)
            writer.optionalMember("epoch", revision.epoch)
            writer.endObject()
            writer.newline()
        }
    }

    /// Appends ``RecordedAnswer/line(_:)``.
    /// - Parameter line: the answer as sent: one JSON object and its line end.
    public static func encodeAnswer(
        _ account: PlayerID, _ id: RequestID, _ request: ClientMessage, line: borrowing [UInt8], into bytes: inout [UInt8]
    ) {
        begin(account, id, request, &bytes)
        JSONWriter.append(to: &bytes) { writer in
            writer.comesFirst(false)
            writer.member("answer", "line")
            writer.key("line")
        }
        bytes.append(contentsOf: copy line)
        // The line end follows the end of the record.
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        JSONWriter.append(to: &bytes) { writer in
            writer.endObject()
            writer.newline()
        }
    }

    private static func begin(_ account: PlayerID, _ id: RequestID, _ request: ClientMessage, _ bytes: inout [UInt8]) {
        JSONWriter.append(to: &bytes) { writer in
            writer.beginObject()
            writer.member("type", "answer")
            writer.member("account", account)
            writer.key("request")
        }
        Request(id: id, request).encode(into: &bytes)
        // A request ends with a line end.
        bytes.removeLast()
    }
}
