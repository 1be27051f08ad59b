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

    /// The server starts; `version` is that of the program.
    case started(time: Int64, version: String)
    case stopped(time: Int64)

    // MARK: Accounts

    /// An account is opened: at the first login, a guest's before the first sit. `secret`: the SHA-256 of the player's secret; nil for a guest.
    /// `chips` come from the bank.
    case account(PlayerID, name: String, isBot: Bool, secret: Digest?, chips: Int, time: Int64)
    /// The account is forgotten, by the host or because it has expired, and its chips return to the bank. Its player has no seat.
    case closed(PlayerID, time: Int64)
    /// Chips from the bank to an account; negative: back to the bank.
    case issued(PlayerID, chips: Int, reason: IssueReason, time: Int64)
    case renamed(PlayerID, name: String)
    case disabled(PlayerID, Bool)
    /// A new secret, by its SHA-256.
    case secret(PlayerID, Digest)
    /// An account goes a week after its player was here last, if it never plays and the host does not change it. Versions before this
    /// record have accounts that do not go; a start lets those go that show no sign of use.
    case mayExpire(PlayerID)
    /// The account's player was here; at most once an hour.
    case seen(PlayerID, time: Int64)

    // MARK: Tables

    /// `pass`: the pass phrase; `owner`: the account that owns the table.
    indirect case opened(table: String, rules: HouseRules, pace: Pace, pass: String?, owner: PlayerID?, time: Int64)
    /// An open table goes on at another pace: a start was given other time limits than the one before.
    case paced(table: String, pace: Pace, time: Int64)
    /// The host's pass phrase; an owner's is over. The table is open, or has an owner's phrase.
    case pass(table: String, String?)
    /// The pass phrase that the table's owner has set; `configured`: the host's at that time.
    case ownerPass(table: String, owner: PlayerID, String?, configured: String?)
    /// The table's owner has sent a player away, who may not sit there until a time.
    case sentAway(table: String, owner: PlayerID, PlayerID, until: Int64)
    /// A closed table is forgotten; its house net and rounds join the totals of former tables.
    case gone(table: String, time: Int64)
    /// The facts of one command, time-outs before it included.
    case facts(table: String, time: Int64, [Fact])

    // MARK: Requests

    /// The answer that a retry of a request gets. The account has a record.
    case answer(PlayerID, id: RequestID, request: ClientMessage, RecordedAnswer)

    // MARK: Access

    /// A ban of an address block; `until` nil: for ever.
    case banned(block: String, until: Int64?)
    case unbanned(block: String)
    /// An invitation, by the SHA-256 of its code, was used by an account.
    case invited(code: Digest, PlayerID)

    // MARK: Encoding

    /// The version of this format, written with ``started(time:version:)``.
    public static let format = 1

    /// Appends the record as a line, its end included.
    public func encode(into bytes: inout [UInt8]) {
        switch self {
        case .facts(let table, let time, let facts): Self.encodeFacts(table: table, time: time, facts: facts, into: &bytes)
        case .answer(let account, let id, let request, let answer):
            switch answer {
            case .done: Self.encodeDone(account, id, request, into: &bytes)
            case .applied(let revision): Self.encodeApplied(account, id, request, at: revision, into: &bytes)
            case .line(let line): Self.encodeAnswer(account, id, request, line: line, into: &bytes)
            }
        default:
            JSONWriter.append(to: &bytes) { writer in
                writer.beginObject()
                write(to: &writer)
                writer.endObject()
                writer.newline()
            }
        }
    }

    /// Adds the time of the wall clock to lines: for people, where their times are on a clock that it has left. Replay needs that one.
    public static func dated(_ lines: [UInt8], at wall: Int64) -> [UInt8] {
        let ending = Array(",\"wall\":\(wall)}\n".utf8)
        var dated: [UInt8] = []
        dated.reserveCapacity(lines.count + 8 * ending.count)
        for line in lines.split(separator: UInt8(ascii: "\n")) { dated += line.dropLast() + ending }
        return dated
    }

    /// The record as a line, its end included.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .started(let time, let version):
            writer.member("type", "started")
            writer.member("time", time)
            writer.member("version", version)
            writer.member("format", Self.format)
        case .stopped(let time):
            writer.member("type", "stopped")
            writer.member("time", time)
        case .opened(let table, let rules, let pace, let pass, let owner, let time):
            writer.member("type", "opened")
            writer.member("table", table)
            writer.member("time", time)
            writer.key("rules")
            // All of them: a later version may have other defaults.
            writer.write(rules.fieldValues)
            writer.key("pace")
            writer.write(pace)
            writer.optionalMember("pass", pass)
            if let owner { writer.member("owner", owner) }
        case .paced(let table, let pace, let time):
            writer.member("type", "paced")
            writer.member("table", table)
            writer.member("time", time)
            writer.key("pace")
            writer.write(pace)
        case .pass(let table, let pass):
            writer.member("type", "pass")
            writer.member("table", table)
            writer.optionalMember("pass", pass)
        case .ownerPass(let table, let owner, let pass, let configured):
            writer.member("type", "ownerPass")
            writer.member("table", table)
            writer.member("owner", owner)
            writer.optionalMember("pass", pass)
            writer.optionalMember("configured", configured)
        case .sentAway(let table, let owner, let player, let until):
            writer.member("type", "sentAway")
            writer.member("table", table)
            writer.member("owner", owner)
            writer.member("account", player)
            writer.member("until", until)
        case .gone(let table, let time):
            writer.member("type", "gone")
            writer.member("table", table)
            writer.member("time", time)
        case .banned(let block, let until):
            writer.member("type", "banned")
            writer.member("block", block)
            if let until { writer.member("until", until) }
        case .unbanned(let block):
            writer.member("type", "unbanned")
            writer.member("block", block)
        default: writeAccount(to: &writer)
        }
    }

    private func writeAccount(to writer: inout JSONWriter) {
        switch self {
        case .account(let id, let name, let isBot, let secret, let chips, let time):
            writer.member("type", "account")
            writer.member("account", id)
            writer.member("time", time)
            writer.member("name", name)
            if isBot { writer.member("bot", true) }
            if let secret { writer.member("secret", secret.hex) }
            writer.member("chips", chips)
        case .closed(let id, let time):
            writer.member("type", "closed")
            writer.member("account", id)
            writer.member("time", time)
        case .issued(let id, let chips, let reason, let time):
            writer.member("type", "issued")
            writer.member("account", id)
            writer.member("time", time)
            writer.member("chips", chips)
            writer.member("reason", reason.rawValue)
        case .renamed(let id, let name):
            writer.member("type", "renamed")
            writer.member("account", id)
            writer.member("name", name)
        case .disabled(let id, let isDisabled):
            writer.member("type", "disabled")
            writer.member("account", id)
            writer.member("disabled", isDisabled)
        case .secret(let id, let secret):
            writer.member("type", "secret")
            writer.member("account", id)
            writer.member("secret", secret.hex)
        case .mayExpire(let id):
            writer.member("type", "mayExpire")
            writer.member("account", id)
        case .seen(let id, let time):
            writer.member("type", "seen")
            writer.member("account", id)
            writer.member("time", time)
        case .invited(let code, let id):
            writer.member("type", "invited")
            writer.member("account", id)
            writer.member("code", code.hex)
        default: preconditionFailure("every record is written")
        }
    }
}

