import Rules

extension ServerMessage {
    /// Appends the line of an ``error(_:)`` without a ``Refusal``: refusing a flood of requests allocates nothing.
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
            writer.string("error" as StaticString)
            if let id {
                writer.key("id")
                id.write(to: &writer)
            }
            if let type {
                writer.key("to")
                writer.string(type)
            }
            writer.key("code")
            writer.string(code.rawValue)
            writer.key("message")
            writer.string(message)
            if let legal {
                writer.key("legal")
                writer.beginArray()
                for number in UInt8(0)..<8 {
                    if let action = Action(rawValue: number), legal.allows(action) { writer.string(action.key) }
                }
                writer.endArray()
            }
            if let retryAfter {
                writer.key("retryAfter")
                writer.integer(retryAfter)
            }
            if code.isRetryable {
                writer.key("retryable")
                writer.bool(true)
            }
            if code.isFatal {
                writer.key("fatal")
                writer.bool(true)
            }
            writer.endObject()
            writer.newline()
        }
    }
}
