/// The typical messages for Foundation's coders: plain Codable types without bounds checks.
enum FoundationMessages {
    struct Act: Codable {
        var type: String
        var action: String
        var id: Int
    }

    struct Done: Codable {
        var type: String
        var id: Int
        var to: String
    }

    struct Diff: Codable {
        var type: String
        var from: Int
        var to: Int
        var insert: [Insertion]
        var set: [Update]
    }

    /// `["c11","h3.1",3,"TD"]`
    struct Insertion: Codable {
        var item: String
        var section: String
        var index: Int
        var content: Content

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            item = try parts.decode(String.self)
            section = try parts.decode(String.self)
            index = try parts.decode(Int.self)
            content = try parts.decode(Content.self)
        }

        func encode(to encoder: any Encoder) throws {
            var parts = encoder.unkeyedContainer()
            try parts.encode(item)
            try parts.encode(section)
            try parts.encode(index)
            try parts.encode(content)
        }
    }

    /// `["left",212]`
    struct Update: Codable {
        var item: String
        var content: Content

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            item = try parts.decode(String.self)
            content = try parts.decode(Content.self)
        }

        func encode(to encoder: any Encoder) throws {
            var parts = encoder.unkeyedContainer()
            try parts.encode(item)
            try parts.encode(content)
        }
    }

    /// The content of a card, total or number.
    enum Content: Codable {
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .number(let number): try value.encode(number)
            case .text(let text): try value.encode(text)
            }
        }
    }
}
