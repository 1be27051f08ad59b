import Journal
import Synchronization

/// A storage in memory that several processes share, with a fence, for the simulator and for tests: a disk and its ownership, as a database
/// keeps them. Every change is durable when it returns, and is refused unless it names the current epoch.
package final class FencedMemory: Sendable {
    private struct State {
        var disk: FaultStorage
        var status = LeaseStatus(owner: nil, epoch: 0, renewals: 0)
        var isAway = false
    }

    private let state: Mutex<State>

    package init(_ disk: FaultStorage = FaultStorage()) { state = Mutex(State(disk: disk)) }

    package var disk: FaultStorage { state.withLock { $0.disk } }

    /// Whether the storage answers nobody.
    package var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    package func owns(_ epoch: UInt64?) -> Bool { state.withLock { $0.status.owner != nil && $0.status.epoch == epoch } }

    /// The files, for the owner of an epoch.
    package func storage(epoch: UInt64) -> any JournalStorage { FencedStorage(memory: self, epoch: epoch) }

    /// Carries a change out, whole and durable, unless the epoch is over. A claim waits for it.
    fileprivate func change<Value: Sendable>(
        _ operation: StorageError.Operation, _ name: String, epoch: UInt64,
        _ body: @Sendable (FaultStorage) throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
        try state.withLock { state throws(JournalError) in
            guard !state.isAway else { throw JournalError(operation, name, kind: .unavailable, text: "no answer") }
            guard state.status.epoch == epoch else {
                throw JournalError(operation, name, kind: .fenced, text: "epoch \(epoch) is over")
            }
            let value = try body(state.disk)
            try state.disk.syncFolder()
            return value
        }
    }

    fileprivate var readable: FaultStorage {
        get throws(JournalError) {
            guard let disk = state.withLock({ $0.isAway ? nil : $0.disk }) else {
                throw JournalError(.read, "memory", kind: .unavailable, text: "no answer")
            }
            return disk
        }
    }
}

extension FencedMemory: PartitionLease {
    private func own<Value: Sendable>(_ body: (inout LeaseStatus) -> Value) throws(JournalError) -> Value {
        let result = state.withLock { $0.isAway ? nil : body(&$0.status) }
        guard let result else { throw JournalError(.lock, "memory", kind: .unavailable, text: "no answer") }
        return result
    }

    package func status() throws(JournalError) -> LeaseStatus { try own { $0 } }

    package func claim(from status: LeaseStatus, as owner: String) throws(JournalError) -> UInt64? {
        try own { current -> UInt64? in
            guard current == status else { return nil }
            current = LeaseStatus(owner: owner, epoch: status.epoch + 1, renewals: status.renewals)
            return current.epoch
        }
    }

    package func renew(_ epoch: UInt64) throws(JournalError) -> LeaseStatus {
        try own { current in
            if current.epoch == epoch { current.renewals += 1 }
            return current
        }
    }

    /// Restores an older copy, as an operator does under running servers.
    package func rollBack(to status: LeaseStatus) { state.withLock { $0.status = status } }

    package func release(_ epoch: UInt64) throws(JournalError) -> Bool {
        try own { current in
            guard current.epoch == epoch else { return false }
            current.owner = nil
            return true
        }
    }
}

private struct FencedStorage: JournalStorage {
    let memory: FencedMemory
    let epoch: UInt64

    var location: String { "memory" }

    // The partition's epoch is the lock.
    func lock() throws(JournalError) {}
    func unlock() {}

    func names() throws(JournalError) -> [String] { try memory.readable.names() }

    func create(_ name: String) throws(JournalError) -> StorageFile {
        try memory.change(.create, name, epoch: epoch) { disk throws(JournalError) in try disk.create(name) }
    }

    func open(_ name: String, forWriting: Bool) throws(JournalError) -> StorageFile {
        try memory.readable.open(name, forWriting: forWriting)
    }

    func close(_ file: StorageFile) {}

    func size(of file: StorageFile) throws(JournalError) -> Int { try memory.readable.size(of: file) }

    func isNamed(_ file: StorageFile) throws(JournalError) -> Bool { try memory.readable.isNamed(file) }

    func modificationTime(of name: String) throws(JournalError) -> UInt64 { try memory.readable.modificationTime(of: name) }

    func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(JournalError) {
        try memory.readable.read(file, at: offset, count: count, into: &bytes)
    }

    func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(JournalError) {
        try memory.change(.write, "\(file.id)", epoch: epoch) { disk throws(JournalError) in
            try disk.write(bytes, to: file, at: offset)
            try disk.sync(file)
        }
    }

    func sync(_ file: StorageFile) throws(JournalError) {}

    func rename(_ name: String, to newName: String) throws(JournalError) {
        try memory.change(.rename, name, epoch: epoch) { disk throws(JournalError) in try disk.rename(name, to: newName) }
    }

    func remove(_ name: String) throws(JournalError) {
        try memory.change(.remove, name, epoch: epoch) { disk throws(JournalError) in try disk.remove(name) }
    }

    func syncFolder() throws(JournalError) {}
}
