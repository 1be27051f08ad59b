import Wire

/// The last requests of a player with what answered them, so that a retry gets the first answer and does nothing again.
///
/// Never copied: a look for a request, which nearly always finds none, is not to touch more than the marks.
struct RecentAnswers: ~Copyable {
    struct Entry {
        var id: RequestID
        var request: ClientMessage
        /// The answer as it was sent; nothing where all it said was that the request is done, as nearly every answer does.
        var line: [UInt8]
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

    /// - Parameter line: the answer; nil if it only says that the request is done.
    mutating func note(_ id: RequestID, _ request: ClientMessage, _ line: [UInt8]?) {
        marks[next] = id.mark
        if next < entries.count {
            entries[next].id = id
            entries[next].request = request
            entries[next].line.removeAll(keepingCapacity: true)
        } else {
            if entries.isEmpty { entries.reserveCapacity(WireLimits.retries) }
            entries.append(Entry(id: id, request: request, line: []))
        }
        // A copy: what is given is about to be written over, and has room for much longer ones. In the memory of the answer that was here
        // before, so that a late click which is refused takes none.
        if let line { entries[next].line.append(contentsOf: line) }
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
