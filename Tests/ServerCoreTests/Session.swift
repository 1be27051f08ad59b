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
/// limit viewers 2                  … `connections`, `perAddress`, `requests`, `history`
/// connect ann
/// ann> {"type":"login","name":"ann"}
/// ann< {"type":"ok",…}             what the server says to ann
/// ann>> {"type":"pi                bytes; \n \r \t \\ \xFF \(a*5000) are escapes
/// advance 15000                    milliseconds pass
/// ann> {…"secret":"$bob"}          a secret: the same wherever the same word stands; `$server` and `$list` are digests of the coming
///                                  shoe, `$ann_contribution` with `$ann_commitment`, and `$ann_other…`, what ann has for it
/// cut ann                          the connection is lost
/// ann closed                       the server closes the connection
/// host kick ann Why                the host sends ann home; `host drain 60000 Why`, `host own ann -`
/// ```
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
            if line.hasPrefix("== ") { player = Player(onTable: onTable) }
            result.append(line)
            result += try player.carryOut(line)
        }
        return result.joined(separator: "\n")
    }

    private static func isAnswer(_ line: String) -> Bool {
        guard let name = line.prefix(while: { $0.isLetter || $0.isNumber }) as Substring?, !name.isEmpty else { return false }
        let rest = line.dropFirst(name.count)
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
        var limits: [String: Int] = [:]
        private(set) lazy var server = makeServer()
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
            if let limit = limits["connections"] { configuration.maximumConnections = limit }
            if let limit = limits["perAddress"] { configuration.maximumConnectionsPerAddress = limit }
            if let limit = limits["viewers"] { configuration.maximumViewers = limit }
            if let limit = limits["requests"] { configuration.requests = .perSecond(1, burst: limit) }
            let server = VirtualServer(configuration, seed: seed)
            server.keepsHistory = limits["history"] != 0
            if limits["perAddress"] != nil { server.address = IPAddress("203.0.113.9") }
            return server
        }

        // MARK: Steps

        mutating func carryOut(_ line: String) throws -> [String] {
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix("== ") { return [] }
            if let mark = line.firstIndex(of: ">"), let index = names.firstIndex(of: String(line[..<mark])) {
                let rest = line[mark...].dropFirst()
                if rest.hasPrefix(">") {
                    try receive(try Self.unescaped(rest.dropFirst(2)), from: UInt64(index))
                } else {
                    server.receive(filled(String(rest.dropFirst())), from: UInt64(index))
                }
                return try said()
            }
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { throw Mistake(line: line) }
            switch words[0] {
            case "rules": rules = try HouseRules.parse(Array(words[1].utf8))
            case "seed": seed = UInt64(words[1]) ?? 1
            case "ceremonies": ceremonies = words[1] == "on"
            case "tables": tables = words[1].split(separator: " ").map(String.init)
            case "limit":
                let parts = words[1].split(separator: " ").map(String.init)
                limits[parts[0]] = parts.dropFirst().first.flatMap { Int($0) }
            case "connect": connect(words[1])
            case "cut": try cut(words[1], line)
            case "host": try host(words[1], line)
            case "advance": server.advance(Int64(words[1]) ?? 0)
            case "cards": try stack(words[1])
            case "greet", "enter", "seat", "contribute", "watch", "deal": return try begin(words[0], words[1], line)
            default: throw Mistake(line: line)
            }
            return isConfiguring(words[0]) ? [] : try said()
        }

        /// The server is made by the first step that needs it.
        private func isConfiguring(_ word: String) -> Bool {
            ["rules", "seed", "ceremonies", "tables", "limit"].contains(word)
        }

        private mutating func connect(_ name: String) {
            if !names.contains(name) { names.append(name) }
            let connection = UInt64(names.firstIndex(of: name) ?? 0)
            (views[name], framers[connection]) = (nil, nil)
            server.connect(connection)
        }

        private mutating func cut(_ name: String, _ line: String) throws {
            guard let index = names.firstIndex(of: name) else { throw Mistake(line: line) }
            server.cut(UInt64(index))
        }

        private mutating func host(_ words: String, _ line: String) throws {
            let parts = words.split(separator: " ", maxSplits: 2).map(String.init)
            guard parts.count == 3, let shard = server.shard else { throw Mistake(line: line) }
            switch parts[0] {
            case "kick":
                guard let id = try shard.player(like: PlayerName(parts[1])) else { throw Mistake(line: line) }
                _ = shard.kick(id, reason: parts[2], at: server.now)
            case "drain": shard.drain(at: server.now, deadline: Int64(parts[1]).map { server.now + $0 }, reason: parts[2])
            case "own": try server.own(shard.hostedTables[0].name, by: parts[1])
            default: throw Mistake(line: line)
            }
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
                let table = server.shard.hostedTables[0].name
                if word != "greet" { lines.append(#"{"type":"login","name":"\#(parts[0])"\#(secret)\#(fair)}"#) }
                if word == "watch" { lines.append(#"{"type":"watch","table":"\#(table)"}"#) }
                if word == "seat" || word == "contribute" { lines.append(#"{"type":"sit","table":"\#(table)"}"#) }
            }
            guard let index = names.firstIndex(of: parts[0]) else { throw Mistake(line: line) }
            for line in lines { server.receive(filled(line), from: UInt64(index)) }
            return try said().filter { !$0.hasPrefix(parts[0] + "<") }
        }

        /// Puts cards on top of the first table's shoe, which counts as shuffled.
        mutating func stack(_ cards: String) throws {
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
            let table = server.shard.hostedTables[0]
            return line.replacing(/"\$([a-z0-9]+)(_[a-z_]+)?"/) {
                "\"\(Self.value(String($0.1), $0.2.map(String.init), table))\""
            }
        }

        private static func value(_ name: String, _ kind: String?, _ table: HostedTable) -> String {
            guard kind != nil || name == "server" || name == "list" else { return secret(of: name).digits }
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
            try server.take().map { output in
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
