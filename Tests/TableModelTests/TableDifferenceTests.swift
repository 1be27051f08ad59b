import Rules
import Snapshots
import TableModel
import Testing

private let hand = HandIdentifier(seat: 3, number: 1)
private let other = HandIdentifier(seat: 3, number: 2)

private func table(_ sections: [(TableSection, [TableEntry])]) throws -> TableSnapshot { try TableSnapshot(sections) }

@Test func aRevealIsAnUpdateInPlace_andASplitIsAMove() throws {
    let hidden = try table([
        (.dealer, [.card(3, nil)]), (.hand(hand), [.card(1, Card(.eight, .hearts)), .card(2, Card(.eight, .clubs))]),
    ])
    let shown = try table([
        (.dealer, [.card(3, Card(.king, .spades))]), (.hand(hand), [.card(1, Card(.eight, .hearts))]),
        (.hand(other), [.card(2, Card(.eight, .clubs))]),
    ])
    let difference = hidden.difference(to: shown)
    #expect(difference.updates == [.card(3, Card(.king, .spades))])
    #expect(difference.structure.movedItems.map(\.item) == [.card(2)])
    #expect(difference.structure.insertedItems.isEmpty && difference.structure.deletedItems.isEmpty)
}

@Test func aDifferenceThatDoesNotFitIsRefused_andChangesNothing() throws {
    let snapshot = try table([(.dealer, [.card(3, nil)])])
    let unknown = TableDifference(structure: SnapshotDifference(), insertions: [], updates: [.card(4, nil)])
    #expect(throws: TableDifferenceError.unknownItem(.card(4))) { try snapshot.applying(unknown) }
    let empty = TableDifference(
        structure: SnapshotDifference(insertedItems: [.init(item: .card(5), section: .dealer, index: 1)]), insertions: [],
        updates: [])
    #expect(throws: TableDifferenceError.contentMissing) { try snapshot.applying(empty) }
    let gone = TableDifference(
        structure: SnapshotDifference(deletedItems: [.card(3)]), insertions: [], updates: [.card(3, Card(.ace, .spades))])
    #expect(throws: TableDifferenceError.self) { try snapshot.applying(gone) }
}

@Test func onlyMoreThanTwentyOneIsBust() {
    #expect(!Total.hard(21).isBust && Total.hard(22).isBust && !Total.soft(21).isBust && !Total.blackjack.isBust)
    #expect(Total.blackjack.points == 21)
}
