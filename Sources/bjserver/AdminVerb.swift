import CommandLineKit
import Dispatch
import Foundation
import ServerCore
import Sockets
import Wire

/// A request of `bjserver ctl`: its word, operands, help text and handler.
struct AdminVerb: Sendable {
    typealias Request = Command<AdminOperands, AdminOperands>

    let word: String
    /// One sentence.
    let meaning: String
    let request: Request
    let answer: @Sendable (Host, AdminOperands) throws -> AdminReply

    init(
        _ word: String, _ operands: [AdminOperand], _ meaning: String,
        answer: @escaping @Sendable (Host, AdminOperands) throws -> AdminReply
    ) {
        (self.word, self.meaning, self.answer) = (word, meaning, answer)
        request = Command(
            word, meaning, defaults: AdminOperands(), program: { $0 },
            declare: { for operand in operands { operand.declare(&$0) } })
    }

    /// The refusal code of a malformed request.
    static let usageCode = "usage"

    /// As a command line shows it: `kick PLAYER [--reason TEXT]`.
    var usage: String { ([word] + request.operands).joined(separator: " ") }

    /// Reads a request.
    static func parse(_ words: [String]) throws(UsageError) -> (verb: AdminVerb, operands: AdminOperands) {
        guard let word = words.first, let verb = all.first(where: { $0.word == word }) else {
            let word = words.first ?? ""
            let known = nearest(to: word, among: all.map(\.word))
            let hint = known.map { "did you mean '\($0)'?" } ?? "'bjserver ctl help' lists them"
            throw UsageError("unknown request \(quoted(word)); \(hint)")
        }
        switch verb.request.parse(words.dropFirst()) {
        case .run(let operands, _): return (verb, operands)
        case .refusal(let error): throw UsageError("\(word): \(error.message)")
        case .answer: throw UsageError("'bjserver ctl help' describes \(word)")
        }
    }

    static let all: [AdminVerb] = [
        AdminVerb("tables", [], "Lists the tables, with phase, seats, round, chips, bet limits, owner and pass phrase, if any.") {
            host, _ in .table(host.server.tables)
        },
        AdminVerb("players", [], "Lists the players, including those whose seat is kept while they are away.") { host, _ in
            .table(host.server.players)
        },
        AdminVerb(
            "standings", [.career, .limit],
            "Ranks the players since the tables opened, or of the last 12 hours after a restart: rounds, chips won or lost, biggest win. With --career, the accounts by all their rounds: at most COUNT people and as many bots (default 1000)."
        ) { host, operands in
            .table(operands.isOverCareer ? host.careers(limit: operands.limit) : host.leaderboard)
        },
        AdminVerb(
            "owner", [.name("TABLE")],
            "Prints a command that makes one player the owner of a table. It works once, for an hour or until a restart. An owner can kick players and change the pass phrase."
        ) { host, operands in
            host.ownerLine(ofTable: operands.name).map { .done($0, advice: HostView.ownerAdvice) } ?? host.noTable(operands.name)
        },
        AdminVerb(
            "kick", [.name("PLAYER"), .reason],
            "Disconnects a player and frees the seat. A hand in play stands, the chips are kept, and the player may return unless banned."
        ) { host, operands in host.kick(operands.name, reason: try operands.shownReason()) },
        AdminVerb(
            "say", [.text("TEXT"), .table], "Sends a message from the host to all tables, or to one."
        ) { host, operands in host.say(try ChatText(operands.text), at: operands.table) },
        AdminVerb(
            "ban", [.networks, .duration, .yes],
            "Bans addresses or networks, from the command line or --file FILE, for a time or permanently, and closes their connections. Loopback, where house bots are, and networks larger than /8 (IPv6 /16) need --yes."
        ) { host, operands in
            host.ban(try operands.blocks(toBan: true), seconds: operands.milliseconds.map { $0 / 1000 })
        },
        AdminVerb(
            "unban", [.networks], "Lifts the operator's bans of exactly these networks, from the command line or --file FILE."
        ) {
            host, operands in host.unban(try operands.blocks())
        },
        AdminVerb("bans", [], "Lists the bans, with source and expiry.") { host, _ in .table(host.bans) },
        AdminVerb(
            "drain", [.reason, .house],
            """
            Stops the server once all rounds have ended; with --house, every server of its database. To keep seats and hands for the next \
            start, use SIGTERM.
            """
        ) { host, operands in
            let reason = try operands.shownReason()
            guard !operands.isForHouse else { return try host.drainHouse() }
            // Stopping waits for this answer.
            DispatchQueue.global().async { host.stop("ctl", reason: reason) }
            return .done("The server will stop once all rounds have ended.")
        },
        AdminVerb("config", [], "Shows each setting and its source.") { host, _ in .table(host.settings) },
        AdminVerb(
            "log", [.level], "Sets the lowest severity to log (debug, info, warning, error) until the next start."
        ) { host, operands in
            host.log.settings.level = operands.level
            return .done("The log level is \(operands.level.rawValue) until the next start.")
        },
        AdminVerb("stats", [], "Shows the current metrics, without histogram buckets.") { host, _ in .table(host.stats) },
        AdminVerb("accounts", [.limit], "Lists the accounts, including those of absent players.") { host, operands in
            let (entries, others, unread) = host.server.accounts(limit: operands.limit)
            return .table(AccountWording.table(of: entries, others: others, unread: unread))
        },
        AdminVerb("account", [.name("ACCOUNT")], "Shows one account.") { host, operands in
            .table(AccountWording.detail(of: try host.server.account(named: operands.name)))
        },
        AdminVerb(
            "credit", [.name("ACCOUNT"), .chips], "Gives chips to an account without a seat, or takes them away (-100)."
        ) { host, operands in try host.change(operands.name, .credit(operands.chips)) },
        AdminVerb("rename", [.name("ACCOUNT"), .text("NEW")], "Renames an account whose player has no seat.") { host, operands in
            try host.change(operands.name, .rename(PlayerName(operands.text)))
        },
        AdminVerb(
            "disable", [.name("ACCOUNT")], "Refuses logins to an account, disconnects its player and frees the seat."
        ) { host, operands in try host.change(operands.name, .disable(true)) },
        AdminVerb("enable", [.name("ACCOUNT")], "Allows logins to the account again.") { host, operands in
            try host.change(operands.name, .disable(false))
        },
        AdminVerb(
            "reset-secret", [.name("ACCOUNT")],
            "Prints a new secret for an account, once, for 'bjclient accounts import --server HOST:PORT'; the old one stops working."
        ) { host, operands in try host.change(operands.name, .secret(AccountWording.newSecret())) },
        AdminVerb(
            "delete", [.name("ACCOUNT", required: false), .unusedSince, .limit, .yes],
            """
            Erases an account without a seat; its chips return to the bank. With --unused-since, lists accounts without a \
            hand since that day (UTC; yesterday or earlier), held by this server or by none, except disabled ones and table owners; --yes erases them.
            """
        ) { host, operands in try host.delete(operands) },
    ]
}

