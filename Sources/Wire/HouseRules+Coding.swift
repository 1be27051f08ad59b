import Rules

extension HouseRules {
    /// Rules as an object with the keys of a rules file. Unknown keys are skipped: a later version may have more. Null is as good as absent.
    init(_ value: JSONValue) throws(JSONError) {
        var fields: [(String, RuleValue)] = []
        try value.object().eachMember { key, member throws(JSONError) in
            if HouseRules.keys.contains(key), !member.isNull { fields.append((key, try RuleValue(member))) }
        }
        do {
            try self.init(fields)
        } catch {
            throw value.mismatch("rules: \(error)")
        }
    }

    /// By default, by key.
    private static let usual = Dictionary(uniqueKeysWithValues: HouseRules().fieldValues)

    /// What is written of rules, by name as in every object of a table: one text for a state.
    /// - Parameter isWanted: whether a key is written even where its value is as by default.
    func written(_ isWanted: (String) -> Bool) -> [(String, RuleValue)] {
        fieldValues.filter { isWanted($0.0) || Self.usual[$0.0] != $0.1 }.sorted { $0.0 < $1.0 }
    }

    /// Reads the text of a rules file.
    /// - Throws: `ProtocolError.json` for what is no JSON object, otherwise `HouseRulesError`.
    public static func parse(_ text: [UInt8]) throws -> HouseRules {
        let fields: [(String, RuleValue)]
        do {
            fields = try text.withUnsafeBufferPointer { bytes throws(JSONError) in
                try JSONValue.read(bytes) { value throws(JSONError) in
                    var fields: [(String, RuleValue)] = []
                    try value.object().eachMember { key, member throws(JSONError) in fields.append((key, try RuleValue(member))) }
                    return fields
                }
            }
        } catch {
            throw ProtocolError.json(error)
        }
        return try HouseRules(fields)
    }
}

/// What was written of rules a moment ago. The tables of a house have few kinds of rules between them, and to find out what is to be said of
/// rules takes longer than all the rest that is said of a table.
struct RulesMemory {
    private var known: [(rules: HouseRules, fields: [(String, RuleValue)])] = []
    private static let most = 8

    /// What differs from the default.
    mutating func fields(of rules: HouseRules) -> [(String, RuleValue)] {
        if let match = known.first(where: { $0.rules == rules }) { return match.fields }
        if known.count == Self.most { known.removeFirst() }
        let fields = rules.written { _ in false }
        known.append((rules, fields))
        return fields
    }
}

extension JSONWriter {
    mutating func write(_ fields: [(String, RuleValue)]) {
        beginObject()
        for (key, value) in fields {
            self.key(key)
            switch value {
            case .text(let text): string(text)
            case .integer(let number): integer(number)
            case .number(let number): double(number)
            case .flag(let flag): bool(flag)
            case .other: null()
            }
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
