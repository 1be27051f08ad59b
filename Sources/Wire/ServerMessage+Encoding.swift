import TableModel

extension ServerMessage {
    /// The message as a line, its end included.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// Appends the message as a line, its end included, to a buffer that may be used again and again.
    public func encode(into bytes: inout [UInt8]) {
        JSONWriter.append(to: &bytes) { writer in
            switch self {
            case .diff(let from, let to, let check, let difference): writer.writeDiff(from, to, check, difference)
            case .ok(let id, .done(let type)): writer.writeDone(id, type, nil)
            case .ok(let id, .applied(let type, let revision)): writer.writeDone(id, type, revision)
            default: write(to: &writer)
            }
        }
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        switch self {
        case .hello(let hello): hello.write(to: &writer)
        case .ok(let id, let reply):
            writer.string("ok")
            if let id {
                writer.key("id")
                id.write(to: &writer)
            }
            writer.key("to")
            writer.string(reply.type)
            reply.writeFields(to: &writer)
        case .error(let refusal): refusal.write(to: &writer)
        case .snapshot(let table, let epoch, let revision, let snapshot, let chat):
            writer.string("snapshot")
            writer.key("table")
            writer.string(table)
            writer.key("epoch")
            writer.string(epoch)
            writer.key("rev")
            writer.integer(revision)
            writer.optional("chat", chat == 0 ? nil : chat)
            writer.key("sections")
            writer.write(snapshot)
        case .diff: preconditionFailure("a diff is written by itself")
        case .lobby(let change): change.write(to: &writer)
        case .chat(let line):
            writer.string("chat")
            line.writeFields(to: &writer)
        case .notice(let notice):
            writer.string("notice")
            notice.writeFields(to: &writer)
        case .ping(let time):
            writer.string("ping")
            writer.key("time")
            writer.integer(time)
        case .note(let text):
            writer.string("note")
            writer.key("text")
            writer.string(text)
        case .bye(let code, let message):
            writer.string("bye")
            writer.key("code")
            writer.string(code)
            writer.key("message")
            writer.string(message)
        case .unknown(let type): writer.string(type)
        }
        writer.endObject()
        writer.newline()
    }
}

extension JSONWriter {
    @inline(__always)
    mutating func writeDiff(_ from: Int, _ to: Int, _ check: UInt32?, _ difference: borrowing TableDifference) {
        room(128)
        put("{\"type\":\"diff\",\"from\":")
        put(from)
        put(",\"to\":")
        put(to)
        if let check {
            put(",\"check\":")
            put(Int(check))
        }
        write(difference)
        room(2)
        put("}\n")
    }

    /// The reply to a request with nothing to tell but that it was done, and at which revision.
    @inline(__always)
    fileprivate mutating func writeDone(_ id: RequestID?, _ type: String, _ revision: TableRevision?) {
        room(64)
        put("{\"type\":\"ok\"")
        put(id: id)
        room(16)
        put(",\"to\":\"")
        append(escaping: type)
        room(48)
        put(UInt8(ascii: "\""))
        if let revision {
            put(",\"rev\":")
            put(revision.number)
            if let epoch = revision.epoch {
                put(",\"epoch\":\"")
                append(escaping: epoch)
                room(3)
                put(UInt8(ascii: "\""))
            }
        }
        put("}\n")
    }
}

extension Hello {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.string("hello")
        writer.key("server")
        writer.string(server)
        writer.key("versions")
        writer.range(versions)
        writer.key("time")
        writer.integer(time)
        writer.key("idleSeconds")
        writer.integer(idleSeconds)
        writer.key("limits")
        limits.write(to: &writer)
        writer.key("features")
        writer.beginArray()
        for feature in features { writer.string(feature) }
        writer.endArray()
        if isDraining {
            writer.key("draining")
            writer.bool(true)
        }
    }
}

