import CommandLineKit
import Foundation
import Journal
import Operations
import ServerCore

/// The journal: opening it, and what is reported about it.
extension Host {
    /// The configured folder; nil for a server that keeps nothing.
    static func dataFolder(_ options: ServeOptions) -> String? {
        let folder =
            options.data
            ?? .standard(
                port: options.listen.port, isSeeded: options.seed != nil, environment: ProcessInfo.processInfo.environment)
        return if case .path(let path) = folder { path } else { nil }
    }

    /// Opens the journal in the configured folder. Exits if it cannot be used.
    /// - Returns: nil for a server that keeps nothing.
    static func recover(_ configuration: ServerConfiguration, log: LogWriter) -> Recovery? {
        let options = configuration.options
        guard let path = dataFolder(options) else { return nil }
        var recovery = Recovery.Options()
        recovery.journal.durability = options.durability
        recovery.history = options.history
        recovery.version = Release.version
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        @Sendable func note(_ level: LogLevel, _ event: StaticString, _ fields: [LogField]) {
            log.write(LogLine(time: Int64(Date().timeIntervalSince1970 * 1000), level: level, event: event, fields: fields))
        }
        let callbacks = DurableLog.Callbacks { error in
            // Nothing more becomes durable, so nothing more may be told: players find their hands after the next start.
            note(.error, "journal_failed", [LogField("reason", error.description)])
            log.flush()
            exit(74)
        } full: { error in
            note(.error, "disk_full", [LogField("reason", error.description)])
        } spaceFound: {
            note(.info, "disk_has_space", [])
        }
        do throws(RecoveryError) {
            let found = try Recovery.open(
                folder: path, tables: configuration.tables, options: recovery, wallClock: now, callbacks: callbacks)
            report(found, path, options, note)
            let mode = (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) ?? 0
            if mode & 0o077 != 0 {
                note(
                    .warning, "data_readable_by_others",
                    [
                        LogField("data", path), LogField("mode", String(mode, radix: 8)),
                        LogField("reason", "it has keys of shoes: chmod 700"),
                    ])
            }
            return found
        } catch {
            let advice = options.data == nil ? " (choose a folder with --data DIR, or --data none)" : ""
            Console.fail("bjserver", "\(error)\(error.isDamage ? "" : advice)", status: error.isDamage ? 65 : 73)
        }
    }

    private static func report(
        _ found: Recovery, _ path: String, _ options: ServeOptions, _ note: (LogLevel, StaticString, [LogField]) -> Void
    ) {
        note(
            .info, "recovered",
            [
                LogField("data", path), LogField("durability", options.durability.rawValue),
                LogField("frames", found.end.sequence), LogField("known_accounts", found.state.accounts.count),
                LogField("open_tables", found.state.tables.count), LogField("outage_ms", found.outage),
            ])
        if let cut = found.end.cut {
            note(
                .warning, "journal_cut",
                [
                    LogField("file", cut.file), LogField("offset", cut.offset), LogField("bytes", cut.bytes),
                    LogField("reason", "a write was interrupted; nobody was told of it"),
                ])
        }
        for table in found.closedTables {
            note(
                .warning, "table_not_continued",
                [
                    LogField("table", table),
                    LogField("reason", "closed, gone or with other rules: chips are back in the accounts"),
                ])
        }
    }
}
