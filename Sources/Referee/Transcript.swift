import Wire

/// The first and the last lines of a connection, within bounds: as text a recording, whose last part begins with the table that it changes.
package struct Transcript: Sendable {
    struct Entry: Sendable {
        var isSent: Bool
        /// Milliseconds on the local clock.
        var time: Int64
        /// Without its end. Lines that many bots read are shared, not copied.
        var line: [UInt8]
    }

    /// Lines from a number on, and the table before the first of them.
    private struct Part: Sendable {
        var number: Int
        var table: ShownTable?
        var entries: [Entry] = []
    }

    private static let headCount = 12
    /// Lines of a part. The last one and the one before are kept, so 32 at least.
    private static let partCount = 32

    /// How many lines there were.
    package private(set) var count = 0
    private var head: [Entry] = []
    private var former = Part(number: Self.headCount + 1)
    private var last = Part(number: Self.headCount + 1)

    package init() {}

    /// - Parameter table: as it was shown before the line.
    package mutating func note(_ line: [UInt8], isSent: Bool, at now: Int64, _ table: ShownTable? = nil) {
        count += 1
        let entry = Entry(isSent: isSent, time: now, line: line)
        if count <= Self.headCount { return head.append(entry) }
        if last.entries.count == Self.partCount {
            swap(&former, &last)
            (last.number, last.table) = (count, table)
            last.entries.removeAll(keepingCapacity: true)
        }
        last.entries.append(entry)
    }

    /// The lines as a recording.
    /// - Parameter head: comments for the top.
    package func text(_ comments: [String]) -> String {
        let begin = head.first?.time ?? 0
        func text(_ entries: [Entry]) -> String {
            entries.map { RecordedLine.text($0.line, isSent: $0.isSent, at: $0.time - begin) }.joined()
        }
        var result = RecordedLine.header + "\n" + comments.map(RecordedLine.comment).joined() + text(head)
        let tail = former.entries.isEmpty ? last : former
        if tail.number > Self.headCount + 1 {
            result += RecordedLine.comment("… \(tail.number - Self.headCount - 1) lines omitted: line \(tail.number) follows")
            result += comments.last.map(RecordedLine.comment) ?? ""
            if let table = tail.table, let entry = tail.entries.first {
                let message = ServerMessage.snapshot(
                    table: table.name, epoch: table.epoch, revision: table.revision, table.snapshot)
                result += RecordedLine.text(Array(message.encoded().dropLast()), at: entry.time - begin)
            }
        }
        return result + text(former.entries) + text(last.entries)
    }
}
