import TableModel
import Wire

/// A connection that takes every line both as a client's and as a server's.
struct LawfulSession {
    /// The table that the snapshots and differences so far have led to.
    private var table = TableSnapshot()

    mutating func take(_ line: [UInt8]) throws(BrokenLaw) {
        try line.withUnsafeBufferPointer { line throws(BrokenLaw) in
            try readRequest(line)
            guard let message = try readMessage(line) else { return }
            try follow(message)
        }
    }

    private func readRequest(_ line: UnsafeBufferPointer<UInt8>) throws(BrokenLaw) {
        let request = Request(line: line)
        let pedantic = Request(line: line, isPedantic: true)
        if case .success = pedantic.message { try require(pedantic == request, "pedantry changes nothing but what is refused") }
        if case .failure(let error) = request.message {
            try require(!error.message.isEmpty && error.message.utf8.count < 400, "an error is a sentence")
            return
        }
        let written = request.encoded()
        try written.dropLast().withUnsafeBufferPointer { again throws(BrokenLaw) in
            let back = Request(line: again)
            try require(back == request && back.encoded() == written, "a request is read back as it was")
        }
    }

    private func readMessage(_ line: UnsafeBufferPointer<UInt8>) throws(BrokenLaw) -> ServerMessage? {
        guard let message = try? ServerMessage(line: line) else { return nil }
        let written = message.encoded()
        try require(
            written.last == UInt8(ascii: "\n") && !written.dropLast().contains { $0 < 0x20 }, "what is written is one line")
        let back = written.dropLast().withUnsafeBufferPointer { try? ServerMessage(line: $0) }
        try require(back == message && back?.encoded() == written, "a message is read back as it was")
        return message
    }

    private mutating func follow(_ message: ServerMessage) throws(BrokenLaw) {
        switch message {
        case .snapshot(_, _, _, let snapshot, _): try move(to: snapshot)
        case .diff(_, _, _, let difference, _):
            guard let next = try? table.applying(difference) else { return }
            try move(to: next)
        default: break
        }
    }

    /// From the table to the next one, by the difference between the two, in memory and over the wire.
    private mutating func move(to next: TableSnapshot) throws(BrokenLaw) {
        let difference = table.difference(to: next)
        try require((try? table.applying(difference)) == next, "a difference leads where it says")
        let line = ServerMessage.diff(from: 1, to: 2, check: next.check, difference).encoded()
        let back = line.dropLast().withUnsafeBufferPointer { try? ServerMessage(line: $0) }
        guard case .diff(1, 2, let check, let received, _) = back, let there = try? table.applying(received) else {
            throw BrokenLaw(description: "a difference arrives")
        }
        try require(
            there == next && there.check == next.check && check == next.check,
            "what arrives leads there too, and the check agrees")
        table = next
    }
}
