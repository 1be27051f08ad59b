import CommandLineKit
import Journal
import ServerCore
import Sockets
import Wire

/// Answers to requests on the admin socket. Called on the admin socket's queue.
extension Host {
    func answer(_ words: [String]) -> AdminReply {
        var reply = carryOut(words)
        let stall = "The disk or database is full or not responding"
        let unstored = "\(stall): the newest changes may not be stored."
        switch reply {
        // Queries and refusals are answered even while play is stalled, since they change nothing.
        case .table(var table):
            guard !server.waitUntilDurable(milliseconds: Self.queryMilliseconds) else { break }
            table.note = [table.note, unstored].compactMap(\.self).joined(separator: " ")
            reply = .table(table)
        case .refused(let code, let message):
            guard !server.waitUntilDurable(milliseconds: Self.queryMilliseconds) else { break }
            reply = .refused(code: code, message: "\(message) \(unstored)")
        // A change is confirmed once it is stored.
        case .done:
            guard !server.waitUntilDurable(milliseconds: Self.storingMilliseconds) else { break }
            reply = .refused(code: "storage_stalled", message: "\(stall). The request takes effect once stored: check again.")
        }
        var fields: LogFields = [
            "request": (words.first ?? "").prefix(40), "words": words.dropFirst().joined(separator: " ").prefix(200),
        ]
        if case .refused(let code, _) = reply { fields.add("refused", code) }
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
        } catch let error as JournalError {
            return .refused(code: "try_again", message: "\(error)")
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
            server = try other?.lease.notice().relay.map { ", \($0)" } ?? "; it has no owner at the moment"
        } catch { server = ". Its address is unknown: \(error)" }
        return .refused(
            code: "table_elsewhere", message: "Table \(name) belongs to partition \(partition): ask its server\(server).")
    }

    func kick(_ name: String, reason: String) -> AdminReply {
        guard let player = server.kick(name, reason: reason) else {
            if let absence = server.absence(ofPlayerNamed: name) { return refused(absence) }
            return .refused(code: "no_such_player", message: "There is no player \(name).")
        }
        if let table = player.table { return .done("\(name) was removed from \(table).") }
        // A client that was sent away comes back to the list of tables.
        return .done(!player.isHere ? "\(name) was removed." : "\(name) had no seat and was disconnected.")
    }

    func say(_ words: ChatText, at table: String?) -> AdminReply {
        guard let count = server.say(words, at: table) else {
            return noTable(table ?? "")
        }
        return .done(
            count == 0
                ? "Not sent: nobody is at the tables." : "Sent to \(count) \(count == 1 ? "person" : "people").")
    }

    var leaderboard: AdminTable {
        var table = AdminTable(columns: ["place", "name", "kind", "rounds", "net", "biggestWin"])
        // As players see it: bots have places of their own, behind the people.
        for isBot in [false, true] {
            let results = server.leaderboard.filter { $0.isBot == isBot }
            for (place, result) in zip(results.places, results) {
                table.add([
                    .number(place), .text(HouseBot(result.name)?.shown ?? result.name),
                    .text(isBot ? "bot" : "player"), .number(result.rounds), .number(result.net), .number(result.biggestWin),
                ])
            }
        }
        return table
    }

    /// Of all accounts that ``Server/accounts(limit:)`` finds.
    func careers(limit: Int) -> AdminTable {
        var table = AdminTable(columns: [
            "place", "name", "kind", "rounds", "hands", "won", "pushed", "blackjacks", "staked", "net", "best", "bestAt",
            "longest", "run",
        ])
        let careers = server.careers
        for entries in [careers.filter { !$0.isBot }, careers.filter(\.isBot)] {
            for (place, entry) in zip(entries.places, entries).prefix(limit) {
                let career = entry.career
                table.add(
                    [.number(place), .text(entry.name), .text(entry.isBot ? "bot" : "player")]
                        + [career.rounds, career.hands, career.won, career.pushed, career.blackjacks].map { .number(Int($0)) }
                        + [career.staked, career.net, career.best].map { .number(Int($0)) }
                        + [career.best > 0 ? .text(RFC3339(career.bestTime).description) : .none]
                        + [career.longestRun, career.run].map { .number(Int($0)) })
            }
        }
        return table
    }

    func ban(_ blocks: [AddressBlock], seconds: Int?) -> AdminReply {
        let (closed, refused) = server.ban(blocks, seconds: seconds)
        if let refused {
            let message = "The limit of \(BanList.limit) bans is reached: lift some first. \(refused) was not banned."
            return .refused(code: "too_many_bans", message: message)
        }
        let end = seconds.map { " for \(ValueFormat.milliseconds(0...Int.max).print($0 * 1000))" } ?? ""
        let banned = blocks.count == 1 ? "\(blocks[0]) is" : "\(blocks.count) networks are"
        return .done("\(banned) banned\(end); \(closed) \(closed == 1 ? "connection" : "connections") closed.")
    }

    func unban(_ blocks: [AddressBlock]) -> AdminReply {
        let results = blocks.map(server.unban)
        guard results.count > 1 else { return reply(to: blocks[0], results[0]) }
        return .done("\(results.count { $0.isLifted }) of \(results.count) bans lifted.")
    }

    /// The reply to an unban. Configured bans can be lifted only in the configuration, since the next start would restore them.
    private func reply(to block: AddressBlock, _ result: Unbanning) -> AdminReply {
        let left = result.left.map { ban in
            let what = ban.block == block ? "it" : "\(ban.block)"
            return switch ban.source {
            case .configuration: "\(what) is banned in the configuration: remove it there and restart"
            case .operator: "\(what) is banned: unban exactly that network"
            }
        }
        guard result.isLifted else {
            guard let left else { return .refused(code: "no_such_ban", message: "\(block) is not banned.") }
            let code = result.left?.source == .configuration ? "banned_by_configuration" : "no_such_ban"
            return .refused(code: code, message: "No ban of exactly \(block), but \(left).")
        }
        return .done(left.map { "The ban of \(block) was lifted, but \($0)." } ?? "\(block) is no longer banned.")
    }

    var bans: AdminTable {
        var table = AdminTable(columns: ["address", "source", "until"])
        for ban in server.bans {
            table.add([
                .text(ban.block.description), .text(ban.source.rawValue),
                ban.until.map { .text(RFC3339($0).description) } ?? .none,
            ])
        }
        return table
    }

    var settings: AdminTable {
        var table = AdminTable(columns: ["key", "value", "source"])
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
