import Wire

/// The text of a settings file: a JSON object. Members that this version does not know are kept as they are. A value.
struct SettingsDocument: Equatable, Sendable {
    /// A text that is not right: a sentence without the file's name.
    struct Fault: Error, Equatable { let description: String }

    /// In the order of the text.
    private var members: [(key: String, json: String)] = []

    init() {}

    init(_ bytes: [UInt8]) throws(Fault) {
        do {
            members = try bytes.withUnsafeBufferPointer { bytes in
                try JSONValue.read(bytes) { value throws(JSONError) in
                    var members: [(key: String, json: String)] = []
                    try value.object().eachMember { key, value in
                        members.append((key, String(decoding: value.raw, as: UTF8.self)))
                    }
                    return members
                }
            }
        } catch {
            throw Fault(description: "is not a JSON object of settings")
        }
    }

    static func == (a: Self, b: Self) -> Bool { a.text == b.text }

    /// Sets a member; nil removes it.
    /// - Parameter words: as ``ClientSettings/words(of:)`` has them.
    mutating func set(_ field: ClientSettings.Field, to words: String?) {
        let place = members.firstIndex { $0.key == field.rawValue }
        guard let words else {
            if let place { members.remove(at: place) }
            return
        }
        let json =
            switch field.kind {
            case .word: Self.quoted(words)
            case .flag: words == "on" ? "true" : "false"
            case .number: words
            }
        if let place { members[place].json = json } else { members.append((field.rawValue, json)) }
    }

    /// The settings in the text, all others by default.
    var settings: ClientSettings {
        get throws(Fault) {
            var settings = ClientSettings()
            for (key, json) in members where json != "null" {
                guard let field = ClientSettings.Field(rawValue: key) else { continue }
                guard let words = Self.words(json, field.kind), (try? settings.set(field, to: words)) != nil else {
                    let expected = field.kind == .flag ? "true or false" : field.expected
                    throw Fault(description: "\(key) is not \(expected)")
                }
            }
            return settings
        }
    }

    /// Whether the text has a value for a setting.
    func has(_ field: ClientSettings.Field) -> Bool { members.contains { $0.key == field.rawValue && $0.json != "null" } }

    private static func words(_ json: String, _ kind: ClientSettings.Field.Kind) -> String? {
        switch kind {
        case .flag: json == "true" ? "on" : json == "false" ? "off" : nil
        case .number: json
        case .word:
            Array(json.utf8).withUnsafeBufferPointer { bytes in
                try? JSONValue.read(bytes) { value throws(JSONError) in try value.string() }
            }
        }
    }

    /// One member a line.
    var text: String {
        guard !members.isEmpty else { return "{}\n" }
        return "{\n" + members.map { "  \(Self.quoted($0.key)): \($0.json)" }.joined(separator: ",\n") + "\n}\n"
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { $0.string(text) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
