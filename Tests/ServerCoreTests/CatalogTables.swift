import Rules
import TableModel
import Wire

/// The tables of Protocol.md, made from the catalog of messages.
enum CatalogTables {
    /// By the name that stands in the page's markers.
    static let all: [(name: String, rows: [String])] = [
        ("requests", requests), ("fields", fields), ("options", options), ("messages", messages), ("hello", hello),
        ("features", features),
        ("numbers", numbers), ("items", items), ("rules", rules),
        ("facts", facts),
        ("bye codes", goodbyes),
        ("codes", codes), ("classes", classes),
    ]

    private static let requests =
        ["| request | when | fields | what it does | with `ok` |", "|---|---|---|---|---|"]
        + Catalog.requests.map { request in
            "| `\(request.type)` | \(request.need.explanation) | \(names(request.fields)) | \(request.explanation) | \(names(request.reply)) |"
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
            "| `\(event.type)` | \(names(event.fields)) | \(event.explanation) |"
        }

    private static let hello =
        ["| field | what it is |", "|---|---|"]
        + (Catalog.events.first { $0.type == "hello" }?.fields ?? []).flatMap { field -> [String] in
            guard case .object(let inner) = field.shape else { return ["| `\(field.name)` | \(field.explanation) |"] }
            return inner.map { "| `\(field.name).\($0.name)` | \($0.explanation) |" }
        }

    private static let features =
        ["| feature | what the server has |", "|---|---|"] + Hello.meanings.map { "| `\($0.name)` | \($0.meaning) |" }

    private static let numbers =
        ["| where | numbers |", "|---|---|"]
        + Catalog.requests.flatMap { row("request `\($0.type)`", numbers(in: .object($0.fields), "")) }
        + Catalog.requests.flatMap { row("`ok` to `\($0.type)`", numbers(in: .object($0.reply), "")) }
        + Catalog.events.flatMap { row("message `\($0.type)`", numbers(in: .object($0.fields), "")) }
        + Catalog.items.flatMap { row("item `\($0.example)`", numbers(in: $0.shape, "")) }

    /// No row where there are no numbers; those of one range stand together.
    private static func row(_ place: String, _ numbers: [(name: String, range: String)]) -> [String] {
        let ranges = numbers.indices.filter { index in !numbers[..<index].contains { $0.range == numbers[index].range } }
        guard !ranges.isEmpty else { return [] }
        let groups = ranges.map { index in
            let names = numbers.filter { $0.range == numbers[index].range }.map { "`\($0.name)`" }
            return numbers[index].name.isEmpty
                ? numbers[index].range : names.joined(separator: ", ") + ": " + numbers[index].range
        }
        return ["| \(place) | \(groups.joined(separator: "; ")) |"]
    }

    /// The numbers in a shape, each once; the entries of a table are items by themselves.
    private static func numbers(in shape: Shape, _ name: String) -> [(name: String, range: String)] {
        switch shape {
        case .whole: return [(name, form(shape))]
        case .either(let shapes):
            return shapes.contains { if case .whole = $0 { true } else { false } } ? [(name, form(shape))] : []
        case .list(let element): return numbers(in: element, name)
        case .tuple(let elements):
            return elements.flatMap { numbers(in: $0, name) }.reduce(into: []) { found, number in
                if !found.contains(where: { $0 == number }) { found.append(number) }
            }
        case .object(let fields):
            return fields.flatMap { numbers(in: $0.shape, name.isEmpty ? $0.name : "\(name).\($0.name)") }
        case .reference(.rules), .reference(.id), .reference(.items): return []
        case .reference(let reference):
            guard let definition = Catalog.definitions.first(where: { $0.name == reference }) else { return [] }
            return numbers(in: definition.shape, name)
        case .dictionary(let fields): return fields.flatMap { numbers(in: $0.shape, name) }
        case .text, .word, .openWord, .number, .flag, .anything: return []
        }
    }

    private static let items =
        ["| item | content |", "|---|---|"] + Catalog.items.map { "| `\($0.example)` | \($0.explanation) |" }

    private static let rules =
        ["| rule | form | default | what it is |", "|---|---|---|---|"]
        + Catalog.rules.map { rule in
            let value = HouseRules().fieldValues.first { $0.0 == rule.name }.map { "\($0.1)" } ?? ""
            return "| `\(rule.name)` | \(form(rule.shape)) | `\(value)` | \(rule.explanation) |"
        }

    private static let facts =
        ["| fact | with | what has happened |", "|---|---|---|"]
        + Catalog.facts.map { fact in
            "| `\(fact.word)` | \(fact.fields.map { "`\($0)`" }.joined(separator: ", ")) | \(fact.explanation) |"
        }

    private static let goodbyes =
        ["| code | why |", "|---|---|"] + GoodbyeCode.allCases.map { "| `\($0.rawValue)` | \($0.explanation) |" }

    private static let codes =
        ["| class | code | when |", "|---|---|---|"]
        + ErrorCode.allCases.map { code in
            "| `\(code.kind)` | `\(code.rawValue)` | \(code.explanation)\(code.closes ? " (closes)" : "") |"
        }

    private static let classes =
        ["| class | how to react |", "|---|---|"] + ErrorClass.allCases.map { "| `\($0)` | \($0.explanation) |" }

    private static func names(_ fields: [Field]) -> String {
        fields.map { "`\($0.name)`" + ($0.isRequired ? "" : "?") }.joined(separator: ", ")
    }

    private static func form(_ shape: Shape) -> String {
        switch shape {
        case .text(let maximum, _): maximum.map { "string, at most \($0) bytes" } ?? "string"
        case .word(let words): words.map { "`\"\($0)\"`" }.joined(separator: ", ")
        case .openWord: "string"
        case .whole(let range) where range.lowerBound == range.upperBound: "\(range.lowerBound)"
        case .whole(let range) where range == .min ... .max: "whole number of at most 64 bits"
        case .whole(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .number(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .anything: "anything"
        case .flag: "true or false"
        case .list: "array"
        case .tuple: "array"
        case .object, .dictionary: "object"
        case .either(let shapes): shapes.map(form).joined(separator: " or ")
        case .reference(let name): Catalog.definitions.first { $0.name == name }.map { form($0.shape) } ?? ""
        }
    }
}
