/// The lines of a recording: `1520 < {"type":"chat",…}`, with milliseconds since its beginning, or a comment behind `#`.
package enum RecordedLine {
    /// The first line.
    package static let header = "# blackjack recording 1"

    /// A line with its end: `<` has come from a server, `>` was sent to it.
    /// - Parameter line: without its end. Secrets, codes and phrases that a client sends are left out.
    package static func text(_ line: [UInt8], isSent: Bool = false, at time: Int64) -> String {
        let text = String(decoding: line, as: UTF8.self)
        return "\(time) \(isSent ? ">" : "<") "
            + (isSent ? text.replacing(/"(secret|owner|pass)":"[^"]*"/) { "\"\($0.1)\":\"…\"" } : text) + "\n"
    }

    /// A comment with its end.
    package static func comment(_ text: String) -> String {
        "# " + text.split(whereSeparator: \.isNewline).joined(separator: " ") + "\n"
    }
}
