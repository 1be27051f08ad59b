import Fairness
import Rules
import TableEngine
import Wire

/// Reads a checkpoint line by line.
public struct CheckpointReader {
    private var state: SavedState?
    private var sequence: UInt64 = 0
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
        guard isComplete, let state else { throw CheckpointError(line: count, reason: .incomplete) }
        let ledger = state.ledger
        guard ledger == 0 else { throw CheckpointError(line: count, reason: .imbalance(ledger)) }
        return (state, sequence)
    }

    private mutating func readLine(_ line: UnsafeBufferPointer<UInt8>) throws(CheckpointError.Reason) {
        let parsed: Line
        do {
            parsed = try JSONValue.read(line) { value throws(JSONError) in try Line(value.object()) }
        } catch {
            throw .json(error)
        }
        switch parsed {
        case .start(let start):
            guard state == nil else { throw .contradiction("start") }
            (state, sequence) = (start.state, UInt64(start.sequence))
        case .end(let end):
            guard end.lines == count else { throw .incomplete }
            isComplete = true
        default:
            guard state != nil else { throw .incomplete }
            try add(parsed)
        }
    }

    private mutating func add(_ parsed: Line) throws(CheckpointError.Reason) {
        switch parsed {
        case .account(let account):
            guard account.id.rawValue > 0, (0...AccountState.mostChips).contains(account.chips),
                state?.accounts.updateValue(account, forKey: account.id) == nil
            else { throw .contradiction("account") }
        case .departure(let departure):
            guard departure.account.isArrivable, state?.accounts[departure.account.id] == nil,
                state?.departures.updateValue(departure, forKey: departure.account.id) == nil
            else { throw .contradiction("departure") }
        case .table(let fields): try add(fields)
        case .proofs(let former):
            let count = state?.formerProofs.count ?? 0
            guard count < FormerProofs.mostTables, former.proofs.count <= FormerProofs.mostProofs else {
                throw .contradiction("proofs of table \(former.table)")
            }
            state?.formerProofs.append(former)
        case .record(let record):
            switch record {
            case .banned(let block, let until) where state?.bans[block] == nil:
                state?.bans.updateValue(until, forKey: block)
            case .owned(let table, let owner, let code) where state?.decisions[table] == nil:
                state?.decisions.decide(table, owner) { $0.code = code }
            case .ownerPass(let table, let owner, let pass, let configured)
            where state?.decisions[table]?.phrase == nil && [nil, owner].contains(state?.decisions[table]?.owner):
                state?.decisions.decide(table, owner) { $0.phrase = OwnerPhrase(pass: pass, configured: configured) }
            case .sentAway(let table, let owner, let player, let until)
            where [nil, owner].contains(state?.decisions[table]?.owner):
                state?.decisions.decide(table, owner) { $0.sentAway.insert(player, until: until) }
            case .ownerPause(let table, let owner, let until?, let reason, let time)
            where state?.decisions[table]?.evening.pause == nil && [nil, owner].contains(state?.decisions[table]?.owner):
                state?.decisions.decide(table, owner) {
                    $0.evening.pause = Evening.Pause(since: time, until: until, reason: reason)
                }
            case .ownerMatch(let table, let owner, let match)
            where state?.decisions[table]?.evening.match == nil && [nil, owner].contains(state?.decisions[table]?.owner):
                state?.decisions.decide(table, owner) { $0.evening.match = match }
            // A decision that contradicts one before, or a record that is no line of a checkpoint.
            default: throw .contradiction("owner or ban")
            }
        case .unknown, .start, .end: throw .unknownLine
        }
    }

    private mutating func add(_ fields: SavedTable.Fields) throws(CheckpointError.Reason) {
        let table: Table
        do {
            table = try Table(fields.saved)
        } catch {
            throw .contradiction("table \(fields.name): \(error)")
        }
        guard table.surplus == 0 else { throw .contradiction("table \(fields.name): chips") }
        let saved = SavedTable(
            table: table, pass: fields.pass, opened: fields.opened, time: fields.time)
        guard state?.tables.updateValue(saved, forKey: fields.name) == nil else {
            throw .contradiction("table \(fields.name)")
        }
        for player in table.playerViews where state?.accounts[player.id]?.table != fields.name {
            throw .contradiction("account \(player.id.rawValue)")
        }
    }

    /// The kinds of lines, by their first member.
    private enum Line {
        case start(CheckpointStart)
        case account(AccountState)
        case departure(Departure)
        case table(SavedTable.Fields)
        case proofs(FormerProofs)
        /// An owner's or a ban.
        case record(Record)
        case end(CheckpointEnd)
        case unknown

        init(_ object: JSONObject) throws(JSONError) {
            if object.find("type") != nil {
                guard case .success(let record) = try Record.read(object) else {
                    self = .unknown
                    return
                }
                self = .record(record)
            } else if object.find("departed") != nil {
                self = .departure(try .read(object))
            } else if object.find("account") != nil {
                self = .account(try .read(object))
            } else if object.find("rules") != nil {
                self = .table(try .read(object))
            } else if object.find("checkpoint") != nil {
                self = .start(try .read(object))
            } else if object.find("former") != nil {
                self = .proofs(try .read(object))
            } else {
                self = object.find("lines") == nil ? .unknown : .end(try .read(object))
            }
        }
    }
}

extension SavedTable {
    func fields(_ name: String) -> Fields {
        Fields(name: name, pass: pass, opened: opened, time: time, saved: table.saved)
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
        JSONWriter.append(to: &bytes) { writer in
            Object.write(object, to: &writer)
            writer.newline()
        }
        count += 1
    }

    mutating func append(_ record: Record) {
        record.encode(into: &bytes)
        count += 1
    }

    mutating func end() { append(CheckpointEnd(lines: count)) }

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

/// The last line of a checkpoint. That of 1.0.0 has a checksum, too, as the journal's file has.
struct CheckpointEnd: FieldObject {
    static var blank: Self { Self() }
    /// The number of lines before.
    var lines = 0

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) { try visitor.required("lines", &lines) }
}

extension SavedTable {
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
