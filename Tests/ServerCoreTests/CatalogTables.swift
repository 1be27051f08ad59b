import Wire

/// The tables of Protocol.md, made from the catalog of messages.
enum CatalogTables {
    /// By the name that stands in the page's markers.
    static let all: [(name: String, rows: [String])] = [
        ("requests", requests), ("fields", fields), ("options", options), ("messages", messages), ("hello", hello),
        ("sections", sections), ("items", items), ("rules", rules), ("diff keys", diffKeys), ("bye codes", goodbyes),
        ("codes", codes),
    ]

    private static let requests =
        ["| request | when | fields | what it does | with `ok` |", "|---|---|---|---|---|"]
        + Catalog.requests.map { request in
            let reply = request.reply.map { names($0) } ?? "(no reply)"
            return
                "| `\(request.type)` | \(request.need.explanation) | \(names(request.fields)) | \(request.explanation) | \(reply) |"
        }

    private static let fields =
        ["| request | field | form | what it is |", "|---|---|---|---|"]
        + Catalog.requests.filter { $0.type != "options" }.flatMap { request in
            request.fields.map { field in
                "| `\(request.type)` | \(names([field])) | \(form(field.shape)) | \(field.explanation) |"
            }
        }

    private static let options =
        ["| option | form | what it does |", "|---|---|---|"]
        + (Catalog.request("options")?.fields ?? []).map { "| `\($0.name)` | \(form($0.shape)) | \($0.explanation) |" }

    private static let messages =
        ["| message | fields | when it is said |", "|---|---|---|"]
        + Catalog.events.map { event in
            let fields =
                event.type == "diff" ? names(Array(event.fields.prefix(3))) + ", and what has changed" : names(event.fields)
            return "| `\(event.type)` | \(fields) | \(event.explanation) |"
        }

    private static let hello =
        ["| field | what it is |", "|---|---|"]
        + (Catalog.events.first { $0.type == "hello" }?.fields ?? []).flatMap { field -> [String] in
            guard case .object(let inner) = field.shape else { return ["| `\(field.name)` | \(field.explanation) |"] }
            return inner.map { "| `\(field.name).\($0.name)` | \($0.explanation) |" }
        }

    private static let sections =
        ["| section | what it is | its items |", "|---|---|---|"]
        + Catalog.sections.map { "| \($0.title) | \($0.explanation) | \($0.contents) |" }

    private static let items =
        ["| item | content |", "|---|---|"] + Catalog.items.map { "| `\($0.example)` | \($0.explanation) |" }

    private static let rules =
        ["| rule | form | what it is |", "|---|---|---|"]
        + Catalog.rules.map { "| `\($0.name)` | \(form($0.shape)) | \($0.explanation) |" }

    private static let diffKeys =
        ["| key | elements | meaning |", "|---|---|---|"]
        + Catalog.diffKeys.map { "| `\($0.name)` | \(elements[$0.name] ?? "") | \($0.explanation) |" }

    private static let elements = [
        "clear": "`true`", "deleteSections": "section", "insertSections": "`[section, index]`",
        "moveSections": "`[section, index]`", "delete": "item", "move": "`[item, section, index]`",
        "insert": "`[item, section, index, content]`", "set": "`[item, content]`",
    ]

    private static let goodbyes =
        ["| code | why |", "|---|---|"] + GoodbyeCode.allCases.map { "| `\($0.rawValue)` | \($0.explanation) |" }

    private static let codes =
        ["| code | when |", "|---|---|"]
        + ErrorCode.allCases.filter { !$0.isInternal }.map { code in
            let marks = [code.isRetryable ? "retryable" : nil, code.isFatal ? "fatal" : nil].compactMap(\.self)
            return "| `\(code.rawValue)` | \(code.explanation)\(marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))") |"
        }

    private static func names(_ fields: [Field]) -> String {
        fields.map { "`\($0.name)`" + ($0.isRequired ? "" : "?") }.joined(separator: ", ")
    }

    private static func form(_ shape: Shape) -> String {
        switch shape {
        case .text(let maximum, _): maximum.map { "string, at most \($0) bytes" } ?? "string"
        case .word(let words): words.map { "`\"\($0)\"`" }.joined(separator: ", ")
        case .openWord: "string"
        case .whole(let range) where range.lowerBound == range.upperBound: "\(range.lowerBound)"
        case .whole(let range) where range.upperBound == .max: "whole number"
        case .whole(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .number(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .flag: "true or false"
        case .list: "array"
        case .tuple: "array"
        case .object: "object"
        case .either(let shapes): shapes.map(form).joined(separator: " or ")
        case .reference(let name): Catalog.definitions.first { $0.name == name }.map { form($0.shape) } ?? ""
        }
    }
}
