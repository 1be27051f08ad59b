import Fairness
import Journal
import ServerCore
import Sockets
import Synchronization
import TableEngine
import TableModel
import Wire

/// The rows of a house in memory, which several servers of one process share, for the simulator and for tests: as a database keeps them.
@dynamicMemberLookup
package final class SharedRows: Sendable {
    fileprivate struct State {
        var rows: [PlayerID: AccountRow] = [:]
        /// By the key and by the skeleton of a name.
        var keys: [String: PlayerID] = [:]
        var skeletons: [String: PlayerID] = [:]
        var lastID: UInt64 = 0
        /// The current epoch of each partition.
        var epochs: [Int: UInt64] = [:]
        var house = HouseNotice()
        var faults = Faults()
    }

    package struct Faults: Sendable {
        /// Whether the registry is unreachable.
        package var isAway = false
        /// Changes that the registry carries out from now on without an answer.
        package var lostAnswers = 0
        /// Rows that are impossible, when they are looked up by id.
        package var damaged: Set<PlayerID> = []
    }

    fileprivate let state = Mutex(State())

    package init() {}

    package subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<Faults, Value> & Sendable) -> Value {
        get { state.withLock { $0.faults[keyPath: path] } }
        set { state.withLock { $0.faults[keyPath: path] = newValue } }
    }

    /// Every row, by id.
    package var rows: [AccountRow] { state.withLock { $0.rows.values.sorted { $0.id.rawValue < $1.id.rawValue } } }

    /// The registry as the owner of a partition's next epoch has it; the changes of former owners are refused from now on.
    package func claim(_ partition: Int) -> MemoryRegistry {
        let epoch = state.withLock { state in
            state.epochs[partition, default: 0] += 1
            return state.epochs[partition, default: 0]
        }
        return registry(partition, epoch: epoch)
    }

    /// The registry as the owner of an epoch has it, which is current unless a later one was named or claimed.
    package func registry(_ partition: Int, epoch: UInt64) -> MemoryRegistry {
        state.withLock { $0.epochs[partition] = max(epoch, $0.epochs[partition] ?? 0) }
        return MemoryRegistry(shared: self, partition: partition, epoch: epoch)
    }
}

/// The registry of one owner of a partition.
package struct MemoryRegistry: Registry {
    fileprivate let shared: SharedRows
    package let partition: Int
    package let epoch: UInt64
    /// Called before each question.
    package var asked: @Sendable () -> Void = {}
    /// Called after each change that was answered.
    package var changed: @Sendable () -> Void = {}

    private static func unavailable(_ operation: StorageError.Operation) -> JournalError {
        JournalError(operation, "registry", kind: .unavailable, text: "no answer")
    }

    private func read<Value: Sendable>(_ body: (borrowing SharedRows.State) -> Value) throws(JournalError) -> Value {
        asked()
        let value = shared.state.withLock { $0.faults.isAway ? nil : body($0) }
        guard let value else { throw Self.unavailable(.read) }
        return value
    }

    private func change<Value: Sendable>(_ body: (inout SharedRows.State) -> Value) throws(JournalError) -> Value {
        asked()
        let value = try shared.state.withLock { state throws(JournalError) in
            guard !state.faults.isAway else { throw Self.unavailable(.write) }
            guard state.epochs[partition] == epoch else {
                throw JournalError(.write, "registry", kind: .fenced, text: "epoch \(epoch) of partition \(partition) is over")
            }
            let value = body(&state)
            guard state.faults.lostAnswers > 0 else { return value }
            state.faults.lostAnswers -= 1
            throw Self.unavailable(.write)
        }
        changed()
        return value
    }

    package func row(named name: PlayerName) throws(JournalError) -> AccountRow? {
        try read { state in (state.keys[name.key] ?? state.skeletons[name.skeleton]).flatMap { state.rows[$0] } }
    }

    package func row(of id: PlayerID) throws(JournalError) -> AccountRow? {
        guard !shared.damaged.contains(id) else {
            throw JournalError(.read, "registry", kind: .lost, text: "the row is impossible")
        }
        return try read { $0.rows[id] }
    }

    package func row(ticket: Digest) throws(JournalError) -> AccountRow? {
        try read { $0.rows.values.first { $0.ticket == ticket } }
    }

    package func rowsHere(after id: PlayerID, limit: Int) throws(JournalError) -> [AccountRow] {
        try read { state in
            let here = state.rows.values.filter { $0.place == partition && $0.id.rawValue > id.rawValue }
            return Array(here.sorted { $0.id.rawValue < $1.id.rawValue }.prefix(limit))
        }
    }

    package func rowsAway(limit: Int) throws(JournalError) -> (rows: [AccountRow], others: Int) {
        try read { state in
            let away = state.rows.values.filter { $0.place == 0 }.sorted { $0.name.text < $1.name.text }
            return (Array(away.prefix(limit)), max(0, away.count - limit))
        }
    }

    package func endedRows(at time: Int64, limit: Int) throws(JournalError) -> [AccountRow] {
        try read { state in
            let ended = state.rows.values.filter {
                $0.place == 0 && $0.end.map { $0 <= time } ?? false && ($0.secret == nil) == (time < .max)
            }
            return Array(ended.sorted { ($0.end ?? 0, $0.id.rawValue) < ($1.end ?? 0, $1.id.rawValue) }.prefix(limit))
        }
    }

    package func insert(_ name: PlayerName, secret: Digest?) throws(JournalError) -> PlayerID? {
        try change { state in
            guard state.keys[name.key] == nil, state.skeletons[name.skeleton] == nil else { return nil }
            state.lastID += 1
            let row = AccountRow(id: PlayerID(state.lastID), name: name, place: partition, secret: secret)
            state.put(row)
            return row.id
        }
    }

    package func replace(_ row: AccountRow, serial: UInt64) throws(JournalError) -> Bool {
        try change { state in
            guard let old = state.rows[row.id], old.serial == serial,
                [nil, row.id].contains(state.keys[row.name.key]), [nil, row.id].contains(state.skeletons[row.name.skeleton])
            else { return false }
            state.remove(old)
            state.put(row)
            return true
        }
    }

    package func remove(_ id: PlayerID, serial: UInt64) throws(JournalError) -> Bool {
        try change { state in
            guard let old = state.rows[id], old.serial == serial else { return false }
            state.remove(old)
            return true
        }
    }

    package func exchange(_ notice: PartitionNotice?) throws(JournalError) -> HouseNotice {
        try change { state in
            if let notice { state.house.partitions[partition] = notice }
            var house = state.house
            house.partitions[partition] = nil
            house.accounts = state.rows.values.count { $0.secret != nil && $0.serial > 0 }
            return house
        }
    }

    package func ban(_ block: AddressBlock, until end: Int64?) throws(JournalError) {
        try change { state -> Void in state.house.bans.updateValue(end, forKey: block) }
    }
}

extension SharedRows.State {
    fileprivate mutating func put(_ row: AccountRow) {
        rows[row.id] = row
        (keys[row.name.key], skeletons[row.name.skeleton]) = (row.id, row.id)
    }

    fileprivate mutating func remove(_ row: AccountRow) {
        rows[row.id] = nil
        (keys[row.name.key], skeletons[row.name.skeleton]) = (nil, nil)
    }
}
