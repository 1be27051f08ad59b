import Testing

@testable import TableModel

/// Where the rows of a table's sections are.
@Suite
struct PlaceSetTests {
    @Test func theConstantSets_areWhereTheRowsAre() {
        let places = TableRows.possibleSections(seats: 7).map(TableRows.place(of:))
        #expect(places == Array(places.indices))
        #expect(Array(PlaceSet.everything) == places && Array(PlaceSet.all(seats: 7)) == places)
        #expect(Array(PlaceSet.hands) == places.filter(TableRows.isHand))
        #expect(Array(PlaceSet.seats) == (1...7).map(TableRows.place(ofSeat:)))
        #expect(PlaceSet.table.union(.dealer).union(.seats).union(.hands) == .everything)
        for seats in 1...7 { #expect(Array(PlaceSet.all(seats: seats)).count == TableRows.possibleSections(seats: seats).count) }
    }

    @Test func aSeatsHands_areBehindIt_oneByOne() {
        for seat in 1...7 {
            #expect(Array(PlaceSet.seat(seat)) == [TableRows.place(of: .seat(seat))])
            let hands = (1...TableRows.handsPerSeat).map { HandIdentifier(seat: seat, number: $0) }
            #expect(Array(PlaceSet.hands(ofSeat: seat)) == hands.map { TableRows.place(of: .hand($0)) })
            for hand in hands { #expect(Array(PlaceSet.hand(hand.number, ofSeat: seat)) == [TableRows.place(of: .hand(hand))]) }
        }
    }

    @Test func placesAreCounted_takenOut_andPutIn() {
        var set = PlaceSet.seat(1).union(.seat(3))
        #expect(set.count(before: TableRows.place(ofSeat: 3)) == 1 && set.count(before: 2) == 0 && set.count(before: 40) == 2)
        set.set(5, true)
        set.set(2, false)
        #expect(Array(set) == [5, 12] && set.contains(5) && !set.contains(2))
        #expect(set.isDisjoint(with: .seat(1)) && !set.isDisjoint(with: .seat(3)))
        #expect(Array(set.subtracting(.seat(3))) == [5] && Array(set.intersection(.seat(3))) == [12])
    }
}

extension TableRows {
    /// Where the row of a section is.
    fileprivate static func place(of section: TableSection) -> Int {
        switch section {
        case .table: 0
        case .dealer: 1
        case .seat(let seat): place(ofSeat: seat)
        case .hand(let hand): place(ofSeat: hand.seat) + hand.number
        case .other: preconditionFailure("a server shows nothing that it does not know")
        }
    }

    /// Every section that a table of so many seats may have.
    fileprivate static func possibleSections(seats: Int) -> [TableSection] { TableRows(seats: seats).rows.indices.map(section) }
}
