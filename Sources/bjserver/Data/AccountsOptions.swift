import CommandLineKit
import Foundation
import Operations
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

    func run() -> Never {
        do throws(RecoveryError) {
            switch verb {
            case .list: list(try DataSnapshot(folder: folder).state)
            case .show: show(try DataSnapshot(folder: folder).state)
            case .export: try export()
            default: try change()
            }
        } catch {
            DataFault.fail(Self.program, error, online: "bjserver ctl \(verb.rawValue)")
        }
        exit(0)
    }

    private func list(_ state: SavedState) {
        let accounts = state.accounts.values.map { AccountSummary($0, tables: state.tables) }
        print(AccountWording.table(of: accounts.sorted { ($0.name, $0.id) < ($1.name, $1.id) }))
    }

    private func show(_ state: SavedState) {
        let account = account(in: state)
        var table = AccountWording.table(of: [AccountSummary(account, tables: state.tables)])
        table.columns += ["issued", "created", "lastRebuy"]
        table.rows[0] += [
            .number(account.issued), .text(Timestamp(account.created).description),
            account.lastRebuy.map { .text(Timestamp($0).description) } ?? .none,
        ]
        print(table)
    }

    private func export() throws(RecoveryError) {
        let snapshot = try DataSnapshot(folder: folder, withHistory: true)
        Console.print(try AccountExport(account(in: snapshot.state), snapshot).json)
    }

    private func change() throws(RecoveryError) {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var accounts = try OfflineAccounts(folder: folder, wallClock: now) { reason in
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

    func account(in state: SavedState) -> SavedAccount {
        guard let account = state.account(named: name ?? "") else { refuse(.noSuchAccount(name ?? "")) }
        return account
    }

    private func refuse(_ refusal: AccountRefusal) -> Never {
        if json { Console.print(Console.visibleJSON(AdminReply.refused(code: refusal.code, message: refusal.description).json)) }
        Console.fail(Self.program, refusal, status: 1)
    }
}
