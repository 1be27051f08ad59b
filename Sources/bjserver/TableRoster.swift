import ServerCore

/// The tables that are configured beside those that run, as a value: what happens goes in, what is to be done comes out.
struct TableRoster: Sendable {
    typealias Setting = ShardConfiguration.TableSetting

    struct Running: Equatable {
        /// What holds at the table.
        var setting: Setting
        /// Whether it closes when its round is over. One that closes can't be kept open any more.
        var isClosing = false
    }

    enum Action: Equatable {
        case open(Setting)
        case close(name: String)
        case setPass(String?, name: String)
    }

    /// What a table differs in from what is configured.
    enum Pending: Equatable {
        /// Its rules are other ones until it is opened again, by a restart or after it was closed.
        case rules(name: String)
        /// It closes when its round is over.
        case closes(name: String)
        /// It opens when a table of its name has closed, or one makes room for it.
        case opens(name: String)
    }

    private(set) var running: [String: Running]
    private(set) var wanted: [Setting]
    /// Tables that the operator closed: they stay closed until the configuration is read again.
    private var dismissed: Set<String> = []

    /// The tables of a server that starts.
    init(_ tables: [Setting]) {
        wanted = tables
        running = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, Running(setting: $0)) })
    }

    /// The configuration was read again.
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

    /// A table has closed for good: its name and its place are free.
    mutating func closed(_ name: String) -> [Action] {
        running[name] = nil
        return openMissing()
    }

    /// The operator closes a table.
    mutating func dismiss(_ name: String) {
        dismissed.insert(name)
        running[name]?.isClosing = true
    }

    /// A table could not be opened: there are as many as there may be. It is tried again when one has closed.
    mutating func notOpened(_ name: String) { running[name] = nil }

    private mutating func openMissing() -> [Action] {
        let missing = wanted.filter { running[$0.name] == nil && !dismissed.contains($0.name) }
        for table in missing { running[table.name] = Running(setting: table) }
        return missing.map { .open($0) }
    }

    /// What is not as it is configured, in the configuration's order; tables that go come last.
    var pending: [Pending] {
        let names = Set(wanted.map(\.name))
        let differing = wanted.compactMap { table -> Pending? in
            guard let open = running[table.name] else { return dismissed.contains(table.name) ? nil : .opens(name: table.name) }
            if open.isClosing { return dismissed.contains(table.name) ? .closes(name: table.name) : .opens(name: table.name) }
            return open.setting.rules == table.rules ? nil : .rules(name: table.name)
        }
        return differing + running.keys.filter { !names.contains($0) }.sorted().map { .closes(name: $0) }
    }
}
