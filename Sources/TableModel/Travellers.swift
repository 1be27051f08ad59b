import Rules
import Snapshots

/// The cards that left a section and those that came into one: who did both has moved, as in a split.
struct Travellers: Sendable {
    private struct Departure {
        let id: Int
        /// What it showed.
        let card: Card?
        /// Where the difference says that it is deleted; nil where its whole section is.
        let deletion: Int?
    }

    private struct Arrival {
        let id: Int
        /// Where the difference says that it is inserted.
        let insertion: Int
        /// How many updates came before it.
        let updates: Int
    }

    private var leaving: [Departure] = []
    private var arriving: [Arrival] = []

    mutating func removeAll() {
        leaving.empty()
        arriving.empty()
    }

    mutating func leave(_ id: Int, _ card: Card?, deletion: Int?) {
        leaving.append(Departure(id: id, card: card, deletion: deletion))
    }

    mutating func arrive(_ id: Int, insertion: Int, updates: Int) {
        arriving.append(Arrival(id: id, insertion: insertion, updates: updates))
    }

    var areThereAny: Bool {
        guard !leaving.isEmpty, !arriving.isEmpty else { return false }
        return leaving.contains { departure in arriving.contains { $0.id == departure.id } }
    }

    /// Has the difference say of cards that have moved that they did, and not that each went and came. From the last to the first, so that
    /// the places of those before stay what they were.
    func settle(_ difference: inout TableDifference) {
        var moves: [SnapshotDifference<TableSection, TableItem>.ItemPlacement] = []
        for arrival in arriving.reversed() {
            guard let departure = leaving.first(where: { $0.id == arrival.id }) else { continue }
            let entry = difference.insertions.remove(at: arrival.insertion)
            moves.append(difference.structure.insertedItems.remove(at: arrival.insertion))
            if case .card(_, departure.card) = entry { continue }
            difference.updates.insert(entry, at: arrival.updates)
        }
        difference.structure.movedItems.append(contentsOf: moves.reversed())
        for departure in leaving.reversed() {
            guard let deletion = departure.deletion, arriving.contains(where: { $0.id == departure.id }) else { continue }
            difference.structure.deletedItems.remove(at: deletion)
        }
    }
}
