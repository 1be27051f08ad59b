import Rules
import TableModel

extension ServerMessage {
    /// Reads one line from a server, which is not trusted either: every bound of the protocol is checked.
    public init(line: UnsafeBufferPointer<UInt8>) throws(ProtocolError) {
        do throws(Detour) {
            var diff = ServerLineReader.Diff()
            try diff.readShortcut(line)
            self = .diff(from: diff.from, to: diff.to, check: diff.check, diff.difference)
            return
        } catch {}
        try self.init(line: line, isNoUsualDiff: true)
    }

    /// Reads a line that is known to be no diff as we write it.
    init(line: UnsafeBufferPointer<UInt8>, isNoUsualDiff: Bool) throws(ProtocolError) {
        if let reply = try? ServerMessage(shortcut: line) {
            self = reply
        } else {
            try self.init(readingGenerally: line)
        }
    }

    /// Reads a line the way that reads every line, whatever it looks like; for tests that compare it with the shortcuts.
    package init(readingGenerally line: UnsafeBufferPointer<UInt8>) throws(ProtocolError) {
        do {
            self = try JSONValue.read(line) { value throws(JSONError) in try ServerMessage(value.object()) }
        } catch {
            throw .json(error)
        }
    }

    /// Reads the reply to a request with nothing to tell but that it was done, as we write it.
    private init(shortcut line: UnsafeBufferPointer<UInt8>) throws(Detour) {
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
        case wordOf("leave"): type = "leave"
        case wordOf("sitIn"): type = "sitIn"
        case wordOf("sitOut"): type = "sitOut"
        default: throw Detour()
        }
        try cursor.expect(",\"rev\":")
        let revision = TableRevision(try cursor.integer(in: WireRange.revision))
        // A repeated answer, which is rare, has the epoch, too.
        try cursor.expect(UInt8(ascii: "}"))
        guard cursor.isAtEnd else { throw Detour() }
        self = .ok(id: id, .applied(type, at: revision))
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
                epoch: try object.required("epoch").string(maximum: WireLimits.epochBytes),
                revision: try object.required("rev").integer(in: WireRange.revision), try TableSnapshot(object),
                chat: try object.integer("chat", in: WireRange.revision) ?? 0)
        case "diff":
            self = .diff(
                from: try object.required("from").integer(in: WireRange.revision),
                to: try object.required("to").integer(in: WireRange.revision),
                check: try object.integer("check", in: WireRange.check).map { UInt32($0) },
                try TableDifference(object))
        case "lobby": self = .lobby(try LobbyChange(object))
        case "chat":
            self = .chat(try ChatLine(object))
        case "notice": self = .notice(try HostNotice(object))
        case "ping": self = .ping(time: Int64(try object.required("time").integer(in: WireRange.time)))
        case "note": self = .note(try object.required("text").string())
        case "bye": self = .bye(code: try object.required("code").string(), message: try object.required("message").string())
        default: self = .unknown(type: type)
        }
    }
}

extension Hello {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        self.init(
            server: try object.required("server").string(),
            versions: try object.required("versions").range(),
            time: Int64(try object.required("time").integer(in: WireRange.time)),
            idleSeconds: try object.required("idleSeconds").integer(in: WireRange.limit),
            limits: try Limits(object.required("limits").object()),
            features: try object.required("features").strings(),
            isDraining: try object.flag("draining") ?? false)
    }
}

extension Hello.Limits {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        func limit(_ key: StaticString) throws(JSONError) -> Int { try object.required(key).integer(in: WireRange.limit) }
        self.init(requestsPerSecond: try limit("requestsPerSecond"), burst: try limit("burst"))
        line = try limit("line")
        depth = try limit("depth")
        members = try limit("members")
        id = try limit("id")
        name = try limit("name")
        chat = try limit("chat")
        retries = try limit("retries")
    }
}

