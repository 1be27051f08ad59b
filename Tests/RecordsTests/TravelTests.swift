import Fairness
import TableEngine
import TestKit
import Testing

@testable import Records

/// Accounts that come from their rows in a registry, and go there.
struct TravelTests {
    private static let ann = PlayerID(7)
    private static let secret = SHA256.hash("secret".utf8)
    private var random = SeededGenerator()

    private static func opened() throws -> SavedState {
        var state = SavedState(house: "h")
        try state.apply(.account(ann, name: "ann", isBot: false, secret: secret, chips: 1000, time: 5))
        return state
    }

    private static func arrival(_ departure: Departure, serial: UInt64) throws -> Record {
        try #require(Record.arrival(of: departure.account.id, departure.bytes, serial: serial, at: 9))
    }

    private static func refusal(_ record: Record, in state: SavedState) -> ReplayError.Reason? {
        var state = state
        do { try state.apply(record) } catch { return error.reason }
        return nil
    }

    @Test func anAccountThatDeparts_takesChipsAlong_andArrivesAsItLeft() throws {
        var (from, to) = (try Self.opened(), SavedState(house: "h"))
        let account = try #require(from.accounts[Self.ann])
        try from.apply(.departed(Self.ann, ticket: Self.secret, time: 6))
        #expect(from.accounts.isEmpty && from.ledger == 0 && from.travelled == -1000)
        let departure = try #require(from.departures[Self.ann])
        #expect(departure.account == account && departure.ticket == Self.secret)
        try to.apply(Self.arrival(departure, serial: 2))
        #expect(to.accounts[Self.ann]?.chips == 1000 && to.accounts[Self.ann]?.serial == 2 && to.lastID == 7)
        #expect(to.ledger == 0 && from.travelled + to.travelled == 0)
        try from.apply(.delivered(Self.ann, serial: 0, time: 8))
        #expect(from.departures.isEmpty)
    }

    /// Found by `bjverify simulate-system` (world 470589993).
    @Test func anAccountOfAServerWhoseClockIsAhead_doesNotWaitForNewChipsUntilThen() throws {
        var from = try Self.opened()
        try from.apply(.issued(Self.ann, chips: 10, reason: .rebuy, time: 5000))
        try from.apply(.departed(Self.ann, ticket: nil, time: 5001))
        let departure = try #require(from.departures[Self.ann])
        var to = SavedState(house: "h")
        try to.apply(Self.arrival(departure, serial: 2))
        #expect(to.accounts[Self.ann]?.lastRebuy == 9 && to.accounts[Self.ann]?.created == 5)
    }

