import TableModel

/// `{"round":1,"c2":["dealer","KD"],"a1":null}`: items by name, each with what it shows; null for one that goes, or is absent.
private struct Items: WireValue {
    var entries: [TableEntry] = []
    var removals: [TableItem] = []

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Items {
        var items = Items()
        try value.object().eachMember { key, content throws(JSONError) in
            var entry = try TableEntry(named: key)
            guard !content.isNull else { return items.removals.append(entry.item) }
            var content = content
            try entry.visitContent(&content)
            items.entries.append(entry)
        }
        return items
    }

    func write(to writer: inout JSONWriter) {
        writer.value(0) { writer in entries.withUnsafeBufferPointer { writer.putItems($0, removals) } }
    }

    static func shape(_: NoBounds) -> Shape { .reference(.items) }
}

extension TableSnapshot: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> TableSnapshot {
        TableSnapshot(try Items.read(value, NoBounds()).entries)
    }

    func write(to writer: inout JSONWriter) { Items(entries: entries).write(to: &writer) }
    static func shape(_: NoBounds) -> Shape { .reference(.items) }
}

extension TableDifference {
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional(
            "clear", &clears, absent: false,
            "before anything else, all that goes with a round is removed: `clock`, `dealer`, and every `c…`, `a…`, `i…`, `b…`, `t…`, `r…` with a number"
        )
        var items = Items(entries: entries, removals: removals)
        try visitor.required("items", &items, "each new or changed item with what it shows; `null` for one that goes")
        (entries, removals) = (items.entries, items.removals)
    }

    // MARK: Shortcut

    /// Reads the members of a diff after its revisions, up to the end of the line, as we write them. Of an empty difference.
    mutating func readShortcut(_ cursor: inout LineCursor) throws(Fallback) {
        clears = cursor.take(",\"clear\":true")
        try cursor.expect(",\"items\":{")
        if !cursor.take(UInt8(ascii: "}")) {
            repeat {
                guard entries.count + removals.count < WireLimits.eventMembers else { throw Fallback() }
                let item = try cursor.item()
                try cursor.expect(UInt8(ascii: ":"))
                if cursor.take("null") {
                    guard !removals.contains(item), !entries.contains(where: { $0.item == item }) else { throw Fallback() }
                    removals.append(item)
                } else {
                    let entry = try cursor.entry(item)
                    // The table's order shows that no item is there twice.
                    guard removals.isEmpty, entries.last?.precedes(onTable: entry) ?? true else { throw Fallback() }
                    entries.append(entry)
                }
            } while cursor.take(UInt8(ascii: ","))
            try cursor.expect(UInt8(ascii: "}"))
        }
        try cursor.expect(UInt8(ascii: "}"))
        guard cursor.isAtEnd else { throw Fallback() }
    }
}

// MARK: - Encoding

extension JSONWriter {
    /// The table's part of a diff.
    @inline(__always)
    mutating func write(_ difference: borrowing TableDifference) {
        room(32)
        if difference.clears { put(",\"clear\":true") }
        put(",\"items\":")
        difference.entries.withUnsafeBufferPointer { putItems($0, difference.removals) }
    }

    /// Reads the entries in place: iterating an array would copy each.
    @inline(__always)
    fileprivate mutating func putItems(_ entries: UnsafeBufferPointer<TableEntry>, _ removals: [TableItem]) {
        room(1)
        put(UInt8(ascii: "{"))
        for index in entries.indices {
            room(Self.memberBytes)
            if index > 0 { put(UInt8(ascii: ",")) }
            putMember(entries, index)
        }
        for index in removals.indices {
            room(Self.memberBytes)
            if index > 0 || !entries.isEmpty { put(UInt8(ascii: ",")) }
            put(removals[index])
            put(":null")
        }
        room(1)
        put(UInt8(ascii: "}"))
    }
}