extension LobbyChange {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        func list<Element>(
            _ key: StaticString, _ read: (JSONValue) throws(JSONError) -> Element
        ) throws(JSONError) -> [Element] {
            guard let value = object.find(key) else { return [] }
            var array = try value.array()
            return try array.map(maximum: WireLimits.lobbyTables, read)
        }
        self.init(
            from: try object.required("from").integer(in: WireRange.revision),
            to: try object.required("to").integer(in: WireRange.revision),
            deleted: try list("delete") { value throws(JSONError) in try value.string(maximum: WireLimits.tableNameBytes) },
            inserted: try list("insert") { value throws(JSONError) in
                var parts = try value.array()
                let index = try parts.required().integer(in: WireRange.lobbyIndex)
                return Placed(index: index, table: try TableSummary(parts.required().object()))
            },
            updated: try list("set") { value throws(JSONError) in try TableSummary(value.object()) })
    }
}

extension JSONValue {
    fileprivate func strings() throws(JSONError) -> [String] {
        var list = try array()
        return try list.map { element throws(JSONError) in try element.string() }
    }

    /// Two whole numbers: the least and the greatest.
    fileprivate func range() throws(JSONError) -> ClosedRange<Int> {
        var list = try array()
        let least = try list.required().integer(in: WireRange.version)
        return least...(try list.required().integer(in: least...WireRange.version.upperBound))
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
            retryAfter: try object.integer("retryAfter", in: WireRange.wait),
            versions: try object.find("versions").map { value throws(JSONError) in try value.range() },
            isRetryable: try object.flag("retryable") ?? false,
            isFatal: try object.flag("fatal") ?? false)
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
            self = .lobby(
                revision: try object.required("rev").integer(in: WireRange.revision),
                total: try object.required("total").integer(in: WireRange.count),
                try tables.map(maximum: WireLimits.lobbyTables) { value throws(JSONError) in try TableSummary(value.object()) })
        case "rules":
            let digest = try object.required("digest").string(maximum: TableRules.longestDigest)
            self = .rules(table: try object.ownTable(), try TableRules(object.required("rules"), digest: digest))
        case "sit":
            self = .sit(
                table: try object.ownTable(), seat: try object.required("seat").integer(in: WireRange.seat),
                at: try TableRevision(object))
        case "watch": self = .watch(table: try object.ownTable())
        case "resume":
            let with = try object.required("with")
            guard let resumption = Resumption(rawValue: try with.string()) else {
                throw with.mismatch("one of " + Resumption.allCases.map(\.rawValue).joined(separator: ", "))
            }
            self = .resume(table: try object.ownTable(), with: resumption, try Missed(object))
        case "options": self = .options(try ConnectionOptions(object))
        case "ping": self = .ping(time: Int64(try object.required("time").integer(in: WireRange.time)))
        case let type where Self.appliedTypes.contains(type): self = .applied(type, at: try TableRevision(object))
        default: self = .done(type)
        }
    }
}

extension TableRevision {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        self.init(
            try object.required("rev").integer(in: WireRange.revision),
            epoch: try object.string("epoch", maximum: WireLimits.epochBytes))
    }
}

extension JSONObject {
    /// The name of the table that a message is about.
    fileprivate func ownTable() throws(JSONError) -> String {
        try required("table").string(maximum: WireLimits.tableNameBytes)
    }
}

extension LoginReply {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        self.init(
            name: try object.required("name").string(),
            token: try object.required("token").string(maximum: WireLimits.tokenBytes),
            chips: try object.required("chips").integer(in: WireRange.bankroll),
            table: try object.table(),
            seats: try object.find("seats").map { value throws(JSONError) in
                var list = try value.array()
                return try list.map { seat throws(JSONError) in try seat.integer(in: WireRange.seat) }
            } ?? [])
    }
}

extension TableSummary {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        var players = try object.required("players").array()
        self.init(
            name: try object.required("table").string(maximum: WireLimits.tableNameBytes),
            seats: try object.required("seats").integer(in: WireRange.seat),
            freeSeats: try object.required("free").integer(in: WireRange.freeSeats),
            players: try players.map { value throws(JSONError) in try value.string() },
            watchers: try object.required("watchers").integer(in: WireRange.count),
            rules: try HouseRules(object.required("rules")),
            isLocked: try object.flag("locked") ?? false)
    }
}
