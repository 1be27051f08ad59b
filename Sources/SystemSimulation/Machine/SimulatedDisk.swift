import Journal
import Measuring
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder in memory that keeps what was synced. A crash may lose or tear the rest; operations may fail.
final class SimulatedDisk: JournalStorage {
    /// The fate of bytes that were written and not synced.
    enum Loss: String, CaseIterable, Sendable {
        /// The process is killed: the system keeps them.
        case nothing
        /// A power cut.
        case everything
        /// A part of the last write is kept, and everything before it.
        case tail
        /// Each page of 512 bytes is kept or lost by chance.
        case pages
        /// All are kept, and one bit of the last write is wrong.
        case flip
    }

    /// An operation that fails, once.
    enum Failure: Sendable {
        /// No space, for so many writes.
        case full(Int)
        /// An error of the device at the next write or sync.
        case broken
    }

    private struct File {
        var bytes: [UInt8] = []
        var durable: [UInt8] = []
        var unsynced: [Range<Int>] = []
        var time: UInt64 = 0
    }

    private struct State {
        var files: [Int32: File] = [:]
        var names: [String: Int32] = [:]
        var durableNames: [String: Int32] = [:]
        var nextID: Int32 = 1
        var fullWrites = 0
        var isBroken = false
        var isLocked = false
        var time: UInt64 = 0
    }

    private static let pageBytes = 512
    private let state: Mutex<State>
    let location = "the simulated disk"

    init() { state = Mutex(State()) }

    private init(_ state: consuming State) { self.state = Mutex(state) }

    func fail(_ failure: Failure?) {
        state.withLock { state in
            switch failure {
            case .full(let writes): state.fullWrites = writes
            case .broken: state.isBroken = true
            case nil: (state.fullWrites, state.isBroken) = (0, false)
            }
        }
    }

    /// Milliseconds since 1970, of later changes.
    func setTime(_ time: UInt64) { state.withLock { $0.time = time } }

    /// The disk that a restart finds.
    func afterCrash(_ loss: Loss, using random: inout SeededRandom) -> SimulatedDisk {
        var after = state.withLock { $0 }
        (after.fullWrites, after.isBroken, after.isLocked) = (0, false, false)
        guard loss != .nothing else { return SimulatedDisk(after) }
        // Names made since the last sync of the folder survive by chance.
        if loss == .everything || random.below(2) == 0 { after.names = after.durableNames }
        after.durableNames = after.names
        let kept = Set(after.names.values)
        for id in after.files.keys.sorted() {
            guard kept.contains(id), let file = after.files[id] else {
                after.files[id] = nil
                continue
            }
            let bytes = Self.remains(of: file, loss, &random)
            after.files[id] = File(bytes: bytes, durable: bytes, time: file.time)
        }
        return SimulatedDisk(after)
    }

    private static func remains(of file: File, _ loss: Loss, _ random: inout SeededRandom) -> [UInt8] {
        guard let last = file.unsynced.last else { return file.durable }
        var result = file.durable
        func keep(_ range: Range<Int>) { result.overwrite(file.bytes[range], at: range.lowerBound) }
        switch loss {
        case .nothing, .everything: break
        case .flip:
            for range in file.unsynced { keep(range) }
            if !last.isEmpty { result[last.lowerBound + random.below(last.count)] ^= 1 << UInt8(random.below(8)) }
        case .tail:
            for range in file.unsynced.dropLast() { keep(range) }
            keep(last.lowerBound..<last.lowerBound + random.below(last.count + 1))
        case .pages:
            for range in file.unsynced where !range.isEmpty {
                for page in range.lowerBound / pageBytes...(range.upperBound - 1) / pageBytes where random.below(2) == 0 {
                    keep(range.clamped(to: page * pageBytes..<(page + 1) * pageBytes))
                }
            }
        }
        return result
    }

