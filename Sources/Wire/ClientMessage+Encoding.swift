import Rules

extension Request {
    /// The request as a line, its end included; nothing for a line that was refused.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// Appends the request as a line, its end included; nothing for a line that was refused.
    public func encode(into bytes: inout [UInt8]) {
        guard case .success(let message) = message else { return }
        JSONWriter.append(to: &bytes) { writer in
            switch message {
            case .act(let action, let seat, let hand, let amount, let turn):
                writer.beginRequest("{\"type\":\"act\"", id)
                writer.member(",\"action\":\"", action.key)
                writer.member(",\"seat\":", seat)
                writer.member(",\"hand\":", hand)
                writer.member(",\"amount\":", amount)
                writer.member(",\"turn\":", turn)
            case .bet(let amount, let seat, let round):
                writer.beginRequest("{\"type\":\"bet\"", id)
                writer.member(",\"amount\":", amount)
                writer.member(",\"seat\":", seat)
                writer.member(",\"round\":", round)
            default:
                writer.beginObject()
                writer.key("type")
                writer.string(message.type)
                if let id {
                    writer.key("id")
                    id.write(to: &writer)
                }
                var copy = message
                copy.visit(&writer)
            }
            writer.endObject()
            writer.newline()
        }
    }
}

extension JSONWriter {
    /// The beginning of a `bet` or `act`, id included, with room for the rest.
    @inline(__always)
    fileprivate mutating func beginRequest(_ start: StaticString, _ id: RequestID?) {
        room(64)
        put(start)
        put(id: id)
        room(160)
    }

    /// The id of a request or of a reply, after other members. There must be room for 32 bytes; afterwards there may be none.
    @inline(__always)
    mutating func put(id: RequestID?) {
        switch id {
        case .number(let number):
            put(",\"id\":")
            put(number)
        case .text(let text):
            put(",\"id\":\"")
            append(escaping: text)
            room(1)
            put(UInt8(ascii: "\""))
        case nil: break
        }
    }

    @inline(__always)
    fileprivate mutating func member(_ key: StaticString, _ value: Int?) {
        guard let value else { return }
        put(key)
        put(value)
    }

    @inline(__always)
    fileprivate mutating func member(_ key: StaticString, _ word: StaticString) {
        put(key)
        put(word)
        put(UInt8(ascii: "\""))
    }
}
