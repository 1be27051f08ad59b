import Foundation
import Journal
import Synchronization

/// A disk in memory whose syncs wait until the test lets them go on.
package final class HeldStorage: JournalStorage {
    package let base: FaultStorage
    /// The file whose syncs wait; nil for every file.
    private let name: String?
    private let condition = NSCondition()
    /// With the open files of that name.
    private let state = Mutex((isHeld: false, waiting: 0, files: Set<Int32>()))

    package init(_ base: FaultStorage = FaultStorage(), syncsOf name: String? = nil) { (self.base, self.name) = (base, name) }

    /// Syncs that begin from now on wait.
    package func hold() { state.withLock { $0.isHeld = true } }

    package func release() {
        state.withLock { $0.isHeld = false }
        condition.withLock { condition.broadcast() }
    }

    /// Returns once a sync waits.
    package func waitForSync() {
        condition.withLock { while state.withLock({ $0.waiting == 0 }) { condition.wait() } }
    }

    package func sync(_ file: StorageFile) throws(JournalError) {
        let waits = name == nil || state.withLock { $0.files.contains(file.id) }
        condition.withLock {
            guard waits else { return }
            state.withLock { $0.waiting += 1 }
            condition.broadcast()
            while state.withLock({ $0.isHeld }) { condition.wait() }
            state.withLock { $0.waiting -= 1 }
        }
        try base.sync(file)
    }

    private func noted(_ file: StorageFile, _ name: String) -> StorageFile {
        if name == self.name { state.withLock { _ = $0.files.insert(file.id) } }
        return file
    }

    package func create(_ name: String) throws(JournalError) -> StorageFile { noted(try base.create(name), name) }
    package func open(_ name: String, forWriting: Bool) throws(JournalError) -> StorageFile {
        noted(try base.open(name, forWriting: forWriting), name)
    }
    package func close(_ file: StorageFile) {
        state.withLock { _ = $0.files.remove(file.id) }
        base.close(file)
    }

    package var location: String { base.location }
    package func lock() throws(JournalError) { try base.lock() }
    package func unlock() { base.unlock() }
    package func names() throws(JournalError) -> [String] { try base.names() }
    package func size(of file: StorageFile) throws(JournalError) -> Int { try base.size(of: file) }
    package func isNamed(_ file: StorageFile) throws(JournalError) -> Bool { try base.isNamed(file) }
    package func modificationTime(of name: String) throws(JournalError) -> UInt64 { try base.modificationTime(of: name) }
    package func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(JournalError) {
        try base.read(file, at: offset, count: count, into: &bytes)
    }
    package func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(JournalError) {
        try base.write(bytes, to: file, at: offset)
    }
    package func rename(_ name: String, to newName: String) throws(JournalError) { try base.rename(name, to: newName) }
    package func remove(_ name: String) throws(JournalError) { try base.remove(name) }
    package func syncFolder() throws(JournalError) { try base.syncFolder() }
}