/// The operands of all requests: each has some of them.
struct AdminOperands: Sendable {
    /// Of a table, a player or an account.
    var name = ""
    /// A message, or another name.
    var text = ""
    var table, reason, unusedSince: String?
    /// As ``blocks(toBan:)`` reads them.
    var networks: [String] = []
    var milliseconds: Int?
    var level = LogLevel.info
    var chips = 0
    /// Accounts in one answer.
    var limit = 1000
    var isForHouse = false
    var isOverCareer = false
    var isConfirmed = false

    /// The reason shown to players, to which the limits of chat apply; empty without one.
    func shownReason() throws -> String { try reason.map { try ChatText($0).text } ?? "" }

    /// The day of `--unused-since`. From a later day than yesterday on nearly everybody would be unused, this minute's players included.
    /// - Parameter now: milliseconds since 1970.
    func unusedSince(at now: Int64) throws(UsageError) -> String? {
        let yesterday = RFC3339(now - 86_400_000).description.prefix(10)
        if let unusedSince, unusedSince > yesterday {
            throw UsageError("--unused-since has to be \(yesterday) (yesterday, UTC) or earlier")
        }
        return unusedSince
    }

    /// - Parameter bans: whether a ban without `--yes` refuses blocks that are likely to be mistakes.
    func blocks(toBan bans: Bool = false) throws(UsageError) -> [AddressBlock] {
        var blocks: [AddressBlock] = []
        for text in networks {
            guard let block = AddressBlock(text) else {
                let hint = AddressBlock(masking: text).map { "; did you mean \($0)?" } ?? ""
                throw UsageError("\(quoted(text)) is not \(ValueFormat<AddressBlock>.addressBlock.expected)\(hint)")
            }
            guard !bans || !block.isBroad || isConfirmed else {
                throw UsageError("\(block) is larger than /8 (IPv6 /16) or has loopback, where house bots are: --yes bans it")
            }
            blocks.append(block)
        }
        return blocks
    }
}

/// The declaration of an operand, which several requests may have.
struct AdminOperand: Sendable {
    let declare: @Sendable (inout AdminVerb.Request) -> Void

    static func name(_ name: String, required: Bool = true) -> Self {
        Self { $0.argument(name, \.name, .text(), required: required, help: "") }
    }
    static func text(_ name: String) -> Self { Self { $0.argument(name, \.text, .text(), required: true, help: "") } }
    static let networks = Self { $0.argument("CIDR", \.networks, .text(), required: true, help: "") }
    static let level = Self { $0.argument("LEVEL", \.level, .choice, required: true, help: "") }
    static let chips = Self { $0.argument("CHIPS", \.chips, .chips, required: true, help: "") }
    static let reason = Self { $0.option("--reason", \.reason, .text(), help: "") }
    static let table = Self { $0.option("--table", \.table, .text(), value: "TABLE", help: "") }
    // At most a year.
    static let duration = Self {
        $0.option("--for", \.milliseconds, .milliseconds(1000...31_536_000_000), value: "DURATION", help: "")
    }
    static let limit = Self { $0.option("--limit", \.limit, .int(1...50_000), value: "COUNT", help: "") }
    static let unusedSince = Self { $0.option("--unused-since", \.unusedSince, .date, help: "") }
    static let house = Self { $0.flag("--house", \.isForHouse, help: "") }
    static let career = Self { $0.flag("--career", \.isOverCareer, help: "") }
    static let yes = Self { $0.flag("--yes", \.isConfirmed, help: "") }
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
