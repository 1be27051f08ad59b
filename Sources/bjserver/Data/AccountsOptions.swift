import CommandLineKit
import Foundation
import Journal
import Postgres
import Records
import ServerCore
import Wire

/// `bjserver accounts`: the accounts of a data folder that no server uses.
struct AccountsOptions: Sendable {
    enum Verb: String, CaseIterable, Sendable {
        case list, show, credit, rename, disable, enable
        case resetSecret = "reset-secret"
        case export, delete

        static let words = allCases.map(\.rawValue).joined(separator: ", ")
    }

    var folder = ""
    var verb = Verb.list
    var name: String?
    var value: String?
    /// Deletes all accounts that were not used since this date.
    var unusedSince: String?
    var json = false

    static let command = Command<AccountsOptions, ServerProgram>(
        "accounts", "Shows or changes the accounts in a data folder.", defaults: AccountsOptions(), program: checked
    ) { command in
        command.discussion(
            """
            'list', 'show NAME' and 'export NAME' only read, also while a server uses the folder. The others take the folder, so no \
            server may use it: for a running one there is 'bjserver ctl'. A change is a record of the journal, and stored when it is \
            reported.

            'credit NAME CHIPS' gives chips of the bank, or takes them back (-100). 'disable NAME' refuses logins, 'enable NAME' admits \
            them again. 'reset-secret NAME' prints a new secret once: a line for 'bjclient accounts import'. 'export NAME' prints \
            everything that is kept about an account as JSON. 'delete NAME' erases name and secret from the state; chips return to the \
            bank. Older segments and checkpoints of the journal keep the name until --history prunes them; so do backups. \
            'delete --unused-since DATE' does so for every account whose player was last here before that day (UTC), except disabled \
            ones, owners of tables and players with a seat. \
            A table whose 'owner' is that name goes to whoever takes the name next.

            A player with a seat cannot be credited, renamed or deleted: start the server and let the player leave the table.

            Of a store with several partitions, 'list' and 'show' read all of them and the accounts' rows, as of one moment; the notes say \
            where each account is. The others change an account that a partition has. One in its row, since the player is away, is \
            changed by 'bjserver ctl' at any server, and so is a name. 'export' and '--unused-since' are of the partition that '?partition=K' in \
            the URL names.
            """)
        command.exitStatus(1, "Refused: no such account, a name in use, a player with a seat.")
        command.dataFolder(\.folder, takes: true)
        command.argument("VERB", \.verb, .choice, help: "The action: \(Verb.words).")
        command.argument("NAME", \.name, .text(upTo: 256), help: "The account.")
        command.argument("VALUE", \.value, .text(upTo: 256), help: "With credit the chips, with rename the new name.")
        command.option(
            "--unused-since", \.unusedSince, .date, help: "With delete, in place of NAME: accounts not used since this day.")
        command.flag("--json", \.json, help: "Prints JSON: an array of objects, or an object with a message.")
        command.example("bjserver accounts /var/lib/bjserver", "list the accounts")
        command.example("bjserver accounts /var/lib/bjserver credit ann 500", "give ann 500 chips")
        command.example("bjserver accounts /var/lib/bjserver export ann", "everything that is kept about ann")
        command.example(
            "bjserver accounts /var/lib/bjserver delete --unused-since 2026-05-01", "delete who has not been here since April")
        command.example("bjserver accounts /var/lib/bjserver reset-secret ann", "a new secret for a player who lost theirs")
    }

    private static func checked(_ options: AccountsOptions) throws(UsageError) -> ServerProgram {
        let verb = options.verb.rawValue
        if options.unusedSince != nil {
            guard options.verb == .delete, options.name == nil else {
                throw UsageError("--unused-since goes with delete, without a NAME")
            }
        } else if options.verb == .list {
            if let name = options.name { throw UsageError("list takes no '\(name.prefix(40))'") }
        } else if options.name == nil {
            throw UsageError("\(verb): missing: NAME")
        }
        if options.verb != .credit, options.verb != .rename, let value = options.value {
            throw UsageError("\(verb) takes no '\(value.prefix(40))'")
        }
        _ = try AccountChange(verb: verb, value: options.value)
        return .accounts(options)
    }
}

