/// The first and the last lines of a connection, within bounds.
package struct Transcript: Sendable {
    struct Entry: Sendable {
        var isSent: Bool
        /// Without its end. Lines that many bots read are shared, not copied.
        var line: [UInt8]
    }

    private static let headCount = 12
    private static let tailCount = 64

    /// How many lines there were.
    package private(set) var count = 0
    private var head: [Entry] = []
    private var tail: [Entry] = []

    package init() {}

    package mutating func note(_ line: [UInt8], isSent: Bool) {
        let entry = Entry(isSent: isSent, line: line)
        if head.count < Self.headCount {
            head.append(entry)
        } else if tail.count < Self.tailCount {
            tail.append(entry)
        } else {
            tail[(count - Self.headCount) % Self.tailCount] = entry
        }
        count += 1
    }

    /// The lines kept, with their numbers from 1.
    var entries: [(number: Int, entry: Entry)] {
        let first = head.enumerated().map { ($0.offset + 1, $0.element) }
        guard count > Self.headCount + Self.tailCount else {
            return first + tail.enumerated().map { ($0.offset + 1 + Self.headCount, $0.element) }
        }
        let start = count - Self.tailCount
        return first + (start..<count).map { ($0 + 1, tail[($0 - Self.headCount) % Self.tailCount]) }
    }

    /// The lines with their numbers, as text: `>` for a line that was sent, `<` for one that was received.
    /// - Parameter head: lines for the top.
    package func text(_ head: [String]) -> String {
        var lines = head.map { "# \($0)" }
        var last = 0
        for (number, entry) in entries {
            if number > last + 1 { lines.append("# … \(number - last - 1) lines omitted") }
            last = number
            // The file may be shown to others; the secret opens an account.
            let text = String(decoding: entry.line, as: UTF8.self).replacing(/"secret":"[^"]*"/, with: #""secret":"…""#)
            lines.append("\(number) \(entry.isSent ? ">" : "<") \(text)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
