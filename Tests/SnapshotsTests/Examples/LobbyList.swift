// snippet
import Snapshots

struct LobbyTable: Equatable {
    let number: Int
    var name: String
    var freeSeats: Int
}

final class LobbyList {
    enum Section { case connected, others }

    private var tables: [Int: LobbyTable] = [:]

    private(set) lazy var source = DiffableDataSource<Section, Int, String> { [unowned self] number, _ in
        guard let table = tables[number] else { return "" }
        return "\(table.name), \(table.freeSeats) free"
    }
}
// end of snippet

// snippet
extension LobbyList {
    /// Shows the present tables: the connected one on top, the others by free seats, most first.
    @discardableResult
    func show(_ current: [LobbyTable], connected: Int?) throws(SnapshotError) -> SnapshotDifference<Section, Int> {
        let before = tables
        tables = Dictionary(current.map { ($0.number, $0) }, uniquingKeysWith: { _, last in last })
        let ranked = tables.values.sorted { ($1.freeSeats, $0.number) < ($0.freeSeats, $1.number) }.map(\.number)

        var snapshot = Snapshot<Section, Int>()
        if let connected, tables[connected] != nil {
            try snapshot.appendSections([.connected])
            try snapshot.appendItems([connected])
        }
        try snapshot.appendSections([.others])
        try snapshot.appendItems(ranked.filter { !snapshot.contains($0) })
        try snapshot.reconfigureItems(ranked.filter { before[$0] != tables[$0] })
        return source.apply(snapshot)
    }
}
// end of snippet
