import CommandLineKit
import Foundation
import Operations
import ServerCore
import Wire

/// Accounts as commands show them.
enum AccountWording {
    /// The columns for a list of accounts.
    static func table(of accounts: [AccountSummary], others: Int = 0) -> AdminTable {
        var table = AdminTable(columns: ["id", "name", "kind", "chips", "table", "chipsAtTable", "seen", "notes"])
        for account in accounts {
            let presence = account.isConnected.map { $0 ? "connected" : "away" }
            let notes = [account.isDisabled ? "disabled" : nil, presence].compactMap(\.self)
            table.add([
                .number(Int(clamping: account.id)), .text(account.name), .text(kind(of: account)), .number(account.chips),
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
        account.isBot ? "bot" : account.hasSecret ? "player" : "guest"
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
