import Fairness
import Foundation
import TableModel
import TestKit
import Testing
import Wire

@testable import ServerCore

/// Clients at table `main` of a server, connections 1, 2, …, that contribute when they are told to.
final class Contributors {
    var server: VirtualServer
    /// Contributions by commitment of the server and connection: they outlive a server.
    private var bytes: [Digest: [ConnectionID: ShoeSecret]] = [:]
    private var random = SeededGenerator(seed: 5)

    init(_ server: VirtualServer) { self.server = server }

    static func name(_ connection: ConnectionID) -> String { "player-\(connection)" }

    var table: TableSnapshot { server.shard.shown("main")?.snapshot ?? TableSnapshot() }

    var next: NextShoe? { table.nextShoe }

    /// Logs in, and sits down unless a seat is held.
    func enter(_ connection: ConnectionID, fair: Bool = true) {
        server.connect(connection)
        let name = Self.name(connection)
        let login = #"{"type":"login","name":"\#(name)","secret":"\#(secret(of: name).digits)","fair":\#(fair)}"#
        server.receive(login, from: connection)
        server.receive(table.seats(of: name).isEmpty ? #"{"type":"sit"}"# : #"{"type":"watch"}"#, from: connection)
    }

    func enter(_ connections: ClosedRange<ConnectionID>) { for connection in connections { enter(connection) } }

    func commit(_ connections: ClosedRange<ConnectionID>) throws { for connection in connections { try commit(connection) } }

    func reveal(_ connections: ClosedRange<ConnectionID>) throws { for connection in connections { try reveal(connection) } }

    func contribute(_ connections: ClosedRange<ConnectionID>) throws {
        try commit(connections)
        try reveal(connections)
    }

    func commit(_ connection: ConnectionID) throws {
        let next = try #require(next)
        let mine = bytes[next.commitment]?[connection] ?? ShoeSecret(using: &random)
        bytes[next.commitment, default: [:]][connection] = mine
        let name = Self.name(connection)
        let commitment = mine.contribution(table: "main", shoe: next.shoe, player: name, to: next.commitment)
        server.receive(
            #"{"type":"commit","server":"\#(next.commitment.base64)","commitment":"\#(commitment.base64)","id":"c"}"#,
            from: connection)
    }

    func reveal(_ connection: ConnectionID) throws {
        guard let next, case .revealing(let list) = next.stage else { throw Absent() }
        let mine = try #require(bytes[next.commitment]?[connection])
        let digest = list.listDigest(server: next.commitment)
        server.receive(
            #"{"type":"reveal","list":"\#(digest.base64)","contribution":"\#(mine.base64)","id":"r"}"#, from: connection)
    }

    struct Absent: Error {}

    /// Everybody bets and stands until the round is settled.
    func playRound(_ connections: ClosedRange<ConnectionID>) {
        for connection in connections { server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: connection) }
        finishRound(connections)
    }

    /// Plays rounds while a condition holds, at most a hundred.
    func playRounds(_ connections: ClosedRange<ConnectionID>, while condition: () -> Bool) throws {
        for _ in 0..<100 {
            guard condition() else { return }
            playRound(connections)
        }
        throw Absent()
    }

    func finishRound(_ connections: ClosedRange<ConnectionID>) {
        for _ in 0..<60 where table.phase == .playing || table.phase == .insurance {
            for connection in connections {
                let action = table.phase == .insurance ? "decline" : "stand"
                server.receive(#"{"type":"act","action":"\#(action)","turn":"now"}"#, from: connection)
            }
        }
        server.advance(1000)
    }

    /// The proof of a shoe, as the server gives it; nil: refused.
    func proof(_ shoe: Int?, madeFor commitment: Digest? = nil, by connection: ConnectionID = 1) throws -> ShoeProof? {
        _ = server.take()
        let made = commitment.map { #","table":"main","commitment":"\#($0.base64)""# } ?? ""
        server.receive(#"{"type":"proof"\#(shoe.map { ",\"shoe\":\($0)" } ?? "")\#(made)}"#, from: connection)
        let line = try #require(server.take(connection).last)
        let message = try Array(line.utf8).withUnsafeBufferPointer { try ServerMessage(line: $0) }
        if case .ok(_, .proof(let proof)) = message { return proof }
        return nil
    }
}

extension NextShoe {
    var isRevealing: Bool { if case .revealing = stage { true } else { false } }
}
