import Rules
import TableModel

extension HouseRules {
    /// Reads an object with the keys of a rules file. Skips unknown keys, which are rules of a later version; null is as good as absent.
    package init(_ value: JSONValue) throws(JSONError) {
        let fields = try Self.fields(value) { HouseRules.keys.contains($0) && !$1.isNull }
        do {
            try self.init(fields)
        } catch {
            throw value.mismatch("rules: \(error)")
        }
    }

    private static func fields(
        _ value: JSONValue, where isWanted: (String, JSONValue) -> Bool
    ) throws(JSONError) -> [(String, RuleValue)] {
        var fields: [(String, RuleValue)] = []
        try value.object().eachMember { key, member throws(JSONError) in
            let key = try key.string()
            if isWanted(key, member) { fields.append((key, try RuleValue(member))) }
        }
        return fields
    }

    /// The defaults, by key.
    private static let usual = Dictionary(uniqueKeysWithValues: HouseRules().fieldValues)

    /// The fields to write, sorted by key: there is one text for a state.
    /// - Parameter isWanted: whether to write a key whose value is the default.
    func written(_ isWanted: (String) -> Bool) -> [(String, RuleValue)] {
        fieldValues.filter { isWanted($0.0) || Self.usual[$0.0] != $0.1 }.sorted { $0.0 < $1.0 }
    }

    /// Reads the text of a rules file.
    /// - Throws: `ProtocolError.json` for what is no JSON object, otherwise `HouseRulesError`.
    public static func parse(_ text: [UInt8]) throws -> HouseRules {
        do {
            return try HouseRules(
                text.withUnsafeBufferPointer { bytes throws(JSONError) in
                    try JSONValue.read(bytes) { value throws(JSONError) in try fields(value) { _, _ in true } }
                })
        } catch let error as JSONError {
            throw ProtocolError.json(error)
        }
    }
}

/// The rules of a table in the lobby: those that differ from the defaults.
extension HouseRules: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> HouseRules { try HouseRules(value) }
    func write(to writer: inout JSONWriter) { writer.write(writer.knownRules.fields(of: self)) }
    static func shape(_: NoBounds) -> Shape { .reference(.rules) }
}

/// Caches the fields of rules within a line: tables share few kinds of rules, and comparing rules with the default takes longer than
/// writing the rest of a table in the lobby.
struct RulesMemory {
    private var known: [(rules: HouseRules, fields: [(String, RuleValue)])] = []
    private static let most = 8

    /// The fields that differ from the default.
    mutating func fields(of rules: HouseRules) -> [(String, RuleValue)] {
        if let match = known.first(where: { $0.rules == rules }) { return match.fields }
        if known.count == Self.most { known.removeFirst() }
        let fields = rules.written { _ in false }
        known.append((rules, fields))
        return fields
    }
}

extension JSONWriter {
    package mutating func write(_ fields: [(String, RuleValue)]) {
        beginObject()
        for (key, value) in fields {
            self.key(text: key)
            json(value.description)
        }
        endObject()
    }
}

extension RuleValue {
    fileprivate init(_ value: JSONValue) throws(JSONError) {
        if value.isString {
            self = .text(try value.string())
        } else if let flag = try? value.bool() {
            self = .flag(flag)
        } else if let number = try? value.integer() {
            self = .integer(number)
        } else if let number = try? value.double() {
            self = .number(number)
        } else {
            self = .other(value.kind)
        }
    }
}

// MARK: - Coding

/// The item `rules`.
extension TableRules: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> TableRules { try TableRules(value) }
    static func shape(_: NoBounds) -> Shape { .reference(.tableRules) }
}

/// All rules of a table, as a reply states them.
public struct AllRules: Equatable, Sendable {
    public var rules: TableRules
    /// Compact JSON with sorted keys, as received: the digest is its hash, whichever keys are known here.
    public let text: String

    public init(_ rules: TableRules) {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { rules.writeAll(to: &$0) }
        (self.rules, text) = (rules, String(decoding: bytes, as: UTF8.self))
    }

    private init(_ value: JSONValue) throws(JSONError) {
        (rules, text) = (try TableRules(value, digest: ""), try value.compactText)
    }
}

extension AllRules: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> AllRules { try AllRules(value) }
    func write(to writer: inout JSONWriter) { writer.json(text) }
    static func shape(_: NoBounds) -> Shape { .reference(.rules) }
}

extension TableRules {

    /// `{"betStep":5,"digest":"…","maximumBet":500,"minimumBet":10}` and rules that differ from the defaults.
    fileprivate init(_ value: JSONValue) throws(JSONError) {
        try self.init(value, digest: value.object().required("digest").string(maximum: TextBounds.digest.maximumBytes))
    }

    /// Keeps an unknown key, a rule of a later server, for the check value.
    fileprivate init(_ value: JSONValue, digest: String) throws(JSONError) {
        var others: [Other] = []
        try value.object().eachMember { key, member throws(JSONError) in
            let key = try key.string()
            guard key != "digest", !HouseRules.keys.contains(key) else { return }
            others.append(Other(key: key, value: try member.compactText))
        }
        others.sort { Self.comesBefore($0.key, $1.key) }
        self.init(try HouseRules(value), digest: digest, others: others)
    }

    /// Written even if they are the defaults, so that a client can bet without knowing these.
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
