/// The position of an item: its section's position, and its position in that section, both from 0.
public struct ItemPath: Hashable, Sendable, Comparable {
    /// The item's position in its section.
    public var item: Int
    /// The section's position.
    public var section: Int

    /// The position `item` in the section at position `section`.
    @inlinable
    public init(item: Int, section: Int) {
        self.item = item
        self.section = section
    }

    /// Ascending by section, then by item.
    @inlinable
    public static func < (lhs: ItemPath, rhs: ItemPath) -> Bool {
        lhs.section != rhs.section ? lhs.section < rhs.section : lhs.item < rhs.item
    }
}
