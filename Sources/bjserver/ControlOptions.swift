import CommandLineKit
import Foundation
import ServerCore
import Sockets
import Wire

/// The arguments of `bjserver ctl`.
struct ControlOptions: Sendable {
    enum Verb: String, CaseIterable, Sendable {
        case tables, players, evening, owner, kick, say, ban, unban, bans
        case drain, config, log, stats, accounts, account, credit, rename, disable, enable
        case resetSecret = "reset-secret"
        case delete

        static let words = allCases.map(\.rawValue).joined(separator: ", ")

        /// The operand; nil for none.
        var target: String? {
            switch self {
            case .kick: "PLAYER"
            case .say: "TEXT"
            case .ban, .unban: "CIDR"
            case .owner: "TABLE"
            case .log: "LEVEL"
            case .account, .credit, .rename, .disable, .enable, .resetSecret, .delete: "ACCOUNT"
            case .tables, .players, .evening, .bans, .drain, .config, .stats, .accounts: nil
            }
        }

        /// The second operand; nil for none.
        var value: String? {
            switch self {
            case .credit: "CHIPS"
            case .rename: "NEW"
            default: nil
            }
        }
    }

    var socket: String?
    /// The folder whose server is asked, without a socket; nil for the server that runs.
    var data: DataFolder?
    var verb = Verb.tables
    var target: String?
    var value: String?
    /// The table at which a line is said; nil: all tables.
    var table: String?
    /// Blocks to ban or to unban, in place of the operand.
    var file: String?
    /// Accounts listed at most.
    var limit: Int?
    /// Deletes the accounts that were not used since this day.
    var unusedSince: String?
    /// Deletes them, instead of listing them.
    var isConfirmed = false
    /// Duration of a ban in milliseconds.
    var milliseconds: Int?
    /// The reason shown to players for a kick, a closing or a drain.
    var reason: String?
    var json = false
    /// Milliseconds for connecting, request and reply together.
    var timeout = 10_000

    /// The socket that is named; nil for that of the server that runs.
    func path(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        // The command line comes before the environment.
        let isNamedByData =
            data != nil && socket == environment["BJ_ADMIN"]
            && data != environment["BJ_DATA"].flatMap(ValueFormat.dataFolder.parse)
        if let socket, !isNamedByData { return socket }
        if case .path(let path) = data { return ServerSocket.path(in: path) }
        return nil
    }

    /// The request for these arguments.
    /// - Parameter block: one of ``file``.
    func request(for block: AddressBlock? = nil) throws(UsageError) -> AdminRequest {
        let target = self.target ?? block?.description
        if file != nil, self.target != nil || verb != .ban && verb != .unban {
            throw UsageError("--file is valid with ban and unban only, instead of CIDR")
        }
        if let expected = verb.target, target == nil, verb != .delete || unusedSince == nil {
            throw UsageError("\(verb.rawValue): missing: \(expected)")
        }
        if verb.target == nil, let target { throw UsageError("\(verb.rawValue) takes no '\(target.prefix(40))'") }
        if let expected = verb.value, value == nil { throw UsageError("\(verb.rawValue): missing: \(expected)") }
        if verb.value == nil, let value { throw UsageError("\(verb.rawValue) takes no '\(value.prefix(40))'") }
        if unusedSince != nil || isConfirmed, verb != .delete || unusedSince == nil || target != nil {
            throw UsageError("--unused-since, and --yes with it, is valid with delete only, without an ACCOUNT")
        }
        if limit != nil, verb != .accounts, unusedSince == nil {
            throw UsageError("--limit is valid with accounts and --unused-since only")
        }
        if table != nil, verb != .say { throw UsageError("--table is valid with say only") }
        if verb == .say, let target {
            do { _ = try ChatText(target) } catch { throw UsageError("say: \(error.message)") }
        }
        if milliseconds != nil, verb != .ban { throw UsageError("--for is valid with ban only") }
        if let reason {
            guard [.kick, .drain].contains(verb) else {
                throw UsageError("--reason is valid with kick and drain only")
            }
            do { _ = try ChatText(reason) } catch { throw UsageError("--reason: \(error.message)") }
        }
        let chips = verb == .credit ? try value.map(AccountOperand.chips) : nil
        let newName = verb == .rename ? try value.map(AccountOperand.name).map(\.text) : nil
        do throws(AdminCodingError) {
            return try AdminRequest(
                verb: verb.rawValue, name: verb == .say ? table : target, address: target,
                seconds: milliseconds.map { $0 / 1000 }, reason: reason, chips: chips, newName: newName, limit: limit,
                text: verb == .say ? target : nil, unusedSince: unusedSince, isConfirmed: isConfirmed)
        } catch {
            throw UsageError(error.description)
        }
    }
}
