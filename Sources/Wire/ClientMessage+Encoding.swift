import Rules

extension Request {
    /// The request as a line, its end included; nothing for a line that was refused.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// Appends the request as a line, its end included, to a buffer that may be used again and again.
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
                message.writeFields(to: &writer)
            }
            writer.endObject()
            writer.newline()
        }
    }
}

extension JSONWriter {
    /// The beginning of a request, id included, with room for all of an action or of a bet.
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

extension RequestID {
    func write(to writer: inout JSONWriter) {
        switch self {
        case .text(let text): writer.string(text)
        case .number(let number): writer.integer(number)
        }
    }
}

extension ClientMessage {
    func writeFields(to writer: inout JSONWriter) {
        switch self {
        case .login(let name, let token, let isBot, let version):
            writer.key("name")
            writer.string(name)
            if let token {
                writer.key("token")
                writer.string(token)
            }
            if isBot {
                writer.key("bot")
                writer.bool(true)
            }
            writer.key("version")
            writer.integer(version)
        case .available(let name):
            writer.key("name")
            writer.string(name)
        case .sit(let table, let seat, let pass):
            writer.optional("table", table)
            writer.optional("seat", seat)
            writer.optional("pass", pass)
        case .rules(let table): writer.optional("table", table)
        case .watch(let table, let pass):
            writer.optional("table", table)
            writer.optional("pass", pass)
        case .resume(let table, let epoch, let revision, let chat, let pass):
            writer.optional("table", table)
            writer.key("epoch")
            writer.string(epoch)
            writer.key("rev")
            writer.integer(revision)
            writer.optional("chat", chat)
            writer.optional("pass", pass)
        case .act, .bet: preconditionFailure("what is asked at every turn is written by itself")
        case .lobby(let follow): writer.optional("follow", follow)
        case .chat(let text):
            writer.key("text")
            writer.string(text)
        case .options(let options): options.write(to: &writer)
        case .sitOut, .sitIn, .leave, .logout, .ping, .pong: break
        }
    }
}

extension ConnectionOptions {
    func write(to writer: inout JSONWriter) {
        writer.optional("check", check)
        writer.optional("verbose", verbose)
        writer.optional("pedantic", pedantic)
        writer.optional("heartbeat", heartbeat)
    }
}

extension JSONWriter {
    mutating func optional(_ key: StaticString, _ value: Int?) {
        guard let value else { return }
        self.key(key)
        integer(value)
    }

    mutating func optional(_ key: StaticString, _ value: Bool?) {
        guard let value else { return }
        self.key(key)
        bool(value)
    }

    mutating func optional(_ key: StaticString, _ value: String?) {
        guard let value else { return }
        self.key(key)
        string(value)
    }
}
