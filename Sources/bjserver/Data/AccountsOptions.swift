import CommandLineKit
import Journal
import Records
import ServerCore
import Wire

/// `bjserver accounts DIR export NAME`.
struct AccountsOptions: DataCommand {
    static let program = "bjserver accounts"

    enum Verb: String, CaseIterable, Sendable { case export }

    var folder = ""
    var verb = Verb.export
    var name: String?

    static let command = Command<AccountsOptions, ServerProgram>(
        "accounts", "Prints an account and its player's hands.", defaults: AccountsOptions(), program: ServerProgram.data
    ) { command in
        command.discussion(
            """
            'export NAME' prints an account and its player's hands as JSON. It does not change the data, and may run beside the server. For a store with \
            several partitions, name one in the URL: '?partition=K'. To list and change accounts of a running server, use 'bjserver ctl'.
            """)
        command.exitStatus(1, "There is no such account.")
        command.dataFolder(\.folder)
        command.argument("VERB", \.verb, .choice, required: true, help: "export.")
        command.argument("NAME", \.name, .text(upTo: 256), required: true, help: "The account.")
        command.example("bjserver accounts /var/lib/bjserver export ann", "ann's account and hands")
    }

    func run() throws(JournalError) {
        let name = name ?? ""
        let snapshot = try DataSnapshot(DataFiles.storage(of: folder), withHistory: true)
        let resident = snapshot.state.account(named: name)
        guard let account = try resident == nil ? accountInRow() : resident else {
            Console.fail(Self.program, AccountRefusal.noSuchAccount(name).description, status: 1)
        }
        Console.print(try AccountExport(account, snapshot).json)
    }

    /// The account of a player who has left a house of several partitions: its row has it, and no journal.
    private func accountInRow() throws(JournalError) -> AccountState? {
        guard let house = try DataFiles.house(of: folder), let name = name.flatMap({ try? PlayerName($0) }) else { return nil }
        var found: AccountState?
        try house.houseSnapshot.rows { if $0.place == 0, $0.name.key == name.key { found = $0.state } }
        return found
    }
}

/// An account and its player's hands, as one object of JSON.
struct AccountExport {
    private let account: AccountState
    /// The account's own seats of rounds.
    private var hands: [PlayedRound] = []

    /// - Parameter snapshot: with its history.
    init(_ account: AccountState, _ snapshot: DataSnapshot) throws(JournalError) {
        self.account = account
        try HistoryOptions().rounds(of: snapshot) { round in
            var round = round
            // The other seats are other people's.
            round.seats.removeAll { $0.player != account.id }
            if !round.seats.isEmpty { hands.append(round) }
        }
    }

    var json: String {
        let rounds = hands.map { round in
            var line: [UInt8] = []
            round.encode(into: &line)
            return String(decoding: line.dropLast(), as: UTF8.self)
        }
        return Console.visibleJSON(
            "{\"account\":\(Console.jsonLine(Fields(account))),\"hands\":[\(rounds.joined(separator: ","))]}")
    }

    private struct Fields: Encodable {
        let id: UInt64
        let name: String
        let bot, disabled, hasSecret: Bool
        let chips, issued: Int
        /// Milliseconds since 1970, as everywhere in the export.
        let created: Int64
        let lastRebuy: Int64?
        let table: String?

        init(_ account: AccountState) {
            (id, name, bot, disabled) = (account.id.rawValue, account.name, account.isBot, account.isDisabled)
            (hasSecret, chips, issued) = (!account.isGuest, account.chips, account.issued)
            (created, lastRebuy, table) = (account.created, account.lastRebuy, account.table)
        }
    }
}

/// Accounts as commands show them.
enum AccountWording {
    /// The columns for a list of accounts.
    /// - Parameter unread: why accounts in their rows are left out.
    static func table(
        of accounts: [AccountSummary], others: Int = 0, unread: JournalError? = nil, advice: String? = nil
    ) -> AdminTable {
        var table = AdminTable(columns: ["id", "name", "kind", "chips", "table", "chipsAtTable", "played", "notes"])
        for account in accounts {
            let notes = [
                account.isDisabled ? "disabled" : nil, account.isConnected ? "connected" : "away",
                account.isInRow ? "in its row" : nil,
            ].compactMap(\.self)
            table.add([
                .number(Int(clamping: account.id.rawValue)), .text(account.name), .text(kind(of: account)),
                .number(account.chips),
                account.table.map { .text($0) } ?? .none, .number(account.chipsAtTable),
                .text(String(RFC3339(account.lastPlayed).description.prefix(10))),
                .text(notes.joined(separator: ", ")),
            ])
        }
        let more = others == 0 ? nil : "\(others) more \(others == 1 ? "account is" : "accounts are") not listed (see --limit)."
        let notes = [more, unread.map { "Accounts that are stored in the database are not listed: \($0)." }, advice].compactMap(
            \.self)
        table.note = notes.isEmpty ? nil : notes.joined(separator: " ")
        return table
    }

    /// A row about one account, with what a list leaves out.
    static func detail(of account: AccountSummary) -> AdminTable {
        var table = table(of: [account])
        table.columns += ["issued", "created"]
        table.rows[0] += [.number(account.issued), .text(RFC3339(account.created).description)]
        return table
    }

    private static func kind(of account: AccountSummary) -> String {
        account.isBot ? "bot" : account.isGuest ? "guest" : "player"
    }

    /// A sentence about a change.
    static func done(_ change: AccountChange, _ name: String, _ account: AccountSummary) -> String {
        switch change {
        case .credit(let chips):
            chips < 0
                ? "\(account.name) lost \(-chips) chips and has \(account.chips)."
                : "\(account.name) got \(chips) chips and has \(account.chips)."
        case .rename: "\(name) is now \(account.name)."
        case .disable(true): "\(account.name) is disabled."
        case .disable(false): "\(account.name) is enabled."
        case .secret: "\(account.name) has a new secret."
        case .delete:
            "\(account.name) is deleted; \(account.chips) chips returned to the bank. Older journal segments and checkpoints "
                + "contain the name until --history removes them; so do backups."
        }
    }

    /// A sentence about the accounts that were deleted because nobody used them.
    static func deleted(_ accounts: [AccountSummary]) -> String {
        let chips = accounts.reduce(0) { $0 &+ $1.chips }
        return
            "\(accounts.count) \(accounts.count == 1 ? "account is" : "accounts are") deleted; \(chips) chips returned to the bank."
    }

    /// Advice for the operator, since the address that the player uses is unknown here.
    static let importAdvice =
        "for 'bjclient accounts import --server HOST:PORT', with the address that the player uses. The secret is shown only once, "
        + "and the old one no longer works"

    /// The line that `bjclient accounts import` reads.
    static func importLine(house: String, server: String, name: String, secret: AccountSecret) -> String {
        struct Line: Encodable {
            let house, server, name, secret: String
            let used = 0
        }
        return Console.json(Line(house: house, server: server, name: name, secret: secret.digits))
    }

    static func newSecret() -> AccountSecret {
        var generator = SystemRandomNumberGenerator()
        return AccountSecret(using: &generator)
    }
}
