import Snapshots
import TableModel

extension TableSnapshot {
    /// `"sections":[["table",[["round",{…}],…]],…]`: each section with its items, each item with what it shows.
    init(_ object: JSONObject) throws(JSONError) {
        let value = try object.required("sections")
        var list = try value.array()
        let sections = try list.map { section throws(JSONError) in
            var parts = try section.array()
            let identifier = try TableSection(parts.required())
            var items = try parts.required().array()
            return (identifier, try items.map { item throws(JSONError) in try TableEntry(pair: item) })
        }
        do {
            try self.init(sections)
        } catch {
            throw value.mismatch("sections and items, each once: \(error)")
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.key("sections")
        writeSections(to: &writer)
    }

    /// The one text of a table: what a snapshot carries and what its check value is made of.
    func writeSections(to writer: inout JSONWriter) {
        writer.beginArray()
        for section in structure.sectionIdentifiers { writer.write(section, entries(in: section)) }
        writer.endArray()
    }
}

extension JSONWriter {
    /// A section with its entries.
    mutating func write(_ section: TableSection, _ entries: some Sequence<TableEntry>) {
        beginArray()
        section.write(to: &self)
        beginArray()
        for entry in entries { write(entry) }
        endArray()
        endArray()
    }

    /// An item with what it shows.
    mutating func write(_ entry: TableEntry) { entry.writePair(to: &self) }
}

extension TableDifference {
    /// `clear`, then seven lists, each absent when empty. Indices are final: the receiver takes out what moves or goes, then puts in what comes, in
    /// ascending order.
    init(_ object: JSONObject) throws(JSONError) {
        typealias Structure = SnapshotDifference<TableSection, TableItem>
        func list<Element>(
            _ key: StaticString, _ read: (JSONValue) throws(JSONError) -> Element
        ) throws(JSONError) -> [Element] {
            guard let value = object.find(key) else { return [] }
            var array = try value.array()
            return try array.map(read)
        }
        func section(_ value: JSONValue) throws(JSONError) -> Structure.SectionPlacement {
            var parts = try value.array()
            return Structure.SectionPlacement(
                section: try TableSection(parts.required()), index: try parts.required().integer(in: 0...1000))
        }
        var insertions: [TableEntry] = []
        let structure = Structure(
            deletedSections: try list("deleteSections") { value throws(JSONError) in try TableSection(value) },
            insertedSections: try list("insertSections", section),
            movedSections: try list("moveSections", section),
            deletedItems: try list("delete") { value throws(JSONError) in try TableItem(value) },
            insertedItems: try list("insert") { value throws(JSONError) in
                var parts = try value.array()
                let placement = try Structure.ItemPlacement(&parts)
                insertions.append(try TableEntry(placement.item, parts.required()))
                return placement
            },
            movedItems: try list("move") { value throws(JSONError) in
                var parts = try value.array()
                return try Structure.ItemPlacement(&parts)
            })
        self.init(
            clears: try object.flag("clear") ?? false, structure: structure, insertions: insertions,
            updates: try list("set") { value throws(JSONError) in try TableEntry(pair: value) })
    }

    func write(to writer: inout JSONWriter) {
        if clears {
            writer.key("clear")
            writer.bool(true)
        }
        writer.list("deleteSections", structure.deletedSections) { $0.write(to: &$1) }
        writer.list("insertSections", structure.insertedSections) { $0.write(to: &$1) }
        writer.list("moveSections", structure.movedSections) { $0.write(to: &$1) }
        writer.list("delete", structure.deletedItems) { $0.write(to: &$1) }
        writer.list("move", structure.movedItems) { placement, writer in
            writer.beginArray()
            placement.writePlace(to: &writer)
            writer.endArray()
        }
        writer.list("insert", zip(structure.insertedItems, insertions)) { inserted, writer in
            writer.beginArray()
            inserted.0.writePlace(to: &writer)
            inserted.1.writeContent(to: &writer)
            writer.endArray()
        }
        writer.list("set", updates) { $0.writePair(to: &$1) }
    }
}

extension TableEntry {
    fileprivate init(pair value: JSONValue) throws(JSONError) {
        var parts = try value.array()
        let item = try TableItem(parts.required())
        try self.init(item, parts.required())
    }

    fileprivate func writePair(to writer: inout JSONWriter) {
        writer.beginArray()
        item.write(to: &writer)
        writeContent(to: &writer)
        writer.endArray()
    }
}

extension SnapshotDifference<TableSection, TableItem>.SectionPlacement {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginArray()
        section.write(to: &writer)
        writer.integer(index)
        writer.endArray()
    }
}

extension SnapshotDifference<TableSection, TableItem>.ItemPlacement {
    fileprivate init(_ parts: inout JSONArray) throws(JSONError) {
        self.init(
            item: try TableItem(parts.required()), section: try TableSection(parts.required()),
            index: try parts.required().integer(in: 0...1000))
    }

    fileprivate func writePlace(to writer: inout JSONWriter) {
        item.write(to: &writer)
        section.write(to: &writer)
        writer.integer(index)
    }
}

extension JSONWriter {
    /// A list under a key, which is left out when there is nothing in it.
    mutating func list<Elements: Sequence>(
        _ key: StaticString, _ elements: Elements, _ write: (Elements.Element, inout JSONWriter) -> Void
    ) {
        var rest = elements.makeIterator()
        guard let first = rest.next() else { return }
        self.key(key)
        beginArray()
        write(first, &self)
        while let element = rest.next() { write(element, &self) }
        endArray()
    }
}
