import CommandLineKit

/// Two load reports side by side.
public struct Comparison: Sendable {
    /// A figure of both.
    struct Row: Sendable, Equatable {
        var name: String
        /// Times in microseconds; nil where the report does not know it, as the processor time of a server that does not tell.
        var a: Double?
        var b: Double?
        var isTime: Bool
        /// How much `b` is above `a`, in percent; nil where `a` is nothing, or one of them is not known.
        var change: Double? {
            guard let a, let b, a != 0 else { return nil }
            let change = (b - a) / a * 100
            return change.isFinite ? change : nil
        }
    }

    var rows: [Row]
    /// Why the two are not quite the same measurement.
    var notes: [String]

    private static let figures: [(name: String, path: String, isTime: Bool)] =
        [
            ("actions/s", "rates.actions", false), ("rounds/s", "rates.rounds", false), ("bots", "bots.honest", false),
            ("hostile bots", "bots.hostile", false), ("errors", "counts.errors", false),
            ("violations", "counts.violations", false),
            ("unanswered", "latency.unanswered", false),
        ]
        + [("latency", "latency.corrected"), ("raw", "latency.raw"), ("lag", "latency.lag"), ("join", "join.corrected")].flatMap {
            entry in
            (LoadReport.percentiles.map { ($0.name, $0.key) } + [("max", "max"), ("mean", "mean")]).map {
                ("\(entry.0) \($0.0)", "\(entry.1).\($0.1)", true)
            }
        }

    /// Processor time, which a server need not tell: the name, where it is, and how many microseconds one of it is.
    private static let processor: [(name: String, path: String, unit: Double)] = [
        ("generator CPU", "processor.generatorSeconds", 1_000_000),
        ("generator CPU/action", "processor.generatorPerAction", 1),
        ("server CPU", "processor.serverSeconds", 1_000_000), ("server CPU/action", "processor.serverPerAction", 1),
    ]

    /// - Throws: an error that names the file and the fault.
    public init(_ a: (name: String, text: String), _ b: (name: String, text: String)) throws(FileError) {
        let reports = (try Self.read(a), try Self.read(b))
        rows = []
        for figure in Self.figures {
            rows.append(
                Row(
                    name: figure.name, a: try Self.number(reports.0, figure.path),
                    b: try Self.number(reports.1, figure.path),
                    isTime: figure.isTime))
        }
        for figure in Self.processor {
            let times = (
                try Self.numberIfKnown(reports.0, figure.path), try Self.numberIfKnown(reports.1, figure.path)
            )
            rows.append(
                Row(name: figure.name, a: times.0.map { $0 * figure.unit }, b: times.1.map { $0 * figure.unit }, isTime: true))
        }
        notes = []
        for report in [reports.0, reports.1] {
            if let invalid = report.value["invalid"]?.string { notes.append("\(report.file) is INVALID: \(invalid)") }
        }
        if reports.0.value["plan"] != reports.1.value["plan"] { notes.append("the plans differ") }
    }

    private static func read(_ file: (name: String, text: String)) throws(FileError) -> JSONField {
        let report = try JSONField(parsing: file.text.utf8, file: file.name)
        let version = field(report, "version")
        guard version.value == .integer(LoadReport.version) else {
            throw version.isNot("\(LoadReport.version), that of a report that 'bjbots load --json' has written")
        }
        return report
    }

    /// The value at a path; null if absent.
    private static func field(_ report: JSONField, _ path: String) -> JSONField {
        JSONField(file: report.file, path: path, value: report.value[path: path] ?? .null)
    }

    private static func number(_ report: JSONField, _ path: String) throws(FileError) -> Double {
        let field = field(report, path)
        guard let number = field.value.number else { throw field.isNot("a number") }
        return number
    }

    private static func numberIfKnown(_ report: JSONField, _ path: String) throws(FileError) -> Double? {
        field(report, path).value == .null ? nil : try number(report, path)
    }

    /// A table for people, without a final line break.
    public var text: String {
        var lines = rows.map { row in
            let cells = [row.a, row.b].map { cell(of: $0, isTime: row.isTime) }
            let change = row.change.map { ($0 >= 0 ? "+" : "") + fixed($0, 1) + " %" } ?? "–"
            return pad(row.name, 22) + cells.map { leftPad($0, 14) }.joined() + leftPad(change, 12)
        }
        lines.insert(pad("", 22) + leftPad("A", 14) + leftPad("B", 14) + leftPad("change", 12), at: 0)
        return (lines + notes.map { "note: \($0)" }).joined(separator: "\n")
    }

    private func cell(of value: Double?, isTime: Bool) -> String {
        guard let value else { return "–" }
        return isTime ? spoken(microseconds: value) : plain(value)
    }

    private func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
    private func leftPad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
