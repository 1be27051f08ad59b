extension DifferenceComputation {
    /// Up to this many pairs of loose items are compared directly.
    @inlinable static var scanLimit: Int { 128 }

    /// Matches loose new items with loose old ones.
    @inlinable
    mutating func matchLoose() {
        guard !looseOld.isEmpty, !looseNew.isEmpty else { return }
        if looseOld.count * looseNew.count <= Self.scanLimit {
            for to in looseNew.indices {
                let item = newItem(to)
                for from in looseOld.indices where looseOld[from].partner < 0 && oldItem(from) == item {
                    link(from, to)
                    break
                }
            }
        } else {
            matchByHashing()
        }
    }

    /// A hash table of the loose old items with open addressing. Its order never affects a result.
    @inlinable
    mutating func matchByHashing() {
        var bits = 4
        while 1 << bits < looseOld.count * 2 { bits += 1 }
        let mask = 1 << bits - 1
        var table = [Int](repeating: -1, count: 1 << bits)
        for from in looseOld.indices {
            var slot = oldItem(from).hashValue & mask
            while table[slot] >= 0 { slot = (slot + 1) & mask }
            table[slot] = from
        }
        for to in looseNew.indices {
            let item = newItem(to)
            var slot = item.hashValue & mask
            while table[slot] >= 0 {
                if oldItem(table[slot]) == item {
                    link(table[slot], to)
                    break
                }
                slot = (slot + 1) & mask
            }
        }
    }

    @inlinable
    func oldItem(_ loose: Int) -> Item { old[looseOld[loose].section].items[looseOld[loose].offset] }

    @inlinable
    func newItem(_ loose: Int) -> Item { new[looseNew[loose].section].items[looseNew[loose].offset] }

    @inlinable
    mutating func link(_ from: Int, _ to: Int) {
        looseOld[from].partner = to
        looseNew[to].partner = from
    }
}
