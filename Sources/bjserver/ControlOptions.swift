import CommandLineKit
import Operations
import Wire

/// What `bjserver ctl` is told.
struct ControlOptions: Sendable {
    enum Verb: String, CaseIterable, Sendable {
        case tables, players, kick, ban, unban, bans
        case closeTable = "close-table"
        case drain, config, stats

        static let words = allCases.map(\.rawValue).joined(separator: ", ")

        /// What has to follow it; nil for nothing.
        var target: String? {
            switch self {
            case .kick: "PLAYER"
            case .ban, .unban: "CIDR"
            case .closeTable: "TABLE"
            case .tables, .players, .bans, .drain, .config, .stats: nil
            }
        }
    }

    var socket: String?
    var verb = Verb.tables
    var target: String?
    /// How long a ban lasts.
    var milliseconds: Int?
    /// Why a player is sent home, a table closes or the server stops.
    var reason: String?
    var json = false
    /// For the whole question and answer, in milliseconds.
    var timeout = 10_000

    /// The request that these words mean.
    func request() throws(UsageError) -> AdminRequest {
        if let expected = verb.target, target == nil { throw UsageError("\(verb.rawValue): missing: \(expected)") }
        if verb.target == nil, let target { throw UsageError("\(verb.rawValue) takes no '\(target.prefix(40))'") }
        if milliseconds != nil, verb != .ban { throw UsageError("--for goes with ban alone") }
        if let reason {
            guard [.kick, .closeTable, .drain].contains(verb) else {
                throw UsageError("--reason goes with kick, close-table and drain alone")
            }
            do { _ = try ChatText(reason) } catch { throw UsageError("--reason: \(error.message)") }
        }
        do throws(AdminCodingError) {
            return try AdminRequest(
                verb: verb.rawValue, name: target, address: target, seconds: milliseconds.map { $0 / 1000 }, reason: reason)
        } catch {
            throw UsageError(error.description)
        }
    }
}
