extension Snapshot {
    /// Whether the snapshot is so large that looking things up by hashing pays.
    @inlinable
    var isLarge: Bool {
        itemCount > SnapshotIndex.itemScanLimit || rows.count > SnapshotIndex.sectionScanLimit
    }

    /// Ends an edit: makes an index if there is none and one is needed, and puts the hints of these sections right if they have
    /// become too inexact.
    @inlinable
    mutating func settleIndex(_ touched: Range<Int>) {
        let isFit = index?.value.isFit(for: rows, touched) ?? !isLarge
        if !isFit { index = Boxed(SnapshotIndex(rows, itemCount: itemCount)) }
    }
}
