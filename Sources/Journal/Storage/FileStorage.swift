import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder of the file system. Files have mode 0600, a new folder 0700.
public final class FileStorage: JournalStorage {
    public let location: String
    /// The folder and its parents, as far as this has created them, the outermost first; empty if the folder was there.
    let created: [String]
    /// Descriptor of the folder.
    let folder: Int32
    /// Descriptor of the lock file while this has the lock.
    private let locked = Mutex<Int32?>(nil)

    /// - Parameter creating: creates a missing folder, with its parents. Otherwise a missing folder is an error.
    public init(path: String, creating: Bool) throws(StorageError) {
        location = path
        created = creating ? try Self.createFolder(path) : []
        folder = try Self.retried(.open, path) { Self.openFolder(path) }
    }

    deinit {
        unlock()
        Self.closeDescriptor(folder)
    }

    public func lock() throws(JournalError) {
        do {
            var status = stat()
            if fstat(folder, &status) == 0, status.st_mode & 0o022 != 0 {
                throw JournalError.writableByOthers(folder: location, mode: status.st_mode & 0o777)
            }
            let name = FileName.lock
            let file = try openFile(name, O_RDWR | O_CREAT, .lock)
            // The lock belongs to the open file: a second opening in the same process conflicts too.
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                Self.closeDescriptor(file)
                guard code != EWOULDBLOCK else { throw JournalError.locked(folder: location) }
                throw StorageError(.lock, name, code: code)
            }
            locked.withLock { $0 = file }
        } catch let error as StorageError {
            throw .storage(error)
        } catch {
            throw error as? JournalError ?? .locked(folder: location)
        }
    }

    /// Whether this has the lock.
    var hasLock: Bool { locked.withLock { $0 != nil } }

    public func unlock() {
        let file = locked.withLock { locked in
            defer { locked = nil }
            return locked
        }
        if let file { Self.closeDescriptor(file) }
    }

    public func names() throws(StorageError) -> [String] {
        // A descriptor of its own: the position in a folder is shared by duplicates.
        let copy = try openFile(".", O_RDONLY | O_DIRECTORY, .list)
        guard let stream = fdopendir(copy) else {
            let code = errno
            Self.closeDescriptor(copy)
            throw StorageError(.list, location, code: code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw StorageError(.list, location, code: errno) }
        return names
    }

    public func create(_ name: String) throws(StorageError) -> StorageFile {
        StorageFile(id: try openFile(name, O_RDWR | O_CREAT | O_TRUNC, .create))
    }

    public func open(_ name: String, forWriting: Bool) throws(StorageError) -> StorageFile {
        StorageFile(id: try openFile(name, forWriting ? O_RDWR : O_RDONLY, .open))
    }

    public func close(_ file: StorageFile) { Self.closeDescriptor(file.id) }

    public func size(of file: StorageFile) throws(StorageError) -> Int {
        var status = stat()
        _ = try Self.retried(.inspect, location) { fstat(file.id, &status) }
        return Int(status.st_size)
    }

    public func isNamed(_ file: StorageFile) throws(StorageError) -> Bool {
        var status = stat()
        _ = try Self.retried(.inspect, location) { fstat(file.id, &status) }
        return status.st_nlink > 0
    }

    public func freeBytes() throws(StorageError) -> Int? {
        var status = statvfs()
        _ = try Self.retried(.inspect, location) { fstatvfs(folder, &status) }
        // Without the part that is reserved for root.
        return Int(clamping: UInt64(status.f_bavail)) * Int(clamping: UInt64(status.f_frsize))
    }

    public func modificationTime(of name: String) throws(StorageError) -> UInt64 {
        var status = stat()
        _ = try Self.retried(.inspect, name) { fstatat(folder, name, &status, 0) }
        #if canImport(Glibc)
            let time = status.st_mtim
        #else
            let time = status.st_mtimespec
        #endif
        return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
