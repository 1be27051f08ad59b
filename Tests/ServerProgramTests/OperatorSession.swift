import Foundation
import TestKit
import Testing

/// Commands of operators and lines of players with the programs' output, written down as typed.
///
/// ```
/// == title                           a folder of its own, in which everything runs
/// postgres                           … and a database, whose URL is `$DB`
/// $ bjserver audit data              a command of the shell, which has to end with the status 0
///   imbalance 0                      a part of its output or its errors
/// ! contradiction                    not a part of it
/// = 65                               the status instead of 0
/// $ ctl tables                       `bjserver ctl --data data`, which waits longer
/// $* bjserver ctl …                  again and again, until what is below holds
/// start one --data data --create     a server on a port of its own, `$one`, without waits between rounds
/// begin two --data "$DB"             … that need not listen yet: `up two` waits until it does
/// metrics one                        … whose port for metrics is `$metrics`
/// signal one STOP
/// end one TERM                       sends the signal, if there is one, and waits for the end; below are status and parts of the log
/// log one                            waits until the log has the parts below
/// connect ann one                    a client
/// enter ann one                      … who logs in; below are parts of the reply
/// account ann one                    … and had a seat
/// ann> {"type":"sit"}                `"$bob"` is the secret of bob
/// ann< "snapshot"                    waits for a line with that; below are other parts of it
/// ask ann {"type":"sit","id":"?"}    a request, again and again, until its reply has the parts below
/// ann closed
/// sql DELETE …
/// database stop                      … `crash`, `start`
/// ```
final class OperatorSession {
    struct Scene: CustomTestStringConvertible {
        let testDescription: String
        let lines: [String]
    }

    static func scenes(of text: String) -> [Scene] {
        text.components(separatedBy: "\n== ").map { $0.hasPrefix("== ") ? String($0.dropFirst(3)) : $0 }.compactMap { scene in
            let lines = scene.components(separatedBy: "\n")
            return lines[0].hasPrefix("#") ? nil : Scene(testDescription: lines[0], lines: Array(lines.dropFirst()))
        }
    }

    private struct Step {
        let line: String
        var parts: [String] = []
        var absent: [String] = []
        var status: Int32?

        /// The first expectation that does not hold; nil if all do.
        func fault(in text: String, status: Int32) -> String? {
            if let wanted = self.status, wanted != status { return "the status is \(status)" }
            if let part = parts.first(where: { !text.contains($0) }) { return "there is no '\(part)'" }
            return absent.first(where: text.contains).map { "there is '\($0)'" }
        }
    }

    private struct Mistake: Error { let line: String }

    private let scratch = DataScratch()
    private var database: PostgresServer?
    private var servers: [String: ShellServer] = [:]
    private var ports: [String: Int] = [:]
    private var peers: [String: RawPeer] = [:]
    private var asked = 0

    init() throws { try FileManager.default.createDirectory(atPath: scratch.path("config"), withIntermediateDirectories: true) }

    deinit { database?.remove() }

    func play(_ scene: Scene) throws {
        var steps: [Step] = []
        for line in scene.lines where !line.isEmpty && !line.hasPrefix("#") {
            let rest = String(line.dropFirst(2))
            switch line.prefix(2) {
            case "  ": steps[steps.count - 1].parts.append(rest)
            case "! ": steps[steps.count - 1].absent.append(rest)
            case "= ": steps[steps.count - 1].status = Int32(rest)
            default: steps.append(Step(line: line))
            }
        }
        for var step in steps {
            let isEnding = step.line.hasPrefix("end ") && !step.line.hasSuffix(" KILL")
            if step.status == nil, step.line.hasPrefix("$") || isEnding { step.status = 0 }
            var (text, status): (String, Int32) = ("", 0)
            let isRepeated = ["$* ", "log ", "ask "].contains { step.line.hasPrefix($0) }
            _ = try Waiting.until {
                (text, status) = try carryOut(step.line)
                return !isRepeated || step.fault(in: text, status: status) == nil
            }
            if let fault = step.fault(in: text, status: status) {
                Issue.record("\(scene.testDescription)\n\(step.line)\n\(fault):\n\(text)")
                return
            }
        }
    }

