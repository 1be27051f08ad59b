/// Why an edit, a query or a difference was refused. Whatever throws one of these has changed nothing.
///
/// Identifiers are named by their textual description, so that the error is one type for all snapshots and can be logged
/// or sent. The description is made only when an error is thrown.
public enum SnapshotError: Error, Equatable, Sendable {
    /// An item was named twice in one call, or is already in the snapshot where only a new one may be.
    case duplicateItem(String)
    /// A section was named twice in one call, or is already in the snapshot.
    case duplicateSection(String)
    /// An item that must be in the snapshot (an anchor, one to move, one to reload) is not.
    case unknownItem(String)
    /// A section that must be in the snapshot is not.
    case unknownSection(String)
    /// Items were appended to the last section of a snapshot that has none.
    case noSection
    /// A difference puts something at a position that does not exist: `index` is not in `0..<count`, or it leaves a gap.
    case indexOutOfRange(index: Int, count: Int)
    /// A difference lists its placements in another order than ascending by final position, or two at one position, or
    /// items for a section that the result does not have.
    case misplaced(String)
}

extension SnapshotError: CustomStringConvertible {
    /// One sentence: what was wrong, and how to mend it.
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
