import Fairness
import Rules
import TableEngine
import Wire

/// Reads a checkpoint line by line.
public struct CheckpointReader {
    private var state = SavedState(house: "")
    private var sequence: UInt64 = 0
    /// Whether the first line was read.
    private var hasBegun = false
    /// Lines read so far.
    private var count = 0
    private var isComplete = false

    public init() {}

    /// Reads the next line.
    /// - Parameter line: one line with its end.
    public mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws(CheckpointError) {
        do throws(CheckpointError.Reason) {
            if isComplete { throw CheckpointError.Reason.incomplete }
            try readLine(line)
        } catch {
            throw CheckpointError(line: count + 1, reason: error)
        }
        count += 1
    }

    /// Reads the whole lines of a chunk.
    /// - Returns: the rest, an incomplete line.
    package mutating func read(lines bytes: ArraySlice<UInt8>) throws(CheckpointError) -> ArraySlice<UInt8> {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try rest[...end].withUnsafeBufferPointer { line throws(CheckpointError) in try read(line) }
            rest = rest[(end + 1)...]
        }
        return rest
    }

    /// The state, and the journal's last frame that it contains.
    /// - Throws: for a checkpoint that is cut off, and one whose chips do not add up.
    public consuming func finish() throws(CheckpointError) -> (state: SavedState, sequence: UInt64) {
        guard isComplete else { throw CheckpointError(line: count, reason: .incomplete) }
        let ledger = state.ledger
        guard ledger == 0 else { throw CheckpointError(line: count, reason: .imbalance(ledger)) }
        return (state, sequence)
    }

    private mutating func readLine(_ line: UnsafeBufferPointer<UInt8>) throws(CheckpointError.Reason) {
        let fault: CheckpointError.Reason?
        do {
            fault = try JSONValue.read(line) { value throws(JSONError) in try take(value.object()) }
        } catch {
            throw .json(error)
        }
        if let fault { throw fault }
    }

    /// Takes a line, whose members say its kind. Errors of JSON are thrown, others returned: `JSONValue` reads with one type of error.
    private mutating func take(_ object: JSONObject) throws(JSONError) -> CheckpointError.Reason? {
        if object.find("checkpoint") != nil {
            guard !hasBegun else { return .contradiction("start") }
            let start = try CheckpointStart.read(object)
            (state, sequence, hasBegun) = (start.state, UInt64(start.sequence), true)
            return nil
        }
        guard hasBegun else { return .incomplete }
        if object.find("type") != nil {
            guard case .success(let record) = try Record.read(object) else { return .unknownLine }
            return add(record)
        }
        if object.find("departed") != nil { return add(try Departure.read(object)) }
        if object.find("account") != nil { return add(try AccountState.read(object)) }
        if object.find("rules") != nil { return add(try SavedTable.Fields.read(object)) }
        if object.find("former") != nil { return add(try FormerProofs.read(object)) }
        guard object.find("lines") != nil else { return .unknownLine }
        guard try Int.read(object.required("lines")) == count else { return .incomplete }
        isComplete = true
        return nil
    }

    private mutating func add(_ account: AccountState) -> CheckpointError.Reason? {
        guard account.id.rawValue > 0, (0...AccountState.mostChips).contains(account.chips),
            state.accounts.updateValue(account, forKey: account.id) == nil
        else { return .contradiction("account") }
        return nil
    }

    private mutating func add(_ departure: Departure) -> CheckpointError.Reason? {
        guard departure.account.isArrivable, state.accounts[departure.account.id] == nil,
            state.departures.updateValue(departure, forKey: departure.account.id) == nil
        else { return .contradiction("departure") }
        return nil
    }

    private mutating func add(_ former: FormerProofs) -> CheckpointError.Reason? {
        guard state.formerProofs.count < FormerProofs.mostTables, former.proofs.count <= FormerProofs.mostProofs else {
            return .contradiction("proofs of table \(former.table)")
        }
        state.formerProofs.append(former)
        return nil
    }

    /// - Parameter record: an owner's or a ban.
    private mutating func add(_ record: Record) -> CheckpointError.Reason? {
        switch record {
        case .banned(let block, let until) where state.bans[block] == nil: state.bans.updateValue(until, forKey: block)
        case .owned(let table, let owner, let code) where state.decisions[table] == nil:
            state.decisions.decide(table, owner) { $0.code = code }
        case .ownerPass(let table, let owner, let pass, let configured) where mayDecide(table, owner) { $0.phrase == nil }:
            state.decisions.decide(table, owner) { $0.phrase = OwnerPhrase(pass: pass, configured: configured) }
        case .sentAway(let table, let owner, let player, let until) where mayDecide(table, owner) { _ in true }:
            state.decisions.decide(table, owner) { $0.sentAway.insert(player, until: until) }
        case .ownerPause(let table, let owner, let until?, let reason, let time)
        where mayDecide(table, owner) { $0.evening.pause == nil }:
            state.decisions.decide(table, owner) {
                $0.evening.pause = Evening.Pause(since: time, until: until, reason: reason)
            }
        case .ownerMatch(let table, let owner, let match) where mayDecide(table, owner) { $0.evening.match == nil }:
            state.decisions.decide(table, owner) { $0.evening.match = match }
        // A decision that contradicts one before, or a record that is no line of a checkpoint.
        default: return .contradiction("owner or ban")
        }
        return nil
    }

    private func mayDecide(_ table: String, _ owner: PlayerID, where isNew: (OwnerDecisions) -> Bool) -> Bool {
        state.decisions[table].map { $0.owner == owner && isNew($0) } ?? true
    }

    private mutating func add(_ fields: SavedTable.Fields) -> CheckpointError.Reason? {
        let table: Table
        do {
            table = try Table(fields.saved)
        } catch {
            return .contradiction("table \(fields.name): \(error)")
        }
        guard table.surplus == 0 else { return .contradiction("table \(fields.name): chips") }
        let saved = SavedTable(
            table: table, pass: fields.pass, opened: fields.opened, time: fields.time)
        guard state.tables.updateValue(saved, forKey: fields.name) == nil else {
            return .contradiction("table \(fields.name)")
        }
        let stranger = table.playerViews.first { state.accounts[$0.id]?.table != fields.name }
        return stranger.map { .contradiction("account \($0.id.rawValue)") }
    }
}

