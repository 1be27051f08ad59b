import Rules

extension ServerMessage {
    /// Appends the line of an ``error(_:)`` for one of the known reasons to a buffer, without a message that holds its text: who refuses a
    /// flood of requests takes no memory for that.
    /// - Parameters:
    ///   - type: of the request, as far as it was known.
    ///   - message: for people, in UTF-8.
    ///   - legal: the actions that would be legal, where the refusal is about one.
    ///   - retryAfter: milliseconds, where that is known.
    public static func encodeRefusal(
        id: RequestID?, type: String?, _ code: ErrorCode, message: UnsafeBufferPointer<UInt8>, legal: ActionSet? = nil,
        retryAfter: Int? = nil, into bytes: inout [UInt8]
    ) {
        JSONWriter.append(to: &bytes) { writer in
            writer.beginObject()
            writer.key("type")
            writer.beginRefusal(id, type, code.rawValue)
            writer.string(message)
            if let legal {
                writer.key("legal")
                writer.beginArray()
                for number in UInt8(0)..<8 {
                    if let action = Action(rawValue: number), legal.allows(action) { writer.string(action.key) }
                }
                writer.endArray()
            }
            writer.optional("retryAfter", retryAfter)
            writer.endRefusal(isRetryable: code.isRetryable, isFatal: code.isFatal)
            writer.endObject()
            writer.newline()
        }
    }
}

extension Refusal {
    func write(to writer: inout JSONWriter) {
        writer.beginRefusal(id, type, code)
        writer.string(message)
        if let legal {
            writer.key("legal")
            writer.beginArray()
            for action in legal { writer.string(action.key) }
            writer.endArray()
        }
        writer.optional("retryAfter", retryAfter)
        if let versions {
            writer.key("versions")
            writer.range(versions)
        }
        writer.endRefusal(isRetryable: isRetryable, isFatal: isFatal)
    }
}

extension JSONWriter {
    /// What comes before the text for people.
    fileprivate mutating func beginRefusal(_ id: RequestID?, _ type: String?, _ code: String) {
        string("error" as StaticString)
        if let id {
            key("id")
            id.write(to: &self)
        }
        optional("to", type)
        key("code")
        string(code)
        key("message")
    }

    fileprivate mutating func endRefusal(isRetryable: Bool, isFatal: Bool) {
        if isRetryable {
            key("retryable")
            bool(true)
        }
        if isFatal {
            key("fatal")
            bool(true)
        }
    }
}
