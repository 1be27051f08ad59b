import ClientCore
import CommandLineKit
import Foundation

/// The options of `bjclient accounts`.
struct AccountOptions: Sendable {
    enum Verb: String, CaseIterable, Sendable { case list, export, `import` }

    var verb = Verb.list
    var target: String?
    var server: Endpoint?
    var isReplacing = false

    static let command = Command<AccountOptions, ClientProgram>(
        "accounts", "Lists the accounts of this device, or copies one to another device.", defaults: AccountOptions(),
        program: checked
    ) { command in
        command.discussion(
            """
            An account has a name and chips at one server; a secret on this device opens it. 'list' shows the accounts without secrets. \
            'export NAME' prints an account with its secret as a line of JSON, for 'import' on another device, which reads a file or \
            standard input. Anyone with that line can use the account: keep it private.

            The accounts are stored in $XDG_CONFIG_HOME/bjclient/accounts.json, else in ~/.config/bjclient/accounts.json, readable only by \
            you. Beyond \(AccountFile.limit), a new account replaces one never played, else the least recently used of its server.
            """)
        command.argument("VERB", \.verb, .choice, help: "list, export or import.")
        command.argument(
            "NAME|FILE", \.target, .path,
            help: "With export, the account's name; with import, a file. Default: standard input.")
        command.option(
            "--server", \.server, .endpoint(defaultPort: 2121),
            help:
                "With list and export, only accounts at this server. With import, the server's address as used on this device.")
        command.flag(
            "--replace", \.isReplacing, help: "With import, replaces an account of that name whose secret is another one.")
        command.example("bjclient accounts", "the accounts of this device")
        command.example("bjclient accounts export ann | ssh laptop bjclient accounts import", "play as ann on the laptop too")
        command.exitStatus(
            65, "There is no such account, the input is not an exported account, or its name is here with another secret.")
        command.exitStatus(74, "The accounts cannot be read or written.")
    }

    private static func checked(_ options: AccountOptions) throws(UsageError) -> ClientProgram {
        if options.isReplacing, options.verb != .import { throw UsageError("--replace is for import") }
        switch options.verb {
        case .list: if let target = options.target { throw UsageError("list takes no argument, but got '\(target.prefix(40))'") }
        case .export: if options.target == nil { throw UsageError("export requires a NAME") }
        case .import: break
        }
        return .accounts(options)
    }
}

extension AccountOptions {
    func run(_ environment: [String: String]) -> Never {
        guard let file = AccountFile(environment: environment) else {
            Console.fail("bjclient", "neither XDG_CONFIG_HOME nor HOME is a folder", status: 74)
        }
        Console.orFail("bjclient", status: 74) {
            switch verb {
            case .list: list(try file.accounts())
            case .export: export(try file.accounts())
            case .import: try load(into: file)
            }
        }
        exit(0)
    }

    private var address: String? { server.map { "\($0)" } }

    private func list(_ accounts: [StoredAccount]) {
        for account in accounts where address == nil || address == account.server {
            Console.print("\(account.server)  \(account.name)  house \(account.house)")
        }
        if accounts.isEmpty { Console.printError("no accounts yet: playing under a name creates one") }
    }

    private func export(_ accounts: [StoredAccount]) {
        let name = target ?? ""
        let found = accounts.filter { $0.name == name && (address == nil || address == $0.server) }
        guard let account = found.first else { Console.fail("bjclient", "no account '\(name)' on this device", status: 65) }
        // One account may be known at several addresses of its house.
        guard found.allSatisfy({ $0.secret == account.secret }) else {
            Console.fail("bjclient", "'\(name)' exists at several servers: choose one with --server", status: 65)
        }
        Console.print(Console.visibleJSON(account.exported))
    }

    private func load(into file: AccountFile) throws(AccountFile.Failure) {
        guard var account = StoredAccount(exported: try Console.text(of: target ?? "/dev/stdin", upTo: 1 << 16)) else {
            Console.fail("bjclient", "not a line of 'bjclient accounts export'", status: 65)
        }
        if let address { account.server = address }
        guard try file.store(account, isReplacing: isReplacing) else {
            Console.fail("bjclient", "'\(account.name)' is here with another secret, which --replace would discard", status: 65)
        }
        Console.print("\(account.server)  \(account.name)  house \(account.house)")
    }
}
