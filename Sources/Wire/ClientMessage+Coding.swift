import Rules

extension ClientMessage {
    /// The message of a type from its fields; nil when there is no such type.
    init?(type: String, _ object: JSONObject) throws(JSONError) {
        switch type {
        case "login":
            self = .login(
                name: try object.required("name").string(),
                token: try object.string("token", maximum: WireLimits.tokenBytes),
                isBot: try object.optional("bot") { value throws(JSONError) in try value.bool() } ?? false,
                version: try object.optional("version") { value throws(JSONError) in try value.integer() } ?? WireLimits.version)
        case "available": self = .available(name: try object.required("name").string())
        case "lobby": self = .lobby
        case "sit": self = .sit(table: try object.table(), seat: try object.integer("seat", in: 1...7))
        case "watch": self = .watch(table: try object.table())
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
        case "ping": self = .ping
        default: return nil
        }
    }

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
        case .sit(let table, let seat):
            writer.optional("table", table)
            writer.optional("seat", seat)
        case .watch(let table): writer.optional("table", table)
        case .bet(let amount, let seat):
            writer.key("amount")
            writer.integer(amount)
            writer.optional("seat", seat)
        case .act(let action, let seat, let hand, let amount):
            writer.key("action")
            writer.string(action.key)
            writer.optional("seat", seat)
            writer.optional("hand", hand)
            writer.optional("amount", amount)
        case .lobby, .sitOut, .sitIn, .leave, .logout, .ping: break
        }
    }
}

extension Action {
    init(_ value: JSONValue) throws(JSONError) {
        self = try value.string(expecting: "one of " + Action.allCases.map(\.name).joined(separator: ", ")) { text in
            Action.allCases.first { isEqual(text, $0.key) }
        }
    }

    /// The name as a key that the protocol fixes.
    var key: StaticString {
        switch self {
        case .hit: "hit"
        case .stand: "stand"
        case .double: "double"
        case .split: "split"
        case .surrender: "surrender"
        case .insurance: "insurance"
        case .decline: "decline"
        case .evenMoney: "evenMoney"
        }
    }
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

    func table() throws(JSONError) -> String? { try string("table", maximum: WireLimits.tableNameBytes) }
}

extension JSONWriter {
    mutating func optional(_ key: StaticString, _ value: Int?) {
        guard let value else { return }
        self.key(key)
        integer(value)
    }

    mutating func optional(_ key: StaticString, _ value: String?) {
        guard let value else { return }
        self.key(key)
        string(value)
    }
}