// MARK: - Checkpoint

/// A checkpoint: the state as JSON lines. The first line has the totals, then follow accounts, departures, tables, owners
/// with their decisions and bans, each sorted, and proofs of closed tables; the last line has the number of lines. The journal's file has a checksum.
extension SavedState {
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
        lines.append(CheckpointStart(sequence: Int(truncatingIfNeeded: sequence), state: self))
        for id in accounts.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let account = accounts[id] else { continue }
            lines.append(account)
            try lines.flush(above: Self.chunkBytes, body)
        }
        for id in departures.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let departure = departures[id] { lines.append(departure) }
            try lines.flush(above: Self.chunkBytes, body)
        }
        for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
            lines.append(table.fields(name))
            try lines.flush(above: Self.chunkBytes, body)
        }
        for (name, decided) in decisions.sorted(by: { $0.key < $1.key }) {
            if let code = decided.code { lines.append(.owned(table: name, owner: decided.owner, code: code)) }
            if let phrase = decided.phrase {
                lines.append(.ownerPass(table: name, owner: decided.owner, phrase.pass, configured: phrase.configured))
            }
            for (player, end) in decided.sentAway.entries(at: time) {
                lines.append(.sentAway(table: name, owner: decided.owner, player, until: end))
            }
            if let pause = decided.evening.pause {
                lines.append(
                    .ownerPause(
                        table: name, owner: decided.owner, until: pause.until, reason: pause.reason, time: pause.since))
            }
            if let match = decided.evening.match { lines.append(.ownerMatch(table: name, owner: decided.owner, match)) }
        }
        for (block, until) in bans.sorted(by: { $0.key < $1.key }) { lines.append(.banned(block: block, until: until)) }
        for proofs in formerProofs { lines.append(proofs) }
        lines.end()
        try lines.flush(above: 0, body)
    }
}

