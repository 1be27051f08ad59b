import CommandLineKit
import Foundation
import Journal
import Operations
import ServerCore

/// The journal: opening it, and what is reported about it.
extension Host {
    /// Opens the journal in the configured folder. Exits if it cannot be used.
    /// - Returns: nil for a server that keeps nothing.
    static func recover(_ configuration: ServerConfiguration, log: LogWriter) -> Recovery? {
        let options = configuration.options
        let environment = ProcessInfo.processInfo.environment
        let folder =
            options.data ?? .standard(port: options.listen.port, isSeeded: options.seed != nil, environment: environment)
        guard case .path(let path) = folder else { return nil }
        let base = DataFolder.base(environment: environment)
        if options.data == nil, !FileManager.default.fileExists(atPath: base) {
            Console.fail("bjserver", "\(base) does not exist: choose a folder with --data DIR, or --data none", status: 73)
        }
        var recovery = Recovery.Options()
        recovery.creates = options.create || options.data == nil
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
        } catch .empty {
            Console.fail("bjserver", "\(path) has no journal: is its disk mounted? --create begins a new house there", status: 73)
        } catch {
            Console.fail("bjserver", "\(error)\(advice(on: error, path, options))", status: error.isDamage ? 65 : 73)
        }
    }

    private static func advice(on error: RecoveryError, _ path: String, _ options: ServeOptions) -> String {
        if error.isDamage { return " (without a backup, 'bjserver journal repair \(path)' keeps what precedes it)" }
        guard options.data != nil else { return " (choose a folder with --data DIR, or --data none)" }
        let isMissing = if case .journal(.storage(let cause)) = error { cause.code == ENOENT } else { false }
        return isMissing && !options.create ? " (is its disk mounted? --create makes a new one)" : ""
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
        if found.end.house != nil, found.end.anchor == nil {
            note(
                .info, "anchor_made",
                [LogField("data", path), LogField("reason", "the folder had none: an older version has written it")])
        }
        if found.clockSetBack > 1000 {
            note(
                .warning, "clock_set_back",
                [
                    LogField("by_ms", found.clockSetBack),
                    LogField("reason", "the last record is later: deadlines keep their distance, times go on from the clock"),
                ])
        }
        if let cut = found.end.cut {
            note(
                .warning, "journal_cut",
                [
                    LogField("file", cut.file), LogField("offset", cut.offset), LogField("bytes", cut.bytes),
                    LogField("reason", "a write was interrupted; nobody was told of it"),
                ])
        }
        for table in found.overruledTables { note(.info, "owner_pass_overruled", [LogField("table", table)]) }
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
