import Records
import TestKit
import Testing
import Wire

@testable import ServerCore

/// An operator's changes of accounts, resident and dormant.
struct AccountChangeTests {
    private let server = VirtualServer.plain { $0.maximumAccounts = 2 }

    /// A player with an account, and no seat.
    private func enter(_ name: String, _ connection: ConnectionID) -> String {
        server.connect(connection)
        return [login(name), #"{"type":"sit"}"#, #"{"type":"leave"}"#].map { server.say($0, connection) }.joined(separator: "\n")
    }

    /// A player whose account is dormant.
    private func leave(_ name: String, _ connection: ConnectionID) throws {
        _ = enter(name, connection)
        try server.establish(name)
        server.receive(#"{"type":"logout"}"#, from: connection)
        server.cut(connection)
    }

    /// Changes an account.
    private func change(_ name: String, _ change: AccountChange) throws -> (account: AccountSummary, records: [String]) {
        let before = server.records.count
        let account = try server.shard.change(PlayerName(name), change, at: server.now)
        let records = server.records[before...].split(separator: 10)
        return (account, records.map { String(decoding: $0, as: UTF8.self).replacing("\(server.now)", with: "NOW") })
    }

    @Test func aDormantAccount_isChangedInTheStore_withARecord() throws {
        try leave("ann", 1)
        let credited = try change("ANN", .credit(500))
        let account = credited.account
        #expect(account.chips == 1500 && account.name == "ann")
        #expect(credited.records == [#"{"type":"issued","account":1,"time":NOW,"chips":500,"reason":"credit"}"#])
        #expect(throws: AccountRefusal.chips("ann", has: 1500)) { try change("ann", .credit(-1501)) }
        #expect(throws: AccountRefusal.chips("ann", has: 1500)) { try change("ann", .credit(.max)) }
        #expect(try change("ann", .disable(true)).account.isDisabled == true)
        #expect(server.ledger.imbalance == 0 && server.ledger.accounts == 1500)
        #expect(enter("ann", 2).contains("not_allowed"))
    }

    @Test func aNameThatOnlyLooksLikeIt_isAnotherAccount() throws {
        try leave("ann", 1)
        for name in ["4nn", "bob"] {
            #expect(throws: AccountRefusal.noSuchAccount(name)) { try change(name, .credit(1)) }
        }
        #expect(try server.shard.player(named: PlayerName("4nn")) == nil)
        #expect(try server.shard.player(named: PlayerName("Ann")) != nil)
    }

    @Test func aDormantAccount_isRenamed_unlessTheNameIsInUse() throws {
        try leave("ann", 1)
        _ = enter("bob", 2)
        #expect(throws: AccountRefusal.nameInUse("B0b")) { try change("ann", .rename(PlayerName("B0b"))) }
        #expect(try change("ann", .rename(PlayerName("ANN"))).account.name == "ANN")
        #expect(try change("ann", .rename(PlayerName("anna"))).account.name == "anna")
        #expect(try server.shard.dormant.account(named: FoldedName(PlayerName("anna")))?.chips == 1000)
        #expect(try server.shard.player(like: PlayerName("ann")) == nil && server.ledger.imbalance == 0)
    }

    @Test func aDeletedAccount_makesRoomForAnother_andItsChipsAreGone() throws {
        try leave("ann", 1)
        _ = try change("ann", .credit(1))
        _ = enter("bob", 2)
        #expect(enter("eve", 3).contains("server_full"), "two accounts are the limit")
        server.cut(3)
        #expect(try change("ann", .delete).records == [#"{"type":"closed","account":1,"time":NOW}"#])
        #expect(try change("bob", .delete).account.chips == 1000)
        #expect(server.ledger.imbalance == 0 && server.ledger.accounts == 0 && server.shard.dormant.count == 0)
        #expect(server.shard.accounts.isEmpty)
        for (name, connection) in [("bob", ConnectionID(4)), ("ann", 5)] {
            #expect(enter(name, connection).contains(#""to":"sit","table":"main""#))
        }
    }

    @Test func aResident_isChangedOnTheLoop_andADisabledOneLosesConnectionAndSeat() throws {
        _ = enter("ann", 1)
        #expect(try change("Ann", .credit(-1000)).account.chips == 0)
        #expect(throws: AccountRefusal.chips("ann", has: 0)) { try change("Ann", .credit(-1)) }
        #expect(try change("ann", .credit(1000)).account.chips == 1000)
        server.receive(#"{"type":"sit"}"#, from: 1)
        for change in [AccountChange.credit(1), .rename(try PlayerName("anna")), .delete] {
            #expect(throws: AccountRefusal.seated("ann", table: "main")) { try self.change("ann", change) }
        }
        #expect(try change("ann", .secret(secret(of: "new"))).account.table == "main")
        #expect(server.take(1).contains { $0.contains(#""bye""#) })
        #expect(try change("ann", .disable(true)).account.table == nil, "without a hand the seat is free at once")
        #expect(server.ledger.imbalance == 0 && server.ledger.accounts == 1000)
    }

    @Test func aGuestIsRefused_seatedOrNot() throws {
        server.seat(guest: "guest", 1)
        #expect(throws: AccountRefusal.guest("guest")) { try change("guest", .disable(true)) }
        server.connect(2, asGuest: "ann")
        #expect(throws: AccountRefusal.noSuchAccount("ann")) { try change("ann", .credit(1)) }
    }
}
