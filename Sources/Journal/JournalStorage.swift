#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that a storage has opened.
public struct StorageFile: Hashable, Sendable {
    /// The storage's own number for it.
    public let id: Int32

    public init(id: Int32) { self.id = id }
}

/// A folder of files with explicit durability: the files in it are a journal's.
///
/// Calls block. A call of one file by two threads at a time does not occur, except reads.
public protocol JournalStorage: Sendable {
    /// Names the folder in messages.
    var location: String { get }

    /// Takes the folder for one writer, until `unlock` or the end of the process. Throws `.locked` if another has it.
    func lock() throws(JournalError)
    func unlock()

    /// Names of all files, in any order.
    func names() throws(JournalError) -> [String]

    /// Creates an empty file, or empties an existing one, for reading and writing.
    func create(_ name: String) throws(JournalError) -> StorageFile
    /// Opens an existing file.
    func open(_ name: String, forWriting: Bool) throws(JournalError) -> StorageFile
    func close(_ file: StorageFile)

    /// Bytes.
    func size(of file: StorageFile) throws(JournalError) -> Int
    /// Whether the file has a name in a folder; false for one that was removed while it is open.
    func isNamed(_ file: StorageFile) throws(JournalError) -> Bool
    /// Time of the last change of its content, in milliseconds since 1970.
    func modificationTime(of name: String) throws(JournalError) -> UInt64

    /// Appends up to `count` bytes from an offset on; fewer at the end of the file.
    func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(JournalError)
    /// Writes all bytes at an offset; lengthens the file if they reach beyond its end. After an error, any part may be written.
    func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(JournalError)
    /// Returns when all writes to the file are on the disk.
    func sync(_ file: StorageFile) throws(JournalError)

    /// Replaces a file of the new name.
    func rename(_ name: String, to newName: String) throws(JournalError)
    func remove(_ name: String) throws(JournalError)
    /// Returns when all names made and removed are on the disk.
    func syncFolder() throws(JournalError)

    /// Creates a file of newlines, durably: it appears whole or not at all. A later write within it needs no space, as far as the storage can
    /// promise.
    func prepare(_ name: String, bytes: Int) throws(JournalError)

    /// Bytes that this process may still store; nil if unknown.
    func freeBytes() throws(JournalError) -> Int?
}

/// Bytes prefilled per sync: a concurrent sync of the current segment waits in the disk's queue for at most so much.
private let sliceBytes = 256 << 10

extension JournalStorage {
    public func freeBytes() throws(JournalError) -> Int? { nil }

    public func prepare(_ name: String, bytes: Int) throws(JournalError) {
        try make(name) { file throws(JournalError) in
            let slice = [UInt8](repeating: Text.newline, count: min(bytes, sliceBytes))
            var done = 0
            while done < bytes {
                let count = min(slice.count, bytes - done)
                try write(slice[..<count], to: file, at: done)
                try sync(file)
                done += count
            }
        }
    }

    /// Makes a file that appears whole or not at all, durably; replaces one of the name.
    /// - Parameter content: writes and syncs it, then other files that must be on the disk first.
    func make(_ name: String, _ content: (StorageFile) throws(JournalError) -> Void) throws(JournalError) {
        let unfinished = name + FileName.unfinished
        do {
            let file = try create(unfinished)
            defer { close(file) }
            try content(file)
        } catch {
            // On a full disk the part that was written takes the space that others need.
            try? remove(unfinished)
            throw error
        }
        try rename(unfinished, to: name)
        try syncFolder()
    }

    func size(ofFile name: String) throws(JournalError) -> Int {
        let file = try open(name, forWriting: false)
        defer { close(file) }
        return try size(of: file)
    }

    /// A file's whole content replaces `bytes`.
    func readAll(_ name: String, into bytes: inout [UInt8]) throws(JournalError) {
        let file = try open(name, forWriting: false)
        defer { close(file) }
        let size = try size(of: file)
        // A damaged size does not decide how much memory a reader takes.
        guard size <= 1 << 32 else {
            throw JournalError(
                .read, name, kind: .lost, text: "it has \(size) bytes, too many for a journal file: restore a backup")
        }
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(size)
        try read(file, at: 0, count: size, into: &bytes)
    }
}

/// A failed operation of a storage.
public struct StorageError: Hashable, Sendable, CustomStringConvertible {
    public enum Operation: String, Sendable {
        case create, open, list, read, write, sync, rename, remove, lock, inspect
        case syncFolder = "sync the folder of"
    }

    public enum Kind: Sendable {
        /// The operation had no effect, but for parts of a write.
        case failed
        /// The storage does not answer. The operation may have had its effect: repeated with the same arguments, it has it once.
        case unavailable
        /// Another process has taken the files over; nothing is changed.
        case fenced
        /// A change is gone that the storage had acknowledged.
        case lost
    }

    public var operation: Operation
    /// Name of the file or the folder.
    public var file: String
    /// `errno`; 0 for an error of a database.
    public var code: Int32
    public var isUnavailable: Bool
    /// A database's words, safe to print; nil for an error of the system.
    public var text: String?
    /// A database's class of errors, five characters, such as 53100.
    public var sqlState: String?

    /// No space, or no more of the user's quota.
    public var isFull: Bool { code == ENOSPC || code == EDQUOT || sqlState == "53100" }

    public var description: String {
        let reason = text.map { $0 + (sqlState.map { " (SQLSTATE \($0))" } ?? "") }
        return "cannot \(operation.rawValue) \(file): \(reason ?? "\(String(cString: strerror(code))) (errno \(code))")"
    }
}
