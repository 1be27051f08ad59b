import ClientCore
import CommandLineKit
import Foundation
import ServerCore
import Sockets
import TerminalUI

/// `bjclient --by-ssh-key`: sshd's ForceCommand for a user whom all players share. An account belongs to a key.
///
/// A caller chooses how text looks and which table is asked for. No variable of theirs names a file, a server or a secret.
enum SSHLogin {
    /// Variables that stay: the terminal's, and sshd's own, which overrules a caller's.
    private static let kept: Set = [
        "TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE", "SSH_USER_AUTH", "SSH_CONNECTION", "SSH_ORIGINAL_COMMAND",
    ]
    /// Keys with accounts. Each is a folder.
    private static let limit = 10_000

    /// Before anything else reads a variable.
    static func forgetEnvironment() {
        for name in ProcessInfo.processInfo.environment.keys where !kept.contains(name) { unsetenv(name) }
    }

    /// Exits where sshd names no key.
    static func session(_ given: ClientProgram.JoinOptions, _ environment: [String: String]) -> TableSession.Options {
        guard
            let key = environment["SSH_USER_AUTH"].flatMap({ try? Console.text(of: $0, upTo: 1 << 16) }).flatMap(
                SSHKey.init(login:))
        else {
            Console.fail("bjclient", "sshd names no key: it needs 'ExposeAuthInfo yes', and a login by a key alone", status: 77)
        }
        guard !key.isCertificate else {
            Console.fail("bjclient", "a certificate cannot be an account: choose a key without one by 'ssh -i'", status: 77)
        }
        guard let user = getpwuid(getuid()), let home = user.pointee.pw_dir.map({ String(cString: $0) }), home.hasPrefix("/")
        else {
            Console.fail("bjclient", "this user has no home folder", status: 74)
        }
        let keys = "\(home)/.config/bjclient/keys"
        let known = (try? FileManager.default.contentsOfDirectory(atPath: keys)) ?? []
        let accounts = known.count < limit || known.contains(key.folder) ? AccountFile(folder: "\(keys)/\(key.folder)") : nil
        var join = given
        join.isGuest = accounts == nil
        join.name = given.name ?? accounts?.lastName(server: "\(given.server ?? ClientProgram.ownServer)")
        if let word = environment["SSH_ORIGINAL_COMMAND"], given.table == nil, ShardConfiguration.isTableName(word) {
            join.table = word
        }
        var session = join.session(environment, accounts)
        session.client.storesSeated = true
        session.isCaller = isatty(0) != 1 || isatty(1) != 1
        session.greeting =
            "You play as key \(key.fingerprint); another: ssh -i." + (accounts == nil ? " Too many are kept: yours is not." : "")
        guard let proxy = given.proxy else { return session }
        // An IPv6 address may have a zone. Without an address the server's limits on this machine would apply, which are none.
        let source = environment["SSH_CONNECTION"]?.split(separator: " ").first?.prefix { $0 != "%" }
        guard let address = source.flatMap({ IPAddress(String($0)) }) else {
            Console.fail("bjclient", "sshd names no address", status: 77)
        }
        session.client.route = proxy.route(of: address, port: 0)
        return session
    }
}
