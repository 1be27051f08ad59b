import Rules
import TableModel

/// The item `rules`.
extension TableRules: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> TableRules { try TableRules(value) }
    static func shape(_: NoBounds) -> Shape { .reference(.tableRules) }
}

/// All rules of a table, without their digest.
struct AllRules: WireValue {
    var rules: TableRules

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> AllRules {
        AllRules(rules: try TableRules(value, digest: ""))
    }

    func write(to writer: inout JSONWriter) { rules.writeAll(to: &writer) }
    static func shape(_: NoBounds) -> Shape { .reference(.rules) }
}

extension TableRules {

    /// `{"betStep":5,"digest":"…","maximumBet":500,"minimumBet":10}` and what is not as by default.
    fileprivate init(_ value: JSONValue) throws(JSONError) {
        try self.init(value, digest: value.object().required("digest").string(maximum: TextBounds.digest.maximumBytes))
    }

    /// Keeps an unknown key, a rule of a later server, for the check value.
    fileprivate init(_ value: JSONValue, digest: String) throws(JSONError) {
        var others: [Other] = []
        try value.object().eachMember { key, member throws(JSONError) in
            guard key != "digest", !HouseRules.keys.contains(key) else { return }
            others.append(Other(key: key, value: try member.compactText))
        }
        others.sort { Self.comesBefore($0.key, $1.key) }
        self.init(try HouseRules(value), digest: digest, others: others)
    }

    /// Written even where they are as by default, so that a client can bet without knowing the defaults.
    private static let alwaysShown: Set<String> = ["minimumBet", "maximumBet", "betStep"]

    /// Writes the item of a table.
    func write(to writer: inout JSONWriter) {
        var members = rules.written { Self.alwaysShown.contains($0) }.map { Other(key: $0.0, value: $0.1.description) }
        members.append(Other(key: "digest", value: "\"\(digest)\""))
        Self.write(members + others, to: &writer)
    }

    /// Writes all rules, without the digest.
    fileprivate func writeAll(to writer: inout JSONWriter) {
        Self.write(rules.fieldValues.map { Other(key: $0.0, value: $0.1.description) } + others, to: &writer)
    }

    private static func write(_ members: [Other], to writer: inout JSONWriter) {
        writer.beginObject()
        for member in members.sorted(by: { comesBefore($0.key, $1.key) }) {
            writer.key(text: member.key)
            writer.json(member.value)
        }
        writer.endObject()
    }

    private static func comesBefore(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
