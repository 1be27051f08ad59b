// snippet
import Snapshots

struct Countdown {
    let name: String
    var secondsLeft: Int
}

final class CountdownList {
    enum Section { case running, finished }

    /// The model. The list knows countdowns by number only.
    private var countdowns: [Int: Countdown]

    private(set) lazy var source = DiffableDataSource<Section, Int, String> { [unowned self] number, _ in
        guard let countdown = countdowns[number] else { return "" }
        return countdown.secondsLeft > 0 ? "\(countdown.name): \(countdown.secondsLeft) s" : "\(countdown.name): done"
    }

    init(_ countdowns: [Countdown]) throws(SnapshotError) {
        self.countdowns = Dictionary(uniqueKeysWithValues: countdowns.enumerated().map { ($0.offset, $0.element) })
        let running = Array(countdowns.indices)
        source.apply(try Snapshot([(section: .running, items: running), (section: .finished, items: [])]))
    }
}
// end of snippet

// snippet
extension CountdownList {
    /// One second has passed.
    @discardableResult func tick() throws(SnapshotError) -> SnapshotDifference<Section, Int> {
        var snapshot = source.snapshot()
        let running = try snapshot.itemIdentifiers(inSection: .running)
        for number in running { countdowns[number]?.secondsLeft -= 1 }
        let finished = running.filter { countdowns[$0]?.secondsLeft == 0 }
        try snapshot.appendItems(finished, toSection: .finished)
        try snapshot.reconfigureItems(running)
        return source.apply(snapshot)
    }
}
// end of snippet
