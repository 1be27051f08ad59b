/// One event of the log, in either format: one line of printable ASCII of bounded length, whatever the fields, so that network data can
/// neither forge a line nor control the reader's terminal.
public struct LogLine: Sendable {
    /// Milliseconds since 1970.
    public let time: Int64
    public let level: LogLevel
    public let event: StaticString
    public let fields: [LogField]

    /// Scalars written per value; an escaped `…` marks a cut.
    static let valueLimit = 256

    public init(time: Int64, level: LogLevel, event: StaticString, fields: [LogField]) {
        self.time = time
        self.level = level
        self.event = event
        self.fields = fields
    }

    /// The line in logfmt.
    public var text: String { text(.logfmt) }

    /// The line without its line break.
    public func text(_ format: LogFormat) -> String {
        switch format {
        case .logfmt: logfmt
        case .json: json
        }
    }

    private var logfmt: String {
        var line = "time=\(Timestamp(time)) level=\(level.rawValue) event=\(event)"
        for field in fields { line += " \(field.key)=\(Self.quoted(field.value))" }
        return line
    }

    private var json: String {
        var line = #"{"time":"\#(Timestamp(time))","level":"\#(level.rawValue)","event":"\#(event)""#
        for field in fields {
            line += ",\"\(field.key)\":"
            line += field.isNumber ? field.value : "\"\(Self.escapedForJSON(field.value))\""
        }
        return line + "}"
    }

    /// A value in printable ASCII: escaped, and quoted where needed.
    static func quoted(_ value: String) -> String {
        var escaped = ""
        var needsQuotes = value.isEmpty
        for scalar in shown(value) {
            switch scalar {
            case "\"", "\\":
                escaped += "\\\(scalar)"
                needsQuotes = true
            case " ", "=":
                escaped.unicodeScalars.append(scalar)
                needsQuotes = true
            case "!"..."~": escaped.unicodeScalars.append(scalar)
            default:
                escaped += "\\u{" + String(scalar.value, radix: 16) + "}"
                needsQuotes = true
            }
        }
        return needsQuotes ? "\"\(escaped)\"" : escaped
    }

    /// The content of a JSON string in printable ASCII.
    static func escapedForJSON(_ value: String) -> String {
        var escaped = ""
        for scalar in shown(value) {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case " "..."~": escaped.unicodeScalars.append(scalar)
            default:
                for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return escaped
    }

    private static func shown(_ value: String) -> [Unicode.Scalar] {
        var scalars = Array(value.unicodeScalars.prefix(valueLimit + 1))
        if scalars.count > valueLimit { scalars[valueLimit] = "\u{2026}" }
        return scalars
    }
}
