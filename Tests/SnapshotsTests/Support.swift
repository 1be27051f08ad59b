import Snapshots

typealias NamedSnapshot = Snapshot<String, String>
typealias NamedDifference = SnapshotDifference<String, String>

/// A snapshot as one line: `"A: a b | B: | C: c"` has three sections, the second of them empty.
func named(_ line: String) throws -> NamedSnapshot {
    guard !line.isEmpty else { return NamedSnapshot() }
    return try NamedSnapshot(
        line.split(separator: "|").map { part in
            let sides = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let items = sides.dropFirst().flatMap { $0.split(separator: " ").map(String.init) }
            return (section: sides[0].filter { $0 != " " }, items: items)
        })
}

func line(_ snapshot: NamedSnapshot) -> String {
    snapshot.contents.map { ([$0.section + ":"] + $0.items).joined(separator: " ") }.joined(separator: " | ")
}

/// Runs an edit that must be refused: hands back the error, and whether the snapshot is unchanged.
func refusal(
    of edit: (inout NamedSnapshot) throws -> Void, on snapshot: NamedSnapshot
) -> (error: SnapshotError?, isUnchanged: Bool) {
    var copy = snapshot
    do {
        try edit(&copy)
        return (nil, copy == snapshot)
    } catch {
        let sameMarks =
            copy.reloadedItemIdentifiers == snapshot.reloadedItemIdentifiers
            && copy.reconfiguredItemIdentifiers == snapshot.reconfiguredItemIdentifiers
            && copy.reloadedSectionIdentifiers == snapshot.reloadedSectionIdentifiers
        return (
            error as? SnapshotError, copy == snapshot && sameMarks && copy.contents.map(\.items) == snapshot.contents.map(\.items)
        )
    }
}
