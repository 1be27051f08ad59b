import TableModel

/// Which bot goes to which table, and so to which loop: bots of one table share a loop, where its lines are decoded once for all of them.
struct SeatPlan: Sendable {
    private let tables: [(name: String, free: Int)]
    private let loops: Int
    private let isEven: Bool

    /// - Parameter isEven: whether every table gets as many as any other; otherwise one after the other is filled.
    init(tables: [(name: String, free: Int)], loops: Int, isEven: Bool) {
        self.tables = tables.filter { $0.free > 0 }
        self.loops = loops
        self.isEven = isEven
    }

    /// Seats that are free.
    var seats: Int { tables.reduce(0) { $0 + $1.free } }

    /// Tables used by a number of bots.
    func used(by count: Int) -> [String] { Array(Set(places(count).compactMap(\.table))).sorted() }

    /// Tables left free by a number of bots.
    func unused(by count: Int) -> [String] {
        let used = Set(used(by: count))
        return tables.map(\.name).filter { !used.contains($0) }
    }

    /// Places of bots 0..<count. Bots beyond the free seats ask for any table, and are refused.
    func places(_ count: Int) -> [(table: String?, loop: Int)] {
        var places: [(table: String?, loop: Int)] = []
        places.reserveCapacity(count)
        if isEven {
            var left = tables.map(\.free)
            while places.count < count, left.contains(where: { $0 > 0 }) {
                for index in tables.indices where left[index] > 0 && places.count < count {
                    left[index] -= 1
                    places.append((tables[index].name, index % loops))
                }
            }
        } else {
            for (index, table) in tables.enumerated() {
                for _ in 0..<min(table.free, count - places.count) { places.append((table.name, index % loops)) }
            }
        }
        while places.count < count { places.append((nil, places.count % loops)) }
        return places
    }
}
