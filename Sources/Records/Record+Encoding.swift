import Fairness
import Rules
import TableEngine
import TableModel
import Wire

extension Record {
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
