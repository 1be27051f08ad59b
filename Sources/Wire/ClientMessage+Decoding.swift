import Rules

extension ClientMessage {
    /// The message of a type from its fields; nil when there is no such type.
    init?(type: String, _ object: JSONObject) throws(JSONError) {
        switch type {
        case "login":
            self = .login(
                name: try object.required("name").string(),
                token: try object.string("token", maximum: WireLimits.tokenBytes),
                isBot: try object.flag("bot") ?? false,
                version: try object.integer("version", in: WireRange.version) ?? WireLimits.version)
        case "available": self = .available(name: try object.required("name").string())
        case "lobby": self = .lobby(follow: try object.flag("follow"))
        case "rules": self = .rules(table: try object.table())
        case "sit":
            self = .sit(table: try object.table(), seat: try object.integer("seat", in: WireRange.seat), pass: try object.pass())
        case "watch": self = .watch(table: try object.table(), pass: try object.pass())
        case "resume":
            self = .resume(
                table: try object.table(), epoch: try object.required("epoch").string(maximum: WireLimits.epochBytes),
                revision: try object.required("rev").integer(in: WireRange.revision),
                chat: try object.integer("chat", in: WireRange.revision), pass: try object.pass())
        case "bet":
            self = .bet(
                amount: try object.required("amount").integer(in: WireRange.chips),
                seat: try object.integer("seat", in: WireRange.seat), round: try object.integer("round", in: WireRange.revision))
        case "act":
            self = .act(
                try Action(object.required("action")), seat: try object.integer("seat", in: WireRange.seat),
                hand: try object.integer("hand", in: WireRange.hand), amount: try object.integer("amount", in: WireRange.chips),
                turn: try object.integer("turn", in: WireRange.revision))
        case "sitOut": self = .sitOut
        case "sitIn": self = .sitIn
        case "leave": self = .leave
        case "logout": self = .logout
        case "chat": self = .chat(text: try object.required("text").string(maximum: ChatText.maximumBytes))
        case "options": self = .options(try ConnectionOptions(object))
        case "ping": self = .ping
        case "pong": self = .pong
        default: return nil
        }
    }
}

extension ConnectionOptions {
    init(_ object: JSONObject) throws(JSONError) {
        let heartbeat = try object.optional("heartbeat") { value throws(JSONError) in
            guard let seconds = try? value.integer(), seconds == 0 || WireRange.heartbeat.contains(seconds) else {
                throw value.mismatch(
                    "0, or a number of seconds from \(WireRange.heartbeat.lowerBound) to \(WireRange.heartbeat.upperBound)")
            }
            return seconds
        }
        self.init(
            check: try object.flag("check"), verbose: try object.flag("verbose"), pedantic: try object.flag("pedantic"),
            heartbeat: heartbeat)
    }
}

extension Action {
    init(_ value: JSONValue) throws(JSONError) {
        self = try value.string(expecting: "one of " + Action.allCases.map(\.name).joined(separator: ", ")) { text in
            Action.allCases.first { isEqual(text, $0.key) }
        }
    }

    /// In the order of their names: objects on the wire have their keys in it, so that there is one text for a state.
    static let byName: [Action] = [.decline, .double, .evenMoney, .hit, .insurance, .split, .stand, .surrender]
}

extension JSONObject {
    func optional<Value>(_ key: StaticString, _ read: (JSONValue) throws(JSONError) -> Value) throws(JSONError) -> Value? {
        guard let value = find(key) else { return nil }
        return try read(value)
    }

    func integer(_ key: StaticString, in range: ClosedRange<Int>) throws(JSONError) -> Int? {
        try optional(key) { value throws(JSONError) in try value.integer(in: range) }
    }

    func string(_ key: StaticString, maximum: Int = .max) throws(JSONError) -> String? {
        try optional(key) { value throws(JSONError) in try value.string(maximum: maximum) }
    }

    func flag(_ key: StaticString) throws(JSONError) -> Bool? {
        try optional(key) { value throws(JSONError) in try value.bool() }
    }

    func pass() throws(JSONError) -> String? { try string("pass", maximum: WireLimits.passBytes) }

    func table() throws(JSONError) -> String? { try string("table", maximum: WireLimits.tableNameBytes) }
}

extension RequestID {
    init(_ value: JSONValue) throws(JSONError) {
        guard !value.isString else {
            self = .text(try value.string(maximum: Self.maximumBytes))
            return
        }
        guard let number = try? value.integer() else {
            throw value.mismatch("a string of at most \(Self.maximumBytes) bytes or a whole number of at most 64 bits")
        }
        self = .number(number)
    }
}
