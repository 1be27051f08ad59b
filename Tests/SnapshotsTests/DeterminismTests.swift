import Snapshots
import TestKit
import Testing

/// Hash seeds differ per process, so a result that depended on hashes would differ from these digests, recorded in another process.
struct DeterminismTests {
    /// FNV-1a, 64 bits.
    private struct Digest {
        private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ text: String) {
            for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
    }

    /// Every operation in its order; identifiers as they are.
    private func add(_ difference: SmallDifference, to digest: inout Digest) {
        digest.add("-\(difference.deletedSections)-\(difference.deletedItems)")
        for placement in difference.insertedSections { digest.add("+\(placement.section)@\(placement.index)") }
        for placement in difference.movedSections { digest.add(">\(placement.section)@\(placement.index)") }
        for placement in difference.insertedItems { digest.add("+\(placement.item)@\(placement.section).\(placement.index)") }
        for placement in difference.movedItems { digest.add(">\(placement.item)@\(placement.section).\(placement.index)") }
        digest.add("!\(difference.reloadedItems)\(difference.reconfiguredItems)\(difference.reloadedSections)")
    }

    @Test func difference_isTheSame_inEveryProcess() throws {
        var generator = SeededGenerator(seed: 1)
        var digest = Digest()
        for round in 0..<400 {
            let items = 1 + round % 40 * (round % 10 == 0 ? 10 : 1)
            let first = RandomSnapshots.any(sections: 1 + round % 30, items: items, &generator)
            var second = RandomSnapshots.any(sections: 1 + round % 30, items: items, &generator)
            try second.reloadItems(Array(second.itemIdentifiers.prefix(40)))
            try second.reloadSections(Array(second.sectionIdentifiers.prefix(40)))
            let difference = first.difference(to: second)
            add(difference, to: &digest)
            add(second.difference(to: first), to: &digest)
        }
        #expect(digest.value == 0xDC42_CFFC_2A5F_E6E6)
    }
}