/// The reason for which chips are issued.
public enum IssueReason: String, CaseIterable, Sendable {
    /// A broke player's new chips, by the house rule.
    case rebuy
    /// The operator's correction.
    case credit
}

/// A remembered answer.
public enum RecordedAnswer: Equatable, Sendable {
    /// `ok` without fields.
    case done
    /// `ok` with the table revision that shows the effect.
    case applied(TableRevision)
    /// Any other: the line as sent, its end included.
    case line([UInt8])
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

extension JSONWriter {
    mutating func member(_ key: StaticString, _ value: Int) {
        self.key(key)
        integer(value)
    }

    mutating func member(_ key: StaticString, _ value: Int64) {
        self.key(key)
        integer(value)
    }

    /// Ids count up from 1, so 63 bits hold them.
    mutating func member(_ key: StaticString, _ player: PlayerID) { member(key, Int(truncatingIfNeeded: player.rawValue)) }

    mutating func member(_ key: StaticString, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    mutating func member(_ key: StaticString, _ value: StaticString) {
        self.key(key)
        string(value)
    }

    mutating func member(_ key: StaticString, _ value: String) {
        self.key(key)
        string(value)
    }

    mutating func optionalMember(_ key: StaticString, _ value: String?) {
        if let value { member(key, value) }
    }

    mutating func write(_ pace: Pace) {
        beginObject()
        member("settledMilliseconds", pace.settledMilliseconds)
        member("missedRounds", pace.missedRounds)
        member("timeOuts", pace.timeOuts)
        member("graceMilliseconds", pace.graceMilliseconds)
        member("sitOutMilliseconds", pace.sitOutMilliseconds)
        if let bank = pace.bankMilliseconds { member("bankMilliseconds", bank) }
        endObject()
    }
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
                let wall = isShown ? try object.optionalTime("wall") : nil
                return try Record.read(object).map { record in wall.map { record.dated($0) } ?? record }
            }
        } catch {
            throw .json(error)
        }
        self = try result.get()
    }

    /// Reads one line, with or without its end.
    public init(line: [UInt8]) throws(RecordError) {
        let result = line.withUnsafeBufferPointer { line in
            Result { () throws(RecordError) in try Record(line: line) }
        }
        self = try result.get()
    }

    /// Errors of JSON are thrown, others returned: `JSONValue` reads with one type of error.
    static func read(_ object: JSONObject) throws(JSONError) -> Result<Record, RecordError> {
        let type = try object.text("type")
        switch type {
        case "facts": return try readFacts(object)
        case "answer": return try readAnswer(object)
        case "started":
            let format = try object.integer("format")
            guard format <= Self.format else { return .failure(.laterFormat(format)) }
            return .success(.started(time: try object.time(), version: try object.text("version")))
        default:
            if let record = try readTable(type, object) { return .success(record) }
            return .failure(.unknownType(type))
        }
    }

    private static func readTable(_ type: String, _ object: JSONObject) throws(JSONError) -> Record? {
        switch type {
        case "stopped": return .stopped(time: try object.time())
        case "opened":
            return .opened(
                table: try object.text("table"), rules: try HouseRules(object.required("rules")), pace: try object.pace("pace"),
                pass: try object.optionalText("pass"), owner: try object.optionalPlayer("owner"), time: try object.time())
        case "paced":
            return .paced(table: try object.text("table"), pace: try object.pace("pace"), time: try object.time())
        case "pass": return .pass(table: try object.text("table"), try object.optionalText("pass"))
        case "ownerPass":
            return .ownerPass(
                table: try object.text("table"), owner: try object.player("owner"), try object.optionalText("pass"),
                configured: try object.optionalText("configured"))
        case "sentAway":
            return .sentAway(
                table: try object.text("table"), owner: try object.player("owner"), try object.player(),
                until: try object.time("until"))
        case "gone": return .gone(table: try object.text("table"), time: try object.time())
        case "banned": return .banned(block: try object.text("block"), until: try object.optionalTime("until"))
        case "unbanned": return .unbanned(block: try object.text("block"))
        default: return try readAccount(type, object)
        }
    }

    private static func readAccount(_ type: String, _ object: JSONObject) throws(JSONError) -> Record? {
        switch type {
        case "account":
            return .account(
                try object.player(), name: try object.text("name"), isBot: try object.flag("bot"),
                secret: try object.optionalDigest("secret"), chips: try object.integer("chips"), time: try object.time())
        case "closed": return .closed(try object.player(), time: try object.time())
        case "issued":
            return .issued(
                try object.player(), chips: try object.integer("chips", in: -Int.max...Int.max),
                reason: try object.word("reason", \.rawValue), time: try object.time())
        case "renamed": return .renamed(try object.player(), name: try object.text("name"))
        case "disabled": return .disabled(try object.player(), try object.required("disabled").bool())
        case "secret": return .secret(try object.player(), try object.digest("secret"))
        case "mayExpire": return .mayExpire(try object.player())
        case "seen": return .seen(try object.player(), time: try object.time())
        case "invited": return .invited(code: try object.digest("code"), try object.player())
        default: return nil
        }
    }

    private static func readFacts(_ object: JSONObject) throws(JSONError) -> Result<Record, RecordError> {
        let (table, time) = (try object.text("table"), try object.time())
        var list = try object.required("facts").array()
        var facts: [Fact] = []
        while let value = list.next() {
            let fact = try value.object()
            let word = try fact.text("fact")
            guard let known = try Fact(word, fact) else { return .failure(.unknownFact(word)) }
            facts.append(known)
        }
        return .success(.facts(table: table, time: time, facts))
    }

    private static func readAnswer(_ object: JSONObject) throws(JSONError) -> Result<Record, RecordError> {
        let line = try object.required("request").raw
        var request = Request(line: line)
        if case .failure(.json(.missing(let field))) = request.message, ["round", "turn"].contains(field) {
            request = Request(unguarded: line)
        }
        guard case .success(let message) = request.message, let id = request.id else {
            if case .failure(let error) = request.message { return .failure(.request(error)) }
            throw .missing("id")
        }
        let answer: RecordedAnswer
        let kind = try object.required("answer")
        switch try kind.string() {
        case "done": answer = .done
        case "applied":
            answer = .applied(TableRevision(try object.integer("rev"), epoch: try object.optionalText("epoch")))
        case "line": answer = .line(Array(try object.required("line").raw) + [UInt8(ascii: "\n")])
        default: throw kind.mismatch("one of done, applied, line")
        }
        return .success(.answer(try object.player(), id: id, request: message, answer))
    }

    // MARK: Encoding

    // Records of answers, without making a record: one for each request that changes something.
    //
    // `request` is a whole line of the protocol, its id included.

    /// Appends ``RecordedAnswer/done``.
    public static func encodeDone(
        _ account: PlayerID, _ id: RequestID, _ request: ClientMessage, into bytes: inout [UInt8]
    ) {
        begin(account, id, request, &bytes)
        JSONWriter.append(to: &bytes) { writer in
            writer.comesFirst(false)
            writer.member("answer", "done")
            writer.endObject()
            writer.newline()
        }
    }

    /// Appends ``RecordedAnswer/applied(_:)``.
    public static func encodeApplied(
        _ account: PlayerID, _ id: RequestID, _ request: ClientMessage, at revision: TableRevision, into bytes: inout [UInt8]
    ) {
        begin(account, id, request, &bytes)
        JSONWriter.append(to: &bytes) { writer in
            writer.comesFirst(false)
            writer.member("answer", "applied")
            writer.member("rev", revision.number)
            writer.optionalMember("epoch", revision.epoch)
            writer.endObject()
            writer.newline()
        }
    }

    /// Appends ``RecordedAnswer/line(_:)``.
    /// - Parameter line: the answer as sent: one JSON object and its line end.
    public static func encodeAnswer(
        _ account: PlayerID, _ id: RequestID, _ request: ClientMessage, line: borrowing [UInt8], into bytes: inout [UInt8]
    ) {
        begin(account, id, request, &bytes)
        JSONWriter.append(to: &bytes) { writer in
            writer.comesFirst(false)
            writer.member("answer", "line")
            writer.key("line")
        }
        bytes.append(contentsOf: copy line)
        // The line end follows the end of the record.
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        JSONWriter.append(to: &bytes) { writer in
            writer.endObject()
            writer.newline()
        }
    }

    private static func begin(_ account: PlayerID, _ id: RequestID, _ request: ClientMessage, _ bytes: inout [UInt8]) {
        JSONWriter.append(to: &bytes) { writer in
            writer.beginObject()
            writer.member("type", "answer")
            writer.member("account", account)
            writer.key("request")
        }
        Request(id: id, request).encode(into: &bytes)
        // A request ends with a line end.
        bytes.removeLast()
    }
}

/// Why a line is no record of this format.
public enum RecordError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not JSON, a missing field, or a field of another type or range.
    case json(JSONError)
    /// A type of record that this version does not know.
    case unknownType(String)
    /// A fact that this version does not know.
    case unknownFact(String)
    /// Records of a later format than ``Record/format``.
    case laterFormat(Int)
    /// The request of an answer cannot be read.
    case request(ProtocolError)

    public var description: String {
        switch self {
        case .json(let error): ProtocolError.json(error).message
        case .unknownType(let type): "Unknown record type \"\(Self.shown(type))\": written by a later version?"
        case .unknownFact(let fact): "Unknown fact \"\(Self.shown(fact))\": written by a later version?"
        case .laterFormat(let format):
            "Records of format \(format) need a later version; this one reads formats up to \(Record.format)."
        case .request(let error): "The request of an answer cannot be read: \(error.message)"
        }
    }

    /// At most 32 characters, without control characters: the text may come from a corrupt file.
    private static func shown(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(32).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
    }
}
