import CommandLineKit
import Foundation
import ServerCore
import Sockets

/// The words for a host at a terminal, in place of the log. Pure, but for ``isShown``.
enum HostView {
    /// True when standard error is a terminal.
    static let isShown = isatty(2) == 1

    /// The line for friends to paste into a terminal, and the machine's other addresses that they can reach.
    /// - Parameters:
    ///   - tables: one is named, with its pass phrase; of several, friends choose.
    ///   - host: the address listened on; `0.0.0.0` and `::` stand for all of the machine.
    ///   - machine: the machine's addresses.
    static func invitation(host: String, port: Int, machine: [String], to tables: [ShardConfiguration.TableSetting]) -> [String] {
        let hosts = reachable(host, machine: machine)
        let table = tables.count == 1 ? " --table \(tables[0].name)\(Console.passOption(tables[0].pass))" : ""
        func line(_ host: String) -> String { "  bjclient \(Endpoint(host: host, port: UInt16(clamping: port)))\(table)" }
        guard let first = hosts.first else {
            return ["No network is up. Players on this machine can paste this line into a terminal:", line("127.0.0.1")]
        }
        if isLocal(host) {
            return [
                "Players on this machine can paste this line into a terminal:", line(first),
                "To let others join, listen on all addresses: bjserver --listen :\(port)",
            ]
        }
        let others = hosts.dropFirst().map { "\(Endpoint(host: $0, port: UInt16(clamping: port)))" }
        let more = others.isEmpty ? [] : ["This machine is also at \(others.joined(separator: ", "))"]
        return ["Friends can paste this line into a terminal:", line(first)] + more
    }

    /// The addresses at which players reach a server that listens on `host`.
    static func reachable(_ host: String, machine: [String]) -> [String] {
        guard host == "0.0.0.0" || host == "::" else { return [host] }
        return machine.filter { !isLocal($0) && (host == "::" || !$0.contains(":" as Character)) }
    }

    /// A code of 80 random bits, in groups of four letters and digits without those that look alike.
    static func ownerCode() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        return (0..<4).map { _ in String((0..<4).map { _ in letters[Int.random(in: letters.indices)] }) }.joined(separator: "-")
    }

    /// Advice for the host who passes the line on.
    static let ownerAdvice =
        "paste this line to own the table (valid once, for an hour); replace the address for players elsewhere"

    /// Loopback, or an address of one link, which others cannot use as it is.
    private static func isLocal(_ host: String) -> Bool {
        host == "localhost" || host.hasPrefix("127.") || host == "::1" || host.hasPrefix("169.254.")
            || host.lowercased().hasPrefix("fe80:")
    }

    /// Scalars of a sentence at most; `…` marks a cut.
    static let longest = 1000

    /// Coming and going, the start and the end as a sentence with its time; nil for other lines of the log.
    static func words(for line: LogLine) -> String? {
        words(of: line).map { sentence((line.level == .info ? "" : "Warning: ") + $0, at: line.time) }
    }

    private static func words(of line: LogLine) -> String? {
        func field(_ key: String) -> String { line.fields.first { "\($0.key)" == key }?.value ?? "?" }
        func count(_ key: String, _ one: String, _ many: String) -> String { "\(field(key)) \(field(key) == "1" ? one : many)" }
        let (name, table, hands) = (field("name"), field("table"), field("hands"))
        let kept = field("data") == "none" ? "Chips are not kept (--data none)." : "Chips are kept in \(field("data"))."
        switch "\(line.event)" {
        case "login": return "\(name) logged in from \(field("address"))."
        case "gone": return "\(name) left."
        case "sat": return "\(name) took seat \(field("seat")) at \(table)."
        case "left": return "\(name) left \(table) with \(field("chips")) chips."
        case "kicked": return "\(field("owner")) kicked \(name) from \(table)."
        case "table_owned": return "\(field("owner")) owns table \(table)."
        case "started":
            let process = "bjserver \(field("version")) started as process \(field("pid")), \(field("role")),"
            return "\(process) with data in \(field("data"))."
        case "recovered":
            let tables = count("open_tables", "open table", "open tables")
            return "\(count("known_accounts", "account", "accounts")) and \(tables) loaded from \(field("data"))."
        case "seeded": return "Cards are predictable: --seed is for tests only."
        case "stopping":
            let limit = ValueFormat.milliseconds(0...Int.max).print(Int(field("drain_timeout_ms")) ?? 0)
            let are = count("hands", "hand is", "hands are")
            let again = field("cause") == "SIGINT" ? "Ctrl-C again" : "A second signal"
            let played = hands == "0" ? "No hand is in play." : "\(are) played out, for at most \(limit)."
            return "Draining: no new seats. \(played) \(again) stops at once and returns the bets. \(kept)"
        case "suspending":
            let going = hands == "0" ? "No hand is in play." : "\(count("hands", "hand resumes", "hands resume")) on restart."
            return "Stopping; all seats are kept. \(going) \(kept)"
        case "stopping_at_once": return "Stopping at once; bets are returned. \(kept)"
        case "draining": return "The tables are closing."
        case "leaderboard":
            let net = (Int(field("net")) ?? 0) > 0 ? "+" + field("net") : field("net")
            let player = name + (field("bot") == "yes" ? " (a bot)" : "")
            return
                "Place \(field("place")): \(player), \(net) chips in \(count("rounds", "round", "rounds")), biggest win \(field("biggest_win"))."
        case "stopped":
            let wrong = field("imbalance") == "0" ? "" : " The chips do NOT add up: \(field("imbalance"))."
            return "Stopped after \(count("rounds", "round", "rounds")).\(wrong)"
        default: return nil
        }
    }

    /// A sentence with a time, `01:02:03Z  ann comes in.`
    /// - Parameter time: milliseconds since 1970.
    static func sentence(_ text: String, at time: Int64) -> String {
        let clock = RFC3339(time).description.dropFirst(11).prefix(8)
        // Names and tables may hold any letters: nothing reaches the terminal's controls.
        let visible = String(Console.visible(text).map { $0 == "\n" || $0 == "\t" ? " " : $0 })
        let scalars = visible.unicodeScalars
        return "\(clock)Z  " + (scalars.count > longest ? String(scalars.prefix(longest - 1)) + "…" : visible)
    }
}

/// The addresses of this machine's interfaces that are up, the one first that other machines know it by: others may be of bridges.
enum MachineAddresses {
    /// The sender's address of packets to other networks. Connecting a socket for datagrams sends nothing.
    private static var outward: String? {
        // Of TEST-NET-2 (RFC 5737): nobody's.
        guard let address = SocketAddress.numeric(host: "198.51.100.1", port: 9)?.first else { return nil }
        // SOCK_DGRAM, which each system's module has in a type of its own.
        let datagrams = socket(AF_INET, 2, 0)
        defer { close(datagrams) }
        return address.withPointer { connect(datagrams, $0, $1) } == 0 ? SocketAddress.bound(to: datagrams)?.host : nil
    }

    static var all: [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [String] = []
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry, let address = entry.pointee.ifa_addr, entry.pointee.ifa_flags & UInt32(IFF_UP) != 0 else { continue }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            found.append(SocketAddress(copying: address, socklen_t(size)).host)
        }
        let outward = outward
        return found.filter { $0 == outward } + found.filter { $0 != outward }
    }
}
