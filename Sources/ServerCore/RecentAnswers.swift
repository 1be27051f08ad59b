import Wire

/// The last requests of a player with the lines that answered them, so that a retry gets the first answer and does nothing again.
struct RecentAnswers {
    struct Entry {
        var id: RequestID
        var request: ClientMessage
        /// The answer as it was sent.
        var line: [UInt8]
    }

    private var entries: [Entry] = []
    /// What is told of each entry's id at a glance, so that few ids are compared.
    private var marks: [UInt64] = []
    /// Where the next one goes, in place of the oldest, once all places are taken.
    private var next = 0

    /// What a request of that id was, and what came of it.
    func find(_ id: RequestID) -> Entry? {
        let mark = id.mark
        for index in marks.indices where marks[index] == mark && entries[index].id == id { return entries[index] }
        return nil
    }

    mutating func note(_ id: RequestID, _ request: ClientMessage, _ line: [UInt8]) {
        guard entries.count == WireLimits.retries else {
            marks.append(id.mark)
            // A copy, and no larger than the line: what is given is about to be written over, and has room for much longer ones.
            let copy = [UInt8](unsafeUninitializedCapacity: line.count) { $1 = $0.initialize(fromContentsOf: line) }
            return entries.append(Entry(id: id, request: request, line: copy))
        }
        marks[next] = id.mark
        entries[next].id = id
        entries[next].request = request
        entries[next].line.removeAll(keepingCapacity: true)
        entries[next].line.append(contentsOf: line)
        next = (next + 1) % WireLimits.retries
    }
}

extension RequestID {
    /// A number that equal ids share, and others hardly ever.
    fileprivate var mark: UInt64 {
        switch self {
        case .number(let number): UInt64(bitPattern: Int64(number))
        case .text(let text): text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
    }
}
