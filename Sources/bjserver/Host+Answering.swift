import CommandLineKit
import Journal
import ServerCore
import Sockets
import Wire

/// Answers to requests on the admin socket. Called on the admin socket's queue.
extension Host {
    func answer(_ words: [String]) -> AdminReply {
        var reply = carryOut(words)
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
        var fields = [
            LogField("request", (words.first ?? "").prefix(40)),
            LogField("words", words.dropFirst().joined(separator: " ").prefix(200)),
        ]
        if case .refused(let code, _) = reply { fields.append(LogField("refused", code)) }
        note(.info, "admin", fields)
        return reply
    }

    /// How long an answer waits for the disk: less than the time-out of `bjserver ctl`.
    private static let storingMilliseconds: UInt64 = 5000
    /// A query's answer waits no longer than a sync takes.
    private static let queryMilliseconds: UInt64 = 250

    private func carryOut(_ words: [String]) -> AdminReply {
        do {
            let (verb, operands) = try AdminVerb.parse(words)
            return try verb.answer(self, operands)
        } catch let error as AccountRefusal {
            return refused(error)
        } catch let error as StorageError {
            return .refused(code: "try_again", message: "\(RecoveryError(error))")
        } catch {
            let reason = (error as? ProtocolError)?.message ?? (error as? UsageError)?.message ?? "\(error)"
            return .refused(code: AdminVerb.usageCode, message: "\(words.first ?? ""): \(reason)")
        }
    }

    func noTable(_ name: String) -> AdminReply {
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

    func kick(_ name: String, reason: String) -> AdminReply {
        let status = server.playerStatuses.first { $0.name.lowercased() == name.lowercased() }
        guard server.kick(name, reason: reason) else {
            if let absence = server.absence(ofPlayerNamed: name) { return refused(absence) }
            return .refused(code: "no_such_player", message: "There is no player \(name).")
        }
        if let table = status?.table { return .done("\(name) is sent away from \(table).") }
        // A client that was sent away comes back to the list of tables.
        return .done(status?.connection == nil ? "\(name) is sent away." : "\(name) had no seat; the connection is closed.")
    }

    func say(_ words: ChatText, at table: String?) -> AdminReply {
        guard let count = server.say(words, at: table) else {
            return noTable(table ?? "")
        }
        return .done(
            count == 0
                ? "Nobody hears it: there are no people at the tables." : "Said to \(count) \(count == 1 ? "person" : "people").")
    }

    var tables: AdminTable {
        var table = AdminTable(columns: [
            "name", "phase", "seats", "taken", "viewers", "round", "chips", "minimumBet", "maximumBet", "notes",
        ])
        for status in server.tableStatuses {
            let phrase = status.pass != nil ? "pass phrase" : status.isPassOwners ? "no pass phrase" : nil
            let notes = [
                status.owner.map { "owner \($0)" }, phrase.map { $0 + (status.isPassOwners ? " by the owner" : "") },
                status.isClosing ? "closing" : nil,
            ].compactMap(\.self)
            table.add([
                .text(status.name), .text(status.phase), .number(status.seats), .number(status.taken), .number(status.viewers),
                .number(status.round), .number(status.chips), .number(status.minimumBet),
                .number(status.maximumBet), notes.isEmpty ? .none : .text(notes.joined(separator: ", ")),
            ])
        }
        return table
    }

    var players: AdminTable {
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

    var evening: AdminTable {
        var table = AdminTable(columns: ["place", "name", "kind", "rounds", "net", "biggestWin"])
        for (index, result) in server.evening.enumerated() {
            table.add([
                .number(index + 1), .text(PlayerName.houseBot(result.name) ?? result.name),
                .text(result.isBot ? "bot" : "player"), .number(result.rounds),
                .number(result.net), .number(result.biggestWin),
            ])
        }
        return table
    }

    func ban(_ blocks: [AddressBlock], seconds: Int?) -> AdminReply {
        let (closed, refused) = server.ban(blocks, seconds: seconds)
        if let refused {
            let message = "There are \(BanList.limit) bans: lift some first. \(refused) is not banned."
            return .refused(code: "too_many_bans", message: message)
        }
        let end = seconds.map { " for \(ValueFormat.milliseconds(0...Int.max).print($0 * 1000))" } ?? ""
        let banned = blocks.count == 1 ? "\(blocks[0]) is" : "\(blocks.count) networks are"
        return .done("\(banned) banned\(end); \(closed) \(closed == 1 ? "connection" : "connections") closed.")
    }

    func unban(_ blocks: [AddressBlock]) -> AdminReply {
        let results = blocks.map(server.unban)
        guard results.count > 1 else { return reply(to: blocks[0], results[0]) }
        return .done("\(results.count { $0.isLifted }) of \(results.count) bans are lifted.")
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

    var bans: AdminTable {
        var table = AdminTable(columns: ["address", "source", "until"])
        for ban in server.bans {
            table.add([
                .text(ban.block.description), .text(ban.source.rawValue),
                ban.until.map { .text(Timestamp($0).description) } ?? .none,
            ])
        }
        return table
    }

    var settings: AdminTable {
        var table = AdminTable(columns: ["key", "value", "origin"])
        for setting in configuration.settings {
            guard let key = setting.key else { continue }
            // Without tables in the settings those of the folder go on.
            let isFound = key == "tables" && setting.source == .default
            let value = isFound ? configuration.tables.map(\.name).joined(separator: ",") : setting.value
            table.add([.text(key), value.map { .text($0) } ?? .none, .text(setting.source.description)])
        }
        return table
    }

    /// Every figure except histogram buckets.
    var stats: AdminTable {
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
