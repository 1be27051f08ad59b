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

    /// - Parameter isWhole: whether what is as by default is written too.
    func write(to writer: inout JSONWriter, isWhole: Bool = true) {
        let usual = isWhole ? [:] : Dictionary(uniqueKeysWithValues: HouseRules().fieldValues)
        writer.beginObject()
        // By name, as in every object of a table: one text for a state.
        for (key, value) in fieldValues.sorted(by: { $0.0 < $1.0 }) where usual[key] != value {
            writer.key(key)
            switch value {
            case .text(let text): writer.string(text)
            case .integer(let number): writer.integer(number)
            case .number(let number): writer.double(number)
            case .flag(let flag): writer.bool(flag)
            case .other: writer.null()
            }
        }
        writer.endObject()
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
            self = .other(value.isNull ? "null" : (try? value.array()) != nil ? "a list" : "an object")
        }
    }
}
