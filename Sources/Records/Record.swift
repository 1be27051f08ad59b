import Fairness
import Rules
import TableEngine
import TableModel
import Wire

/// An event that a server keeps: one JSON line of its journal.
///
/// Replaying the records in order with ``SavedState/apply(_:at:)`` restores the server. Times are in milliseconds since 1970.
public enum Record: Equatable, Sendable {
    // MARK: The server

    /// The server starts; `version` is that of the program. `careers`: it counts careers, as no server of 1.0 does.
    case started(time: Int64, version: String, careers: Bool = false)
    case stopped(time: Int64)

    // MARK: Accounts

    /// An account is opened, before the first sit. `secret`: the SHA-256 of the player's secret; nil for a guest.
    /// `chips` come from the bank.
    case account(PlayerID, name: String, isBot: Bool, secret: Digest?, chips: Int, time: Int64)
    /// The account is forgotten, and its chips return to the bank: its player is gone and had no hand, it makes room for another, or the host
    /// deletes it. Its player has no seat.
    case closed(PlayerID, time: Int64)
    /// Chips from the bank to an account; negative: back to the bank.
    case issued(PlayerID, chips: Int, reason: IssueReason, time: Int64)
    case renamed(PlayerID, name: String)
    case disabled(PlayerID, Bool)
    /// A new secret, by its SHA-256.
    case secret(PlayerID, Digest)
    /// An account comes from its row in a registry; its chips come with it. Only where several servers are one house.
    indirect case arrived(AccountState, time: Int64)
    /// An account without a seat goes back to its row, which has to follow once this is durable: it is a departure of the state until then.
    /// `ticket`: the SHA-256 of the ticket by which another server takes it at once.
    case departed(PlayerID, ticket: Digest?, time: Int64)
    /// The row of a departure with this serial has followed.
    case delivered(PlayerID, serial: UInt64, time: Int64)

    // MARK: Tables

    /// `pass`: the pass phrase.
    indirect case opened(table: String, rules: HouseRules, pace: Pace, pass: String?, time: Int64)
    /// An open table goes on at another pace: a start was given other time limits than the one before.
    case paced(table: String, pace: Pace, time: Int64)
    /// The host's pass phrase; an owner's is over. The table is open, or has an owner's phrase.
    case pass(table: String, String?)
    /// A code of the host, kept by its SHA-256, gives the table to an account with a secret, in place of its owner, whose decisions are over.
    case owned(table: String, owner: PlayerID, code: Digest)
    /// The pass phrase that the table's owner has set; `configured`: the host's at that time.
    case ownerPass(table: String, owner: PlayerID, String?, configured: String?)
    /// The table's owner has sent a player away, who may not sit there until a time; 0: the owner lets them come back.
    case sentAway(table: String, owner: PlayerID, PlayerID, until: Int64)
    /// The table's owner has paused it from a time on, or, without `until`, the pause is over.
    case ownerPause(table: String, owner: PlayerID, until: Int64?, reason: String = "", time: Int64)
    /// The table's owner begins a match, sets its length or ends it: its rounds, and the last one begun. In a checkpoint with what has counted.
    case ownerMatch(table: String, owner: PlayerID, Evening.Match)
    /// A closed table is forgotten; its house net and rounds join the totals of former tables.
    case gone(table: String, time: Int64)
    /// The facts of one command, time-outs before it included.
    case facts(table: String, time: Int64, [Fact])

    // MARK: Access

    /// A ban of an address block; `until` nil: for ever.
    case banned(block: String, until: Int64?)
    case unbanned(block: String)

    // MARK: Encoding

    /// Appends the record as a line, its end included.
    public func encode(into bytes: inout [UInt8]) {
        JSONWriter.appendLine(to: &bytes) { writer in _ = visited(by: &writer) }
    }

    /// Appends ``facts(table:time:_:)`` as a line without making a record: bjbench records, 15 ns a fact.
    public static func encodeFacts(table: String, time: Int64, facts: [Fact], into bytes: inout [UInt8]) {
        JSONWriter.appendLine(to: &bytes) { writer in _ = factsVisited(table, time, facts, by: &writer) }
    }