    private func perform<Value>(
        _ operation: StorageError.Operation, _ name: String, _ body: (inout State) -> Result<Value, StorageError>
    ) throws(StorageError) -> Value {
        let result: Result<Value, StorageError> = state.withLock { state in
            if operation == .write || operation == .sync || operation == .create {
                if state.isBroken {
                    state.isBroken = false
                    return .failure(StorageError(operation, name, code: EIO))
                }
                if operation != .sync, state.fullWrites > 0 {
                    state.fullWrites -= 1
                    return .failure(StorageError(operation, name, code: ENOSPC))
                }
            }
            return body(&state)
        }
        return try result.get()
    }

    func lock() throws(JournalError) {
        let isFree = state.withLock { state in
            defer { state.isLocked = true }
            return !state.isLocked
        }
        if !isFree { throw .locked(folder: location) }
    }

    func unlock() { state.withLock { $0.isLocked = false } }

    func names() throws(StorageError) -> [String] { state.withLock { $0.names.keys.sorted() } }

    func create(_ name: String) throws(StorageError) -> StorageFile {
        try perform(.create, name) { state in
            let id = state.names[name] ?? state.nextID
            state.nextID = max(state.nextID, id + 1)
            state.names[name] = id
            state.files[id] = File(durable: state.files[id]?.durable ?? [], time: state.time)
            return .success(StorageFile(id: id))
        }
    }

    func open(_ name: String, forWriting: Bool) throws(StorageError) -> StorageFile {
        try perform(.open, name) { state in
            state.names[name].map { .success(StorageFile(id: $0)) } ?? .failure(StorageError(.open, name, code: ENOENT))
        }
    }

    func close(_ file: StorageFile) {}

    func size(of file: StorageFile) throws(StorageError) -> Int { state.withLock { $0.files[file.id]?.bytes.count ?? 0 } }

    func isNamed(_ file: StorageFile) throws(StorageError) -> Bool {
        state.withLock { state in state.names.contains { $0.value == file.id } }
    }

    func modificationTime(of name: String) throws(StorageError) -> UInt64 {
        try perform(.inspect, name) { state in
            guard let file = state.names[name].flatMap({ state.files[$0] }) else {
                return .failure(StorageError(.inspect, name, code: ENOENT))
            }
            return .success(file.time)
        }
    }

    func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(StorageError) {
        bytes += state.withLock { state -> [UInt8] in
            guard let content = state.files[file.id]?.bytes, offset < content.count else { return [] }
            return Array(content[offset..<min(content.count, offset + count)])
        }
    }

    func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(StorageError) {
        try perform(.write, "\(file.id)") { state in
            state.files[file.id]?.bytes.overwrite(bytes, at: offset)
            state.files[file.id]?.unsynced.append(offset..<offset + bytes.count)
            state.files[file.id]?.time = state.time
            return .success(())
        }
    }

    func sync(_ file: StorageFile) throws(StorageError) {
        try perform(.sync, "\(file.id)") { state in
            guard let ranges = state.files[file.id]?.unsynced, let bytes = state.files[file.id]?.bytes else {
                return .success(())
            }
            for range in ranges { state.files[file.id]?.durable.overwrite(bytes[range], at: range.lowerBound) }
            state.files[file.id]?.unsynced = []
            return .success(())
        }
    }

    func rename(_ name: String, to newName: String) throws(StorageError) {
        try perform(.rename, name) { state in
            state.names[newName] = state.names.removeValue(forKey: name)
            return .success(())
        }
    }

    func remove(_ name: String) throws(StorageError) {
        try perform(.remove, name) { state in
            state.names[name] = nil
            return .success(())
        }
    }

    func syncFolder() throws(StorageError) {
        try perform(.syncFolder, "") { state in
            state.durableNames = state.names
            return .success(())
        }
    }
}

extension [UInt8] {
    fileprivate mutating func overwrite(_ part: ArraySlice<UInt8>, at offset: Int) {
        let missing = offset + part.count - count
        if missing > 0 { append(contentsOf: repeatElement(0, count: missing)) }
        replaceSubrange(offset..<offset + part.count, with: part)
    }
}
