import Foundation
import Rules
import Wire

@testable import ServerCore

/// A session written down as it reads: what was done, and what was said because of it.
///
/// ```
/// # a remark
/// rules {"minimumBet":5}           before anything else: the server rules
/// seed 7                           … and the seed of every shoe
/// tables low high                  … and the tables
/// ceremonies on                    … whose shoes are made in ceremonies; without this line, of the seed alone
/// connect ann
/// ann> {"type":"login","name":"ann"}
/// ann< {"type":"ok",…}             what the server says to ann
/// advance 15000                    milliseconds pass
/// ann> {…"secret":"$bob"}          a secret: the same wherever the same word stands
/// cut ann                          the connection is lost
/// ann closed                       the server closes the connection
/// host kick ann Why                the host sends ann home; `host drain 60000 Why`
/// ```
struct Session {
    /// The session with what was really said, in the same form.
    static func replay(_ script: String) throws -> String {
        var player = Player()
        var result: [String] = []
        for line in script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if isAnswer(line) { continue }
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

    private struct Player {
        var rules = HouseRules()
        var seed: UInt64 = 1
        var tables = ["main"]
        var ceremonies = false
        var server: VirtualServer?
        var names: [String] = []

        mutating func carryOut(_ line: String) throws -> [String] {
            if line.isEmpty || line.hasPrefix("#") { return [] }
            if let mark = line.firstIndex(of: ">"), let index = names.firstIndex(of: String(line[..<mark])) {
                server?.receive(filled(String(line[mark...].dropFirst(2))), from: UInt64(index))
                return said()
            }
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { throw Mistake(line: line) }
            switch words[0] {
            case "rules": rules = try HouseRules.parse(Array(words[1].utf8))
            case "seed": seed = UInt64(words[1]) ?? 1
            case "ceremonies": ceremonies = words[1] == "on"
            case "tables": tables = words[1].split(separator: " ").map(String.init)
            case "connect":
                if server == nil {
                    server = VirtualServer.small(rules: rules, seed: seed, tables: tables, ceremonies: ceremonies)
                }
                if !names.contains(words[1]) { names.append(words[1]) }
                server?.connect(UInt64(names.firstIndex(of: words[1]) ?? 0))
            case "cut": server?.cut(UInt64(names.firstIndex(of: words[1]) ?? 0))
            case "host": try host(words[1], line)
            case "advance": server?.advance(Int64(words[1]) ?? 0)
            default: throw Mistake(line: line)
            }
            return said()
        }

        private func host(_ words: String, _ line: String) throws {
            let parts = words.split(separator: " ", maxSplits: 2).map(String.init)
            guard parts.count == 3, let server, let shard = server.shard else { throw Mistake(line: line) }
            switch parts[0] {
            case "kick":
                guard let id = try shard.player(like: PlayerName(parts[1])) else { throw Mistake(line: line) }
                _ = shard.kick(id, reason: parts[2], at: server.now)
            case "drain": shard.drain(at: server.now, deadline: Int64(parts[1]).map { server.now + $0 }, reason: parts[2])
            default: throw Mistake(line: line)
            }
        }

        private func filled(_ line: String) -> String {
            line.replacing(/"\$([a-z0-9]+)"/) { "\"\(secret(of: String($0.1)).digits)\"" }
        }

        private func said() -> [String] {
            (server?.take() ?? []).map { output in
                switch output {
                case .line(let connection, let text):
                    return "\(names[Int(connection)])< \(text)"
                case .closed(let connection): return "\(names[Int(connection)]) closed"
                }
            }
        }
    }
}
