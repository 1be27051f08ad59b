import CommandLineKit
import Foundation
import Wire

/// The accounts of this device's user, in `accounts.json` of a private folder.
public struct AccountFile: Sendable {
    /// Beyond it a new account takes the place of one that was never played or is of the same address, or is refused.
    public static let limit = 1000
    /// Bytes. A longer file is damaged.
    private static let byteLimit = 1 << 20

    /// The reason in one sentence, with the path.
    public typealias Failure = PrivateFile.Failure

    private struct Content: Codable {
        var accounts: [StoredAccount] = []
    }

    private let file: PrivateFile
    private let now: @Sendable () -> Int

    /// - Parameters:
    ///   - folder: made when the first account is stored.
    ///   - now: seconds since 1970.
    public init(folder: String, now: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }) {
        file = PrivateFile(folder: folder, name: "accounts", byteLimit: Self.byteLimit)
        self.now = now
    }

    /// `bjclient` in the user's folder for configuration, by the XDG base directory specification; nil without a home.
    public init?(environment: [String: String]) {
        guard let folder = PrivateFile.configurationFolder(environment) else { return nil }
        self.init(folder: folder)
    }

    public var folder: String { file.folder }

    public var path: String { file.path }

    // MARK: Accounts

    /// Every account, the latest used first.
    public func accounts() throws(Failure) -> [StoredAccount] {
        guard file.hasFolder else { return [] }
        return try file.locked { () throws(Failure) in try read() }.sorted { ($0.used, $1.name) > ($1.used, $0.name) }
    }

    /// The name last played under at a server, or the only one there; else the one last played under at another: of several, a login that led
    /// to no table is not counted.
    public func lastName(server: String? = nil) -> String? {
        let all = (try? accounts()) ?? []
        let here = all.filter { $0.server == server }
        if here.count == 1 { return here[0].name }
        func rank(_ account: StoredAccount) -> (Int, Int) { (account.server == server ? 1 : 0, account.played) }
        return all.filter { $0.played > 0 }.max { rank($0) < rank($1) }?.name
    }

    /// A player's account; nil for none.
    func account(of name: String, house: String, server: String) throws(Failure) -> StoredAccount? {
        try accounts().first { $0.isOf(name, house: house, server: server) }
    }

    /// The latest used account of a player at another address that said it is this house; nil for none. Any server can say so: its secret is for
    /// that address.
    func elsewhere(_ name: String, house: String, server: String) throws(Failure) -> StoredAccount? {
        guard house != Hello.unnamedHouse else { return nil }
        return try accounts().first { $0.server != server && $0.isOf(name, house: house, server: $0.server) }
    }

    /// The secret of a player; nil for none. Notes the login: a file that can't be written is no obstacle.
    public func use(_ name: String, house: String, server: String) throws(Failure) -> AccountSecret? {
        guard let account = try account(of: name, house: house, server: server) else { return nil }
        let now = now()
        note(name, house: house, server: server) { $0.used = now }
        return account.secret
    }

    /// Notes that a table was shown to a player. A file that can't be written is no obstacle.
    public func played(_ name: String, house: String, server: String) {
        let now = now()
        note(name, house: house, server: server) { $0.played = now }
    }

    /// Forgets a secret that was made for a login, which the server has refused: no account has it.
    func forget(_ secret: AccountSecret) {
        _ = try? change { accounts in accounts.removeAll { $0.secret == secret } }
    }

    private func note(_ name: String, house: String, server: String, _ body: (inout StoredAccount) -> Void) {
        guard file.hasFolder else { return }
        _ = try? change { accounts in
            guard let index = accounts.firstIndex(where: { $0.isOf(name, house: house, server: server) }) else { return }
            body(&accounts[index])
            accounts[index].name = name
        }
    }

    /// Makes a player's secret and stores it durably, unless there is one.
    public func make(_ name: String, house: String, server: String) throws(Failure) -> AccountSecret {
        var generator = SystemRandomNumberGenerator()
        let secret = AccountSecret(using: &generator)
        let account = StoredAccount(house: house, server: server, name: name, secret: secret, used: now())
        return try change { accounts throws(Failure) in
            if let known = accounts.first(where: { $0.isOf(name, house: house, server: server) }) { return known.secret }
            try Self.add(account, to: &accounts)
            return secret
        }
    }

    /// Stores an account.
    /// - Parameter isReplacing: whether the player's other secret here, if there is one, may be lost.
    /// - Returns: false, without a change, if there is one and it may not.
    public func store(_ account: StoredAccount, isReplacing: Bool = false) throws(Failure) -> Bool {
        try change { accounts throws(Failure) in
            let known = accounts.filter { $0.isOf(account.name, house: account.house, server: account.server) }
            guard isReplacing || known.allSatisfy({ $0.secret == account.secret }) else { return false }
            accounts.removeAll(where: known.contains)
            try Self.add(account, to: &accounts)
            return true
        }
    }

    /// A server can have accounts made at its own address: no account that was played elsewhere goes for one of them.
    private static func add(_ account: StoredAccount, to accounts: inout [StoredAccount]) throws(Failure) {
        if accounts.count >= limit {
            let unplayed = accounts.filter { $0.played == 0 }
            let own = accounts.filter { $0.server == account.server }
            let candidates = [unplayed.filter { $0.server == account.server }, unplayed, own].first { !$0.isEmpty }
            guard let oldest = candidates?.min(by: { $0.used < $1.used }), let index = accounts.firstIndex(of: oldest) else {
                throw Failure(description: "\(limit) accounts are stored, all of them played at other servers")
            }
            accounts.remove(at: index)
        }
        accounts.append(account)
    }

    /// Checks that accounts can be kept, and read: a session would find out only at the login.
    public func check() throws(Failure) { try change { _ in } }

    // MARK: The file

    private func change<Result>(_ body: (inout [StoredAccount]) throws(Failure) -> Result) throws(Failure) -> Result {
        try file.change { () throws(Failure) in
            let before = try read()
            var accounts = before
            let result = try body(&accounts)
            guard accounts != before else { return result }
            try file.write(Console.json(Content(accounts: accounts), isPretty: true))
            return result
        }
    }

    private func read() throws(Failure) -> [StoredAccount] {
        guard let bytes = try file.read() else { return [] }
        guard let content = PrivateFile.value(Content.self, bytes) else { throw file.damaged }
        return content.accounts
    }
}

