import Foundation
import Journal
import TestKit
import Testing

@testable import Postgres

/// Failures of a database, from a server that answers by a script.
@Suite(.ownThread)
final class FailureTests {
    private typealias Answer = ScriptedServer.Answer
    private var servers: [ScriptedServer] = []

    deinit { for server in servers { server.stop() } }

    /// Reads of files are answered with a file of 100 bytes, changes with one row, unless `answer` says otherwise.
    private func server(
        standby: Bool = false, _ answer: @escaping @Sendable (String, Int) -> ScriptedServer.Answer?
    ) throws -> ScriptedServer {
        let greeting =
            message("R", number(0)) + ScriptedServer.settings(standby: standby) + message("K", number(7) + number(1))
            + ScriptedServer.ready
        let server = try ScriptedServer(greeting: .bytes(greeting)) { statement, number in
            let file = statement == "file" ? Answer.row([5, 100, 0, 0].map(ScriptedServer.int8)) : nil
            return answer(statement, number) ?? file
        }
        servers.append(server)
        return server
    }

    private func write(_ server: ScriptedServer, url: DatabaseURL? = nil, timeout: Int = 60_000, times: Int = 1) throws {
        let storage = PostgresStorage(url ?? server.url, partition: 1, access: .owner(epoch: 3), timeout: timeout)
        let file = try storage.open("segment", forWriting: true)
        for place in 0..<times { try storage.write([1, 2, 3], to: file, at: 3 * place) }
    }

    @Test func aCommitThatWasNotAnswered_isSentAgain_andIsStoredAlready() throws {
        let server = try server { statement, number in
            statement == "write" ? (number == 1 ? .cut : .error("23505")) : nil
        }
        try write(server)
        // The last one waits for the standby, which the first attempt may not have done.
        #expect(server.statements == ["file", "write", "write", "barrier"])
    }

    @Test func aCommitThatWasNotAnswered_isSentAgain_andIsStoredNow() throws {
        let server = try server { statement, number in statement == "write" && number == 1 ? .cut : nil }
        try write(server)
        #expect(server.statements == ["file", "write", "write"])
    }

    /// The writer's epoch is 3; an earlier one is that of a database that was rolled back.
    @Test(arguments: [(UInt8(4), StorageError.Kind.fenced), (UInt8(2), StorageError.Kind.lost)] as [(UInt8, StorageError.Kind)])
    func aCommitThatWasNotAnswered_isSentAgain_andThePartitionHasAnotherEpoch(epoch: UInt8, kind: StorageError.Kind) throws {
        let server = try server { statement, number in
            switch statement {
            case "write": number == 1 ? .cut : .rows(0)
            case "lease":
                .row([1, Int64(epoch), 0].map(ScriptedServer.int8) + [Array("other".utf8), ScriptedServer.int8(0), []])
            default: nil
            }
        }
        #expect(failure { try write(server) }?.kind == kind)
    }

    @Test func aKeyThatIsThere_withoutAnEarlierAttempt_isAnError() throws {
        let server = try server { statement, _ in statement == "write" ? .error("23505") : nil }
        #expect(failure { try write(server) }?.sqlState == "23505")
    }

    @Test func afterANewConnection_theChunkAcknowledgedLast_hasToBeThere() throws {
        let server = try server { statement, number in
            switch statement {
            case "write": number == 2 ? .cut : nil
            case "chunk": .rows(0)
            default: nil
            }
        }
        let error = failure { try write(server, times: 2) }
        #expect(error?.kind == .lost)
        #expect(error.map { $0.description.contains("promoted") } == true)
        // Not sent again: another history would go on with it.
        #expect(server.statements == ["file", "write", "write", "chunk"])
    }

    @Test func aServerThatNeverAnswers_isLeftAtTheDeadline_andAnUnansweredWriteGoesOnAtTheNextCall() throws {
        let server = try server { statement, number in
            statement == "write" ? (number == 1 ? .freeze : .error("23505")) : nil
        }
        // One attempt: all of the time.
        let storage = PostgresStorage(server.url, partition: 1, access: .owner(epoch: 3), timeout: 3000, firstTimeout: 3000)
        let file = try storage.open("segment", forWriting: true)
        #expect(failure { try storage.write([1, 2, 3], to: file, at: 0) }?.kind == .unavailable)
        // Another write in its place would cover the one in doubt.
        #expect(failure { try storage.write([4], to: file, at: 3) }?.kind == .failed)
        try storage.write([1, 2, 3], to: file, at: 0)
        #expect(server.statements.suffix(2) == ["write", "barrier"])
    }

    /// A connection that hangs, to a server that answers on others.
    @Test func aConnectionWithoutAnAnswer_isGivenUpForAnother_longBeforeTheCall() throws {
        let server = try server { statement, number in statement == "write" && number < 3 ? .freeze : nil }
        let storage = PostgresStorage(server.url, partition: 1, access: .owner(epoch: 3), timeout: 600_000, firstTimeout: 300)
        try storage.write([1, 2, 3], to: storage.open("segment", forWriting: true), at: 0)
        #expect(server.statements.count { $0 == "write" } >= 3)
    }

    @Test func aWarningOnAChange_isAFailure() throws {
        let words = "canceling wait for synchronous replication due to user request"
        let server = try server { statement, _ in
            guard statement == "write" else { return nil }
            return .bytes(
                notice("N", severity: "WARNING", state: "01000", words) + message("C", text("INSERT 0 1")) + ScriptedServer.ready)
        }
        #expect(failure { try write(server) }?.text == words)
    }

    @Test(arguments: ["53100", "40001"])
    func anErrorOfAStatement_hasItsState(_ state: String) throws {
        let server = try server { statement, _ in statement == "write" ? .error(state) : nil }
        let error = failure { try write(server) }
        #expect(error?.sqlState == state)
        #expect(error?.isFull == (state == "53100"))
        #expect(error?.kind == .failed)
    }

    @Test(arguments: ["57P01", "53300"])
    func aServerThatStopsOrHasNoConnections_isTriedAgain(_ state: String) throws {
        let server = try server { statement, number in
            statement == "write" && number < 3 ? .bytes(notice("E", severity: "FATAL", state: state, "later")) : nil
        }
        try write(server)
        #expect(server.statements.count { $0 == "write" } == 3)
    }

    @Test func ofSeveralHosts_theOneThatIsNoStandbyIsUsed() throws {
        let standby = try server(standby: true) { _, _ in nil }
        let primary = try server { _, _ in nil }
        let url = try DatabaseURL("postgres://bj@/bj?host=/nowhere,\(standby.folder),\(primary.folder)")
        try write(primary, url: url)
        #expect(standby.statements == [])
        #expect(throws: DatabaseError.away("\(standby.url.hosts[0]): a standby")) {
            try DatabaseConnection.open(standby.url, by: .after(600_000))
        }
    }

    @Test func aClaimThatWasNotAnswered_isLookedUp() throws {
        let server = try server { statement, _ in
            switch statement {
            case "claim": return .cut
            case "lease", "renew":
                let int8 = ScriptedServer.int8
                return .row([int8(1), int8(8), int8(0), Array("me".utf8), int8(0), []])
            default: return nil
            }
        }
        let lease = PostgresLease(server.url, partition: 1)
        #expect(try lease.claim(from: LeaseStatus(owner: nil, epoch: 7, renewals: 0), as: "me") == 8)
        #expect(try lease.claim(from: LeaseStatus(owner: nil, epoch: 7, renewals: 0), as: "other") == nil)
        // The commit after the claim has waited for the standby.
        #expect(server.statements == ["claim", "lease", "renew", "claim", "lease"])
    }
}
