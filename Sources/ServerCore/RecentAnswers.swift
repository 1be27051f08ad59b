import Records
import TableEngine
import Wire

/// A ring of a player's last requests and their answers: a retry gets the first answer and has no other effect.
///
/// Non-copyable: a lookup, which rarely finds anything, reads only the hashes.
struct RecentAnswers: ~Copyable {
    struct Entry: Sendable {
        var id: RequestID
        var request: ClientMessage
        var answer: Answer
        /// The line as sent, for `.line` and `.refused`; otherwise empty.
        var line: [UInt8]
    }

    /// An answer. Most have a short form without memory of its own.
    enum Answer: Sendable {
        /// `ok` without fields.
        case done
        /// `ok` with the table revision that shows the effect; its epoch is sent on a retry.
        case applied(TableRevision)
        /// Any other `ok`: ``Entry/line``.
        case line
        /// A refusal: ``Entry/line``. Not recorded: it has changed nothing, and after a restart the request may be examined again.
        case refused

        var hasLine: Bool {
            switch self {
            case .line, .refused: true
            case .done, .applied: false
            }
        }
    }

    /// Hashes of the entries' identifiers. A miss, the common case, compares 64 bytes and reads no entry.
    private var marks = InlineArray<16, UInt32>(repeating: 0)
    private var entries: [Entry] = []
    /// Index of the next entry; the oldest once the ring is full.
    private var next = 0

    /// Every entry, oldest first.
    var all: [Entry] { entries.count < marks.count ? entries : Array(entries[next...] + entries[..<next]) }

    init() {}

    /// - Parameter entries: at most ``WireLimits/retries``, oldest first.
    init(_ entries: [Entry]) {
        precondition(entries.count <= marks.count, "more answers than are remembered")
        self.entries = entries
        for (index, entry) in entries.enumerated() { marks[index] = entry.id.mark }
        next = entries.count % marks.count
    }

    /// The earlier request with an identifier.
    func find(_ id: RequestID) -> Entry? {
        let mark = id.mark
        // No early exit, so that the loop vectorizes.
        var isKnown = false
        for index in marks.indices { isKnown = marks[unchecked: index] == mark || isKnown }
        guard isKnown else { return nil }
        for index in marks.indices where marks[index] == mark && index < entries.count && entries[index].id == id {
            return entries[index]
        }
        return nil
    }

    /// - Parameter line: the answer as sent; read if the answer has a line.
    mutating func note(_ id: RequestID, _ request: ClientMessage, _ answer: Answer, _ line: borrowing [UInt8]) {
        marks[next] = id.mark
        if next < entries.count {
            entries[next].id = id
            entries[next].request = request
            entries[next].answer = answer
            entries[next].line.removeAll(keepingCapacity: true)
        } else {
            if entries.isEmpty { entries.reserveCapacity(WireLimits.retries) }
            entries.append(Entry(id: id, request: request, answer: answer, line: []))
        }
        // Copied into the old entry's memory, which allocates nothing; the caller reuses the larger reply buffer.
        if answer.hasLine { entries[next].line.append(contentsOf: copy line) }
        next = (next + 1) % marks.count
    }
}

extension RequestID {
    /// A 32-bit hash of the identifier.
    fileprivate var mark: UInt32 {
        switch self {
        case .number(let number): UInt32(truncatingIfNeeded: number ^ number >> 32)
        case .text(let text): text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        }
    }
}

extension RecordedAnswer {
    /// nil for a refusal.
    init?(_ answer: RecentAnswers.Answer, _ line: [UInt8]) {
        switch answer {
        case .done: self = .done
        case .applied(let revision): self = .applied(revision)
        case .line: self = .line(line)
        case .refused: return nil
        }
    }
}

extension Environment {
    /// Records a remembered answer.
    /// - Parameter line: the answer as sent; read for `.line`.
    func record(
        _ id: RequestID, _ request: ClientMessage, _ answer: RecentAnswers.Answer, _ line: borrowing [UInt8], of account: PlayerID
    ) {
        guard let recorded = RecordedAnswer(answer, copy line) else { return }
        record { Record.encodeAnswer(account, id, request, recorded, into: &$0) }
    }
}
