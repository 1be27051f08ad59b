/// Why an edit, a query or a difference was refused. A call that throws has no effect.
///
/// Identifiers are given by their textual description, made only when thrown, so one error type serves all snapshots.
public enum SnapshotError: Error, Equatable, Sendable {
    /// An item listed twice in one call, or already present where only a new one is allowed.
    case duplicateItem(String)
    /// A section listed twice in one call, or already present.
    case duplicateSection(String)
    /// An absent item as anchor, or to move or update.
    case unknownItem(String)
    /// An absent section.
    case unknownSection(String)
    /// Items were appended to the last section of a snapshot without sections.
    case noSection
    /// A position that does not exist: `index` is outside `0..<count`, or leaves a gap.
    case indexOutOfRange(index: Int, count: Int)
    /// Placements that do not ascend by final position, share one, or name a section that the result lacks.
    case misplaced(String)
}

extension SnapshotError: CustomStringConvertible {
    /// One sentence: the error, and how to fix it.
    public var description: String {
        switch self {
        case .duplicateItem(let name):
            "item \(name) would be in the snapshot twice; name each item once, and insert only items that are not there yet"
        case .duplicateSection(let name):
            "section \(name) would be in the snapshot twice; name each section once, and insert only sections that are not there yet"
        case .unknownItem(let name):
            "item \(name) is not in the snapshot; insert it first"
        case .unknownSection(let name):
            "section \(name) is not in the snapshot; append it first"
        case .noSection:
            "the snapshot has no section to append items to; append a section first"
        case .indexOutOfRange(let index, let count):
            "position \(index) cannot be filled among \(count); final positions start at 0 and leave no gaps"
        case .misplaced(let name):
            "the placement of \(name) does not fit; list placements ascending by final section and index, each position once"
        }
    }
}
