import Rules
import TableModel
import Wire

/// The tables of Protocol.md and of its pages, made from the catalog of messages.
enum CatalogTables {
    /// Each with its header, whose first cell is on one of the pages, once.
    static let all: [[String]] =
        requests.filter { !$0.rows.isEmpty }.map { message("request `\($0.type)`", $0.explanation, $0.rows) }
        + Catalog.events.filter { !["ok", "bye"].contains($0.type) }.map {
            message("message `\($0.type)`", $0.explanation, rows($0.fields))
        } + [
            table(["request", "effect"], requests.filter(\.rows.isEmpty).map { ["`\($0.type)`", $0.explanation] }),
            message("entry of a lobby", "meaning", rows(entry)),
            table(["class", "how to react"], ErrorClass.allCases.map { ["`\($0)`", $0.explanation] }),
            table(["item", "content"], Catalog.items.map { ["`\($0.example)`", $0.explanation] }),
            table(
                ["rule", "form", "default", "meaning"],
                zip(Catalog.rules, HouseRules.fields).map { rule, field in
                    ["`\(rule.name)`", form(rule.shape), "`\(field.read(HouseRules()))`", rule.explanation]
                }),
            table(
                ["fact", "with", "meaning"],
                Catalog.facts.map { fact in
                    ["`\(fact.word)`", fact.fields.map { "`\($0)`" }.joined(separator: ", "), fact.explanation]
                }),
            table(["`code` of `bye`", "why"], GoodbyeCode.allCases.map { ["`\($0.rawValue)`", $0.explanation] }),
            table(
                ["`code` of `error`", "class", "when"],
                ErrorCode.allCases.map {
                    ["`\($0.rawValue)`", "`\($0.kind)`", $0.explanation + ($0.closes ? " (closes)" : "")]
                }),
        ]

    private static let entry = Catalog.definitions.flatMap { definition -> [Field] in
        guard case .object(let fields) = definition.shape, definition.name == .tableSummary else { return [] }
        return fields
    }

    private static func table(_ header: [String], _ rows: [[String]]) -> [String] {
        ([header] + [header.map { _ in "---" }] + rows).map { row in
            row[0] == "---" ? "|\(row.joined(separator: "|"))|" : "| \(row.joined(separator: " | ")) |"
        }
    }

    private static func message(_ title: String, _ explanation: String, _ rows: [[String]]) -> [String] {
        table([title, "form", explanation], rows)
    }

    /// Requests with the rows of fields that are theirs alone. The page has, once, `table` of a request at a table and `rev` of its reply, and
    /// says that `sit` has what `watch` has, `login` and the reply to `options` what `options` has.
    private static let requests = Catalog.requests.map { request in
        let isAtTable = request.need == .seat || request.need == .table
        func own(_ fields: [Field], but shared: String) -> [[String]] {
            rows(fields.filter { !isAtTable || $0.name != shared })
        }
        var all = own(request.fields, but: "table")
        if request.type != "options" { all += own(request.reply, but: "rev").map { ["→ " + $0[0]] + $0.dropFirst() } }
        if let other = ["sit": "watch", "login": "options"][request.type],
            let other = Catalog.requests.first(where: { $0.type == other })
        {
            let shared = rows(other.fields) + rows(other.reply).map { ["→ " + $0[0]] + $0.dropFirst() }
            all.removeAll(where: shared.contains)
        }
        return (type: request.type, explanation: "\(request.need.rawValue): \(request.explanation)", rows: all)
    }

    private static func rows(_ fields: [Field]) -> [[String]] {
        fields.map { ["`\($0.name)`" + ($0.isRequired ? "" : "?"), form($0.shape), $0.explanation] }
    }

    private static func form(_ shape: Shape) -> String {
        switch shape {
        case .text(let maximum, _): maximum.map { "string, at most \($0) bytes" } ?? "string"
        case .word(let words): words.map { "`\"\($0)\"`" }.joined(separator: ", ")
        case .openWord: "string"
        case .whole(.min ... .max): "whole number of at most 64 bits"
        case .whole(let range) where range.count == 1: "\(range.lowerBound)"
        case .whole(let range): "\(range.lowerBound)…\(number(range.upperBound))"
        case .number(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .anything: "anything"
        case .flag: "boolean"
        case .list: "array"
        case .tuple(let shapes): "[\(shapes.map(form).joined(separator: ", "))]"
        case .object, .dictionary: "object"
        case .either(let shapes): shapes.map(form).joined(separator: " or ")
        case .reference(let name): Catalog.definitions.first { $0.name == name }.map { form($0.shape) } ?? ""
        }
    }

    private static func number(_ value: Int) -> String {
        switch value {
        case 1 << 53: "2^53"
        case 1 << 32 - 1: "2^32−1"
        case 1 << 31 - 1: "2^31−1"
        case 1_000_000_000_000: "10^12"
        case 1_000_000_000: "10^9"
        default: "\(value)"
        }
    }
}
