import Wire

/// The last requests of a player with what answered them, so that a retry gets the first answer and does nothing again.
///
/// Never copied: a look for a request, which nearly always finds none, is not to touch more than the marks.
struct RecentAnswers: ~Copyable {
    struct Entry {
        var id: RequestID
        var request: ClientMessage
        var answer: Answer
        /// The answer as it was sent, where it is no shorter form.
        var line: [UInt8]
    }

    /// What an answer was. Nearly every one has a short form, which takes no memory of its own.
    enum Answer {
        /// The request is done: nothing else was said.
        case done
        /// The request is done, which the table shows at that revision; its epoch included.
        case applied(TableRevision)
        /// It is ``Entry/line``.
        case line
    }

    /// What is told of each entry's id at a glance, so that few ids are compared, and where no retry comes nothing else is looked at.
    private var marks = InlineArray<16, UInt32>(repeating: 0)
    private var entries: [Entry] = []
    /// Where the next one goes, in place of the oldest, once all places are taken.
    private var next = 0

    /// What a request of that id was, and what came of it.
    func find(_ id: RequestID) -> Entry? {
        let mark = id.mark
        // Without a way out of the loop it goes several marks at a time.
        var isKnown = false
        for index in marks.indices { isKnown = marks[unchecked: index] == mark || isKnown }
        guard isKnown else { return nil }
        for index in marks.indices where marks[index] == mark && index < entries.count && entries[index].id == id {
            return entries[index]
        }
        return nil
    }

    /// - Parameter line: the answer as it was sent; of use for ``Answer/line``.
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
        // A copy: what is given is about to be written over, and has room for much longer ones. In the memory of the answer that was here
        // before, so that a late click which is refused takes none.
        if case .line = answer { entries[next].line.append(contentsOf: copy line) }
        next = (next + 1) % marks.count
    }
}

extension RequestID {
    /// A number that equal ids share, and others hardly ever.
    fileprivate var mark: UInt32 {
        switch self {
        case .number(let number): UInt32(truncatingIfNeeded: number ^ number >> 32)
        case .text(let text): text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        }
    }
}
