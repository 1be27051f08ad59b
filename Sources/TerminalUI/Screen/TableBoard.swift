import Snapshots
import TableModel

/// The table as cells: a diffable data source renders only the items that a snapshot changes.
///
/// Not Sendable; confined to its owner, like its data source.
final class TableBoard {
    private var shown = TableSnapshot()
    private var me = ""
    private let wording: Wording
    /// Cells rendered so far, new or updated.
    private(set) var cellsMade = 0

    private lazy var source = DiffableDataSource<TableSection, TableItem, TableCell> { [unowned self] item, existing in
        cellsMade += 1
        // The source asks only for items it was given, and those are in `shown`.
        guard let entry = shown[item] else { return existing ?? TableCell(.cardsLeft(0), me: me, wording: wording) }
        return TableCell(entry, me: me, wording: wording)
    }

    init(wording: Wording) { self.wording = wording }

    /// Renders a snapshot for a player.
    func show(_ snapshot: TableSnapshot, me: String) {
        var structure = snapshot.structure
        let isOther = me != self.me
        let changed = structure.itemIdentifiers.filter { item in
            guard let old = shown[item] else { return false }
            return isOther || old != snapshot[item]
        }
        // Cannot fail: every item belongs to this structure.
        try? structure.reconfigureItems(changed)
        (shown, self.me) = (snapshot, me)
        source.apply(structure, animatingDifferences: false)
    }

    /// The cell of an item; nil when it is not on the table.
    func cell(_ item: TableItem) -> TableCell? { source.cell(for: item) }

    /// Cells of a section's cards, in table order.
    func cards(in section: TableSection) -> [TableCell] {
        guard let index = source.index(for: section) else { return [] }
        return (0..<source.numberOfItems(inSection: index)).compactMap { position in
            guard let item = source.itemIdentifier(for: ItemPath(item: position, section: index)), case .card = item else {
                return nil
            }
            return source.cell(for: item)
        }
    }

    /// The table's seats, in order.
    var seats: [Int] {
        source.snapshot().sectionIdentifiers.compactMap { if case .seat(let seat) = $0 { seat } else { nil } }
    }

    /// A seat's hands, in order of play.
    func hands(ofSeat seat: Int) -> [HandIdentifier] {
        source.snapshot().sectionIdentifiers.compactMap { section in
            if case .hand(let hand) = section, hand.seat == seat { hand } else { nil }
        }
    }
}
