import ServerCore

/// Configured and running tables as a state machine: events in, actions out.
struct TableRoster: Sendable {
    typealias Setting = ShardConfiguration.TableSetting

    struct Running: Equatable {
        /// The setting in effect.
        var setting: Setting
        /// True when it closes after its round; irreversible.
        var isClosing = false
    }

    enum Action: Equatable {
        case open(Setting)
        case close(name: String)
        case setPass(String?, name: String)
    }

    /// A difference between a running table and its configuration.
    enum Pending: Equatable {
        /// New rules, or another owner, take effect when it opens again: after a restart or a closing.
        case rules(name: String)
        /// Closes after its round.
        case closes(name: String)
        /// Opens when a table of its name has closed, or when there is room.
        case opens(name: String)
    }

    private(set) var running: [String: Running]
    private(set) var wanted: [Setting]
    /// Tables closed by the operator, until the next reload.
    private var dismissed: Set<String> = []

    /// The settings in effect, in configuration order; without tables that only close.
    var settings: [Setting] { wanted.compactMap { running[$0.name]?.setting } }

    /// The tables at startup.
    init(_ tables: [Setting]) {
        wanted = tables
        running = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, Running(setting: $0)) })
    }

    /// Applies a reload.
    mutating func configure(_ tables: [Setting]) -> [Action] {
        wanted = tables
        dismissed = []
        let names = Set(tables.map(\.name))
        let leaving = running.filter { !$0.value.isClosing && !names.contains($0.key) }.keys.sorted()
        var actions = leaving.map { Action.close(name: $0) }
        for name in leaving { running[name]?.isClosing = true }
        for table in tables {
            guard let open = running[table.name], !open.isClosing, open.setting.pass != table.pass else { continue }
            running[table.name]?.setting.pass = table.pass
            actions.append(.setPass(table.pass, name: table.name))
        }
        return actions + openMissing()
    }

    /// A table has closed: its name and slot are free.
    mutating func closed(_ name: String) -> [Action] {
        running[name] = nil
        return openMissing()
    }

    /// The operator closes a table.
    mutating func dismiss(_ name: String) {
        dismissed.insert(name)
        running[name]?.isClosing = true
    }

    /// Opening failed at the limit on tables; retried when one closes.
    mutating func notOpened(_ name: String) { running[name] = nil }

    private mutating func openMissing() -> [Action] {
        let missing = wanted.filter { running[$0.name] == nil && !dismissed.contains($0.name) }
        for table in missing { running[table.name] = Running(setting: table) }
        return missing.map { .open($0) }
    }

    /// Differences in configuration order, closing tables last.
    var pending: [Pending] {
        let names = Set(wanted.map(\.name))
        let differing = wanted.compactMap { table -> Pending? in
            guard let open = running[table.name] else { return dismissed.contains(table.name) ? nil : .opens(name: table.name) }
            if open.isClosing { return dismissed.contains(table.name) ? .closes(name: table.name) : .opens(name: table.name) }
            let isSame = open.setting.rules == table.rules && open.setting.owner == table.owner
            return isSame ? nil : .rules(name: table.name)
        }
        return differing + running.keys.filter { !names.contains($0) }.sorted().map { .closes(name: $0) }
    }
}