    /// - Returns: what is seen then, and a status.
    private func carryOut(_ line: String) throws -> (text: String, status: Int32) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        if words[0] == "$" || words[0] == "$*" {
            let command = line[line.index(line.startIndex, offsetBy: words[0].count + 1)...]
            let ending = try scratch.run("/bin/sh", ["-c", shell(String(command))])
            return (ending.text, ending.status)
        }
        if words[0].hasSuffix(">") || words[0].hasSuffix("<") || line.hasSuffix(" closed") { return (try talk(line), 0) }
        let name = words.dropFirst().first ?? ""
        let rest = words.dropFirst(2).first ?? ""
        switch words[0] {
        case "postgres": database = try PostgresServer()
        case "sql": try database?.sql(String(line.dropFirst(4)))
        case "database": if name == "start" { try database?.start() } else { database?.stop(abruptly: name == "crash") }
        case "start", "begin":
            servers[name] = try ShellServer(
                shell("exec \"$0\" --listen 127.0.0.1:0 --settle 0s --request-rate 100000 \(rest) 2>\"$1/log\""))
            if words[0] == "start" { ports[name] = try server(name).port() }
        case "up": ports[name] = try server(name).port()
        case "metrics": ports["metrics"] = try server(name).port("metrics on 127.0.0.1:")
        case "signal": try server(name).signal(Self.signal(rest))
        case "end":
            let server = try server(name)
            if !rest.isEmpty { server.signal(Self.signal(rest)) }
            let status = server.status()
            return (server.log, status)
        case "log": return (try server(name).log, 0)
        case "connect", "enter", "account":
            let peer = try #require(RawPeer(port: ports[rest] ?? 0))
            peers[name] = peer
            guard words[0] != "connect" else { break }
            peer.send(#"{"type":"login","name":"\#(name)","secret":"\#(Self.secret(name))","id":"l"}"#)
            let reply = try #require(peer.line(with: #""id":"l""#))
            guard words[0] == "account" else { return (reply, 0) }
            for line in [#"{"type":"sit"}"#, #"{"type":"leave","id":"gone"}"#] { peer.send(line) }
            _ = try #require(peer.line(with: #""id":"gone""#))
        case "ask": return (try ask(name, rest), 0)
        default: throw Mistake(line: line)
        }
        return ("", 0)
    }

    private func server(_ name: String) throws -> ShellServer {
        guard let server = servers[name] else { throw Mistake(line: name) }
        return server
    }

    private static func signal(_ name: String) -> Int32 {
        ["TERM": SIGTERM, "KILL": SIGKILL, "INT": SIGINT, "HUP": SIGHUP, "STOP": SIGSTOP, "CONT": SIGCONT][name] ?? SIGTERM
    }

    /// A command in the folder, which finds our programs.
    private func shell(_ command: String) -> String {
        let names = ports.map { "\($0)=\($1)" } + (database.map { ["DB='\($0.url())'", "DBHOST='\($0.folder)'"] } ?? [])
        let programs = URL(filePath: ShellServer.program).deletingLastPathComponent().path
        let variables = names + ["PATH='\(programs)'\":$PATH\"", "XDG_CONFIG_HOME='\(scratch.path("config"))'"]
        let words = "ctl() { bjserver ctl --data data --timeout 2m \"$@\"; }"
        return "export \(variables.joined(separator: " ")); cd '\(scratch.path(""))' || exit; \(words); \(command)"
    }

    // MARK: Clients

    private static func secret(_ name: String) -> String {
        let digits = name.utf8.map { String($0, radix: 16) }.joined()
        return String(String(repeating: digits, count: 64).prefix(64))
    }

    private static func filled(_ line: String) -> String {
        line.replacing(/"\$([a-z]+)"/) { "\"\(secret(String($0.1)))\"" }
    }

    private func talk(_ line: String) throws -> String {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard let peer = peers[String(words[0].prefix { $0 != ">" && $0 != "<" })], words.count == 2 else {
            throw Mistake(line: line)
        }
        if words[0].hasSuffix("<") { return try #require(peer.line(with: words[1]), "\(line)") }
        if words[0].hasSuffix(">") {
            peer.send(Self.filled(words[1]))
        } else {
            #expect(peer.isClosedByServer(), "\(line)")
        }
        return ""
    }

    private func ask(_ name: String, _ request: String) throws -> String {
        guard let peer = peers[name] else { throw Mistake(line: name) }
        asked += 1
        peer.send(Self.filled(request).replacing("\"?\"", with: "\"\(name)-\(asked)\""))
        return try #require(peer.line(with: "\"id\":\"\(name)-\(asked)\""))
    }
}
