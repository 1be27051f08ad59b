import CommandLineKit
import ServerCore

/// Configured and effective settings. They differ where a change needs a restart or a table has yet to close.
struct RunningConfiguration: Sendable {
    /// As last read.
    private(set) var configured: ServerConfiguration
    /// As in effect.
    private(set) var effective: ServerConfiguration
    var roster: TableRoster

    init(_ configuration: ServerConfiguration) {
        configured = configuration
        effective = configuration
        roster = TableRoster(configuration.tables)
    }

    /// Applies a reload.
    mutating func reload(_ new: ServerConfiguration) -> ConfigurationChange {
        let former = effective
        configured = new
        effective = new.takenOver(by: former)
        let tableActions = roster.configure(new.tables)
        return ConfigurationChange(
            applied: Self.differences(from: former, to: effective), needsRestart: Self.differences(from: effective, to: new),
            tableActions: tableActions, pendingTables: roster.pending)
    }

    private static func differences(from old: ServerConfiguration, to new: ServerConfiguration) -> [ConfigurationChange.Item] {
        zip(old.settings, new.settings).compactMap { old, new in
            guard let key = new.key, old.value != new.value else { return nil }
            return ConfigurationChange.Item(key: key, old: old.value ?? "-", new: new.value ?? "-")
        }
    }
}

/// The result of a reload.
struct ConfigurationChange {
    /// A setting: its key, old and new value.
    struct Item: Equatable {
        let key: String
        let old: String
        let new: String

        /// To whom a new value applies, unless to all.
        var scope: String? {
            switch key {
            case "maxLine": "new connections"
            case "rules": "new tables"
            case "chips", "invite": "new accounts"
            default: nil
            }
        }
    }

    /// Settings applied.
    let applied: [Item]
    /// Settings that need a restart; reported at each reload until effective and configured agree.
    let needsRestart: [Item]
    let tableActions: [TableRoster.Action]
    let pendingTables: [TableRoster.Pending]

    /// Settings applied, phrases included, which no text shows.
    var count: Int {
        let phrases = tableActions.count { if case .setPass = $0 { true } else { false } }
        return applied.count + (applied.contains { $0.key == "tables" } ? 0 : phrases)
    }
}

// MARK: - Display

extension RunningConfiguration {
    /// A setting with its configured and effective values.
    struct Row: Equatable {
        let key: String
        let effective: String?
        let configured: String?
        /// The source of the configured value.
        let origin: String
        /// The step that makes both equal; nil when they are.
        let pending: String?
    }

    var rows: [Row] {
        zip(effective.settings, configured.settings).compactMap { effective, configured in
            guard let key = configured.key else { return nil }
            var row = Row(
                key: key, effective: effective.value, configured: configured.value, origin: configured.source.description,
                pending: effective.value == configured.value ? nil : "restart")
            if key == "tables" {
                row = Row(
                    key: key, effective: tablesText, configured: row.configured, origin: row.origin, pending: pendingTablesText)
            }
            return row
        }
    }

    /// The running tables in configuration order; as configured if nothing differs.
    private var tablesText: String? {
        guard !roster.pending.isEmpty else { return effective.settings.first { $0.key == "tables" }?.value }
        let wanted = roster.wanted.map(\.name)
        let names = wanted.filter { roster.running[$0] != nil } + Set(roster.running.keys).subtracting(wanted).sorted()
        return names.map { roster.running[$0]?.isClosing == true ? "\($0) (closing)" : $0 }.joined(separator: ",")
    }

    /// Tables that differ, the first of each kind by name.
    private var pendingTablesText: String? {
        func part(_ word: String, _ names: [String]) -> String? {
            guard !names.isEmpty else { return nil }
            let others = names.count > 5 ? " and \(names.count - 5) more" : ""
            return "\(word) \(names.prefix(5).joined(separator: ", "))\(others)"
        }
        let pending = roster.pending
        let parts = [
            part("restart for the rules of", pending.compactMap { if case .rules(let name) = $0 { name } else { nil } }),
            part("closing:", pending.compactMap { if case .closes(let name) = $0 { name } else { nil } }),
            part("waiting to open:", pending.compactMap { if case .opens(let name) = $0 { name } else { nil } }),
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
