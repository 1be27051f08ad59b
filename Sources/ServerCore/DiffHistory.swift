import TableModel
import Wire

/// The last diffs of a table as they were sent, so that a client which missed some can be brought up to date.
///
/// Two spans, each with the table that it begins at: when the later one is full it takes the place of the earlier one. So the memory is
/// bounded, and nothing is allocated for each diff once the two are warm.
struct DiffHistory {
    private struct Span {
        /// The table before the first diff, at this revision.
        var base: TableRows
        var revision: Int
        /// The diffs, line after line, each ending where `ends` says.
        var lines: [UInt8] = []
        var ends: [Int] = []
    }

    static let maximumDiffs = 32
    static let maximumBytes = 8192

    private var earlier: Span?
    private var later: Span

    init(_ table: TableRows, revision: Int) { later = Span(base: table, revision: revision) }

    /// The earliest revision that a client can be brought up to date from.
    var firstRevision: Int { earlier?.revision ?? later.revision }

    /// Adds the line that led to the next revision.
    /// - Parameter copyFormer: copies the table as it was before that.
    mutating func append(_ line: [UInt8], copyFormer: (inout TableRows) -> Void) {
        if later.ends.count == Self.maximumDiffs || later.lines.count + line.count > Self.maximumBytes {
            let revision = later.revision + later.ends.count
            var memory = earlier.take() ?? Span(base: TableRows(seats: later.base.seats), revision: revision)
            copyFormer(&memory.base)
            memory.revision = revision
            memory.lines.removeAll(keepingCapacity: true)
            memory.ends.removeAll(keepingCapacity: true)
            earlier = later
            later = memory
        }
        later.lines += line
        later.ends.append(later.lines.count)
    }

    /// The lines of every diff since a revision; nil when some are gone.
    func lines(since revision: Int) -> [UInt8]? {
        guard revision >= firstRevision, revision <= later.revision + later.ends.count else { return nil }
        var result: [UInt8] = []
        for span in [earlier, later].compactMap(\.self) {
            let skipped = max(0, revision - span.revision)
            guard skipped < span.ends.count else { continue }
            result += span.lines[(skipped == 0 ? 0 : span.ends[skipped - 1])...]
        }
        return result
    }

    /// The table at a revision, played forward from where a span begins; nil when it is too long ago.
    func table(at revision: Int) -> TableSnapshot? {
        guard let span = [later, earlier].compactMap(\.self).first(where: { $0.revision <= revision }) else { return nil }
        guard revision - span.revision <= span.ends.count else { return nil }
        var table = span.base.snapshot
        var start = 0
        for end in span.ends.prefix(revision - span.revision) {
            let message = span.lines[start..<end - 1].withUnsafeBufferPointer { try? ServerMessage(line: $0) }
            guard case .diff(_, _, _, let difference) = message, let next = try? table.applying(difference) else {
                preconditionFailure("what we have sent can be read and applied")
            }
            table = next
            start = end
        }
        return table
    }
}
