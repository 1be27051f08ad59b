import CommandLineKit
import Dispatch
import ServerCore
import Sockets
import Wire

/// Answers to requests on the admin socket. Called on the admin socket's queue.
extension Host {
    func answer(_ request: AdminRequest) -> AdminReply {
        var reply = carryOut(request)
        let stall = "The disk or the database is full or does not answer"
        let unstored = "\(stall): the newest changes may not be stored."
        switch reply {
        // A query is answered at any time, also while play stalls. A refusal, too: it changes nothing.
        case .table(var table):
            guard !server.waitUntilDurable(milliseconds: Self.queryMilliseconds) else { break }
            table.note = [table.note, unstored].compactMap(\.self).joined(separator: " ")
            reply = .table(table)
        case .refused(let code, let message):
            guard !server.waitUntilDurable(milliseconds: Self.queryMilliseconds) else { break }
            reply = .refused(code: code, message: "\(message) \(unstored)")
        // A change is told once it is stored.
        case .done:
            guard !server.waitUntilDurable(milliseconds: Self.storingMilliseconds) else { break }
            reply = .refused(code: "storage_stalled", message: "\(stall). Once stored, the request takes effect: ask again.")
        }
        var fields = [LogField("request", request.verb)]
        switch request {
        case .kick(let name, let reason):
            fields.append(LogField("name", name))
            if let reason { fields.append(LogField("reason", reason)) }
        case .say(_, let table): if let table { fields.append(LogField("table", table)) }
        case .ban(let block, let seconds):
            fields.append(LogField("address", block))
            if let seconds { fields.append(LogField("seconds", seconds)) }
        case .unban(let block): fields.append(LogField("address", block))
        // Never the code.
        case .owner(let table): fields.append(LogField("table", table))
        case .log(let level): fields.append(LogField("level", level.rawValue))
        case .drain(let reason): if let reason { fields.append(LogField("reason", reason)) }
        case .credit(let name, let chips): fields += [LogField("name", name), LogField("chips", chips)]
        case .rename(let name, let new): fields += [LogField("name", name), LogField("to", new)]
        case .account(let name), .disable(let name), .enable(let name), .resetSecret(let name), .delete(let name):
            fields.append(LogField("name", name))
        case .deleteUnused(let date, _, let isConfirmed):
            fields += [LogField("unused_since", date), LogField("confirmed", isConfirmed)]
        case .tables, .players, .evening, .bans, .config, .stats, .accounts: break
        }
        if case .refused(let code, _) = reply { fields.append(LogField("refused", code)) }
        note(.info, "admin", fields)
        return reply
    }

    /// How long an answer waits for the disk: less than the time-out of `bjserver ctl`.
    private static let storingMilliseconds: UInt64 = 5000
    /// A query's answer waits no longer than a sync takes.
    private static let queryMilliseconds: UInt64 = 250

    private func carryOut(_ request: AdminRequest) -> AdminReply {
        if let reason = request.reason {
            // Players read the reason: the limits of chat apply.
            do { _ = try ChatText(reason) } catch { return .refused(code: "invalid_text", message: error.message) }
        }
        switch request {
        case .tables: return .table(tables)
        case .players: return .table(players)
        case .evening: return .table(evening)
        case .owner(let table):
            guard let line = ownerLine(ofTable: table) else {
                return noTable(table)
            }
            return .done(line)
        case .bans: return .table(bans)
        case .config: return .table(settings)
        case .log(let level):
            log.settings.level = level
            return .done("Lines from \(level.rawValue) on are logged until the next start.")
        case .stats: return .table(stats)
        case .kick(let name, let reason):
            return kick(name, reason: reason ?? "")
        case .say(let text, let table): return say(text, at: table)
        case .ban(let block, let seconds):
            guard let closed = server.ban(block, seconds: seconds) else {
                return .refused(
                    code: "too_many_bans", message: "There are \(BanList.limit) bans: lift one first.")
            }
            let end = seconds.map { " for \(ValueFormat.milliseconds(0...Int.max).print($0 * 1000))" } ?? ""
            return .done("\(block) is banned\(end); \(closed) \(closed == 1 ? "connection" : "connections") closed.")
        case .unban(let block):
            return reply(to: block, server.unban(block))
        case .drain(let reason):
            // Stopping waits for this answer.
            DispatchQueue.global().async { [self] in stop("ctl", reason: reason ?? "") }
            return .done("The server stops after all rounds.")
        case .accounts, .account, .credit, .rename, .disable, .enable, .resetSecret, .delete, .deleteUnused:
            return answerAboutAccounts(request)
        }
    }

    private func noTable(_ name: String) -> AdminReply {
        guard let partition = configuration.tablesElsewhere[name] else {
            return .refused(code: "no_such_table", message: "There is no table \(name).")
        }
        var other = store
        other?.partition = partition
        let server: String
        do {
            server = try other?.lease.notice().relay.map { ", \($0)" } ?? ", which nobody is now"
        } catch { server = ". Its address is not known: \(error)" }
        return .refused(code: "table_elsewhere", message: "Table \(name) is of partition \(partition): ask its server\(server).")
    }

