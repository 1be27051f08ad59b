import Foundation
import Journal
import Synchronization
import TestKit

/// A disk whose syncs wait until the test lets them go on.
final class HeldStorage: JournalStorage {
    let base: FaultStorage
    private let condition = NSCondition()
    private let state = Mutex((isHeld: false, waiting: 0))

    init(_ base: FaultStorage = FaultStorage()) { self.base = base }

    /// Syncs that begin from now on wait.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        state.withLock { $0.isHeld = false }
        condition.withLock { condition.broadcast() }
    }

    /// Returns once a sync waits.
    func waitForSync() {
        condition.withLock { while state.withLock({ $0.waiting == 0 }) { condition.wait() } }
    }

    func sync(_ file: StorageFile) throws(StorageError) {
        condition.withLock {
            state.withLock { $0.waiting += 1 }
            condition.broadcast()
            while state.withLock({ $0.isHeld }) { condition.wait() }
            state.withLock { $0.waiting -= 1 }
        }
        try base.sync(file)
    }

    var location: String { base.location }
    func lock() throws(JournalError) { try base.lock() }
    func unlock() { base.unlock() }
    func names() throws(StorageError) -> [String] { try base.names() }
    func create(_ name: String) throws(StorageError) -> StorageFile { try base.create(name) }
    func open(_ name: String, forWriting: Bool) throws(StorageError) -> StorageFile {
        try base.open(name, forWriting: forWriting)
    }
    func close(_ file: StorageFile) { base.close(file) }
    func size(of file: StorageFile) throws(StorageError) -> Int { try base.size(of: file) }
    func isNamed(_ file: StorageFile) throws(StorageError) -> Bool { try base.isNamed(file) }
    func modificationTime(of name: String) throws(StorageError) -> UInt64 { try base.modificationTime(of: name) }
    func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(StorageError) {
        try base.read(file, at: offset, count: count, into: &bytes)
    }
    func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(StorageError) {
        try base.write(bytes, to: file, at: offset)
    }
    func rename(_ name: String, to newName: String) throws(StorageError) { try base.rename(name, to: newName) }
    func remove(_ name: String) throws(StorageError) { try base.remove(name) }
    func syncFolder() throws(StorageError) { try base.syncFolder() }
}