/// An account of this device's user: where it is, and the secret that opens it.
public struct StoredAccount: Equatable, Sendable {
    /// The server's identity.
    public var house: String
    /// `HOST:PORT`, as typed. Another address does not get the secret, whatever house it says it is.
    public var server: String
    public var name: String
    public var secret: AccountSecret
    /// Seconds since 1970 of the last attempt to log in.
    public var used = 0
    /// Seconds since 1970 of the last time that it was shown a table; 0 for never.
    public var played = 0

    /// Whether this is a player's account. Names that differ only in case are the same.
    func isOf(_ name: String, house: String, server: String) -> Bool {
        guard server == self.server, house == self.house else { return false }
        guard name != self.name else { return true }
        guard let key = (try? PlayerName(name))?.key else { return false }
        return key == (try? PlayerName(self.name))?.key
    }

    /// One line of JSON with the secret, for another device.
    public var exported: String { Console.json(self) }
}

extension StoredAccount: Codable {
    /// Reads ``exported``; nil for any other text.
    public init?(exported text: String) {
        guard let account = PrivateFile.value(Self.self, Array(text.utf8)) else { return nil }
        self = account
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let secret = try fields.decode(String.self, forKey: .secret)
        let house = try fields.decode(String.self, forKey: .house)
        guard let secret = AccountSecret(secret) else {
            throw DecodingError.dataCorruptedError(forKey: .secret, in: fields, debugDescription: "not 64 hexadecimal digits")
        }
        let name = try PlayerName(try fields.decode(String.self, forKey: .name)).text
        let used = try fields.decodeIfPresent(Int.self, forKey: .used) ?? 0
        // A file of an earlier release has the login alone.
        let played = try fields.decodeIfPresent(Int.self, forKey: .played) ?? used
        self.init(
            house: house, server: try fields.decode(String.self, forKey: .server), name: name, secret: secret, used: used,
            played: played)
    }
}

extension AccountSecret: Encodable {
    public func encode(to encoder: any Encoder) throws { try digits.encode(to: encoder) }
}
