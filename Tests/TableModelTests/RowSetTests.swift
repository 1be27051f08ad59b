import Rules
import Testing

@testable import TableModel

/// Row indices of a table's sections.
struct RowSetTests {
    @Test func theConstantSets_matchTheRowIndices() {
        let rows = TableRows.possibleSections(seats: 7).map(TableRows.row(of:))
        #expect(rows == Array(rows.indices))
        #expect(Array(RowSet.everything) == rows && Array(RowSet.all(seats: 7)) == rows)
        #expect(Array(RowSet.hands) == rows.filter(TableRows.isHand))
        #expect(Array(RowSet.seats) == (1...7).map(TableRows.row(ofSeat:)))
        #expect(RowSet.table.union(.dealer).union(.seats).union(.hands) == .everything)
        for seats in 1...7 { #expect(Array(RowSet.all(seats: seats)).count == TableRows.possibleSections(seats: seats).count) }
    }

    @Test func aSeatsHands_areBehindIt_oneByOne() {
        for seat in 1...7 {
            #expect(Array(RowSet.seat(seat)) == [TableRows.row(of: .seat(seat))])
            let hands = (1...TableRows.handsPerSeat).map { HandIdentifier(seat: seat, number: $0) }
            #expect(Array(RowSet.hands(ofSeat: seat)) == hands.map { TableRows.row(of: .hand($0)) })
            for hand in hands { #expect(Array(RowSet.hand(hand.number, ofSeat: seat)) == [TableRows.row(of: .hand(hand))]) }
        }
    }

    @Test func rowsAreCounted_removed_andInserted() {
        var set = RowSet.seat(1).union(.seat(3))
        #expect(set.count(before: TableRows.row(ofSeat: 3)) == 1 && set.count(before: 2) == 0 && set.count(before: 40) == 2)
        set.set(5, true)
        set.set(2, false)
        #expect(Array(set) == [5, 12] && set.contains(5) && !set.contains(2))
        #expect(set.isDisjoint(with: .seat(1)) && !set.isDisjoint(with: .seat(3)))
        #expect(Array(set.subtracting(.seat(3))) == [5] && Array(set.intersection(.seat(3))) == [12])
    }
}

extension TableRows {
    /// The row index of a section.
    fileprivate static func row(of section: TableSection) -> Int { section.row }

    fileprivate static func isHand(_ row: Int) -> Bool { if case .hand = section(row) { true } else { false } }

    /// Every possible section of a table with this number of seats.
    fileprivate static func possibleSections(seats: Int) -> [TableSection] { TableRows(seats: seats).rows.indices.map(section) }
}

struct OptionInternerTests {
    private func storage(_ options: [Choice.Option]?) -> UnsafePointer<Choice.Option>? {
        options?.withUnsafeBufferPointer(\.baseAddress)
    }

    @Test func equalLists_shareTheirStorage_andEachListIsTheOneAskedFor() {
        var interner = OptionInterner()
        var question: [Choice.Option]? {
            interner.intern {
                $0(.hit, 0)
                $0(.double, 10)
            }
        }
        #expect(
            storage(question) == storage(question)
                && question == [.init(action: .hit, cost: 0), .init(action: .double, cost: 10)])
        for cost in 0..<10_000 {
            #expect(interner.intern { $0(.double, cost) } == [.init(action: .double, cost: cost)])
        }
        #expect(interner.intern { _ in } == nil)
    }

    @Test func theListsOfALoopsTables_doNotEvictEachOther() {
        var interner = OptionInterner()
        func ask(_ bet: Int) -> UnsafePointer<Choice.Option>? {
            storage(
                interner.intern {
                    $0(.hit, 0)
                    $0(.double, 5 * bet)
                })
        }
        let first = (1...60).map(ask)
        #expect((1...60).map(ask) == first)
    }
}
