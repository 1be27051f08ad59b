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
                version: try object.optional("version") { value throws(JSONError) in try value.integer() } ?? WireLimits.version)
        case "available": self = .available(name: try object.required("name").string())
        case "lobby": self = .lobby(follow: try object.flag("follow"))
        case "sit":
            self = .sit(table: try object.table(), seat: try object.integer("seat", in: 1...7), pass: try object.pass())
        case "watch": self = .watch(table: try object.table(), pass: try object.pass())
        case "resume":
            self = .resume(
                table: try object.table(), epoch: try object.required("epoch").string(maximum: WireLimits.epochBytes),
                revision: try object.required("rev").integer(in: 0...WireLimits.revisions), pass: try object.pass())
        case "bet":
            self = .bet(
                amount: try object.required("amount").integer(in: 0...WireLimits.chips),
                seat: try object.integer("seat", in: 1...7))
        case "act":
            self = .act(
                try Action(object.required("action")), seat: try object.integer("seat", in: 1...7),
                hand: try object.integer("hand", in: 1...4), amount: try object.integer("amount", in: 0...WireLimits.chips))
        case "sitOut": self = .sitOut
        case "sitIn": self = .sitIn
        case "leave": self = .leave
        case "logout": self = .logout
        case "chat": self = .chat(text: try object.required("text").string(maximum: ChatText.maximumBytes))
        case "options": self = .options(try ConnectionOptions(object))
        case "ping": self = .ping
        case "pong":
            self = .pong(time: try object.optional("time") { value throws(JSONError) in Int64(try value.integer()) })
        default: return nil
        }
    }
}

extension ConnectionOptions {
    init(_ object: JSONObject) throws(JSONError) {
        let heartbeat = try object.optional("heartbeat") { value throws(JSONError) in
            let seconds = try value.integer()
            guard seconds == 0 || WireLimits.heartbeatSeconds.contains(seconds) else {
                throw value.mismatch(
                    "0, or a number of seconds from \(WireLimits.heartbeatSeconds.lowerBound) to \(WireLimits.heartbeatSeconds.upperBound)"
                )
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
            throw value.mismatch("a string of at most \(Self.maximumBytes) bytes or a whole number")
        }
        self = .number(number)
    }
}
