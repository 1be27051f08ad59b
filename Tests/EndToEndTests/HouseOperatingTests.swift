import Fairness
import Journal
import Sockets
import SystemSimulation
import TableEngine
import TestKit
import Testing
import Wire

@testable import Records
@testable import ServerCore

/// Operators of servers that are one house.
@Suite(.ownThread, .timeLimit(.minutes(2)))
final class HouseOperatingTests {
    private let house: House
    private let id: PlayerID

    init() throws {
        house = try House(2)
        id = try Self.add("ann", chips: 1000, to: house.rows)
    }

    /// Adds an account that lasts, in its row.
    private static func add(_ text: String, chips: Int, to rows: SharedRows) throws -> PlayerID {
        let (registry, name, digest) = (rows.registry(1, epoch: 1), try PlayerName(text), SHA256.hash(text.utf8))
        let id = try #require(try registry.insert(name, secret: digest))
        var state = SavedState(house: "h")
        try state.apply(.account(id, name: text, isBot: false, secret: digest, chips: chips, time: 1))
        try state.apply(.disabled(id, false))
        try state.apply(.departed(id, ticket: nil, time: 2))
        var row = AccountRow(id: id, name: name, place: 0, serial: 1, secret: digest)
        row.account = try #require(state.departures[id]).bytes
        #expect(try registry.replace(row, serial: 0))
        return id
    }

    private var row: AccountRow? { house.rows.rows.first }

    /// The account in its row, once it is back there.
    private func account() throws -> AccountState {
        #expect(Waiting.until { self.row?.place == 0 })
        let row = try #require(row)
        guard case .arrived(let account, _)? = Record.arrival(of: id, row.account, serial: row.serial, at: 0) else {
            throw AccountRefusal.noSuchAccount("ann")
        }
        return account
    }

    deinit {
        for server in house.servers { server.stopNow {} }
    }

    @Test func anAccountInItsRow_isChangedAtAnyServer_andGoesBack() throws {
        #expect(try house.servers[1].account(named: "ANN").chips == 1000)
        #expect(try house.servers[0].change(accountNamed: "ann", .credit(50)).chips == 1050)
        #expect(try account().chips == 1050)
        #expect(try house.servers[1].change(accountNamed: "ann", .disable(true)).isDisabled)
        #expect(try account().isDisabled && row?.isDisabled == true)
        #expect(try house.servers[0].change(accountNamed: "ann", .rename(PlayerName("anna"))).name == "anna")
        #expect(try account().name == "anna" && row?.name.text == "anna")
        _ = try house.servers[1].change(accountNamed: "anna", .delete)
        #expect(Waiting.until { row == nil })
        for server in house.servers { #expect(server.ledger.imbalance == 0) }
    }

    @Test func accountsInTheirRows_areListedAtEveryServer_asFarAsTheLimitGoes() throws {
        for server in house.servers {
            let list = server.accounts(limit: 9)
            #expect(list.entries.map(\.name) == ["ann"] && list.entries[0].isInRow && list.others == 0)
            #expect(list.entries[0].chips == 1000 && list.entries[0].isConnected == false)
        }
        _ = try Self.add("ben", chips: 7, to: house.rows)
        let first = house.servers[0].accounts(limit: 1)
        #expect(first.entries.map(\.name) == ["ann"] && first.others == 1)
        #expect(house.servers[1].accounts(limit: 2).entries.map(\.chips) == [1000, 7])
        #expect(try house.servers[1].account(named: "ben").isInRow)
        house.rows.isAway = true
        // Queries are answered, and say what they do not know.
        let partial = house.servers[0].accounts(limit: 1)
        #expect(partial.entries.isEmpty && partial.unread != nil)
        #expect(throws: AccountRefusal.unknown("ben")) { try house.servers[0].account(named: "ben") }
        #expect(house.servers[0].absence(ofPlayerNamed: "ben") == .unknown("ben"))
    }

    /// The limit on accounts is the house's, and so is the figure beside it.
    @Test func theMetricOfAccounts_countsTheWholeHouse() throws {
        #expect(
            Waiting.until {
                house.servers[0].measure()
                return house.servers[0].metrics.text.contains("\nbj_accounts 1\n")
            })
    }

    @Test func aNameInUseInTheHouse_isNoAccountsNewName() throws {
        _ = try house.rows.registry(2, epoch: 1).insert(PlayerName("ben"), secret: nil)
        #expect(throws: AccountRefusal.nameInUse("ben")) {
            try house.servers[0].change(accountNamed: "ann", .rename(PlayerName("ben")))
        }
        #expect(try account().name == "ann" && row?.name.text == "ann")
    }

    @Test func anAccountOfAnotherServer_isRefusedWithItsAddress_andNoAccountWithItsName() throws {
        let relay = try #require(house.relays[2])
        var row = try #require(row)
        (row.place, row.serial) = (2, 2)
        #expect(try house.rows.registry(2, epoch: 1).replace(row, serial: 1))
        #expect(throws: AccountRefusal.elsewhere("ann", server: relay)) {
            try house.servers[0].change(accountNamed: "ann", .credit(1))
        }
        #expect(throws: AccountRefusal.noSuchAccount("carl")) {
            try house.servers[0].change(accountNamed: "carl", .credit(1))
        }
        house.rows.isAway = true
        #expect(throws: AccountRefusal.unknown("ann")) { try house.servers[0].change(accountNamed: "ann", .credit(1)) }
    }

    /// The record of a departure may be missing: the row would have the account, and so would the journal.
    @Test func aJournalThatHasEnded_letsNoRowFollow() throws {
        var row = try #require(row)
        guard case .arrived(let away, _)? = Record.arrival(of: id, row.account, serial: 2, at: 0) else {
            preconditionFailure("the row has the account")
        }
        (row.place, row.serial) = (1, 2)
        #expect(try house.rows.registry(1, epoch: 1).replace(row, serial: 1))
        let server = house.servers[0]
        #expect(server.journal?.close() == true)
        server.registryClient?.depart(Departure(away, ticket: nil, at: 3))
        server.registryClient?.stop()
        #expect(row == row)
    }

    @Test func tablesAndBans_areThoseOfTheHouse() throws {
        let block = try #require(AddressBlock("10.1.0.0/16"))
        let address = try #require(IPAddress("10.1.2.3"))
        #expect(Waiting.until { house.servers[0].inspect(\.lobby).listed.map(\.name) == ["t1", "t2", "u1", "u2"] })
        #expect(house.servers[0].inspect(\.lobby).onlyName == nil)
        #expect(house.servers[0].ban([block], seconds: nil).closed == 0)
        let second = house.servers[1]
        #expect(Waiting.until { second.inspect(\.banList).bans(address, at: second.now) })
        #expect(second.unban(block).isLifted)
        let first = house.servers[0]
        #expect(Waiting.until { !first.inspect(\.banList).bans(address, at: first.now) })
    }
}
