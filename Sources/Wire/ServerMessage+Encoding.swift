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
        JSONWriter.append(to: &bytes, write)
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
        case .snapshot(let table, let revision, let snapshot):
            writer.string("snapshot")
            writer.key("table")
            writer.string(table)
            writer.key("rev")
            writer.integer(revision)
            snapshot.write(to: &writer)
        case .diff(let table, let from, let to, let difference):
            writer.string("diff")
            writer.key("table")
            writer.string(table)
            writer.key("from")
            writer.integer(from)
            writer.key("to")
            writer.integer(to)
            difference.write(to: &writer)
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

extension Hello {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.string("hello")
        writer.key("server")
        writer.string(server)
        writer.key("version")
        writer.integer(version)
        writer.key("time")
        writer.integer(time)
        writer.key("maximumLine")
        writer.integer(maximumLine)
        writer.key("idleSeconds")
        writer.integer(idleSeconds)
    }
}

extension Refusal {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.string("error")
        if let id {
            writer.key("id")
            id.write(to: &writer)
        }
        writer.optional("to", type)
        writer.key("code")
        writer.string(code)
        writer.key("message")
        writer.string(message)
        if let legal {
            writer.key("legal")
            writer.beginArray()
            for action in legal { writer.string(action.key) }
            writer.endArray()
        }
        if isFatal {
            writer.key("fatal")
            writer.bool(true)
        }
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
        case .lobby(let tables):
            writer.key("tables")
            writer.beginArray()
            for table in tables { table.write(to: &writer) }
            writer.endArray()
        case .sit(let table, let seat):
            writer.key("table")
            writer.string(table)
            writer.key("seat")
            writer.integer(seat)
        case .watch(let table):
            writer.key("table")
            writer.string(table)
        case .ping(let time):
            writer.key("time")
            writer.integer(time)
        case .done: break
        }
    }
}

extension TableSummary {
    fileprivate func write(to writer: inout JSONWriter) {
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
        writer.key("minimumBet")
        writer.integer(minimumBet)
        writer.key("maximumBet")
        writer.integer(maximumBet)
        writer.key("phase")
        writer.string(phase.rawValue)
        writer.endObject()
    }
}