extension ValueFormat<String> {
    /// A day, as ``Timestamp`` begins.
    fileprivate static let date = ValueFormat(
        "DATE", expected: "a date such as 2026-05-01",
        parse: { text in
            let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard text.utf8.count == 10, parts.count == 3, (1...12).contains(parts[1]), (1...31).contains(parts[2]),
                text.utf8.enumerated().allSatisfy({ [4, 7].contains($0) ? $1 == 45 : (48...57).contains($1) })
            else { return nil }
            return text
        }, print: { $0 })
}

extension AccountsOptions {
    private static let program = "bjserver accounts"

    /// The command for a running server.
    private var online: String {
        let place = DatabaseURL.isMeant(by: folder) ? [] : ["--data", folder]
        let words = ["bjserver", "ctl"] + place + [verb.rawValue] + [name, value].compactMap(\.self)
        return words.map(Console.shellWord).joined(separator: " ")
    }

    func run() -> Never {
        do throws(RecoveryError) {
            switch verb {
            case .list: print(AccountWording.table(of: try summaries().sorted(by: AccountSummary.precedes)))
            case .show: show(try summaries())
            case .export: try export()
            default: try change()
            }
        } catch {
            DataFault.fail(Self.program, error, in: folder, online: online)
        }
        exit(0)
    }

    /// Of several partitions, unless the URL names one, the accounts of all and of the rows as of one moment.
    private func summaries() throws(RecoveryError) -> [AccountSummary] {
        guard let house = try DataFiles.house(of: folder), house.url.partition == nil else {
            let state = try DataSnapshot(DataFiles.storage(of: folder)).state
            return state.accounts.values.map { AccountSummary($0, tables: state.tables) }
        }
        let snapshot = house.houseSnapshot
        var states: [Int: SavedState] = [:]
        for partition in 1...house.partitions {
            do throws(RecoveryError) { states[partition] = try DataSnapshot(snapshot.files(of: partition)).state } catch {
                guard case .empty = error else { throw error }
            }
        }
        var accounts: [AccountSummary] = []
        try snapshot.rows { result throws(RecoveryError) in
            let row: AccountRow
            do throws(StorageError) { row = try result.get() } catch { throw .journal(JournalError(error)) }
            let state = states[row.place]
            // Its row has yet to follow.
            let departure = state?.departures[row.id].flatMap { $0.account.serial == row.serial ? $0 : nil }
            let account = state?.accounts[row.id] ?? departure?.account ?? row.state
            guard let account, departure?.isClosed != true else { return }
            accounts.append(AccountSummary(account, tables: state?.tables ?? [:], place: row.place))
        }
        return accounts
    }

    private func show(_ accounts: [AccountSummary]) {
        let key = name.flatMap { try? PlayerName($0) }?.key
        // Folding 100,000 names takes half a second, so the exact name is tried first.
        let found = accounts.first { $0.name == name } ?? accounts.first { $0.account.playerName.key == key }
        guard let account = found else { refuse(.noSuchAccount(name ?? "")) }
        var table = AccountWording.table(of: [account])
        table.columns += ["issued", "created", "lastRebuy"]
        table.rows[0] += [
            .number(account.issued), .text(Timestamp(account.created).description),
            account.lastRebuy.map { .text(Timestamp($0).description) } ?? .none,
        ]
        print(table)
    }

    private func export() throws(RecoveryError) {
        let snapshot = try DataSnapshot(DataFiles.storage(of: folder), withHistory: true)
        guard let account = snapshot.state.account(named: name ?? "") else { refuse(.noSuchAccount(name ?? "")) }
        Console.print(try AccountExport(account, snapshot).json)
    }

    /// The files to change: of several partitions those that have the account, as its row says.
    private func files() throws(RecoveryError) -> any JournalStorage {
        guard var store = try DataFiles.house(of: folder), let name, let player = try? PlayerName(name) else {
            return try DataFiles.storage(of: folder, takes: true)
        }
        let found: AccountRow?
        // Of no epoch: it only reads.
        do throws(StorageError) { found = try store.registry(epoch: 0).row(named: player) } catch {
            throw .journal(JournalError(error))
        }
        guard let row = found, row.name.key == player.key else { refuse(.noSuchAccount(name)) }
        if row.place == 0 || verb == .rename {
            let reason = row.place == 0 ? "is in its row, since the player is away" : "has its name in its row, too"
            refuse(.elsewhere(name, server: ""), "\(name) \(reason): a server changes it, '\(online)' at any that runs.")
        }
        if let partition = store.url.partition, partition != row.place {
            refuse(.elsewhere(name, server: ""), "\(name) is in partition \(row.place).")
        }
        store.partition = row.place
        return store.claimingStorage
    }

