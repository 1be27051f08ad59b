import CommandLineKit
import Dispatch
import Foundation
import ServerCore
import Sockets
import Wire

/// A request of `bjserver ctl`: its word, operands, help text and handler.
struct AdminVerb: Sendable {
    let word: String
    /// As a command line shows them: `PLAYER [--reason TEXT]`; `CIDR...` stands for one or more.
    let operands: String
    /// One sentence.
    let meaning: String
    let answer: @Sendable (Host, AdminOperands) throws -> AdminReply

    init(
        _ word: String, _ operands: String, _ meaning: String,
        answer: @escaping @Sendable (Host, AdminOperands) throws -> AdminReply
    ) {
        (self.word, self.operands, self.meaning, self.answer) = (word, operands, meaning, answer)
    }

    /// The refusal code of a malformed request.
    static let usageCode = "usage"

    /// Milliseconds: up to a year.
    static let banLength = ValueFormat<Int>.milliseconds(1000...31_536_000_000)

    var usage: String { operands.isEmpty ? word : "\(word) \(operands)" }

    /// Reads a request.
    static func parse(_ words: [String]) throws(UsageError) -> (verb: AdminVerb, operands: AdminOperands) {
        guard let word = words.first, let verb = all.first(where: { $0.word == word }) else {
            let word = words.first ?? ""
            let known = nearest(to: word, among: all.map(\.word))
            let hint = known.map { "did you mean '\($0)'?" } ?? "'bjserver ctl help' lists them"
            throw UsageError("unknown request \(quoted(word)); \(hint)")
        }
        return (verb, try AdminOperands(words.dropFirst(), of: verb))
    }

    static let all: [AdminVerb] = [
        AdminVerb("tables", "", "Lists the tables, with phase, seats, round, chips, bet limits, owner and pass phrase, if any.") {
            host, _ in .table(host.tables)
        },
        AdminVerb("players", "", "Lists the players, including those whose seat is kept while they are away.") { host, _ in
            .table(host.players)
        },
        AdminVerb(
            "standings", "",
            "Ranks the players since the tables opened, or of the last 12 hours after a restart: rounds, chips won or lost, biggest win."
        ) {
            host, _ in .table(host.leaderboard)
        },
        AdminVerb(
            "owner", "TABLE",
            "Prints a command that makes one player the owner of a table. It works once, for an hour or until a restart. An owner can kick players and change the pass phrase."
        ) { host, operands in
            let table = operands["TABLE"]
            return host.ownerLine(ofTable: table).map { .done($0, advice: HostView.ownerAdvice) } ?? host.noTable(table)
        },
        AdminVerb(
            "kick", "PLAYER [--reason TEXT]",
            "Disconnects a player and frees the seat. A hand in play stands, the chips are kept, and the player may return unless banned."
        ) { host, operands in host.kick(operands["PLAYER"], reason: try operands.reason()) },
        AdminVerb(
            "say", "TEXT [--table TABLE]", "Sends a message from the host to all tables, or to one."
        ) { host, operands in host.say(try ChatText(operands["TEXT"]), at: operands[option: "--table"]) },
        AdminVerb(
            "ban", "CIDR... [--for DURATION] [--yes]",
            "Bans addresses or networks, from the command line or --file FILE, for a time or permanently, and closes their connections. Loopback, where house bots are, and networks larger than /8 (IPv6 /16) need --yes."
        ) { host, operands in
            host.ban(try operands.blocks(toBan: true), seconds: try operands.option("--for", banLength).map { $0 / 1000 })
        },
        AdminVerb(
            "unban", "CIDR...", "Lifts the operator's bans of exactly these networks, from the command line or --file FILE."
        ) {
            host, operands in host.unban(try operands.blocks())
        },
        AdminVerb("bans", "", "Lists the bans, with source and expiry.") { host, _ in .table(host.bans) },
        AdminVerb(
            "drain", "[--reason TEXT] [--house]",
            """
            Stops the server once all rounds have ended; with --house, every server of its database. To keep seats and hands for the next \
            start, use SIGTERM.
            """
        ) { host, operands in
            let reason = try operands.reason()
            guard operands[option: "--house"] == nil else { return try host.drainHouse() }
            // Stopping waits for this answer.
            DispatchQueue.global().async { host.stop("ctl", reason: reason) }
            return .done("The server will stop once all rounds have ended.")
        },
        AdminVerb("config", "", "Shows each setting and its source.") { host, _ in .table(host.settings) },
        AdminVerb("log", "LEVEL", "Sets the lowest severity to log (debug, info, warning, error) until the next start.") {
            host, operands in
            let level = try operands.value("LEVEL", ValueFormat<LogLevel>.choice)
            host.log.settings.level = level
            return .done("The log level is \(level.rawValue) until the next start.")
        },
        AdminVerb("stats", "", "Shows the current metrics, without histogram buckets.") { host, _ in .table(host.stats) },
        AdminVerb("accounts", "[--limit COUNT]", "Lists the accounts, including those of absent players.") {
            host, operands in
            let (entries, others, unread) = host.server.accounts(limit: try operands.limit())
            return .table(AccountWording.table(of: entries, others: others, unread: unread))
        },
        AdminVerb("account", "ACCOUNT", "Shows one account.") { host, operands in
            .table(AccountWording.detail(of: try host.server.account(named: operands["ACCOUNT"])))
        },
        AdminVerb("credit", "ACCOUNT CHIPS", "Gives chips to an account without a seat, or takes them away (-100).") {
            host, operands in try host.change(operands["ACCOUNT"], .credit(operands.value("CHIPS", .chips)))
        },
        AdminVerb("rename", "ACCOUNT NEW", "Renames an account whose player has no seat.") { host, operands in
            try host.change(operands["ACCOUNT"], .rename(PlayerName(operands["NEW"])))
        },
        AdminVerb("disable", "ACCOUNT", "Refuses logins to an account, disconnects its player and frees the seat.") {
            host, operands in try host.change(operands["ACCOUNT"], .disable(true))
        },
        AdminVerb("enable", "ACCOUNT", "Allows logins to the account again.") { host, operands in
            try host.change(operands["ACCOUNT"], .disable(false))
        },
        AdminVerb(
            "reset-secret", "ACCOUNT",
            "Prints a new secret for an account, once, for 'bjclient accounts import --server HOST:PORT'; the old one stops working."
        ) { host, operands in try host.change(operands["ACCOUNT"], .secret(AccountWording.newSecret())) },
        AdminVerb(
            "delete", "[ACCOUNT] [--unused-since DATE] [--limit COUNT] [--yes]",
            """
            Erases an account without a seat; its chips return to the bank. With --unused-since, lists accounts without a \
            hand since that day (UTC; yesterday or earlier), held by this server or by none, except disabled ones and table owners; --yes erases them.
            """
        ) { host, operands in try host.delete(operands) },
    ]
}