/// Lines of a checkpoint on their way out.
private struct CheckpointLines {
    private var bytes: [UInt8] = []
    private var count = 0

    mutating func append<Object: FieldObject>(_ object: Object) {
        var object = object
        JSONWriter.appendLine(to: &bytes) { writer in object.visit(&writer) }
        count += 1
    }

    mutating func append(_ record: Record) {
        record.encode(into: &bytes)
        count += 1
    }

    /// The last line has the number of lines before. That of 1.0.0 has a checksum, too, as the journal's file has.
    mutating func end() { JSONWriter.appendLine(to: &bytes) { $0.required("lines", count) } }

    mutating func flush<Failure: Error>(
        above limit: Int, _ body: (borrowing [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        guard bytes.count > limit else { return }
        try body(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}

// MARK: - Fields

/// The first line of a checkpoint.
struct CheckpointStart: FieldObject {
    static var blank: Self { Self(sequence: 0, state: SavedState(house: "")) }
    var sequence: Int
    /// Only the fields of this line are of use.
    var state: SavedState

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        sequence = try visitor.count("checkpoint", sequence)
        try visitor.required("house", &state.house)
        try visitor.time("time", &state.time)
        try visitor.required("version", &state.version)
        try visitor.flag("stopped", &state.isStopped)
        try visitor.flag("careers", &state.countsCareers)
        var lastID = PlayerID(rawValue: state.lastID)
        try visitor.optional("lastID", &lastID, absent: PlayerID(0))
        state.lastID = lastID.rawValue
        try visitor.number("bank", &state.bank)
        try visitor.number("formerTables", &state.former.tables)
        try visitor.number("formerRounds", &state.former.rounds)
        try visitor.number("formerHouseNet", &state.former.houseNet)
        try visitor.number("travelled", &state.travelled)
    }
}

extension SavedTable {
    func fields(_ name: String) -> Fields {
        Fields(name: name, pass: pass, opened: opened, time: time, saved: table.saved)
    }

    /// The fields of a line, the name excepted.
    struct Fields: FieldObject {
        static var blank: Self { Self(saved: .blank) }
        var name = ""
        var pass: String?
        var opened: Int64 = 0
        var time: Int64 = 0
        var saved: Table.Saved

        mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
            try visitor.required("table", &name)
            pass = try visitor.optional("pass", pass, as: Secret<String>.self)
            try visitor.time("opened", &opened)
            try visitor.time("time", &time)
            try visitor.required("rules", &saved.rules)
            try visitor.required("pace", &saved.pace)
            try saved.visit(&visitor)
        }
    }
}

/// Why lines are no checkpoint of this version.
public struct CheckpointError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1; the number of lines read for a checkpoint that is cut off.
    public var line: Int
    public var reason: Reason

    public enum Reason: Error, Equatable, Sendable {
        case json(JSONError)
        /// A line that this version does not know: a later version may have written it.
        case unknownLine
        /// The last line is missing, or lines are.
        case incomplete
        /// An account, table or ban that is there twice, or chips that are out of range.
        case contradiction(String)
        /// The chips of the whole state do not add up.
        case imbalance(Int)
    }

    public var description: String {
        let text: String =
            switch reason {
            case .json(let error): ProtocolError.json(error).message
            case .unknownLine: "Unknown line: written by a later version?"
            case .incomplete: "The checkpoint is cut off."
            case .contradiction(let what): "The line is contradictory: \(what)."
            case .imbalance(let chips): "The chips of the checkpoint do not add up: \(chips) too many."
            }
        return "line \(line): \(text)"
    }
}