    private func change() throws(RecoveryError) {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var accounts = try OfflineAccounts(files(), wallClock: now) { reason in
            Console.printError("\(Self.program): waits for space, nothing is changed yet: \(reason)")
        }
        do {
            if let unusedSince {
                let deleted = try accounts.deleteUnused(since: unusedSince)
                accounts.close()
                print(AccountWording.table(of: deleted))
                return Console.printError(AccountWording.deleted(deleted))
            }
            guard let name, let change = try? AccountChange(verb: verb.rawValue, value: value) else {
                preconditionFailure("options were checked when they were read")
            }
            let account = try accounts.change(accountNamed: name, change)
            accounts.close()
            report(change, name, account, house: accounts.state.house)
        } catch let error as AccountRefusal {
            accounts.close()
            refuse(error)
        } catch {
            throw RecoveryError(error)
        }
    }

    private func report(_ change: AccountChange, _ name: String, _ account: AccountSummary, house: String) {
        guard case .secret(let secret) = change else {
            let message = AccountWording.done(change, name, account)
            return Console.print(json ? Console.visibleJSON(AdminReply.done(message).json) : message)
        }
        // The server's address is not known here; `import --server` gives the right one.
        Console.print(
            Console.visibleJSON(
                AccountWording.importLine(house: house, server: "127.0.0.1:2121", name: account.name, secret: secret)))
        Console.printError(AccountWording.importAdvice)
    }

    private func print(_ table: AdminTable) {
        if json {
            Console.print(Console.visibleJSON(AdminReply.table(table).json))
        } else {
            Console.printText(table.text)
        }
    }

    private func refuse(_ refusal: AccountRefusal, _ message: String? = nil) -> Never {
        var message = message ?? refusal.description
        if case .noSuchAccount(let name) = refusal, folder.firstRange(of: "partition=") != nil {
            message =
                "There is no account \(name) in this partition: 'show \(name)', with a URL that names none, says where it is."
        }
        if json { Console.print(Console.visibleJSON(AdminReply.refused(code: refusal.code, message: message).json)) }
        Console.fail(Self.program, message, status: 1)
    }
}

/// Everything that is kept about an account, as one object of JSON.
struct AccountExport {
    private let account: AccountState
    private let answers: [SavedAnswer]
    /// The account's own seats of rounds.
    private var hands: [PlayedRound] = []

    /// - Parameter snapshot: with its history.
    init(_ account: AccountState, _ snapshot: DataSnapshot) throws(RecoveryError) {
        self.account = account
        answers = snapshot.state.answers[account.id] ?? []
        var history = RoundHistory(snapshot.beginning)
        var hands: [PlayedRound] = []
        func take(_ round: PlayedRound) {
            var round = round
            // The other seats are other people's.
            round.seats.removeAll { $0.player != account.id }
            if !round.seats.isEmpty { hands.append(round) }
        }
        try snapshot.records { record, place in
            history.add(record, at: place, take)
        }
        history.unfinished.forEach(take)
        self.hands = hands
    }

