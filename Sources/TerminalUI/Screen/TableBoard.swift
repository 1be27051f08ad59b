import ClientCore
import Snapshots
import TableModel

/// The table as cells: a diffable data source renders only the items that a snapshot changes.
///
/// Not Sendable; confined to its owner, like its data source.
final class TableBoard {
    private var shown = TableSnapshot()
    private var me = ""
    private let wording: Wording
    /// Items that are not shown as they are: what moves.
    var veil = Motion.Veil()
    /// Cells rendered so far, new or updated.
    private(set) var cellsMade = 0

    private lazy var source = DiffableDataSource<TableSection, TableItem, TableCell> { [unowned self] item, existing in
        cellsMade += 1
        // The source asks only for items it was given, and those are in `shown`.
        guard let entry = shown[item] else { return existing ?? TableCell(.cardsLeft(0), me: me, wording: wording) }
        return TableCell(entry, me: me, wording: wording)
    }

    init(wording: Wording) { self.wording = wording }

    /// Shows a changed table to a player.
    func show(_ change: TableChange, me: String) {
        if case .changed(let old, let difference) = change.origin, old == shown {
            show(change.new, by: difference, me: me)
        } else {
            show(change.new, by: shown.difference(to: change.new), me: me)
        }
    }

    /// Shows no table.
    func clear() { show(TableSnapshot(), by: shown.difference(to: TableSnapshot()), me: "") }

    private func show(_ snapshot: TableSnapshot, by difference: TableDifference, me: String) {
        var structure = snapshot.structure
        // Clearing a round and dealing the next one may insert an identifier that has a cell.
        let changed =
            me == self.me
            ? (difference.updates + difference.insertions).map(\.item).filter { shown[$0] != nil }
            : structure.itemIdentifiers.filter { shown[$0] != nil }
        // Marking cannot fail: every item is one of the structure's own.
        try? structure.reconfigureItems(changed)
        (shown, self.me) = (snapshot, me)
        source.apply(structure, animatingDifferences: false)
    }

    /// The cell of an item; nil when it is not on the table.
    func cell(_ item: TableItem) -> TableCell? {
        guard let cell = source.cell(for: item) else { return nil }
        switch veil[item] {
        case nil: return cell
        case .hidden: return nil
        case .shows(let entry): return TableCell(entry, me: me, wording: wording)
        case .sliding(let done, let all): return cell.sliding(done, of: all)
        case .turning: return cell.turning
        }
    }

    /// Cells of a section's cards, in table order.
    func cards(in section: TableSection) -> [TableCell] {
        guard let index = source.index(for: section) else { return [] }
        return (0..<source.numberOfItems(inSection: index)).compactMap { position in
            guard let item = source.itemIdentifier(for: ItemPath(item: position, section: index)), case .card = item else {
                return nil
            }
            return cell(item)
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
