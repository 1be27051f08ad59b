extension Snapshot {
    /// Whether the snapshot is large enough for hashing to pay.
    @inlinable
    var isLarge: Bool {
        itemCount > SnapshotIndex.itemScanLimit || rows.count > SnapshotIndex.sectionScanLimit
    }

    /// Ends an edit: builds an index if needed, and refreshes the hints of these sections if they have drifted too far.
    @inlinable
    mutating func settleIndex(_ touched: Range<Int>) {
        let isFit = index?.value.isFit(for: rows, touched) ?? !isLarge
        if !isFit { index = Boxed(SnapshotIndex(rows, itemCount: itemCount)) }
    }
}
