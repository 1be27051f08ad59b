import Foundation

public enum LogLevel: String, Comparable, CaseIterable, Sendable {
    case debug, info, warning, error

    public static func < (a: LogLevel, b: LogLevel) -> Bool {
        guard let first = allCases.firstIndex(of: a), let second = allCases.firstIndex(of: b) else { return false }
        return first < second
    }
}

/// A name and its value in a line of the log.
public struct LogField: Sendable {
    let key: StaticString
    let value: String

    public init(_ key: StaticString, _ value: some CustomStringConvertible) {
        self.key = key
        self.value = value.description
    }
}

/// A line of the log in logfmt: `time=… level=info event=login name="ann b"`.
public struct LogLine {
    public let text: String

    public init(time: Int64, level: LogLevel, event: StaticString, fields: [LogField]) {
        let date = Date(timeIntervalSince1970: Double(time) / 1000)
        var line =
            "time=\(date.ISO8601Format(.init(includingFractionalSeconds: true))) level=\(level.rawValue) event=\(event)"
        for field in fields { line += " \(field.key)=\(Self.quoted(field.value))" }
        text = line
    }

    /// A value that can't break the line or the terminal that it is read on: quoted where needed, with everything but printable ASCII
    /// escaped.
    static func quoted(_ value: String) -> String {
        var escaped = ""
        var needsQuotes = value.isEmpty
        for scalar in value.unicodeScalars.prefix(256) {
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
}
