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

    // MARK: Shortcut

    /// The difference that changes nothing.
    init() { self.init(structure: SnapshotDifference(), insertions: [], updates: []) }

    /// Reads the members of a diff after its revisions, up to the end of the line: what we write ourselves, each list once and with
    /// something in it. Of an empty difference.
    mutating func readShortcut(_ cursor: inout LineCursor) throws(Fallback) {
        while cursor.take(UInt8(ascii: ",")) {
            if updates.isEmpty, cursor.take("\"set\":") {
                try cursor.readUpdates(&updates)
            } else if insertions.isEmpty, cursor.take("\"insert\":") {
                try cursor.readInsertions(&structure.insertedItems, &insertions)
            } else {
                try readRareMember(&cursor)
            }
        }
        try cursor.expect(UInt8(ascii: "}"))
        guard cursor.isAtEnd else { throw Fallback() }
    }

    private mutating func readRareMember(_ cursor: inout LineCursor) throws(Fallback) {
        if structure.deletedItems.isEmpty, cursor.take("\"delete\":") {
            try cursor.readList { cursor throws(Fallback) in structure.deletedItems.append(try cursor.item()) }
        } else if structure.movedItems.isEmpty, cursor.take("\"move\":") {
            try cursor.readList { cursor throws(Fallback) in
                try cursor.expect(UInt8(ascii: "["))
                structure.movedItems.append(try cursor.itemPlacement())
                try cursor.expect(UInt8(ascii: "]"))
            }
        } else if !clears, cursor.take("\"clear\":true") {
            clears = true
        } else if structure.insertedSections.isEmpty, cursor.take("\"insertSections\":") {
            try cursor.readList { cursor throws(Fallback) in structure.insertedSections.append(try cursor.sectionPlacement()) }
        } else if structure.movedSections.isEmpty, cursor.take("\"moveSections\":") {
            try cursor.readList { cursor throws(Fallback) in structure.movedSections.append(try cursor.sectionPlacement()) }
        } else if structure.deletedSections.isEmpty, cursor.take("\"deleteSections\":") {
            try cursor.readList { cursor throws(Fallback) in structure.deletedSections.append(try cursor.section()) }
        } else {
            throw Fallback()
        }
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

// MARK: - Encoding

extension JSONWriter {
    /// The text of a table: `sections` of a snapshot, and the input of its check value.
    mutating func write(_ table: TableSnapshot) {
        beginArray()
        for section in table.structure.sectionIdentifiers {
            table.entries(in: section).withUnsafeBufferPointer { write(section, $0) }
        }
        endArray()
    }

    /// A section with its entries, read in place: iterating an array would copy each entry.
    /// - Parameter known: entries after these, as text.
    mutating func write(_ section: TableSection, _ entries: UnsafeBufferPointer<TableEntry>, known: [UInt8]? = nil) {
        beginArray()
        section.write(to: &self)
        beginArray()
        for index in entries.indices { value(0) { $0.putPair(entries, index) } }
        if let known { known.withUnsafeBufferPointer { json($0) } }
        endArray()
        endArray()
    }

    /// `clear`, then seven lists, each absent when empty; a comma before each.
    @inline(__always)
    mutating func write(_ difference: borrowing TableDifference) {
        if difference.clears || difference.structure.changesMoreThanInsertions { writeRareMembers(of: difference) }
        if !difference.structure.insertedItems.isEmpty {
            room(16)
            put(",\"insert\":[")
            difference.insertions.withUnsafeBufferPointer { putList(difference.structure.insertedItems, $0) }
            put(UInt8(ascii: "]"))
        }
        if !difference.updates.isEmpty {
            room(16)
            put(",\"set\":[")
            difference.updates.withUnsafeBufferPointer { putList($0) }
            put(UInt8(ascii: "]"))
        }
    }

    @inline(never)
    private mutating func writeRareMembers(of difference: borrowing TableDifference) {
        room(16)
        if difference.clears { put(",\"clear\":true") }
        list(",\"deleteSections\":[", difference.structure.deletedSections) { $1.put($0) }
        list(",\"insertSections\":[", difference.structure.insertedSections) { $1.put($0) }
        list(",\"moveSections\":[", difference.structure.movedSections) { $1.put($0) }
        list(",\"delete\":[", difference.structure.deletedItems) { $1.put($0) }
        list(",\"move\":[", difference.structure.movedItems) { placement, writer in
            writer.put(UInt8(ascii: "["))
            writer.put(placement)
            writer.put(UInt8(ascii: "]"))
        }
    }

    /// A list whose elements take no more than ``elementBytes``; nothing when there are none.
    private mutating func list<Element>(
        _ key: StaticString, _ elements: [Element], _ putElement: (Element, inout JSONWriter) -> Void
    ) {
        guard !elements.isEmpty else { return }
        room(32)
        put(key)
        for index in elements.indices {
            room(Self.elementBytes + 2)
            if index > 0 { put(UInt8(ascii: ",")) }
            putElement(elements[index], &self)
        }
        put(UInt8(ascii: "]"))
    }

    /// Leaves room for a byte.
    @inline(__always)
    private mutating func putList(_ entries: UnsafeBufferPointer<TableEntry>) {
        for index in entries.indices {
            if index > 0 { put(UInt8(ascii: ",")) }
            putPair(entries, index)
        }
    }

    /// Leaves room for a byte.
    @inline(__always)
    private mutating func putList(
        _ places: [SnapshotDifference<TableSection, TableItem>.ItemPlacement], _ contents: UnsafeBufferPointer<TableEntry>
    ) {
        // A difference that was made by hand may have more of one than of the other; what has no partner is left out.
        for index in 0..<min(places.count, contents.count) {
            room(Self.elementBytes)
            if index > 0 { put(UInt8(ascii: ",")) }
            put(UInt8(ascii: "["))
            put(places[index])
            put(UInt8(ascii: ","))
            putContent(of: contents, index)
            room(2)
            put(UInt8(ascii: "]"))
        }
    }

    mutating func put(_ placement: SnapshotDifference<TableSection, TableItem>.SectionPlacement) {
        put(UInt8(ascii: "["))
        put(placement.section)
        put(UInt8(ascii: ","))
        put(placement.index)
        put(UInt8(ascii: "]"))
    }

    /// `item,section,index`
    @inline(__always)
    mutating func put(_ placement: SnapshotDifference<TableSection, TableItem>.ItemPlacement) {
        put(placement.item)
        put(UInt8(ascii: ","))
        put(placement.section)
        put(UInt8(ascii: ","))
        put(placement.index)
    }
}

extension SnapshotDifference {
    /// Whether there is anything in it but insertions of items.
    fileprivate var changesMoreThanInsertions: Bool {
        !(deletedItems.isEmpty && movedItems.isEmpty && insertedSections.isEmpty && deletedSections.isEmpty
            && movedSections.isEmpty)
    }
}

extension LineCursor {
    /// The elements of an array that has any, each through `element`.
    @inline(__always)
    fileprivate mutating func readList(_ element: (inout LineCursor) throws(Fallback) -> Void) throws(Fallback) {
        try expect(UInt8(ascii: "["))
        repeat { try element(&self) } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
    }

    /// `[item, content]`, one after the other.
    @inline(__always)
    fileprivate mutating func readUpdates(_ updates: inout [TableEntry]) throws(Fallback) {
        try readList { cursor throws(Fallback) in
            try cursor.expect(UInt8(ascii: "["))
            let item = try cursor.item()
            try cursor.expect(UInt8(ascii: ","))
            updates.append(try cursor.entry(item))
            try cursor.expect(UInt8(ascii: "]"))
        }
    }

    /// `[item, section, index, content]`, one after the other.
    @inline(__always)
    fileprivate mutating func readInsertions(
        _ places: inout [SnapshotDifference<TableSection, TableItem>.ItemPlacement], _ contents: inout [TableEntry]
    ) throws(Fallback) {
        try readList { cursor throws(Fallback) in
            try cursor.expect(UInt8(ascii: "["))
            let place = try cursor.itemPlacement()
            try cursor.expect(UInt8(ascii: ","))
            let content = try cursor.entry(place.item)
            try cursor.expect(UInt8(ascii: "]"))
            places.append(place)
            contents.append(content)
        }
    }

    /// `item, section, index`
    @inline(__always)
    fileprivate mutating func itemPlacement() throws(Fallback) -> SnapshotDifference<TableSection, TableItem>.ItemPlacement {
        let item = try item()
        try expect(UInt8(ascii: ","))
        let section = try section()
        try expect(UInt8(ascii: ","))
        return SnapshotDifference.ItemPlacement(item: item, section: section, index: try integer(in: WireRange.index))
    }

    /// `[section, index]`
    fileprivate mutating func sectionPlacement() throws(Fallback) -> SnapshotDifference<TableSection, TableItem>.SectionPlacement
    {
        try expect(UInt8(ascii: "["))
        let section = try section()
        try expect(UInt8(ascii: ","))
        let placement = SnapshotDifference<TableSection, TableItem>.SectionPlacement(
            section: section, index: try integer(in: WireRange.index))
        try expect(UInt8(ascii: "]"))
        return placement
    }
}
