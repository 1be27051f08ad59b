import CommandLineKit
import Operations
import ServerCore

/// What an operator asks for on the admin socket, and gets. Called on the admin socket's queue.
extension Host {
    func answer(_ request: AdminRequest) -> AdminReply {
        let reply = carryOut(request)
        var fields = [LogField("request", request.verb)]
        switch request {
        case .kick(let name): fields.append(LogField("name", name))
        case .ban(let block, let seconds):
            fields.append(LogField("address", block))
            if let seconds { fields.append(LogField("seconds", seconds)) }
        case .unban(let block): fields.append(LogField("address", block))
        case .closeTable(let name): fields.append(LogField("table", name))
        case .tables, .players, .bans, .drain, .config, .stats: break
        }
        if case .refused(let code, _) = reply { fields.append(LogField("refused", code)) }
        note(.info, "admin", fields)
        return reply
    }

    private func carryOut(_ request: AdminRequest) -> AdminReply {
        switch request {
        case .tables: return .table(tables)
        case .players: return .table(players)
        case .bans: return .table(bans)
        case .config: return .table(settings)
        case .stats: return .table(stats)
        case .kick(let name):
            guard server.kick(name) else { return .refused(code: "no_such_player", message: "Nobody is called \(name).") }
            return .done("\(name) is sent home.")
        case .ban(let block, let seconds):
            guard let closed = server.ban(block, seconds: seconds) else {
                return .refused(code: "too_many_bans", message: "The list of bans is full: lift one first.")
            }
            let end = seconds.map { " for \($0) s" } ?? ""
            return .done("\(block) is kept out\(end); \(closed) \(closed == 1 ? "connection" : "connections") closed.")
        case .unban(let block):
            guard server.unban(block) else { return .refused(code: "no_such_ban", message: "There is no ban of \(block).") }
            return .done("\(block) may come again.")
        case .closeTable(let name):
            guard server.closeTable(named: name) else {
                return .refused(code: "no_such_table", message: "There is no table \(name).")
            }
            return .done("\(name) closes when its round is over.")
        case .drain:
            stop("ctl")
            return .done("The server stops when every round is over.")
        }
    }

    private var tables: AdminTable {
        var table = AdminTable(columns: [
            "name", "loop", "phase", "seats", "taken", "viewers", "round", "chips", "minimumBet", "maximumBet", "notes",
        ])
        for status in server.tableStatuses {
            let notes = [status.isLocked ? "pass phrase" : nil, status.isClosing ? "closing" : nil].compactMap(\.self)
            table.add([
                .text(status.name), .number(status.loop), .text(status.phase), .number(status.seats), .number(status.taken),
                .number(status.viewers), .number(status.round), .number(status.chips), .number(status.minimumBet),
                .number(status.maximumBet), notes.isEmpty ? .none : .text(notes.joined(separator: ", ")),
            ])
        }
        return table
    }

    private var players: AdminTable {
        var table = AdminTable(columns: ["name", "kind", "table", "seats", "chips", "connection", "address", "idleSeconds"])
        for status in server.playerStatuses {
            table.add([
                .text(status.name), .text(status.isBot ? "bot" : "player"), status.table.map { .text($0) } ?? .none,
                status.seats.isEmpty ? .none : .text(status.seats.map(String.init).joined(separator: ",")), .number(status.chips),
                status.connection.map { .number(Int(clamping: $0)) } ?? .text("away"),
                status.address.map { .text($0.description) } ?? .none, status.idle.map { .number(Int($0 / 1000)) } ?? .none,
            ])
        }
        return table
    }

    private var bans: AdminTable {
        var table = AdminTable(columns: ["address", "until"])
        for ban in server.bans {
            table.add([.text(ban.block.description), ban.until.map { .text(Timestamp($0).description) } ?? .none])
        }
        return table
    }

    private var settings: AdminTable {
        var table = AdminTable(columns: ["key", "value", "origin"])
        for setting in configuration.settings {
            guard let key = setting.key else { continue }
            table.add([.text(key), setting.value.map { .text($0) } ?? .none, .text(setting.source.description)])
        }
        return table
    }

    /// Every figure but the buckets of histograms.
    private var stats: AdminTable {
        server.measure()
        var table = AdminTable(columns: ["name", "value"])
        for line in metrics.registry.text.split(separator: "\n") where !line.hasPrefix("#") && !line.contains("_bucket{") {
            guard let space = line.lastIndex(of: " ") else { continue }
            let value = String(line[line.index(after: space)...])
            table.add([.text(String(line[..<space])), Int(value).map { .number($0) } ?? .text(value)])
        }
        return table
    }
}
