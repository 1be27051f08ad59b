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
        /// The diffs, line after line.
        var lines: [UInt8] = []
        /// How many there are. Where each ends is looked for when it is asked: that is rare, and to write it down would cost each diff.
        var count = 0

        /// Each diff, its end included.
        var diffs: [ArraySlice<UInt8>] {
            var (diffs, start): ([ArraySlice<UInt8>], Int) = ([], 0)
            while let end = lines[start...].firstIndex(of: UInt8(ascii: "\n")) {
                diffs.append(lines[start...end])
                start = end + 1
            }
            return diffs
        }
    }

    static let maximumDiffs = 32
    /// With more than that the next span begins: with one more line, of at most some 2 KiB, a span is within 8 KiB.
    static let enoughBytes = 6144

    private var earlier: Span?
    private var later: Span

    init(_ table: TableRows, revision: Int) { later = Span(base: table, revision: revision) }

    /// The earliest revision that a client can be brought up to date from.
    var firstRevision: Int { earlier?.revision ?? later.revision }

    /// Adds the line that has led to the next revision, at which the table is as it is shown now.
    mutating func append(_ line: [UInt8], to shown: borrowing TableRows) {
        later.lines += line
        later.count += 1
        guard later.count == Self.maximumDiffs || later.lines.count > Self.enoughBytes else { return }
        let revision = later.revision + later.count
        var memory = earlier.take() ?? Span(base: TableRows(seats: shown.seats), revision: revision)
        memory.base.become(shown)
        memory.revision = revision
        memory.lines.removeAll(keepingCapacity: true)
        memory.count = 0
        earlier = later
        later = memory
    }

    /// The lines of every diff since a revision; nil when some are gone.
    func lines(since revision: Int) -> [UInt8]? {
        guard revision >= firstRevision, revision <= later.revision + later.count else { return nil }
        return [earlier, later].compactMap(\.self).reduce(into: []) { result, span in
            for diff in span.diffs.dropFirst(max(0, revision - span.revision)) { result += diff }
        }
    }

    /// The table at a revision, played forward from where a span begins; nil when it is too long ago.
    func table(at revision: Int) -> TableSnapshot? {
        guard let span = [later, earlier].compactMap(\.self).first(where: { $0.revision <= revision }) else { return nil }
        guard revision - span.revision <= span.count else { return nil }
        var table = span.base.snapshot
        for diff in span.diffs.prefix(revision - span.revision) {
            let message = diff.dropLast().withUnsafeBufferPointer { try? ServerMessage(line: $0) }
            guard case .diff(_, _, _, let difference) = message, let next = try? table.applying(difference) else {
                preconditionFailure("what we have sent can be read and applied")
            }
            table = next
        }
        return table
    }
}