extension Hello.Limits {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (key, value) in fields {
            writer.key(key)
            writer.integer(value)
        }
        writer.endObject()
    }

    private var fields: [(StaticString, Int)] {
        [
            ("line", line), ("depth", depth), ("members", members), ("id", id), ("name", name), ("chat", chat),
            ("retries", retries),
            ("requestsPerSecond", requestsPerSecond), ("burst", burst),
        ]
    }
}

extension LobbyChange {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.string("lobby")
        writer.key("from")
        writer.integer(from)
        writer.key("to")
        writer.integer(to)
        var memory = RulesMemory()
        writer.list("delete", deleted) { $1.string($0) }
        writer.list("insert", inserted) { placed, writer in
            writer.beginArray()
            writer.integer(placed.index)
            placed.table.write(to: &writer, &memory)
            writer.endArray()
        }
        writer.list("set", updated) { $0.write(to: &$1, &memory) }
    }
}

extension JSONWriter {
    /// A list under a key, which is left out when there is nothing in it.
    fileprivate mutating func list<Element>(
        _ key: StaticString, _ elements: [Element], _ write: (Element, inout JSONWriter) -> Void
    ) {
        guard !elements.isEmpty else { return }
        self.key(key)
        beginArray()
        for element in elements { write(element, &self) }
        endArray()
    }

    /// Two numbers: the least and the greatest.
    mutating func range(_ range: ClosedRange<Int>) {
        beginArray()
        integer(range.lowerBound)
        integer(range.upperBound)
        endArray()
    }
}

extension Reply {
    fileprivate func writeFields(to writer: inout JSONWriter) {
        switch self {
        case .login(let login):
            writer.key("name")
            writer.string(login.name)
            writer.key("token")
            writer.string(login.token)
            writer.key("chips")
            writer.integer(login.chips)
            writer.optional("table", login.table)
            guard login.table != nil || !login.seats.isEmpty else { return }
            writer.key("seats")
            writer.beginArray()
            for seat in login.seats { writer.integer(seat) }
            writer.endArray()
        case .available(let isFree):
            writer.key("free")
            writer.bool(isFree)
        case .lobby(let revision, let total, let tables):
            writer.key("rev")
            writer.integer(revision)
            writer.key("total")
            writer.integer(total)
            writer.key("tables")
            writer.beginArray()
            var memory = RulesMemory()
            for table in tables { table.write(to: &writer, &memory) }
            writer.endArray()
        case .rules(let table, let rules):
            writer.key("table")
            writer.string(table)
            writer.key("digest")
            writer.string(rules.digest)
            writer.key("rules")
            rules.writeAll(to: &writer)
        case .sit(let table, let seat, let revision):
            writer.key("table")
            writer.string(table)
            writer.key("seat")
            writer.integer(seat)
            writer.key("rev")
            writer.integer(revision.number)
            writer.optional("epoch", revision.epoch)
        case .watch(let table):
            writer.key("table")
            writer.string(table)
        case .resume(let table, let resumption, let missed):
            writer.key("table")
            writer.string(table)
            writer.key("with")
            writer.string(resumption.key)
            missed.writeFields(to: &writer)
        case .options(let options): options.write(to: &writer)
        case .ping(let time):
            writer.key("time")
            writer.integer(time)
        case .done, .applied: preconditionFailure("the usual replies are written by themselves")
        }
    }
}

extension TableSummary {
    fileprivate func write(to writer: inout JSONWriter, _ memory: inout RulesMemory) {
        writer.beginObject()
        writer.key("table")
        writer.string(name)
        writer.key("seats")
        writer.integer(seats)
        writer.key("free")
        writer.integer(freeSeats)
        writer.key("players")
        writer.beginArray()
        for player in players { writer.string(player) }
        writer.endArray()
        writer.key("watchers")
        writer.integer(watchers)
        writer.key("rules")
        writer.write(memory.fields(of: rules))
        if isLocked {
            writer.key("locked")
            writer.bool(true)
        }
        writer.endObject()
    }
}
