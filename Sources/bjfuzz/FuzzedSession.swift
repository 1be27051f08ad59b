import TableModel
import Wire

/// A connection that takes every line both as a client's and as a server's.
struct FuzzedSession {
    private var reader = ServerLineReader()
    /// The table that the snapshots and differences so far have led to.
    private var table = TableSnapshot()

    mutating func take(_ line: [UInt8]) {
        line.withUnsafeBufferPointer { line in
            readRequest(line)
            guard let message = readMessage(line) else { return }
            follow(message)
        }
    }

    private func readRequest(_ line: UnsafeBufferPointer<UInt8>) {
        let request = Request(line: line)
        let general = Request(readingGenerally: line)
        require(
            request == general && request.encoded() == general.encoded(), "the shortcut reads a request as the general way does")
        let pedantic = Request(line: line, isPedantic: true)
        if case .success = pedantic.message { require(pedantic == request, "pedantry changes nothing but what is refused") }
        if case .failure(let error) = request.message {
            require(!error.message.isEmpty && error.message.utf8.count < 400, "an error is a sentence")
            return
        }
        let written = request.encoded()
        written.dropLast().withUnsafeBufferPointer { again in
            let back = Request(line: again)
            require(back == request && back.encoded() == written, "a request is read back as it was")
            require(Request(readingGenerally: again) == request, "a request is read back generally as it was")
        }
    }

    private mutating func readMessage(_ line: UnsafeBufferPointer<UInt8>) -> ServerMessage? {
        let general = Result { () throws(ProtocolError) in try ServerMessage(readingGenerally: line) }
        let message = Result { () throws(ProtocolError) in try ServerMessage(line: line) }
        require(message == general, "the shortcut reads a message as the general way does")
        let again = Result { () throws(ProtocolError) in
            switch try reader.read(line) {
            case .message(let message): message
            case .diff:
                ServerMessage.diff(
                    from: reader.diff.from, to: reader.diff.to, check: reader.diff.check, reader.diff.difference)
            }
        }
        require(again == general, "memory that is used again makes no difference")
        guard case .success(let message) = message, case .success(let general) = general else { return nil }
        let written = message.encoded()
        require(general.encoded() == written, "the shortcut reads the same bytes as the general way")
        require(written.last == UInt8(ascii: "\n") && !written.dropLast().contains { $0 < 0x20 }, "what is written is one line")
        require(roundTrip(message, written), "a message is read back as it was")
        return message
    }

    private func roundTrip(_ message: ServerMessage, _ written: [UInt8]) -> Bool {
        written.dropLast().withUnsafeBufferPointer { line in
            guard let back = try? ServerMessage(line: line), let general = try? ServerMessage(readingGenerally: line) else {
                return false
            }
            return back == message && general == message && back.encoded() == written
        }
    }

    private mutating func follow(_ message: ServerMessage) {
        switch message {
        case .snapshot(_, _, _, let snapshot): move(to: snapshot)
        case .diff(_, _, _, let difference):
            guard let next = try? table.applying(difference) else { return }
            move(to: next)
        default: break
        }
    }

    /// From the table to the next one, by the difference between the two, in memory and over the wire.
    private mutating func move(to next: TableSnapshot) {
        let difference = table.difference(to: next)
        require((try? table.applying(difference)) == next, "a difference leads where it says")
        let line = ServerMessage.diff(from: 1, to: 2, check: next.check, difference).encoded()
        let back = line.dropLast().withUnsafeBufferPointer { try? ServerMessage(line: $0) }
        guard case .diff(1, 2, let check, let received) = back, let there = try? table.applying(received) else {
            return require(false, "a difference arrives")
        }
        require(
            there == next && there.check == next.check && check == next.check,
            "what arrives leads there too, and the check agrees")
        table = next
    }
}
