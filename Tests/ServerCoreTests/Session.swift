import Fairness
import Foundation
import Rules
import Sockets
import TableModel
import TestKit
import Wire

@testable import ServerCore
@testable import TableEngine

/// A session written down as it reads: what was done, and what was said because of it. Each diff has to fit the table that its
/// connection knows, and to lead to its check value.
///
/// ```
/// # a remark
/// == name                          a new server
/// rules {"minimumBet":5}           before anything else: the server rules
/// seed 7                           … and the seed of every shoe
/// tables low high:sesame           … and the tables; the second has a pass phrase
/// ceremonies on                    … whose shoes are made in ceremonies; without this line, of the seed alone
/// limit viewers 2                  … `connections`, `perAddress`, `requests`, `history`, `rebuy`, …: see ``Session/Player/limit(_:_:)``
/// host-secret word                 … and the secret of the host's own names
/// servers 2                        … or as many servers of one house, with a table each, `t1`, `t2`; `rules` hold at all of them
/// from 192.0.2.1                   where the next connections come from
/// at 2                             the server of the house to which they come
/// connect ann
/// ann> {"type":"login","name":"ann"}
/// ann< {"type":"ok",…}             what the server says to ann
/// ann>> {"type":"pi                bytes; \n \r \t \\ \xFF \(a*5000) are escapes
/// advance 15000                    milliseconds pass
/// ann> {…"secret":"$bob"}          a secret: the same wherever the same word stands; `$server` and `$list` are digests of the coming
///                                  shoe, `$ann_contribution` with `$ann_commitment`, and `$ann_other…`, what ann has for it
/// ann*60> {"type":"ping"}          sixty times; equal answers are counted
/// cut ann                          the connection is lost
/// ann closed                       the server closes the connection
/// host kick ann Why                the host sends ann home; more in ``Session/Player/host(_:_:)``
/// host< ledger bank -1000 …        what the host sees after `host show - -`, and each event after `host log - -`
/// restart 1000 low:hers -high      a crash and a start a second later, also with other pass phrases, without a table, or with the `rules` of
///                                  a line before it; `stop` before it: an orderly one
/// crash 2, start 2                 of a server of a house
/// hold, settle                     between them, nothing of a house goes on beside its loops
/// ```
///
/// In a house each line names the server that says it, `ann@2<`. After each step no chip is lost, and a house has each account in one place;
/// at the end no log and no journal has a secret, and unless cards were stacked the records are audited and replay to the server.
///
/// The beginning of a scene; lines to ann because of it are left out:
///
/// ```
/// greet ann                        connects
/// enter ann                        … and logs in; `enter ann $ann` with that secret
/// seat ann                         … and sits down at the first table; `contribute ann` to contribute to its shoes
/// watch ann                        … and watches the first table
/// cards TH 6D 9H 5S                the next cards there: one to each seat, the dealer's, one to each seat, the hole card, those drawn
/// deal ann TH 6D 9H 5S             … on ann's bet of the minimum; without cards, those that the seed gives
/// ```
struct Session {
    /// The session with what was really said, in the same form.
    /// - Parameter onTable: called with each line that changes the table that a connection knows, and with that table.
    static func replay(
        _ script: String, onTable: ((_ name: String, _ line: String, _ table: View) -> Void)? = nil
    ) throws -> String {
        var player = Player(onTable: onTable)
        var result: [String] = []
        for line in script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if isAnswer(line) { continue }
            if line.hasPrefix("== ") {
                try player.finish()
                player = Player(onTable: onTable)
            }
            result.append(line)
            result += try player.carryOut(line)
        }
        try player.finish()
        return result.joined(separator: "\n")
    }

    private static func isAnswer(_ line: String) -> Bool {
        guard let name = line.prefix(while: { $0.isLetter || $0.isNumber }) as Substring?, !name.isEmpty else { return false }
        let rest = line.dropFirst(name.count).drop { $0 == "@" || $0.isNumber }
        return rest.hasPrefix("< ") || rest == " closed"
    }

    struct Mistake: Error { let line: String }

    /// A table as a connection knows it.
    struct View {
        let epoch: String
        var revision: Int
        var snapshot: TableSnapshot
    }

    struct Player {
        private let onTable: ((_ name: String, _ line: String, _ table: View) -> Void)?
        var rules = HouseRules()
        var seed: UInt64 = 1
        var tables = ["main"]
        var ceremonies = false
        private var servers = 1
        private var limits: [(inout ShardConfiguration) -> Void] = []
        private var (keepsHistory, isStacked, logged) = (true, false, 0)
        /// Secrets and codes, which no log and no journal has.
        private var hidden: Set<String> = []
        private lazy var server = makeServer()
        /// nil for a server alone.
        private lazy var house = servers == 1 ? nil : makeHouse()
        private var (place, isHeld) = (1, false)
        private var names: [String] = []
        private var framers: [ConnectionID: LineFramer] = [:]
        /// The tables that connections know, and all that were known.
        private var views: [String: View] = [:]
        private var former: [View] = []

        init(onTable: ((_ name: String, _ line: String, _ table: View) -> Void)?) { self.onTable = onTable }

        private func makeServer() -> VirtualServer {
            var configuration = ShardConfiguration(
                tables: tables.map { name in
                    let parts = name.split(separator: ":").map(String.init)
                    return .init(name: parts[0], rules: rules, pass: parts.dropFirst().first)
                })
            for index in configuration.tables.indices { configuration.tables[index].hasCeremonies = ceremonies }
            configuration.settledMilliseconds = 1000
            configuration.serverName = "test"
            for limit in limits { limit(&configuration) }
            let server = VirtualServer(configuration, seed: seed)
            server.keepsHistory = keepsHistory
            return server
        }

        private func makeHouse() -> VirtualHouse? {
            let (rules, limits) = (rules, limits)
            return try? VirtualHouse(partitions: servers) { configuration in
                configuration.tables[0].rules = rules
                for limit in limits { limit(&configuration) }
            }
        }

        /// A setting: how many there may be, or of a rate the burst.
        private mutating func limit(_ name: String, _ count: Int) throws {
            if name == "history" { keepsHistory = count != 0 }
            let change: ((inout ShardConfiguration) -> Void)? =
                switch name {
                case "history": { _ in }
                case "connections": { $0.maximumConnections = count }
                case "perAddress": { $0.maximumConnectionsPerAddress = count }
                case "viewers": { $0.maximumViewers = count }
                case "accounts": { $0.maximumAccounts = count }
                case "players": { $0.maximumPlayers = count }
                case "away": { $0.maximumAwayPerAddress = count }
                case "rebuy": { $0.rebuyChips = count }
                case "idle": { $0.idleMilliseconds = Int64(count) }
                case "chat": { $0.chat = .perMinute(60, burst: count) }
                case "requests": { $0.requests = count == 0 ? .unreached : .perSecond(1, burst: count) }
                case "claiming": { $0.addresses.claiming = .perMinute(1, burst: count) }
                case "asking": { $0.addresses.asking = .perSecond(1, burst: count) }
                case "strangers": { $0.addresses.strangers = .perSecond(10, burst: count) }
                case "talking": { $0.addresses.talking = .perMinute(1, burst: count) }
                case "connecting": { $0.addresses.connecting = .perSecond(1, burst: count) }
                case "loggingIn": { $0.addresses.loggingIn = .perSecond(1, burst: count) }
                default: nil
                }
            guard let change else { throw Mistake(line: "limit \(name)") }
            limits.append(change)
        }

        // MARK: Steps

        mutating func carryOut(_ line: String) throws -> [String] {
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix("== ") { return [] }
            if let mark = line.firstIndex(of: ">") {
                let parts = line[..<mark].split(separator: "*").map(String.init)
                if let index = names.firstIndex(of: parts[0]) {
                    return try speak(line[mark...].dropFirst(), UInt64(index), times: parts.dropFirst().first.flatMap { Int($0) })
                }
            }
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let rest = words.dropFirst().first ?? ""
            switch words[0] {
            case "rules": rules = try HouseRules.parse(Array(rest.utf8))
            case "seed": seed = UInt64(rest) ?? 1
            case "ceremonies": ceremonies = rest == "on"
            case "tables": tables = rest.split(separator: " ").map(String.init)
            case "servers": servers = Int(rest) ?? 2
            case "at": place = Int(rest) ?? 1
            case "limit":
                let parts = rest.split(separator: " ").map(String.init)
                try limit(parts[0], parts.dropFirst().first.flatMap { Int($0) } ?? 0)
            case "host-secret": limits.append { $0.hostSecret = secret(of: rest) }
            default: return try act(words[0], rest, line)
            }
            return []
        }

        /// A step of a server, which the first one makes.
        private mutating func act(_ word: String, _ rest: String, _ line: String) throws -> [String] {
            var seen: [String] = []
            switch word {
            case "connect": connect(rest)
            case "cut":
                guard let index = names.firstIndex(of: rest) else { throw Mistake(line: line) }
                if let house { house.cut(UInt64(index)) } else { server.cut(UInt64(index)) }
            case "host": seen = try host(rest.split(separator: " ", maxSplits: 2).map(String.init), line)
            case "from": server.address = IPAddress(rest)
            case "advance":
                let time = Int64(rest) ?? 0
                if let house { house.advance(time) } else { server.advance(time) }
            case "cards": try stack(rest)
            case "restart": try restart(rest.split(separator: " ").map(String.init))
            case "stop": server.stop()
            case "crash": house?.crash(Int(rest) ?? 1)
            case "start": try house?.start(Int(rest) ?? 1)
            case "hold": isHeld = true
            case "settle": isHeld = false
            case "greet", "enter", "seat", "contribute", "watch", "deal": return try begin(word, rest, line)
            default: throw Mistake(line: line)
            }
            if !isHeld { house?.settle() }
            return try said() + seen
        }

        private mutating func speak(_ text: Substring, _ connection: ConnectionID, times: Int?) throws -> [String] {
            for _ in 0..<(times ?? 1) {
                if text.hasPrefix(">") {
                    try receive(try Self.unescaped(text.dropFirst(2)), from: connection)
                } else {
                    send(filled(String(text.dropFirst())), from: connection)
                }
            }
            guard times != nil else { return try said() }
            var groups: [(line: String, count: Int)] = []
            for line in try said() {
                if groups.last?.line == line { groups[groups.count - 1].count += 1 } else { groups.append((line, 1)) }
            }
            return groups.map { group in
                let parts = group.line.split(separator: "< ", maxSplits: 1)
                return group.count > 1 ? "\(parts[0])< \(group.count) × \(parts[1])" : group.line
            }
        }

        private mutating func send(_ line: String, from connection: ConnectionID) {
            guard let house else { return server.receive(line, from: connection) }
            house.send(line, connection)
            if !isHeld { house.settle() }
        }

        private mutating func connect(_ name: String) {
            if house != nil || !names.contains(name) {
                // In a house each connection is a new one, and may find the former one there.
                if let index = names.firstIndex(of: name) { names[index] = "old" }
                names.append(name)
            }
            let connection = UInt64(names.firstIndex(of: name) ?? 0)
            (views[name], framers[connection]) = (nil, nil)
            if let house { house.connect(connection, to: place) } else { server.connect(connection) }
        }

        private mutating func restart(_ words: [String]) throws {
            try finish()
            let tables = words.dropFirst().map { $0.split(separator: ":").map(String.init) }
            let otherRules = server.shard.configuration.tables[0].rules == rules ? nil : rules
            server = try VirtualServer(after: server, outage: Int64(words[0]) ?? 0, rules: otherRules) { configuration in
                configuration.tables.removeAll { words.contains("-\($0.name)") }
                for table in tables {
                    for index in configuration.tables.indices where configuration.tables[index].name == table[0] {
                        configuration.tables[index].pass = table.dropFirst().first
                    }
                }
            }
            (server.keepsHistory, logged) = (keepsHistory, 0)
        }

        /// An action of the host: a verb, its object, and an operand or `-`.
        private mutating func host(_ words: [String], _ line: String) throws -> [String] {
            guard words.count == 3 else { throw Mistake(line: line) }
            if let house { return try hostOfHouse(house, words, line) }
            let shard = server.shard!
            func change(_ change: AccountChange) throws -> [String] {
                let name = try PlayerName(words[1])
                do throws(AccountRefusal) {
                    let account = try shard.change(name, change, at: server.now)
                    return ["host< \(account.name) has \(account.chips) chips\(account.isDisabled ? ", disabled" : "")"]
                } catch { return ["host< \(error)"] }
            }
            switch words[0] {
            case "kick":
                guard let id = try shard.player(like: PlayerName(words[1])) else { throw Mistake(line: line) }
                _ = shard.kick(id, reason: words[2], at: server.now)
            case "drain": shard.drain(at: server.now, deadline: Int64(words[1]).map { server.now + $0 }, reason: words[2])
            case "own": try server.own(shard.hostedTables[0].name, by: words[1])
            case "code":
                server.expectOwner(of: words[1], code: words[2])
                hidden.insert(words[2])
            case "pass": shard.hostedTables.first { $0.name == words[1] }?.pass = words[2] == "-" ? nil : words[2]
            case "credit": return try change(.credit(Int(words[2]) ?? 0))
            case "rename": return try change(.rename(PlayerName(words[2])))
            case "disable": return try change(.disable(words[2] != "off"))
            case "secret": return try change(.secret(secret(of: words[2])))
            case "delete": return try change(.delete)
            case "say": return ["host< \(shard.say(try ChatText(words[2]), at: nil, at: server.now)) heard it"]
            case "ban":
                guard let block = AddressBlock(words[1]) else { throw Mistake(line: line) }
                _ = shard.banList.ban(block, until: Int64(words[2]).map { server.now + $0 }, at: server.now)
                let closed = shard.dismiss(from: shard.addresses.filter { block.contains($0) }, at: server.now)
                return ["host< \(closed) closed"]
            case "congest":
                guard let index = names.firstIndex(of: words[1]) else { throw Mistake(line: line) }
                if words[2] == "-" { server.congested.insert(UInt64(index)) } else { server.drain(UInt64(index)) }
            case "log":
                defer { logged = server.logged.count }
                // But for coming and going.
                let events = server.logged[logged...].filter { !$0.contains(#/event=(login|sat|left|gone)\b/#) }
                return events.map { "host< " + $0.replacing(#/^time=\S+ /#, with: "") }
            case "show": return ["host< " + shown(shard)]
            default: throw Mistake(line: line)
            }
            return []
        }

        /// The ledger, and the accounts that are kept.
        private func shown(_ shard: Shard) -> String {
            let open = shard.accounts.values.filter(\.isOpen).map { ($0.name.text, $0.table == nil ? "here" : "seated") }
            let kept = shard.dormant.accounts.map { ($0.name, "gone") }
            let accounts = (open + kept).sorted { $0.0 < $1.0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            let (ledger, refused) = (shard.ledger, shard.metrics.refusedConnections.values)
            let turnedAway = refused.contains { $0 > 0 } ? "; refused connections \(refused)" : ""
            return "bank \(ledger.bank), house \(ledger.house), tables \(ledger.tables); "
                + (accounts.isEmpty ? "no accounts" : accounts)
                + turnedAway
        }

        private func hostOfHouse(_ house: VirtualHouse, _ words: [String], _ line: String) throws -> [String] {
            switch words[0] {
            case "last": if let index = names.firstIndex(of: words[1]) { house.establish(UInt64(index)) }
            case "rows": house.rows.isAway = words[1] == "away"
            case "claim": _ = house.rows.claim(Int(words[1]) ?? 1)
            case "code":
                let server = house[Int(words[1]) ?? 1]
                server.shard.owners.expect(
                    OwnerClaim.digest(of: words[2]), of: "t\(words[1])", until: house.now + TableOwners.codeMilliseconds)
            case "row":
                let row = house.row(words[1])
                return ["host< \(row.map { "place \($0.place), serial \($0.serial)" } ?? "no row")"]
            default: throw Mistake(line: line)
            }
            return []
        }

        /// The beginning of a scene, without the lines to the player whom it is about.
        private mutating func begin(_ word: String, _ rest: String, _ line: String) throws -> [String] {
            let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
            var lines: [String] = []
            if word == "deal" {
                if parts.count == 2 { try stack(parts[1]) }
                lines = [#"{"type":"bet","amount":\#(rules.minimumBet),"round":"now"}"#]
            } else {
                connect(parts[0])
                let secret = parts.dropFirst().first.map { #","secret":"\#($0)""# } ?? ""
                let fair = word == "contribute" ? #","fair":true"# : ""
                let table = house == nil ? server.shard.hostedTables[0].name : "t\(place)"
                if word != "greet" { lines.append(#"{"type":"login","name":"\#(parts[0])"\#(secret)\#(fair)}"#) }
                if word == "watch" { lines.append(#"{"type":"watch","table":"\#(table)"}"#) }
                if word == "seat" || word == "contribute" { lines.append(#"{"type":"sit","table":"\#(table)"}"#) }
            }
            guard let index = names.firstIndex(of: parts[0]) else { throw Mistake(line: line) }
            for line in lines { send(filled(line), from: UInt64(index)) }
            return try said().filter { !$0.hasPrefix(parts[0] + "<") && !$0.hasPrefix(parts[0] + "@") }
        }

        /// Puts cards on top of the first table's shoe, which counts as shuffled.
        mutating func stack(_ cards: String) throws {
            isStacked = true
            let state = server.shard.hostedTables[0].engine.state
            if state.core.shoe.number == 0 {
                state.core.shoe.shuffle(.seeded(99), number: 1)
                for seat in 0..<rules.seats where state.seats[seat].player >= 0 { state.seats[seat].shoe = 1 }
            }
            for (index, text) in cards.split(separator: " ").enumerated() {
                guard let card = Card(String(text)) else { throw Mistake(line: cards) }
                state.core.shoe.order[state.core.shoe.drawn + index] = card
            }
        }

        /// Invariants at the end of a scene.
        mutating func finish() throws {
            if let house { return try house.check() }
            let kept = String(decoding: server.records, as: UTF8.self) + server.logged.joined()
            if let secret = hidden.first(where: kept.contains) { throw Mistake(line: "\(secret) is in a log or in the journal") }
            guard !isStacked, !names.isEmpty else { return }
            try audit(server.records)
            try expectEqual(try replayed(server.records), server, "the records replay to the server")
        }

        // MARK: Bytes

        private mutating func receive(_ bytes: [UInt8], from connection: ConnectionID) throws {
            var framer = framers[connection] ?? LineFramer(limit: WireLimits.requestBytes)
            let server = server
            bytes.withUnsafeBytes { bytes in
                _ = framer.append(bytes) { line in
                    server.shard.received(line, from: connection, at: server.now)
                    return true
                }
            }
            if framer.isOverLimit { server.shard.receivedTooLongLine(from: connection) }
            framers[connection] = framer
        }

        /// Bytes of a text with escapes: `\n`, `\r`, `\t`, `\\`, `\xFF`, and `\(ab*3)` for `ababab`.
        private static func unescaped(_ text: Substring) throws -> [UInt8] {
            var bytes: [UInt8] = []
            var rest = text
            while let mark = rest.firstIndex(of: "\\") {
                bytes += rest[..<mark].utf8
                rest = rest[mark...].dropFirst()
                if let match = rest.prefixMatch(of: /\((.*?)\*([0-9]+)\)/) {
                    for _ in 0..<(Int(match.2) ?? 0) { bytes += match.1.utf8 }
                    rest = rest[match.range.upperBound...]
                } else if let match = rest.prefixMatch(of: /x([0-9A-F]{2})/), let byte = UInt8(match.1, radix: 16) {
                    bytes.append(byte)
                    rest = rest[match.range.upperBound...]
                } else {
                    let escapes: [Character: UInt8] = ["n": 10, "r": 13, "t": 9, "\\": 92]
                    guard let byte = rest.popFirst().flatMap({ escapes[$0] }) else { throw Mistake(line: String(text)) }
                    bytes.append(byte)
                }
            }
            return bytes + rest.utf8
        }

        // MARK: Names in lines

        private mutating func filled(_ line: String) -> String {
            guard line.contains("\"$") else { return line }
            let table = house == nil ? server.shard.hostedTables[0] : nil
            let words = line.matches(of: /"\$([a-z0-9-]+)"/).map { secret(of: String($0.1)).digits }
            hidden.formUnion(words)
            return line.replacing(/"\$([a-z0-9-]+)(_[a-z_]+)?"/) {
                "\"\(Self.value(String($0.1), $0.2.map(String.init), table))\""
            }
        }

        private static func value(_ name: String, _ kind: String?, _ table: HostedTable?) -> String {
            guard let table, kind != nil || name == "server" || name == "list" else { return secret(of: name).digits }
            guard let next = table.engine.nextShoe else { return "" }
            if name == "server" { return next.commitment.base64 }
            if name == "list" {
                guard case .revealing(let contributors) = next.stage else { return "" }
                return contributors.listDigest(server: next.commitment).base64
            }
            // Another one for each commitment of the server's, and the same whenever it is asked for.
            let which = kind?.contains("other") == true ? "other" : "contribution"
            let digest = SHA256.hash("\(which) of \(name) to \(next.commitment.base64)".utf8)
            guard let secret = ShoeSecret(digest.bytes) else { preconditionFailure("a digest has as many bytes as a secret") }
            let commitment = secret.contribution(table: table.name, shoe: next.shoe, player: name, to: next.commitment)
            return kind?.hasSuffix("commitment") == true ? commitment.base64 : secret.base64
        }

        // MARK: What is said

        private mutating func said() throws -> [String] {
            if let house {
                try house.check()
                defer { house.outputs = [] }
                return house.outputs.map { output in
                    let name = names[Int(output.connection)]
                    return output.line.map { "\(name)@\(output.partition)< \($0)" } ?? "\(name) closed"
                }
            }
            guard server.ledger.imbalance == 0 else { throw Mistake(line: "\(server.ledger)") }
            return try server.take().map { output in
                switch output {
                case .line(let connection, let text):
                    try follow(text, names[Int(connection)])
                    return "\(names[Int(connection)])< \(text)"
                case .closed(let connection): return "\(names[Int(connection)]) closed"
                }
            }
        }

        private mutating func follow(_ line: String, _ name: String) throws {
            switch try Array(line.utf8).withUnsafeBufferPointer({ try ServerMessage(line: $0) }) {
            case .snapshot(_, let epoch, let revision, let snapshot, _):
                views[name] = View(epoch: epoch, revision: revision, snapshot: snapshot)
            case .diff(let from, let to, let check, let difference, _):
                // A missed diff is added to a table that the same player, or another, knew on a connection before.
                let known = views[name] ?? former.last { $0.revision == from }
                guard var view = known, view.revision == from else { throw Mistake(line: line) }
                view.snapshot = try view.snapshot.applying(difference)
                view.revision = to
                if let check, check != view.snapshot.check { throw Mistake(line: line) }
                views[name] = view
            default: return
            }
            guard let view = views[name] else { return }
            former.append(view)
            onTable?(name, line, view)
        }
    }
}
