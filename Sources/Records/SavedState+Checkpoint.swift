import Fairness
import Rules
import TableEngine
import Wire

/// A checkpoint: the state as JSON lines. The first line has the totals, then follow accounts with their answers, tables, decisions
/// of owners, bans and invitations, each sorted, and proofs of closed tables; the last line has the number of lines and their check value.
extension SavedState {
    /// The version of the form of checkpoints.
    public static let checkpointFormat = 1
    /// Answers are kept for an hour, in milliseconds: clients retry within seconds.
    public static let answerMilliseconds: Int64 = 3_600_000
    /// Bytes handed over at once, at least, except at the end.
    private static let chunkBytes = 1 << 16

    /// Writes a checkpoint. Equal states give equal bytes.
    /// - Parameters:
    ///   - sequence: the journal's last frame that the state contains.
    ///   - body: receives whole lines, some 64 KiB at a time.
    public func writeCheckpoint<Failure: Error>(
        sequence: UInt64, _ body: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        var lines = CheckpointLines()
        var start = CheckpointStart()
        start.sequence = Int(truncatingIfNeeded: sequence)
        start.house = house
        start.time = time
        start.version = version
        start.isStopped = isStopped
        start.lastID = Int(truncatingIfNeeded: lastID)
        start.bank = bank
        (start.formerTables, start.formerRounds, start.formerHouseNet) = (former.tables, former.rounds, former.houseNet)
        lines.append(start)
        for id in accounts.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let account = accounts[id] else { continue }
            lines.append(account)
            for answer in account.answers where time - answer.time <= Self.answerMilliseconds { lines.append(answer, of: id) }
            try lines.flush(above: Self.chunkBytes, body)
        }
        for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
            lines.append(table.fields(name))
            try lines.flush(above: Self.chunkBytes, body)
        }
        for (name, decided) in decisions.sorted(by: { $0.key < $1.key }) {
            if let phrase = decided.phrase {
                lines.append(.ownerPass(table: name, owner: decided.owner, phrase.pass, configured: phrase.configured))
            }
            for (player, end) in decided.sentAway.entries(at: time) {
                lines.append(.sentAway(table: name, owner: decided.owner, player, until: end))
            }
        }
        for (block, until) in bans.sorted(by: { $0.key < $1.key }) { lines.append(.banned(block: block, until: until)) }
        for (_, code, id) in invitations.map({ ($0.hex, $0, $1) }).sorted(by: { $0.0 < $1.0 }) {
            lines.append(.invited(code: code, id))
        }
        for proofs in formerProofs { lines.append(proofs) }
        lines.end()
        try lines.flush(above: 0, body)
    }
}

/// Lines of a checkpoint on their way out.
private struct CheckpointLines {
    private var bytes: [UInt8] = []
    private var checked = 0
    private var count = 0
    private var check: UInt32 = 0

    mutating func append<Value: Coded>(_ value: Value) {
        var value = value
        JSONWriter.append(to: &bytes) { writer in
            writer.beginObject()
            value.code(&writer)
            writer.endObject()
            writer.newline()
        }
        count += 1
    }

    mutating func append(_ record: Record) {
        record.encode(into: &bytes)
        count += 1
    }

    /// The record of the answer with its time, which a record does not have.
    mutating func append(_ answer: SavedAnswer, of id: PlayerID) {
        JSONWriter.append(to: &bytes) { writer in
            writer.beginObject()
            writer.member("answered", answer.time)
        }
        let line = Record.answer(id, id: answer.id, request: answer.request, answer.answer).encoded()
        bytes.append(UInt8(ascii: ","))
        // After the opening brace.
        bytes.append(contentsOf: line[1...])
        count += 1
    }

    /// Adds the lines so far to the check value.
    private mutating func sum() {
        check = bytes.withUnsafeBufferPointer { CRC32.value(of: UnsafeBufferPointer(rebasing: $0[checked...]), after: check) }
        checked = bytes.count
    }

    mutating func end() {
        sum()
        append(CheckpointEnd(lines: count, check: Int(check)))
    }

    mutating func flush<Failure: Error>(
        above limit: Int, _ body: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        guard bytes.count > limit else { return }
        if limit > 0 { sum() }
        try body(bytes)
        bytes.removeAll(keepingCapacity: true)
        checked = 0
    }
}
