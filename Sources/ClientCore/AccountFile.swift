import Foundation
import Wire

/// The accounts of this device's user, in `accounts.json` of a private folder. A change writes a new file, syncs and renames it under a lock:
/// a crash leaves the old or the new file, and no process loses another's accounts.
public struct AccountFile: Sendable {
    /// The oldest accounts beyond it are dropped.
    public static let limit = 1000
    /// Bytes. A longer file is damaged.
    private static let byteLimit = 1 << 20

    /// The reason in one sentence, with the path.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    private struct Content: Codable {
        var accounts: [StoredAccount] = []
    }

    public let folder: String
    private let now: @Sendable () -> Int

    /// - Parameters:
    ///   - folder: made when the first account is stored.
    ///   - now: seconds since 1970.
    public init(folder: String, now: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }) {
        self.folder = folder
        self.now = now
    }

    /// `bjclient` in the user's folder for configuration, by the XDG base directory specification; nil without a home.
    public init?(environment: [String: String]) {
        // A relative path is invalid, by the specification.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            self.init(folder: folder + "/bjclient")
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            self.init(folder: home + "/.config/bjclient")
        } else {
            return nil
        }
    }

    /// A server's address as accounts have it.
    public static func address(host: String, port: Int) -> String {
        host.contains(":" as Character) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    public var path: String { folder + "/accounts.json" }
    private var newPath: String { folder + "/accounts.json.new" }

    // MARK: Accounts

    /// Every account, the latest used first.
    public func accounts() throws(Failure) -> [StoredAccount] {
        guard exists(folder) else { return [] }
        return try locked { () throws(Failure) in try read() }.sorted { ($0.used, $1.name) > ($1.used, $0.name) }
    }

    /// The name last used at a server.
    public func lastName(server: String) -> String? { (try? accounts())?.first { $0.server == server }?.name }

    /// The secret of a player; nil for none.
    public func secret(of name: String, house: String, server: String) throws(Failure) -> AccountSecret? {
        guard exists(folder) else { return nil }
        return try locked { () throws(Failure) in try read() }.first { $0.isOf(name, house: house, server: server) }?.secret
    }

    /// The same, and notes the login. A file that can't be written is no obstacle.
    public func use(_ name: String, house: String, server: String) throws(Failure) -> AccountSecret? {
        guard let secret = try secret(of: name, house: house, server: server) else { return nil }
        _ = try? store(StoredAccount(house: house, server: server, name: name, secret: secret, used: now()))
        return secret
    }

    /// Makes a player's secret and stores it durably, unless there is one.
    public func make(_ name: String, house: String, server: String) throws(Failure) -> AccountSecret {
        var generator = SystemRandomNumberGenerator()
        let secret = AccountSecret(using: &generator)
        let account = StoredAccount(house: house, server: server, name: name, secret: secret, used: now())
        return try change { accounts in
            if let known = accounts.first(where: { $0.isOf(name, house: house, server: server) }) { return known.secret }
            accounts.append(account)
            return secret
        }
    }

    /// Stores an account, in place of the one of the same player.
    public func store(_ account: StoredAccount) throws(Failure) {
        try change { accounts in
            accounts.removeAll { $0.isOf(account.name, house: account.house, server: account.server) }
            accounts.append(account)
        }
    }

    /// Sets a file that can't be read aside, so that the next change begins a new one.
    /// - Returns: what was done, for the user; nil for a file that is sound.
    public func setDamagedAside() throws(Failure) -> String? {
        guard exists(path) else { return nil }
        return try locked { () throws(Failure) in
            do throws(Failure) {
                _ = try read()
                return nil
            } catch {
                var number = 1
                while exists("\(path).damaged-\(number)") { number += 1 }
                let aside = "\(path).damaged-\(number)"
                guard rename(path, aside) == 0 else { throw failure("set aside", path) }
                return "\(error.description): it is now \(aside), and new accounts are stored without it"
            }
        }
    }

    // MARK: The file

    private func change<Result>(_ body: (inout [StoredAccount]) -> Result) throws(Failure) -> Result {
        try makeFolder()
        return try locked { () throws(Failure) in
            var accounts = try read()
            let result = body(&accounts)
            if accounts.count > Self.limit {
                accounts.sort { $0.used < $1.used }
                accounts.removeFirst(accounts.count - Self.limit)
            }
            try write(accounts)
            return result
        }
    }

    private func read() throws(Failure) -> [StoredAccount] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [] }
            throw failure("read", path)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit + 1)
        var filled = 0
        while filled < bytes.count {
            let count = bytes[filled...].withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            guard count > 0 else { break }
            filled += count
        }
        guard filled <= Self.byteLimit, let content = try? AccountCoding.read(Content.self, Array(bytes[..<filled])) else {
            throw Failure(description: "\(path) is damaged")
        }
        return content.accounts
    }

    private func write(_ accounts: [StoredAccount]) throws(Failure) {
        guard let text = try? AccountCoding.text(of: Content(accounts: accounts), isPretty: true) else {
            throw Failure(description: "the accounts can't be encoded")
        }
        // A file left there by a crash may have any mode.
        unlink(newPath)
        let descriptor = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("write", newPath) }
        defer { close(descriptor) }
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("write", newPath) }
            bytes = bytes.dropFirst(count)
        }
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0, rename(newPath, path) == 0 else {
            throw failure("write", path)
        }
        try syncFolder()
    }

    /// Makes the rename durable.
    private func syncFolder() throws(Failure) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("sync", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", folder) }
    }

    private func makeFolder() throws(Failure) {
        guard !exists(folder) else { return }
        var made = ""
        for part in folder.split(separator: "/") {
            made += "/\(part)"
            guard mkdir(made, 0o700) == 0 || errno == EEXIST || errno == EISDIR || exists(made) else {
                throw failure("make", made)
            }
        }
    }

    /// Locks out other processes: a lock of its own, since the file is replaced.
    private func locked<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let path = folder + "/accounts.lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("lock", path) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("lock", path) }
        }
        return try body()
    }

    private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// From `errno`.
    private func failure(_ verb: String, _ path: String) -> Failure {
        Failure(description: "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
