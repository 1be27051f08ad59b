import Dispatch
import Journal
import Synchronization

/// A storage that holds the syncs of one file back, as a slow disk does.
final class HeldStorage: JournalStorage {
    private let inner: any JournalStorage
    private let name: String
    /// Open files of that name.
    private let files = Mutex<Set<Int32>>([])
    private let isHolding = Atomic(false)
    private let (reached, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

    init(_ inner: any JournalStorage, syncsOf name: String) { (self.inner, self.name) = (inner, name) }

    func hold() { isHolding.store(true, ordering: .sequentiallyConsistent) }

    /// Waits until a sync is held.
    func waitUntilHeld() { reached.wait() }

    func letGo() {
        isHolding.store(false, ordering: .sequentiallyConsistent)
        released.signal()
    }

    var location: String { inner.location }

    func sync(_ file: StorageFile) throws(StorageError) {
        if isHolding.load(ordering: .sequentiallyConsistent), files.withLock({ $0.contains(file.id) }) {
            reached.signal()
            released.wait()
        }
        try inner.sync(file)
    }

    private func noted(_ file: StorageFile, _ name: String) -> StorageFile {
        if name == self.name { files.withLock { _ = $0.insert(file.id) } }
        return file
    }

    func create(_ name: String) throws(StorageError) -> StorageFile { noted(try inner.create(name), name) }
    func open(_ name: String, forWriting: Bool) throws(StorageError) -> StorageFile {
        noted(try inner.open(name, forWriting: forWriting), name)
    }
    func close(_ file: StorageFile) {
        files.withLock { _ = $0.remove(file.id) }
        inner.close(file)
    }

    func lock() throws(JournalError) { try inner.lock() }
    func unlock() { inner.unlock() }
    func names() throws(StorageError) -> [String] { try inner.names() }
    func size(of file: StorageFile) throws(StorageError) -> Int { try inner.size(of: file) }
    func isNamed(_ file: StorageFile) throws(StorageError) -> Bool { try inner.isNamed(file) }
    func modificationTime(of name: String) throws(StorageError) -> UInt64 { try inner.modificationTime(of: name) }
    func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(StorageError) {
        try inner.read(file, at: offset, count: count, into: &bytes)
    }
    func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(StorageError) {
        try inner.write(bytes, to: file, at: offset)
    }
    func rename(_ name: String, to newName: String) throws(StorageError) { try inner.rename(name, to: newName) }
    func remove(_ name: String) throws(StorageError) { try inner.remove(name) }
    func syncFolder() throws(StorageError) { try inner.syncFolder() }
}