/// The operands of a request, by their names.
struct AdminOperands: Sendable {
    private var values: [String: String] = [:]
    /// The words of `NAME...`.
    private var list: [String] = []

    /// Sorts the words by the operands that the verb has.
    init(_ words: ArraySlice<String>, of verb: AdminVerb) throws(UsageError) {
        var (names, takesValue) = ([String](), [String: Bool]())
        // A part such as `TEXT]` is the value of the option before it.
        for part in verb.operands.split(separator: " ") where part.hasPrefix("[") || !part.hasSuffix("]") {
            if part.hasPrefix("[--") {
                takesValue[part.filter { $0 != "[" && $0 != "]" }] = !part.hasSuffix("]")
            } else {
                names.append(String(part))
            }
        }
        var words = words
        while let word = words.popFirst() {
            if word.hasPrefix("--") {
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard let isOption = takesValue[parts[0]] else {
                    throw UsageError("\(verb.word) does not take \(quoted(parts[0]))")
                }
                guard let value = !isOption ? "" : parts.count > 1 ? parts[1] : words.popFirst() else {
                    throw UsageError("\(parts[0]) requires a value")
                }
                values[parts[0]] = value
            } else if let name = names.first {
                if name.hasSuffix("...") { list.append(word) } else { values[names.removeFirst()] = word }
            } else {
                throw UsageError("\(verb.word) does not take \(quoted(word))")
            }
        }
        guard let missing = names.first, !missing.hasPrefix("["), list.isEmpty else { return }
        throw UsageError("\(verb.word) requires \(missing)")
    }

    /// An operand that the verb requires.
    subscript(name: String) -> String { values[name] ?? "" }
    subscript(option name: String) -> String? { values[name] }

    func value<Value>(_ name: String, _ format: ValueFormat<Value>) throws(UsageError) -> Value {
        guard let value = format.parse(self[name]) else {
            throw UsageError("\(quoted(self[name])) is not \(format.expected)")
        }
        return value
    }

    func option<Value>(_ name: String, _ format: ValueFormat<Value>) throws(UsageError) -> Value? {
        values[name] == nil ? nil : try value(name, format)
    }

    /// The reason shown to players, to which the limits of chat apply; empty without one.
    func reason() throws -> String { try values["--reason"].map { try ChatText($0).text } ?? "" }

    /// Accounts in one answer.
    func limit() throws(UsageError) -> Int { try option("--limit", .int(1...50_000)) ?? 1000 }

    /// The day of `--unused-since`. From a later day than yesterday on nearly everybody would be unused, this minute's players included.
    /// - Parameter now: milliseconds since 1970.
    func unusedSince(at now: Int64) throws(UsageError) -> String? {
        let (day, yesterday) = (try option("--unused-since", .date), RFC3339(now - 86_400_000).description.prefix(10))
        if let day, day > yesterday { throw UsageError("--unused-since has to be \(yesterday) (yesterday, UTC) or earlier") }
        return day
    }

    /// - Parameter bans: whether a ban without `--yes` refuses blocks that are likely to be mistakes.
    func blocks(toBan bans: Bool = false) throws(UsageError) -> [AddressBlock] {
        var blocks: [AddressBlock] = []
        for text in list {
            guard let block = AddressBlock(text) else {
                let hint = AddressBlock(masking: text).map { "; did you mean \($0)?" } ?? ""
                throw UsageError("\(quoted(text)) is not \(ValueFormat<AddressBlock>.addressBlock.expected)\(hint)")
            }
            guard !bans || !block.isBroad || values["--yes"] != nil else {
                throw UsageError("\(block) is larger than /8 (IPv6 /16) or has loopback, where house bots are: --yes bans it")
            }
            blocks.append(block)
        }
        return blocks
    }
}

extension ValueFormat<Int> {
    /// Chips to give, or to take back.
    fileprivate static var chips: Self {
        let limit = WireLimits.chips
        return ValueFormat(
            "CHIPS", expected: "a number of chips from \(-limit) to \(limit), except 0",
            parse: { Int($0).flatMap { $0 != 0 && (-limit...limit).contains($0) ? $0 : nil } }, print: { "\($0)" })
    }
}

extension ValueFormat<String> {
    /// A day, as ``RFC3339`` begins.
    static let date = ValueFormat(
        "DATE", expected: "a date such as 2026-05-01",
        parse: { text in
            // A day that does not exist may be read as another one.
            let day = (try? Date("\(text)T00:00:00Z", strategy: .iso8601)).map { RFC3339(Int64($0.timeIntervalSince1970 * 1000)) }
            return day?.description.prefix(10) == text[...] ? text : nil
        }, print: { $0 })
}
