import Fairness
import TableEngine
import Testing
import Wire

@testable import Records
@testable import ServerCore

/// Where the accounts of a house are, between partitions and rows.
struct HouseAuditTests {
    private static let ann = PlayerID(7)
    private static let secret = SHA256.hash("secret".utf8)

    private func opened(_ id: PlayerID = ann) throws -> SavedState {
        var state = SavedState(house: "h")
        try state.apply(.account(id, name: "ann", isBot: false, secret: Self.secret, chips: 1000, time: 5))
        return state
    }

    private func row(place: Int, serial: UInt64, _ account: [UInt8] = []) throws -> AccountRow {
        var row = AccountRow(id: Self.ann, name: try PlayerName("ann"), place: place, serial: serial, secret: Self.secret)
        row.account = account
        return row
    }

    /// - Returns: the fault; nil for a house without one.
    private func fault(_ states: [SavedState], _ rows: [AccountRow]) -> String? {
        var audit = HouseAudit()
        do throws(AuditFailure) {
            for (index, state) in states.enumerated() { try audit.add(state, of: index + 1) }
            for row in rows { try audit.add(row) }
            try audit.finish()
        } catch { return error.description }
        return nil
    }

    /// A moment after each step of an account that goes from one partition to the other.
    @Test func anAccountOnItsWay_isInOnePlaceAtEachStep_withItsChips() throws {
        var (from, to) = (try opened(), SavedState(house: "h"))
        #expect(fault([from, to], [try row(place: 1, serial: 0)]) == nil)
        try from.apply(.departed(Self.ann, ticket: nil, time: 6))
        let bytes = try #require(from.departures[Self.ann]).bytes
        #expect(fault([from, to], [try row(place: 1, serial: 0)]) == nil)
        #expect(fault([from, to], [try row(place: 0, serial: 1, bytes)]) == nil)
        let claimed = try row(place: 2, serial: 2, bytes)
        #expect(fault([from, to], [claimed]) == nil)
        let arrival = try #require(Record.arrival(of: Self.ann, bytes, serial: 2, at: 9))
        try to.apply(arrival)
        #expect(fault([from, to], [claimed]) == nil)
        try from.apply(.delivered(Self.ann, serial: 0, time: 9))
        #expect(fault([from, to], [claimed]) == nil)
        // A claimed row whose account was never opened.
        #expect(fault([SavedState(house: "h")], [try row(place: 1, serial: 0)]) == nil)
    }

    @Test func anAccountInTwoPlaces_orInNone_andChipsLostOnTheWay_areFound() throws {
        let (here, empty) = (try opened(), SavedState(house: "h"))
        #expect(fault([here, here], [try row(place: 1, serial: 0)]) == "account 7 is in partitions 1 and 2")
        #expect(fault([here, empty], []) == "account 7 of partition 1 has no row")
        #expect(fault([here, empty], [try row(place: 2, serial: 0)])?.contains("its row has place 2") == true)
        #expect(fault([here, empty], [try row(place: 1, serial: 3)])?.contains("serial 3") == true)
        var left = here
        try left.apply(.departed(Self.ann, ticket: nil, time: 6))
        let bytes = try #require(left.departures[Self.ann]).bytes
        // Its row has it, and it never left.
        #expect(fault([here, empty], [try row(place: 0, serial: 1, bytes)]) != nil)
        #expect(fault([left, empty], [try row(place: 0, serial: 1)])?.contains("cannot be read") == true)
        // The row is gone, and the chips with it.
        #expect(fault([left, empty], [])?.contains("do not add up: -1000 too many") == true)
        try left.apply(.delivered(Self.ann, serial: 0, time: 6))
        #expect(fault([left, empty], [try row(place: 1, serial: 0)])?.contains("do not add up") == true)
    }
}