    /// The record as a line, its end included.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// Adds the time of the wall clock to lines: for people, where their times are on a clock that it has left. Replay needs that one.
    public static func dated(_ lines: [UInt8], at wall: Int64) -> [UInt8] {
        let ending = Array(",\"wall\":\(wall)}\n".utf8)
        var dated: [UInt8] = []
        dated.reserveCapacity(lines.count + 8 * ending.count)
        for line in lines.split(separator: UInt8(ascii: "\n")) { dated += line.dropLast() + ending }
        return dated
    }

    /// The record at another time.
    func dated(_ time: Int64) -> Record {
        var visitor = TimeVisitor(newTime: time)
        return visited(by: &visitor)
    }

    /// In milliseconds since 1970; nil for a record without a time.
    var time: Int64? {
        var visitor = TimeVisitor()
        _ = visited(by: &visitor)
        return visitor.time
    }
}

/// The reason for which chips are issued.
public enum IssueReason: String, CaseIterable, Sendable {
    /// A broke player's new chips, by the house rule.
    case rebuy
    /// The operator's correction.
    case credit
}

/// The position of a record in the journal.
public struct RecordPlace: Hashable, Sendable, CustomStringConvertible {
    /// The sequence number of the frame.
    public var sequence: UInt64
    /// The line within the frame, from 1.
    public var line: Int

    public init(sequence: UInt64, line: Int) {
        self.sequence = sequence
        self.line = line
    }

    public var description: String { "frame \(sequence), line \(line)" }
}

// MARK: - Fields

