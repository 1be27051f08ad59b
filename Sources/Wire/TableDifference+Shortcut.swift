import Snapshots
import TableModel

extension TableDifference {
    /// The difference that changes nothing.
    init() { self.init(structure: SnapshotDifference(), insertions: [], updates: []) }

    /// Reads the members of a diff after its revisions, up to the end of the line: what we write ourselves, each list once and with
    /// something in it. Of an empty difference.
    mutating func readShortcut(_ cursor: inout LineCursor) throws(Detour) {
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
        guard cursor.isAtEnd else { throw Detour() }
    }

    private mutating func readRareMember(_ cursor: inout LineCursor) throws(Detour) {
        if structure.deletedItems.isEmpty, cursor.take("\"delete\":") {
            try cursor.readList { cursor throws(Detour) in structure.deletedItems.append(try cursor.item()) }
        } else if structure.movedItems.isEmpty, cursor.take("\"move\":") {
            try cursor.readList { cursor throws(Detour) in
                try cursor.expect(UInt8(ascii: "["))
                structure.movedItems.append(try cursor.itemPlacement())
                try cursor.expect(UInt8(ascii: "]"))
            }
        } else if !clears, cursor.take("\"clear\":true") {
            clears = true
        } else if structure.insertedSections.isEmpty, cursor.take("\"insertSections\":") {
            try cursor.readList { cursor throws(Detour) in structure.insertedSections.append(try cursor.sectionPlacement()) }
        } else if structure.movedSections.isEmpty, cursor.take("\"moveSections\":") {
            try cursor.readList { cursor throws(Detour) in structure.movedSections.append(try cursor.sectionPlacement()) }
        } else if structure.deletedSections.isEmpty, cursor.take("\"deleteSections\":") {
            try cursor.readList { cursor throws(Detour) in structure.deletedSections.append(try cursor.section()) }
        } else {
            throw Detour()
        }
    }
}

extension LineCursor {
    /// The elements of an array that has any, each through `element`.
    @inline(__always)
    fileprivate mutating func readList(_ element: (inout LineCursor) throws(Detour) -> Void) throws(Detour) {
        try expect(UInt8(ascii: "["))
        repeat { try element(&self) } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
    }

    /// `[item, content]`, one after the other.
    @inline(__always)
    fileprivate mutating func readUpdates(_ updates: inout [TableEntry]) throws(Detour) {
        try readList { cursor throws(Detour) in
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
    ) throws(Detour) {
        try readList { cursor throws(Detour) in
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
    fileprivate mutating func itemPlacement() throws(Detour) -> SnapshotDifference<TableSection, TableItem>.ItemPlacement {
        let item = try item()
        try expect(UInt8(ascii: ","))
        let section = try section()
        try expect(UInt8(ascii: ","))
        return SnapshotDifference.ItemPlacement(item: item, section: section, index: try integer(in: WireRange.index))
    }

    /// `[section, index]`
    fileprivate mutating func sectionPlacement() throws(Detour) -> SnapshotDifference<TableSection, TableItem>.SectionPlacement {
        try expect(UInt8(ascii: "["))
        let section = try section()
        try expect(UInt8(ascii: ","))
        let placement = SnapshotDifference<TableSection, TableItem>.SectionPlacement(
            section: section, index: try integer(in: WireRange.index))
        try expect(UInt8(ascii: "]"))
        return placement
    }
}