    @Test func aClosedAccountThatHadArrived_leavesItsRowToBeRemoved_andNoNameAndNoSecret() throws {
        var (from, state) = (try Self.opened(), SavedState(house: "h"))
        try from.apply(.departed(Self.ann, ticket: nil, time: 6))
        try state.apply(Self.arrival(try #require(from.departures[Self.ann]), serial: 2))
        try state.apply(.closed(Self.ann, time: 9))
        let departure = try #require(state.departures[Self.ann])
        #expect(departure.isClosed && departure.account.name.isEmpty && departure.account.secret == nil)
        #expect(departure.account.serial == 2 && departure.bytes.isEmpty && state.ledger == 0 && state.travelled == 1000)
        // One that was opened here has a row without an account, which a start removes.
        var opened = try Self.opened()
        try opened.apply(.closed(Self.ann, time: 9))
        #expect(opened.departures.isEmpty)
    }

    @Test func departures_outliveACheckpoint() throws {
        var state = try Self.opened()
        try state.apply(.account(PlayerID(8), name: "ben", isBot: true, secret: nil, chips: 50, time: 5))
        try state.apply(.departed(Self.ann, ticket: Self.secret, time: 6))
        let departure = try #require(state.departures[Self.ann])
        try state.apply(.delivered(Self.ann, serial: 0, time: 6))
        try state.apply(Self.arrival(departure, serial: 2))
        try state.apply(.departed(Self.ann, ticket: nil, time: 10))
        try state.apply(.departed(PlayerID(8), ticket: nil, time: 10))
        try state.apply(Self.arrival(try #require(state.departures[PlayerID(8)]), serial: 4))
        try state.apply(.closed(PlayerID(8), time: 11))
        #expect(try ReplayTests.read(ReplayTests.checkpoint(of: state, sequence: 3)).state == state)
        #expect(state.departures.count == 2 && state.travelled == -1000)
    }

    @Test func aTravellerThatDoesNotFit_isAnError_andNoTrap() throws {
        let opened = try Self.opened()
        var departed = opened
        try departed.apply(.departed(Self.ann, ticket: nil, time: 6))
        let departure = try #require(departed.departures[Self.ann])
        let arrival = try Self.arrival(departure, serial: 1)
        #expect(Self.refusal(arrival, in: opened) == .accountExists(Self.ann))
        #expect(Self.refusal(arrival, in: departed) == nil)
        #expect(Self.refusal(try Self.arrival(departure, serial: 0), in: SavedState(house: "h")) == .accountExists(Self.ann))
        #expect(Self.refusal(.departed(PlayerID(9), ticket: nil, time: 1), in: opened) == .unknownAccount(PlayerID(9)))
        #expect(Self.refusal(.delivered(Self.ann, serial: 1, time: 1), in: departed) == .unknownAccount(Self.ann))
        #expect(Self.refusal(.delivered(Self.ann, serial: 0, time: 1), in: opened) == .unknownAccount(Self.ann))
        #expect(
            Self.refusal(.account(Self.ann, name: "ann", isBot: false, secret: nil, chips: 1, time: 1), in: departed)
                == .accountExists(Self.ann))
        for (old, new) in [
            ("\"chips\":1000", "\"chips\":-1"), ("\"chips\":1000", "\"table\":\"x\""),
            ("\"serial\":1", "\"serial\":9223372036854775807"),
        ] {
            let line = String(decoding: arrival.encoded(), as: UTF8.self).replacing(old, with: new)
            #expect(Self.refusal(try Record(line: Array(line.utf8)), in: SavedState(house: "h")) == .accountExists(Self.ann))
        }
        #expect(Record.arrival(of: PlayerID(8), departure.bytes, serial: 1, at: 1) == nil)
        #expect(Record.arrival(of: Self.ann, Array("{}".utf8), serial: 1, at: 1) == nil)
    }

    /// Accounts that move between two journals and their rows: an audit of each finds nothing, and the sums of both cancel.
    @Test mutating func accountsThatTravel_areInOnePlace_andNoChipIsLost() throws {
        var states = [SavedState(house: "a"), SavedState(house: "b")]
        var auditors = try states.map { try Auditor($0) }
        var rows: [PlayerID: (serial: UInt64, bytes: [UInt8], chips: Int)] = [:]
        func apply(_ record: Record, _ side: Int, _ auditors: inout [Auditor]) throws {
            try states[side].apply(record)
            try auditors[side].audit(record, at: RecordPlace(sequence: 1, line: 1))
        }
        for step in 1...600 {
            let (side, time) = (random.below(2), Int64(step))
            let id = PlayerID(random.below(6) * 2 + side + 1)
            if let row = rows[PlayerID(random.below(12) + 1)],
                let arrival = Record.arrival(of: id, row.bytes, serial: row.serial + 1, at: time)
            {
                try apply(arrival, side, &auditors)
                rows[id] = nil
            } else if states[side].accounts[id] != nil, random.below(2) == 0 {
                try apply(.departed(id, ticket: nil, time: time), side, &auditors)
                let departure = try #require(states[side].departures[id])
                rows[id] = (departure.account.serial + 1, departure.bytes, departure.account.chips)
                try apply(.delivered(id, serial: departure.account.serial, time: time), side, &auditors)
            } else if states.allSatisfy({ $0.accounts[id] == nil }), rows[id] == nil {
                try apply(
                    .account(id, name: "p\(id.rawValue)", isBot: false, secret: Self.secret, chips: 100, time: time), side,
                    &auditors)
            } else if states[side].accounts[id] != nil {
                try apply(.issued(id, chips: random.below(50), reason: .credit, time: time), side, &auditors)
            }
            let travelled = states.reduce(rows.values.reduce(0) { $0 + $1.chips }) { $0 + $1.travelled }
            #expect(travelled == 0 && states.allSatisfy { $0.ledger == 0 }, "step \(step)")
        }
        let summaries = try auditors.map { try $0.summary() }
        #expect(summaries.contains { $0.travelled != 0 } && summaries.allSatisfy { $0.issued >= 0 })
    }
}