    private func kick(_ name: String, reason: String) -> AdminReply {
        let status = server.playerStatuses.first { $0.name.lowercased() == name.lowercased() }
        guard server.kick(name, reason: reason) else {
            if let absence = server.absence(ofPlayerNamed: name) { return refused(absence) }
            return .refused(code: "no_such_player", message: "There is no player \(name).")
        }
        if let table = status?.table { return .done("\(name) is sent away from \(table).") }
        // A client that was sent away comes back to the list of tables.
        return .done(status?.connection == nil ? "\(name) is sent away." : "\(name) had no seat; the connection is closed.")
    }

    private func say(_ text: String, at table: String?) -> AdminReply {
        let words: ChatText
        do { words = try ChatText(text) } catch { return .refused(code: "invalid_text", message: error.message) }
        guard let count = server.say(words, at: table) else {
            return noTable(table ?? "")
        }
        return .done(
            count == 0
                ? "Nobody hears it: there are no people at the tables." : "Said to \(count) \(count == 1 ? "person" : "people").")
    }

    private var tables: AdminTable {
        var table = AdminTable(columns: [
            "name", "loop", "phase", "seats", "taken", "viewers", "round", "chips", "minimumBet", "maximumBet", "notes",
        ])
        for status in server.tableStatuses {
            let phrase = status.pass != nil ? "pass phrase" : status.isPassOwners ? "no pass phrase" : nil
            let notes = [
                status.owner.map { "owner \($0)" }, phrase.map { $0 + (status.isPassOwners ? " by the owner" : "") },
                status.isClosing ? "closing" : nil,
            ].compactMap(\.self)
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

    private var evening: AdminTable {
        var table = AdminTable(columns: ["place", "name", "kind", "rounds", "net", "biggestWin"])
        for (index, result) in server.evening.enumerated() {
            table.add([
                .number(index + 1), .text(result.name), .text(result.isBot ? "bot" : "player"), .number(result.rounds),
                .number(result.net), .number(result.biggestWin),
            ])
        }
        return table
    }

    /// The reply to an unban. Configured bans are lifted in the configuration only, so that a start restores nothing by surprise.
    private func reply(to block: AddressBlock, _ result: Unbanning) -> AdminReply {
        let left = result.left.map { ban in
            let what = ban.block == block ? "it" : "\(ban.block)"
            return switch ban.source {
            case .configuration: "the configuration bans \(what): remove it there and restart"
            case .operator: "the operator banned \(what): unban that block"
            }
        }
        guard result.isLifted else {
            guard let left else { return .refused(code: "no_such_ban", message: "There is no ban of \(block).") }
            let code = result.left?.source == .configuration ? "banned_by_configuration" : "no_such_ban"
            return .refused(code: code, message: "There is no ban to lift for \(block), but \(left).")
        }
        return .done(left.map { "The operator ban of \(block) is lifted, but \($0)." } ?? "\(block) is no longer banned.")
    }

    private var bans: AdminTable {
        var table = AdminTable(columns: ["address", "source", "until"])
        for ban in server.bans {
            table.add([
                .text(ban.block.description), .text(ban.source.rawValue),
                ban.until.map { .text(Timestamp($0).description) } ?? .none,
            ])
        }
        return table
    }

    private var settings: AdminTable {
        var table = AdminTable(columns: ["key", "value", "origin"])
        for setting in configuration.settings {
            guard let key = setting.key else { continue }
            // Without tables in the settings those of the folder go on.
            let isFound = key == "tables" && setting.source == .default
            let value = isFound ? configuration.tables.map(\.name).joined(separator: ",") : setting.value
            table.add([.text(key), value.map { .text(Self.shortened($0)) } ?? .none, .text(setting.source.description)])
        }
        return table
    }

    /// Shortens a long list of bans.
    private static func shortened(_ value: String) -> String {
        value.utf8.count <= 4096 ? value : value.unicodeScalars.prefix(4096).map(String.init).joined() + "…"
    }

    /// Every figure except histogram buckets.
    private var stats: AdminTable {
        server.measure()
        var table = AdminTable(columns: ["name", "value"])
        for line in metrics.text.split(separator: "\n")
        where !line.hasPrefix("#") && !line.prefix(while: { $0 != "{" }).hasSuffix("_bucket") {
            guard let space = line.lastIndex(of: " ") else { continue }
            let value = String(line[line.index(after: space)...])
            table.add([.text(String(line[..<space])), Int(value).map { .number($0) } ?? .text(value)])
        }
        return table
    }
}

extension AdminRequest {
    /// The reason shown to players, if the request has one.
    fileprivate var reason: String? {
        switch self {
        case .kick(_, let reason), .drain(let reason): reason
        default: nil
        }
    }
}
