import Rules
import TableModel

extension TableRules {
    static let longestDigest = 64

    /// `{"betStep":5,"digest":"…","maximumBet":500,"minimumBet":10}` and what is not as by default.
    init(_ value: JSONValue) throws(JSONError) {
        try self.init(value, digest: value.object().required("digest").string(maximum: Self.longestDigest))
    }

    /// A key that is not known is a rule of a later server: it is kept for the check value.
    init(_ value: JSONValue, digest: String) throws(JSONError) {
        var others: [Other] = []
        try value.object().eachMember { key, member throws(JSONError) in
            guard key != "digest", !HouseRules.keys.contains(key) else { return }
            others.append(Other(key: key, value: try member.compactText))
        }
        others.sort { Self.comesBefore($0.key, $1.key) }
        self.init(try HouseRules(value), digest: digest, others: others)
    }

    /// Bets are in every table's rules: whoever only wants to bet need know no default.
    private static let alwaysShown: Set<String> = ["minimumBet", "maximumBet", "betStep"]

    /// As the item of a table.
    func write(to writer: inout JSONWriter) {
        var members = rules.written { Self.alwaysShown.contains($0) }.map { Other(key: $0.0, value: $0.1.description) }
        members.append(Other(key: "digest", value: "\"\(digest)\""))
        Self.write(members + others, to: &writer)
    }

    /// All of them, without the digest.
    func writeAll(to writer: inout JSONWriter) {
        Self.write(rules.fieldValues.map { Other(key: $0.0, value: $0.1.description) } + others, to: &writer)
    }

    private static func write(_ members: [Other], to writer: inout JSONWriter) {
        writer.beginObject()
        for member in members.sorted(by: { comesBefore($0.key, $1.key) }) {
            writer.key(member.key)
            writer.json(member.value)
        }
        writer.endObject()
    }

    private static func comesBefore(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
