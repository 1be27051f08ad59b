import Journal
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder in memory with the durability of a real one, for the simulator and for tests: a crash loses what was not synced, or parts of it.
/// Chosen writes, syncs and changes of names fail or crash.
package final class FaultStorage: JournalStorage {
    /// The result of a crash for bytes that were written and not synced.
    package enum Loss: String, CaseIterable, Sendable {
        /// None of them are kept: a power cut.
        case everything
        /// All of them are kept, in the system's memory: `kill -9`. A later power cut can still lose them.
        case nothing
        /// Of the last write a part is kept, of earlier ones everything.
        case tail
        /// Every page is kept or lost by chance: a later one may be kept and an earlier one lost.
        case pages
        /// The first page is lost, later ones are kept.
        case firstPage
        /// All are kept, one bit of them is flipped.
        case flip
    }

    package enum Fault: Equatable, Sendable {
        /// The operation and every later one fails; ``survivors(seed:)`` are what a restart finds.
        case crash(Loss)
        /// The operation and the next ones fail with this `errno`, so many in all. Of a failed write the first half is written.
        case errors(Int32, count: Int)

        package static func error(_ code: Int32) -> Fault { .errors(code, count: 1) }
    }

    /// Bytes of a page: the unit that a disk keeps or loses.
    package static let pageBytes = 512

    /// The operations that a fault is for.
    private struct Target {
        var operations: Set<StorageError.Operation>
        /// The only file; nil for any.
        var id: String?
    }

    private struct Content {
        /// As a program reads it.
        var bytes: [UInt8] = []
        /// As it is on the disk.
        var durable: [UInt8] = []
        /// Ranges written since the last sync, oldest first.
        var unsynced: [Range<Int>] = []
        var time: UInt64 = 0

        mutating func write(_ part: ArraySlice<UInt8>, at offset: Int, time: UInt64) {
            bytes.write(part, at: offset)
            unsynced.append(offset..<offset + part.count)
            self.time = time
        }

        mutating func sync(keeping: Bool) {
            if keeping { for range in unsynced { durable.write(bytes[range], at: range.lowerBound) } }
            unsynced = []
        }
    }

    private struct State {
        var contents: [Int32: Content] = [:]
        var names: [String: Int32] = [:]
        var durableNames: [String: Int32] = [:]
        var nextID: Int32 = 1
        var operations = 0
        var fault: (operation: Int, fault: Fault)?
        /// nil for any operation.
        var target: Target?
        var isCrashed = false
        var isLocked = false
        var now: UInt64 = 0
    }

    private let state: Mutex<State>
    package let location = "memory"

    package init() { state = Mutex(State()) }

    private init(_ state: consuming State) { self.state = Mutex(state) }

    /// Makes an operation fail; operations count from 0.
    package func inject(_ fault: Fault, at operation: Int) {
        state.withLock { ($0.fault, $0.target) = ((operation, fault), nil) }
    }

    /// Makes the next of these operations fail, of a file if one is named, whatever other threads do meanwhile.
    package func inject(_ fault: Fault, atNext operations: Set<StorageError.Operation>, of name: String? = nil) {
        state.withLock { state in
            state.fault = (0, fault)
            state.target = Target(operations: operations, id: name.map { name in state.names[name].map { "\($0)" } ?? name })
        }
    }

    /// Takes a fault back that has not happened.
    package func heal() { state.withLock { $0.fault = nil } }

    /// Writes, syncs, creations, changes of names so far.
    package var operations: Int { state.withLock { $0.operations } }

    /// Time of later changes, in milliseconds.
    package func setTime(_ now: UInt64) { state.withLock { $0.now = now } }

    // MARK: Damage

    /// A file's content as a program reads it.
    package func content(of name: String) -> [UInt8]? {
        state.withLock { state in state.names[name].flatMap { state.contents[$0]?.bytes } }
    }

    /// Replaces a file, durably.
    package func setContent(_ bytes: [UInt8], of name: String) {
        state.withLock { state in
            let id = state.names[name] ?? state.nextID
            state.nextID = max(state.nextID, id + 1)
            state.names[name] = id
            state.durableNames[name] = id
            state.contents[id] = Content(bytes: bytes, durable: bytes, time: state.now)
        }
    }

    /// The folder that a restart finds after a crash now: synced content, and of the rest what the loss leaves.
    package func survivors(_ loss: Loss, using generator: inout some RandomNumberGenerator) -> FaultStorage {
        let before = state.withLock { $0 }
        var after = State()
        (after.nextID, after.now) = (before.nextID, before.now)
        if loss == .nothing {
            (after.contents, after.names, after.durableNames) = (before.contents, before.names, before.durableNames)
            return FaultStorage(after)
        }
        // Names made since the last sync of the folder survive a power cut by chance.
        let keepsNames = loss != .everything && generator.below(2) == 0
        after.names = keepsNames ? before.names : before.durableNames
        after.durableNames = after.names
        for id in Set(after.names.values).sorted() {
            guard let content = before.contents[id] else { continue }
            let bytes = Self.remains(of: content, loss, &generator)
            after.contents[id] = Content(bytes: bytes, durable: bytes, time: content.time)
        }
        return FaultStorage(after)
    }

    private static func remains(of content: Content, _ loss: Loss, _ generator: inout some RandomNumberGenerator) -> [UInt8] {
        guard let last = content.unsynced.last else { return content.durable }
        var result = content.durable
        func keep(_ range: Range<Int>) { result.write(content.bytes[range], at: range.lowerBound) }
        switch loss {
        case .everything, .nothing: break
        case .flip:
            for range in content.unsynced { keep(range) }
            if !last.isEmpty { result[last.lowerBound + generator.below(last.count)] ^= 1 << UInt8(generator.below(8)) }
        case .tail:
            for range in content.unsynced.dropLast() { keep(range) }
            keep(last.lowerBound..<last.lowerBound + generator.below(last.count + 1))
        case .pages, .firstPage:
            var isFirst = true
            for range in content.unsynced {
                for page in range.lowerBound / pageBytes...max(range.lowerBound, range.upperBound - 1) / pageBytes {
                    let part = range.clamped(to: page * pageBytes..<(page + 1) * pageBytes)
                    if loss == .pages ? generator.below(2) == 0 : !isFirst { keep(part) }
                    isFirst = false
                }
            }
        }
        return result
    }

    // MARK: Operations that count

    private enum Action { case perform, half, none }

    /// Counts an operation and performs it, or its fault.
    private func count<Value>(
        _ operation: StorageError.Operation, _ name: String, _ body: (inout State, Action) -> Value
    ) throws(JournalError) -> Value {
        let (value, code) = state.withLock { state -> (Value, Int32) in
            guard !state.isCrashed else { return (body(&state, .none), EIO) }
            let number = state.operations
            state.operations += 1
            guard let (chosen, fault) = state.fault, number >= chosen,
                state.target.map({ $0.operations.contains(operation) && $0.id ?? name == name }) ?? true
            else { return (body(&state, .perform), 0) }
            switch fault {
            case .crash:
                state.isCrashed = true
                // The bytes of an interrupted write have reached the system, not the disk.
                return (body(&state, operation == .write ? .perform : .none), EIO)
            case .errors(let code, let count):
                state.fault = count > 1 ? (number, .errors(code, count: count - 1)) : nil
                return (body(&state, .half), code)
            }
        }
        if code != 0 { throw JournalError(operation, name, code: code) }
        return value
    }

    package func create(_ name: String) throws(JournalError) -> StorageFile {
        try count(.create, name) { state, action in
            guard action == .perform else { return StorageFile(id: 0) }
            let id = state.names[name] ?? state.nextID
            state.nextID = max(state.nextID, id + 1)
            state.names[name] = id
            state.contents[id] = Content(durable: state.contents[id]?.durable ?? [], time: state.now)
            return StorageFile(id: id)
        }
    }

    package func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(JournalError) {
        try count(.write, "\(file.id)") { state, action in
            let part = action == .perform ? bytes : action == .half ? bytes.prefix(bytes.count / 2) : []
            guard !part.isEmpty else { return }
            state.contents[file.id]?.write(part, at: offset, time: state.now)
        }
    }

    package func sync(_ file: StorageFile) throws(JournalError) {
        try count(.sync, "\(file.id)") { state, action in
            // After an error the system drops the data and takes it for written: the next sync succeeds without it.
            if action != .none { state.contents[file.id]?.sync(keeping: action == .perform) }
        }
    }

    package func rename(_ name: String, to newName: String) throws(JournalError) {
        try count(.rename, name) { state, action in
            if action == .perform { state.names[newName] = state.names.removeValue(forKey: name) }
        }
    }

    package func remove(_ name: String) throws(JournalError) {
        try count(.remove, name) { state, action in
            if action == .perform { state.names[name] = nil }
        }
    }

    package func syncFolder() throws(JournalError) {
        try count(.syncFolder, location) { state, action in
            if action == .perform { state.durableNames = state.names }
        }
    }

    // MARK: Operations that do not

    package func lock() throws(JournalError) {
        let isLocked = state.withLock { state in
            defer { state.isLocked = true }
            return state.isLocked
        }
        if isLocked { throw .locked(folder: location) }
    }

    package func unlock() { state.withLock { $0.isLocked = false } }

    package func names() throws(JournalError) -> [String] { state.withLock { $0.names.keys.sorted() } }

    package func open(_ name: String, forWriting: Bool) throws(JournalError) -> StorageFile {
        guard let id = state.withLock({ $0.names[name] }) else { throw JournalError(.open, name, code: ENOENT) }
        return StorageFile(id: id)
    }

    package func close(_ file: StorageFile) {}

    package func size(of file: StorageFile) throws(JournalError) -> Int {
        state.withLock { $0.contents[file.id]?.bytes.count ?? 0 }
    }

    package func isNamed(_ file: StorageFile) throws(JournalError) -> Bool {
        state.withLock { $0.names.values.contains(file.id) }
    }

    package func modificationTime(of name: String) throws(JournalError) -> UInt64 {
        state.withLock { state in state.names[name].flatMap { state.contents[$0]?.time } ?? 0 }
    }

    package func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(JournalError) {
        let all = state.withLock { $0.contents[file.id]?.bytes ?? [] }
        bytes.append(contentsOf: all[min(offset, all.count)..<min(offset + count, all.count)])
    }
}

extension [UInt8] {
    /// Replaces the bytes from an offset on, lengthening the array by zeros if need be.
    fileprivate mutating func write(_ part: ArraySlice<UInt8>, at offset: Int) {
        let missing = offset + part.count - count
        if missing > 0 { append(contentsOf: [UInt8](repeating: 0, count: missing)) }
        // A copy of memory: element by element it took three quarters of the journal's tests of faults.
        withUnsafeMutableBytes { bytes in
            part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: $0) }
        }
    }
}

extension RandomNumberGenerator {
    /// A number in `0..<bound`. The modulo bias is at most `bound` / 2³¹; fast in debug builds.
    fileprivate mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % bound }
}