    var json: String {
        let rounds = hands.map { round in
            var line: [UInt8] = []
            round.encode(into: &line)
            return String(decoding: line.dropLast(), as: UTF8.self)
        }
        // The request of an answer may have a pass phrase, which is the table's secret.
        let redaction = RecordRedaction(SavedState(house: ""))
        let answers = answers.map { answer in
            let line = Record.answer(account.id, id: answer.id, request: answer.request, answer.answer).encoded()
            return String(decoding: redaction.redacted(line.dropLast()), as: UTF8.self)
        }
        let members = [
            ("account", DataText.json(Fields(account))), ("answers", "[\(answers.joined(separator: ","))]"),
            ("hands", "[\(rounds.joined(separator: ","))]"),
        ]
        let text = "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
        return Console.visibleJSON(text)
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

/// Operands of commands about accounts.
enum AccountOperand {
    static func chips(_ text: String) throws(UsageError) -> Int {
        let limit = WireLimits.chips
        guard let chips = Int(text), chips != 0, (-limit...limit).contains(chips) else {
            throw UsageError("'\(text.prefix(40))' is not a number of chips from \(-limit) to \(limit), except 0")
        }
        return chips
    }

    static func name(_ text: String) throws(UsageError) -> PlayerName {
        do { return try PlayerName(text) } catch { throw UsageError("'\(text.prefix(40))' is not a name: \(error.message)") }
    }
}

/// Accounts as commands show them.
enum AccountWording {
    /// The columns for a list of accounts.
    static func table(of accounts: [AccountSummary], others: Int = 0) -> AdminTable {
        var table = AdminTable(columns: ["id", "name", "kind", "chips", "table", "chipsAtTable", "seen", "notes"])
        for account in accounts {
            let presence = account.isConnected.map { $0 ? "connected" : "away" }
            let place = account.place.map { $0 == 0 ? "in its row" : "in partition \($0)" }
            let notes = [account.isDisabled ? "disabled" : nil, presence, place].compactMap(\.self)
            table.add([
                .number(Int(clamping: account.id.rawValue)), .text(account.name), .text(kind(of: account)),
                .number(account.chips),
                account.table.map { .text($0) } ?? .none, .number(account.chipsAtTable),
                .text(String(Timestamp(account.lastSeen).description.prefix(10))),
                notes.isEmpty ? .none : .text(notes.joined(separator: ", ")),
            ])
        }
        if others > 0 { table.note = "\(others) more \(others == 1 ? "account is" : "accounts are") not listed: see --limit." }
        return table
    }

    /// A row about one account, with what a list leaves out.
    static func detail(of account: AccountSummary) -> AdminTable {
        var table = table(of: [account])
        table.columns += ["issued", "created"]
        table.rows[0] += [.number(account.issued), .text(Timestamp(account.created).description)]
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
                ? "\(account.name) gave back \(-chips) chips and has \(account.chips)."
                : "\(account.name) got \(chips) chips and has \(account.chips)."
        case .rename: "\(name) is now \(account.name)."
        case .disable(true): "\(account.name) is disabled."
        case .disable(false): "\(account.name) is enabled."
        case .secret: "\(account.name) has a new secret."
        case .delete:
            "\(account.name) is deleted, and \(account.chips) chips are back in the bank. Older segments and checkpoints of the journal "
                + "keep the name until --history prunes them; so do backups."
        }
    }

    /// A sentence about the accounts that were deleted because nobody used them.
    static func deleted(_ accounts: [AccountSummary]) -> String {
        let chips = accounts.reduce(0) { $0 &+ $1.chips }
        return
            "\(accounts.count) \(accounts.count == 1 ? "account is" : "accounts are") deleted, and \(chips) chips are back in the bank."
    }

    /// For whoever hands the line on: the player's address of the server is not known here.
    static let importAdvice =
        "for 'bjclient accounts import --server HOST:PORT', with the address that the player uses: the secret is shown only once, "
        + "and the old one is void"

    /// The line that `bjclient accounts import` reads.
    static func importLine(house: String, server: String, name: String, secret: AccountSecret) -> String {
        struct Line: Encodable {
            let house, server, name, secret: String
            let used = 0
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = Line(house: house, server: server, name: name, secret: secret.digits)
        guard let data = try? encoder.encode(line) else { preconditionFailure("strings and numbers encode") }
        return String(decoding: data, as: UTF8.self)
    }

    static func newSecret() -> AccountSecret {
        var generator = SystemRandomNumberGenerator()
        return AccountSecret(using: &generator)
    }
}

extension AccountChange {
    /// The change of a command; nil for a query.
    /// - Parameters:
    ///   - verb: as on the command line.
    ///   - value: the verb's second operand.
    init?(verb: String, value: String?) throws(UsageError) {
        switch verb {
        case "credit":
            guard let value else { throw UsageError("credit: missing: CHIPS") }
            self = .credit(try AccountOperand.chips(value))
        case "rename":
            guard let value else { throw UsageError("rename: missing: NEW") }
            self = .rename(try AccountOperand.name(value))
        case "disable": self = .disable(true)
        case "enable": self = .disable(false)
        case "reset-secret": self = .secret(AccountWording.newSecret())
        case "delete": self = .delete
        default: return nil
        }
    }
}
