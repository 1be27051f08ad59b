import Rules
import Snapshots

/// Cards that left a row and cards that entered one during a change. A card that did both has moved, as in a split.
struct CardMoves: Sendable {
    private struct Departure {
        let id: Int
        /// The face it showed.
        let card: Card?
        /// Its index in the difference's deleted items; nil where its whole section is deleted.
        let deletion: Int?
    }

    private struct Arrival {
        let id: Int
        /// Its index in the difference's inserted items.
        let insertion: Int
        /// The number of updates recorded before it.
        let updates: Int
    }

    private var departures: [Departure] = []
    private var arrivals: [Arrival] = []

    mutating func removeAll() {
        departures.empty()
        arrivals.empty()
    }

    mutating func recordDeparture(_ id: Int, _ card: Card?, deletion: Int?) {
        departures.append(Departure(id: id, card: card, deletion: deletion))
    }

    mutating func recordArrival(_ id: Int, insertion: Int, updates: Int) {
        arrivals.append(Arrival(id: id, insertion: insertion, updates: updates))
    }

    var areAny: Bool {
        guard !departures.isEmpty, !arrivals.isEmpty else { return false }
        return departures.contains { departure in arrivals.contains { $0.id == departure.id } }
    }

    /// Replaces each deletion and insertion of the same card by a move. Last to first, so that earlier indices stay valid.
    func turnIntoMoves(in difference: inout TableDifference) {
        var moves: [SnapshotDifference<TableSection, TableItem>.ItemPlacement] = []
        for arrival in arrivals.reversed() {
            guard let departure = departures.first(where: { $0.id == arrival.id }) else { continue }
            let entry = difference.insertions.remove(at: arrival.insertion)
            moves.append(difference.structure.insertedItems.remove(at: arrival.insertion))
            if case .card(_, departure.card) = entry { continue }
            difference.updates.insert(entry, at: arrival.updates)
        }
        difference.structure.movedItems.append(contentsOf: moves.reversed())
        for departure in departures.reversed() {
            guard let deletion = departure.deletion, arrivals.contains(where: { $0.id == departure.id }) else { continue }
            difference.structure.deletedItems.remove(at: deletion)
        }
    }
}