/// Each record is declared once, in `visited(by:)`, and has a blank, into which it is read.
extension Record {
    /// The record as the visitor has it, field by field in the order in which they are written.
    fileprivate func visited<V: RecordVisitor>(by visitor: inout V) throws(V.Failure) -> Record {
        switch self {
        case .facts(let table, let time, let facts):
            return try Self.factsVisited(table, time, facts, by: &visitor)
        case .started(let time, let version, let careers):
            visitor.tag(Kind.started)
            return try .started(
                time: visitor.time(time), version: visitor.required("version", version),
                careers: visitor.flag("careers", careers))
        case .stopped(let time):
            visitor.tag(Kind.stopped)
            return try .stopped(time: visitor.time(time))
        case .opened(let table, let rules, let pace, let pass, let time):
            visitor.tag(Kind.opened)
            let (table, time) = try (visitor.table(table), visitor.time(time))
            return try .opened(
                table: table, rules: visitor.required("rules", rules), pace: visitor.required("pace", pace),
                pass: visitor.optional("pass", pass, as: Secret<String>.self), time: time)
        case .paced(let table, let pace, let time):
            visitor.tag(Kind.paced)
            let (table, time) = try (visitor.table(table), visitor.time(time))
            return try .paced(table: table, pace: visitor.required("pace", pace), time: time)
        case .pass(let table, let pass):
            visitor.tag(Kind.pass)
            return try .pass(table: visitor.table(table), visitor.optional("pass", pass, as: Secret<String>.self))
        case .owned(let table, let owner, let code):
            visitor.tag(Kind.owned)
            return try .owned(
                table: visitor.table(table), owner: visitor.required("owner", owner),
                code: visitor.required("code", code, as: Secret<Digest>.self))
        case .ownerPass(let table, let owner, let pass, let configured):
            visitor.tag(Kind.ownerPass)
            return try .ownerPass(
                table: visitor.table(table), owner: visitor.required("owner", owner),
                visitor.optional("pass", pass, as: Secret<String>.self),
                configured: visitor.optional("configured", configured, as: Secret<String>.self))
        case .sentAway(let table, let owner, let player, let until):
            visitor.tag(Kind.sentAway)
            return try .sentAway(
                table: visitor.table(table), owner: visitor.required("owner", owner), visitor.player(player),
                until: Int64(visitor.required("until", Int(until), as: Milliseconds.self)))
        case .ownerPause(let table, let owner, let until, let reason, let time):
            visitor.tag(Kind.ownerPause)
            let (table, time) = try (visitor.table(table), visitor.time(time))
            return try .ownerPause(
                table: table, owner: visitor.required("owner", owner),
                until: visitor.optional("until", until, as: RecordTime.self),
                reason: visitor.optional("reason", reason, absent: ""), time: time)
        case .ownerMatch(let table, let owner, var match):
            visitor.tag(Kind.ownerMatch)
            let (table, owner) = try (visitor.table(table), visitor.required("owner", owner))
            try match.visit(&visitor)
            return .ownerMatch(table: table, owner: owner, match)
        case .gone(let table, let time):
            visitor.tag(Kind.gone)
            return try .gone(table: visitor.table(table), time: visitor.time(time))
        case .banned(let block, let until):
            visitor.tag(Kind.banned)
            return try .banned(block: visitor.required("block", block), until: visitor.optional("until", until))
        case .unbanned(let block):
            visitor.tag(Kind.unbanned)
            return try .unbanned(block: visitor.required("block", block))
        case .account(let id, let name, let isBot, let secret, let chips, let time):
            visitor.tag(Kind.account)
            let (id, time) = try (visitor.player(id), visitor.time(time))
            return try .account(
                id, name: visitor.required("name", name), isBot: visitor.flag("bot", isBot),
                secret: visitor.optional("secret", secret, as: Secret<Digest>.self), chips: visitor.count("chips", chips),
                time: time)
        case .closed(let id, let time):
            visitor.tag(Kind.closed)
            return try .closed(visitor.player(id), time: visitor.time(time))
        case .issued(let id, let chips, let reason, let time):
            visitor.tag(Kind.issued)
            let (id, time) = try (visitor.player(id), visitor.time(time))
            return try .issued(
                id, chips: visitor.required("chips", chips), reason: visitor.required("reason", reason), time: time)
        case .renamed(let id, let name):
            visitor.tag(Kind.renamed)
            return try .renamed(visitor.player(id), name: visitor.required("name", name))
        case .disabled(let id, let isDisabled):
            visitor.tag(Kind.disabled)
            return try .disabled(visitor.player(id), visitor.required("disabled", isDisabled))
        case .secret(let id, let secret):
            visitor.tag(Kind.secret)
            return try .secret(visitor.player(id), visitor.required("secret", secret, as: Secret<Digest>.self))
        case .arrived(var account, let time):
            visitor.tag(Kind.arrived)
            let time = try visitor.time(time)
            try account.visit(&visitor)
            return .arrived(account, time: time)
        case .departed(let id, let ticket, let time):
            visitor.tag(Kind.departed)
            let (id, time) = try (visitor.player(id), visitor.time(time))
            return try .departed(id, ticket: visitor.optional("ticket", ticket), time: time)
        case .delivered(let id, let serial, let time):
            visitor.tag(Kind.delivered)
            let (id, time) = try (visitor.player(id), visitor.time(time))
            return try .delivered(id, serial: UInt64(visitor.count("serial", Int(clamping: serial))), time: time)
        }
    }

    @inline(__always)
    private static func factsVisited<V: RecordVisitor>(
        _ table: String, _ time: Int64, _ facts: [Fact], by visitor: inout V
    ) throws(V.Failure) -> Record {
        visitor.tag(Kind.facts)
        return try .facts(table: visitor.table(table), time: visitor.time(time), visitor.required("facts", facts))
    }

