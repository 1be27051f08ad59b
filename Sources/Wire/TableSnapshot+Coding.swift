import Snapshots
import TableModel

/// `[["table",[["round",{…}],…]],…]`: each section with its items, each item with what it shows.
extension TableSnapshot: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> TableSnapshot {
        var list = try value.array()
        let sections = try list.map { section throws(JSONError) in
            var parts = try section.array()
            let identifier = try TableSection.read(parts.required(), NoBounds())
            return (identifier, try [TableEntry].read(parts.required(), .any))
        }
        do {
            return try TableSnapshot(sections)
        } catch {
            throw value.mismatch("sections and items, each once: \(error)")
        }
    }

    func write(to writer: inout JSONWriter) { writer.write(self) }
    static func shape(_: NoBounds) -> Shape { .list(.reference(.sectionContent)) }
}

extension TableDifference {
    /// `clear`, then seven lists, each absent when empty. Indices are final: the receiver takes out what moves or goes, then puts in what
    /// comes, in ascending order.
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional(
            "clear", &clears, absent: false,
            "the round is taken off the table: the sections `h1.1` … `h7.4`, whatever is in `dealer`, and the items `clock`, `a1` … `a7`, `i1` … `i7`"
        )
        try visitor.optional(
            "deleteSections", &structure.deletedSections, .any, absent: [], "the section goes, with what is left in it")
        try visitor.optional("insertSections", &structure.insertedSections, .any, absent: [], "a new, empty section")
        try visitor.optional(
            "moveSections", &structure.movedSections, .any, absent: [], "the section changes its place, with its items")
        try visitor.optional("delete", &structure.deletedItems, .any, absent: [], "the item goes")
        try visitor.optional(
            "move", &structure.movedItems, .any, absent: [],
            "the item changes its place, possibly to another section (a split moves a card)")
        var new = zip(structure.insertedItems, insertions).map(NewItem.init)
        try visitor.optional("insert", &new, .any, absent: [], "a new item")
        (structure.insertedItems, insertions) = (new.map(\.placement), new.map(\.entry))
        try visitor.optional(
            "set", &updates, .any, absent: [], "an item that was there shows something else (a card is turned)")
    }
}

/// `[item, content]`
extension TableEntry: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> TableEntry {
        var parts = try value.array()
        var entry = try TableEntry(named: parts.required())
        var content = try parts.required()
        try entry.visitContent(&content)
        return entry
    }

    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        item.write(to: &writer)
        var copy = self
        copy.visitContent(&writer)
        writer.endArray()
    }

    static func shape(_: NoBounds) -> Shape { .reference(.entry) }
}

/// `[item, section, index, content]`
private struct NewItem: WireValue, Equatable {
    let placement: SnapshotDifference<TableSection, TableItem>.ItemPlacement
    let entry: TableEntry

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> NewItem {
        var parts = try value.array()
        var entry = try TableEntry(named: parts.required())
        let placement = SnapshotDifference<TableSection, TableItem>.ItemPlacement(
            item: entry.item, section: try .read(parts.required(), NoBounds()),
            index: try parts.required().integer(in: WireRange.index))
        var content = try parts.required()
        try entry.visitContent(&content)
        return NewItem(placement: placement, entry: entry)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        placement.item.write(to: &writer)
        placement.section.write(to: &writer)
        writer.integer(placement.index)
        var copy = entry
        copy.visitContent(&writer)
        writer.endArray()
    }

    static func shape(_: NoBounds) -> Shape { .reference(.newItem) }
}

/// `[section, index]`
extension SnapshotDifference.SectionPlacement: WireValue where SectionIdentifier == TableSection, ItemIdentifier == TableItem {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
        var parts = try value.array()
        return Self(section: try .read(parts.required(), NoBounds()), index: try parts.required().integer(in: WireRange.index))
    }

    func write(to writer: inout JSONWriter) { writer.value(JSONWriter.elementBytes) { $0.put(self) } }
    static func shape(_: NoBounds) -> Shape { .reference(.sectionPlace) }
}

/// `[item, section, index]`
extension SnapshotDifference.ItemPlacement: WireValue where SectionIdentifier == TableSection, ItemIdentifier == TableItem {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
        var parts = try value.array()
        return Self(
            item: try .read(parts.required(), NoBounds()), section: try .read(parts.required(), NoBounds()),
            index: try parts.required().integer(in: WireRange.index))
    }

    func write(to writer: inout JSONWriter) {
        writer.value(JSONWriter.elementBytes) { writer in
            writer.put(UInt8(ascii: "["))
            writer.put(self)
            writer.put(UInt8(ascii: "]"))
        }
    }

    static func shape(_: NoBounds) -> Shape { .reference(.itemPlace) }
}
