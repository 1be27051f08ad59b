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
                section: try TableSection(parts.required()), index: try parts.required().integer(in: WireRange.index))
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
}

extension TableEntry {
    fileprivate init(pair value: JSONValue) throws(JSONError) {
        var parts = try value.array()
        let item = try TableItem(parts.required())
        try self.init(item, parts.required())
    }
}

extension SnapshotDifference<TableSection, TableItem>.ItemPlacement {
    fileprivate init(_ parts: inout JSONArray) throws(JSONError) {
        self.init(
            item: try TableItem(parts.required()), section: try TableSection(parts.required()),
            index: try parts.required().integer(in: WireRange.index))
    }
}
