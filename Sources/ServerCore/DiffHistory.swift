import TableModel
import Wire

/// The last diffs of a table, as sent, for clients that missed some: two spans, each with the table at its start; a full later span replaces
/// the earlier one. Bounded, and without an allocation per diff once both are warm.
struct DiffHistory {
    private struct Span {
        /// The table before the first diff, at `revision`.
        var base: TableRows
        var revision: Int
        /// The diffs, one line each.
        var lines: [UInt8] = []
        /// Number of diffs. Their ends are searched on demand, which is rare; recording them would cost every diff.
        var count = 0

        /// Each diff, with its newline.
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
    /// Bytes that end a span. With one more line of about 2 KiB at most, a span stays within 8 KiB.
    static let enoughBytes = 6144

    private var earlier: Span?
    private var later: Span

    init(_ table: TableRows, revision: Int) { later = Span(base: table, revision: revision) }

    /// The earliest revision from which diffs are kept.
    var firstRevision: Int { earlier?.revision ?? later.revision }

    /// Adds the line that leads to the next revision, with the table that it shows.
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

    /// The diffs since a revision; nil if some are gone.
    func lines(since revision: Int) -> [UInt8]? {
        guard revision >= firstRevision, revision <= later.revision + later.count else { return nil }
        return [earlier, later].compactMap(\.self).reduce(into: []) { result, span in
            for diff in span.diffs.dropFirst(max(0, revision - span.revision)) { result += diff }
        }
    }

    /// The table at a revision, reconstructed from the start of a span; nil if it is too old.
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
