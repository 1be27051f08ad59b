import Foundation
import Records
import Sockets
import Testing
import Wire

@testable import ServerCore

/// The bounds of SECURITY.md that have no setting; `DocumentationTests` has the others.
@Test func theBoundsThatSecurityNames_areThoseOfTheServer() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "SECURITY.md"), encoding: .utf8).replacing(",", with: "")
    let (address, shard, connection) = (AddressLimits(), ShardConfiguration(tables: []), Server.Options().limits)
    func rate(_ limit: RateLimit, _ what: String = "") -> String {
        "\(limit.count) \(what)a \(limit.milliseconds == 1000 ? "second" : "minute") \(limit.burst) at once"
    }
    let rows = [
        "refused connections": "\(Server.Options().lingering)", "such connections": "\(Server.lingeringPerAddress)",
        "time for which they": "\(connection.linger / 1000) s",
        "connections of an address": "\(shard.maximumConnectionsPerAddress)",
        "time to log in": "\(shard.loginMilliseconds / 60_000) min", "silence": "\(shard.idleMilliseconds / 60_000) min",
        "length": "\(WireLimits.requestBytes) bytes", "nesting": "\(WireLimits.depth)", "members": "\(WireLimits.members)",
        "chat of an account": rate(shard.chat, "lines "),
        "new connections": rate(address.connecting), "logins": rate(address.loggingIn),
        "requests of an address": rate(address.asking),
        "players whom": "\(SentAway.capacity) of a table", "ranked": "\(Leaderboard.capacity)",
        "chat of an address": rate(address.talking, "lines "),
        "requests before a login": rate(address.strangers),
        "wrong secrets":
            "\(address.freeFailures) are free the \(address.freeFailures + 1)th costs a wait of 0.5 s doubling up to \(address.longestDelay / 60_000) min; one is forgiven a minute",
        "wrong pass phrases": rate(AdmittedPlayers.guesses),
        "bytes that wait for a": "\(connection.outboundBytes >> 10) KiB",
        "bytes that wait for all": "\(Server.Options().outboundTotal >> 20) MiB",
        "time in which a client": "\(connection.outboundStall / 1000) s",
        "viewers of a table": "\(shard.maximumViewers)",
    ]
    for (name, bound) in rows {
        let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| \(name)") }, "\(name)")
        #expect(row.contains("\(bound) |"), "\(name): \(bound)")
    }
}