    private static let blanks = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0.name, $0.blank) })

    /// The keys of secret fields, of all records and facts.
    package static let secrets: [String: Secrecy] = {
        var form = FormVisitor()
        for kind in Kind.allCases { _ = kind.blank.visited(by: &form) }
        for kind in Fact.Kind.allCases { _ = kind.blank.visited(by: &form) }
        return form.secrets
    }()

    enum Kind: ConstantText, ObjectKind {
        static let key: StaticString = "type"

        case facts, started, stopped, opened, paced, pass, owned, ownerPass, sentAway, ownerPause, ownerMatch, gone, banned
        case unbanned, account, closed, issued, renamed, disabled, secret, arrived, departed, delivered

        /// A record of the kind is read into it.
        var blank: Record {
            let (id, pace) = (PlayerID(0), Pace())
            return switch self {
            case .facts: .facts(table: "", time: 0, [])
            case .started: .started(time: 0, version: "")
            case .stopped: .stopped(time: 0)
            case .opened: .opened(table: "", rules: HouseRules(), pace: pace, pass: nil, time: 0)
            case .paced: .paced(table: "", pace: pace, time: 0)
            case .pass: .pass(table: "", nil)
            case .owned: .owned(table: "", owner: id, code: .blank)
            case .ownerPass: .ownerPass(table: "", owner: id, nil, configured: nil)
            case .sentAway: .sentAway(table: "", owner: id, id, until: 0)
            case .ownerPause: .ownerPause(table: "", owner: id, until: nil, time: 0)
            case .ownerMatch: .ownerMatch(table: "", owner: id, .blank)
            case .gone: .gone(table: "", time: 0)
            case .banned: .banned(block: "", until: nil)
            case .unbanned: .unbanned(block: "")
            case .account: .account(id, name: "", isBot: false, secret: nil, chips: 0, time: 0)
            case .closed: .closed(id, time: 0)
            case .issued: .issued(id, chips: 0, reason: .credit, time: 0)
            case .renamed: .renamed(id, name: "")
            case .disabled: .disabled(id, false)
            case .secret: .secret(id, .blank)
            case .arrived: .arrived(.blank, time: 0)
            case .departed: .departed(id, ticket: nil, time: 0)
            case .delivered: .delivered(id, serial: 0, time: 0)
            }
        }
    }
}

extension RecordVisitor {
    fileprivate mutating func table(_ name: String) throws(Failure) -> String { try required("table", name) }
}

// MARK: - Decoding

extension Record {
    /// Reads one line, with or without its end. Ignores unknown fields.
    /// - Parameter isShown: whether the record's time is for people: that of the wall clock, where it differs from the server's own.
    public init(line: UnsafeBufferPointer<UInt8>, isShown: Bool = false) throws(RecordError) {
        let result: Result<Record, RecordError>
        do {
            result = try JSONValue.read(line) { value throws(JSONError) in
                let object = try value.object()
                let wall = isShown ? try object.optional("wall", nil, as: Int64.self) : nil
                return try Record.read(object).map { record in wall.map { record.dated($0) } ?? record }
            }
        } catch {
            throw .json(error)
        }
        self = try result.get()
    }

    /// Reads one line, with or without its end.
    public init(line: [UInt8]) throws(RecordError) {
        self = try line.withUnsafeBufferPointer { line throws(RecordError) in try Record(line: line) }
    }

    /// Errors of JSON are thrown, others returned: `JSONValue` reads with one type of error.
    static func read(_ object: JSONObject) throws(JSONError) -> Result<Record, RecordError> {
        let type = try object.text("type")
        switch type {
        case "facts": return try readFacts(object)
        default:
            guard let blank = blanks[type] else { return .failure(.unknownType(type)) }
            var object = object
            return .success(try blank.visited(by: &object))
        }
    }

    private static func readFacts(_ object: JSONObject) throws(JSONError) -> Result<Record, RecordError> {
        let (table, time) = try (object.text("table"), RecordTime.read(object.required("time")))
        var list = try object.required("facts").array()
        var facts: [Fact] = []
        while let value = list.next() {
            let fact = try value.object()
            let word = try fact.text("fact")
            guard let known = try Fact.read(word, fact) else { return .failure(.unknownFact(word)) }
            facts.append(known)
        }
        return .success(.facts(table: table, time: time, facts))
    }

}

extension JSONObject {
    func text(_ key: StaticString) throws(JSONError) -> String { try required(key).string() }
}

/// Why a line is no record of this format.
public enum RecordError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not JSON, a missing field, or a field of another type or range.
    case json(JSONError)
    /// A type of record that this version does not know.
    case unknownType(String)
    /// A fact that this version does not know.
    case unknownFact(String)

    public var description: String {
        switch self {
        case .json(let error): ProtocolError.json(error).message
        case .unknownType(let type): "Unknown record type \"\(type.printable(upTo: 32))\": written by a later version?"
        case .unknownFact(let fact): "Unknown fact \"\(fact.printable(upTo: 32))\": written by a later version?"
        }
    }
}
