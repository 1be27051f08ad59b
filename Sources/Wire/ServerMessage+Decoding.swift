import Rules
import TableModel

extension ServerMessage {
    /// Reads one line from a server, which is not trusted either: every bound of the protocol is checked.
    public init(line: UnsafeBufferPointer<UInt8>) throws(ProtocolError) {
        do {
            self = try JSONValue.read(line) { value throws(JSONError) in try ServerMessage(value.object()) }
        } catch {
            throw .json(error)
        }
    }

    private init(_ object: JSONObject) throws(JSONError) {
        let type = try object.required("type").string()
        switch type {
        case "hello": self = .hello(try Hello(object))
        case "ok":
            let id = try object.find("id").map { value throws(JSONError) in try RequestID(value) }
            self = .ok(id: id, try Reply(object))
        case "error": self = .error(try Refusal(object))
        case "snapshot":
            self = .snapshot(
                table: try object.required("table").string(maximum: WireLimits.tableNameBytes),
                revision: try object.required("rev").integer(in: 0...Int.max), try TableSnapshot(object))
        case "diff":
            self = .diff(
                table: try object.required("table").string(maximum: WireLimits.tableNameBytes),
                from: try object.required("from").integer(in: 0...Int.max),
                to: try object.required("to").integer(in: 0...Int.max),
                try TableDifference(object))
        case "bye": self = .bye(code: try object.required("code").string(), message: try object.required("message").string())
        default: self = .unknown(type: type)
        }
    }
}

extension Hello {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        self.init(
            server: try object.required("server").string(),
            version: try object.required("version").integer(),
            time: Int64(try object.required("time").integer()),
            maximumLine: try object.required("maximumLine").integer(in: 1...Int.max),
            idleSeconds: try object.required("idleSeconds").integer(in: 1...Int.max))
    }
}

extension Refusal {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        self.init(
            id: try object.find("id").map { value throws(JSONError) in try RequestID(value) },
            type: try object.string("to"),
            code: try object.required("code").string(),
            message: try object.required("message").string(),
            legal: try object.find("legal").map { value throws(JSONError) in
                var list = try value.array()
                return try list.map { element throws(JSONError) in try Action(element) }
            },
            isFatal: try object.optional("fatal") { value throws(JSONError) in try value.bool() } ?? false)
    }
}

extension Reply {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        let type = try object.required("to").string()
        switch type {
        case "login": self = .login(try LoginReply(object))
        case "available": self = .available(try object.required("free").bool())
        case "lobby":
            var tables = try object.required("tables").array()
            self = .lobby(try tables.map { value throws(JSONError) in try TableSummary(value.object()) })
        case "sit":
            self = .sit(table: try object.required("table").string(), seat: try object.required("seat").integer(in: 1...7))
        case "watch": self = .watch(table: try object.required("table").string())
        case "ping": self = .ping(time: Int64(try object.required("time").integer()))
        default: self = .done(type)
        }
    }
}

extension LoginReply {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        self.init(
            name: try object.required("name").string(),
            token: try object.required("token").string(maximum: WireLimits.tokenBytes),
            chips: try object.required("chips").integer(in: 0...WireLimits.chips),
            table: try object.table(),
            seats: try object.find("seats").map { value throws(JSONError) in
                var list = try value.array()
                return try list.map { seat throws(JSONError) in try seat.integer(in: 1...7) }
            } ?? [])
    }
}

extension TableSummary {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        var players = try object.required("players").array()
        self.init(
            name: try object.required("table").string(maximum: WireLimits.tableNameBytes),
            seats: try object.required("seats").integer(in: 1...7),
            freeSeats: try object.required("free").integer(in: 0...7),
            players: try players.map { value throws(JSONError) in try value.string() },
            watchers: try object.required("watchers").integer(in: 0...Int.max),
            minimumBet: try object.required("minimumBet").integer(in: 0...WireLimits.chips),
            maximumBet: try object.required("maximumBet").integer(in: 0...WireLimits.chips),
            phase: try RoundPhase(named: object.required("phase")))
    }
}
