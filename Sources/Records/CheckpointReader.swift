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
    private var check: UInt32 = 0
    private var isComplete = false
    /// As in records.
    private static let times: ClosedRange<Int64> = 0...1 << 53

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
        check = CRC32.value(of: line, after: check)
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
            guard start.format <= SavedState.checkpointFormat else { throw .laterFormat(start.format) }
            guard state == nil, start.sequence >= 0, start.lastID >= 0, Self.times.contains(start.time)
            else {
                throw .contradiction("start")
            }
            begin(start)
        case .end(let end):
            guard end.lines == count else { throw .incomplete }
            guard end.check == Int(check) else { throw .checkValue }
            isComplete = true
        default:
            guard state != nil else { throw .incomplete }
            try add(parsed)
        }
    }

    private mutating func begin(_ start: CheckpointStart) {
        var state = SavedState(house: start.house)
        state.time = start.time
        state.version = start.version
        state.isStopped = start.isStopped
        state.lastID = UInt64(start.lastID)
        state.bank = start.bank
        state.former = FormerTables()
        state.former.tables = start.formerTables
        state.former.rounds = start.formerRounds
        state.former.houseNet = start.formerHouseNet
        self.state = state
        sequence = UInt64(start.sequence)
    }

    private mutating func add(_ parsed: Line) throws(CheckpointError.Reason) {
        switch parsed {
        case .account(let account):
            guard account.id.rawValue > 0, (0...1 << 60).contains(account.chips), Self.times.contains(account.created) else {
                throw .contradiction("account")
            }
            guard state?.accounts.updateValue(account, forKey: account.id) == nil else { throw .contradiction("account") }
        case .table(let fields): try add(fields)
        case .proofs(let former):
            let count = state?.formerProofs.count ?? 0
            guard count < FormerProofs.mostTables, former.proofs.count <= FormerProofs.mostProofs else {
                throw .contradiction("proofs of table \(former.table)")
            }
            state?.formerProofs.append(former)
        case .answer(let record, let time): try addAnswer(record, time)
        case .record(let record):
            switch record {
            case .banned(let block, let until) where state?.bans[block] == nil:
                state?.bans.updateValue(until, forKey: block)
            case .ownerPass(let table, let owner, let pass, let configured) where state?.decisions[table] == nil:
                state?.decisions.decide(table, owner) { $0.phrase = OwnerPhrase(pass: pass, configured: configured) }
            case .sentAway(let table, let owner, let player, let until)
            where [nil, owner].contains(state?.decisions[table]?.owner):
                state?.decisions.decide(table, owner) { $0.sentAway.insert(player, until: until) }
            // The account may have been closed since.
            case .invited(let code, let id) where state?.invitations[code] == nil: state?.invitations[code] = id
            default: throw .contradiction("ban or invitation")
            }
        case .unknown, .start, .end: throw .unknownLine
        }
    }

    private mutating func add(_ fields: SavedTable.Fields) throws(CheckpointError.Reason) {
        guard fields.version <= Table.Saved.version else { throw .laterFormat(fields.version) }
        guard Self.times.contains(fields.time), Self.times.contains(fields.opened) else {
            throw .contradiction("table \(fields.name)")
        }
        let table: Table
        do {
            table = try Table(fields.saved)
        } catch {
            throw .contradiction("table \(fields.name): \(error)")
        }
        guard table.surplus == 0 else { throw .contradiction("table \(fields.name): chips") }
        let saved = SavedTable(
            table: table, pass: fields.pass, owner: fields.owner, opened: fields.opened, time: fields.time)
        guard state?.tables.updateValue(saved, forKey: fields.name) == nil else {
            throw .contradiction("table \(fields.name)")
        }
        for player in table.playerViews where state?.accounts[player.id]?.table != fields.name {
            throw .contradiction("account \(player.id.rawValue)")
        }
    }

    private mutating func addAnswer(_ record: Record, _ time: Int64) throws(CheckpointError.Reason) {
        guard case .answer(let id, let request, let message, let answer) = record, let known = state?.accounts[id],
            known.answers.count < WireLimits.retries
        else {
            throw .contradiction("answer")
        }
        state?.accounts[id]?.answers.append(SavedAnswer(id: request, request: message, answer: answer, time: time))
    }

    /// The kinds of lines, by their first member.
    private enum Line {
        case start(CheckpointStart)
        case account(SavedAccount)
        case table(SavedTable.Fields)
        case proofs(FormerProofs)
        /// Remembered at this time.
        case answer(Record, Int64)
        /// A ban or an invitation.
        case record(Record)
        case end(CheckpointEnd)
        case unknown

        init(_ object: JSONObject) throws(JSONError) {
            var object = object
            if object.find("type") != nil {
                guard case .success(let record) = try Record.read(object) else {
                    self = .unknown
                    return
                }
                let isAnswer = object.find("answered") != nil
                self = isAnswer ? .answer(record, try object.time("answered")) : .record(record)
            } else if object.find("account") != nil {
                var account = SavedAccount.blank
                try account.code(&object)
                self = .account(account)
            } else {
                self = try Line(rare: &object)
            }
        }

        private init(rare object: inout JSONObject) throws(JSONError) {
            if object.find("opened") != nil {
                var fields = SavedTable.Fields.blank
                try fields.code(&object)
                self = .table(fields)
            } else if object.find("checkpoint") != nil {
                var start = CheckpointStart.blank
                try start.code(&object)
                self = .start(start)
            } else if object.find("former") != nil {
                var former = FormerProofs.blank
                try former.code(&object)
                self = .proofs(former)
            } else if object.find("check") != nil {
                var end = CheckpointEnd.blank
                try end.code(&object)
                self = .end(end)
            } else {
                self = .unknown
            }
        }
    }
}

extension SavedTable {
    func fields(_ name: String) -> Fields {
        Fields(name: name, pass: pass, owner: owner, opened: opened, time: time, saved: table.saved)
    }
}
