import Snapshots
import TableModel

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
