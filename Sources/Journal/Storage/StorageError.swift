#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A failed operation of a storage.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Operation: String, Sendable {
        case create, open, list, read, write, sync, rename, remove, lock, inspect
        case syncFolder = "sync the folder of"
    }

    public var operation: Operation
    /// Name of the file or the folder.
    public var file: String
    /// `errno`.
    public var code: Int32

    public init(_ operation: Operation, _ file: String, code: Int32) {
        self.operation = operation
        self.file = file
        self.code = code
    }

    /// No space, or no more of the user's quota.
    public var isFull: Bool { code == ENOSPC || code == EDQUOT }

    package var isMissingFile: Bool { code == ENOENT }

    /// A shortage that others' release of space, descriptors or memory ends.
    var isShortage: Bool { isFull || code == EMFILE || code == ENFILE || code == ENOMEM }

    public var description: String { "cannot \(operation.rawValue) \(file): \(String(cString: strerror(code))) (errno \(code))" }
}
