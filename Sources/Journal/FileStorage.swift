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
    public init(path: String, creating: Bool) throws(JournalError) {
        location = path
        created = creating ? try Self.createFolder(path) : []
        folder = try Self.retried(.open, path) { Self.openFolder(path) }
    }

    deinit {
        unlock()
        Self.closeDescriptor(folder)
    }

    public func lock() throws(JournalError) {
        try checkMode()
        let name = FileName.lock
        let file = try openFile(name, O_RDWR | O_CREAT, .lock)
        // The lock belongs to the open file: a second opening in the same process conflicts too.
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Self.closeDescriptor(file)
            guard code != EWOULDBLOCK else { throw .locked(folder: location) }
            throw JournalError(.lock, path(of: name), code: code)
        }
        locked.withLock { $0 = file }
    }

    /// - Throws: `.writableByOthers` for a folder that no server uses.
    public func checkMode() throws(JournalError) {
        var status = stat()
        if fstat(folder, &status) == 0, status.st_mode & 0o022 != 0 {
            throw .writableByOthers(folder: location, mode: UInt32(status.st_mode) & 0o777)
        }
    }

    /// As far as ``lock()`` would fail in a folder that may not be written to; takes no lock and writes nothing.
    public func checkAccess() throws(JournalError) {
        try checkMode()
        for name in [".", FileName.lock] where faccessat(folder, name, W_OK, AT_EACCESS) != 0 {
            let code = errno
            if code != ENOENT { throw JournalError(.lock, path(of: FileName.lock), code: code) }
        }
    }

    /// Whether this has the lock.
    var hasLock: Bool { locked.withLock { $0 != nil } }

    public func unlock() {
        guard let file = locked.withLock({ $0.take() }) else { return }
        // Closing is not enough: a child that another thread has started shares the open file until its exec.
        flock(file, LOCK_UN)
        Self.closeDescriptor(file)
    }

    public func names() throws(JournalError) -> [String] {
        // A descriptor of its own: the position in a folder is shared by duplicates.
        let copy = try openFile(".", O_RDONLY | O_DIRECTORY, .list)
        guard let stream = fdopendir(copy) else {
            let code = errno
            Self.closeDescriptor(copy)
            throw JournalError(.list, location, code: code)
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
        guard errno == 0 else { throw JournalError(.list, location, code: errno) }
        return names
    }

    public func create(_ name: String) throws(JournalError) -> StorageFile {
        StorageFile(id: try openFile(name, O_RDWR | O_CREAT | O_TRUNC, .create))
    }

    public func open(_ name: String, forWriting: Bool) throws(JournalError) -> StorageFile {
        StorageFile(id: try openFile(name, forWriting ? O_RDWR : O_RDONLY, .open))
    }

    public func close(_ file: StorageFile) { Self.closeDescriptor(file.id) }

    public func size(of file: StorageFile) throws(JournalError) -> Int {
        var status = stat()
        _ = try Self.retried(.inspect, path(of: file)) { fstat(file.id, &status) }
        return Int(status.st_size)
    }

    public func isNamed(_ file: StorageFile) throws(JournalError) -> Bool {
        var status = stat()
        _ = try Self.retried(.inspect, path(of: file)) { fstat(file.id, &status) }
        return status.st_nlink > 0
    }

    public func freeBytes() throws(JournalError) -> Int? {
        var status = statvfs()
        _ = try Self.retried(.inspect, location) { fstatvfs(folder, &status) }
        // Without the part that is reserved for root.
        return Int(clamping: UInt64(status.f_bavail)) * Int(clamping: UInt64(status.f_frsize))
    }

    public func modificationTime(of name: String) throws(JournalError) -> UInt64 {
        var status = stat()
        _ = try Self.retried(.inspect, path(of: name)) { fstatat(folder, name, &status, 0) }
        #if canImport(Glibc)
            let time = status.st_mtim
        #else
            let time = status.st_mtimespec
        #endif
        return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    // MARK: Calls

    public func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(JournalError) {
        let start = bytes.count
        // At once: a debug build appends repeated elements one by one, half a minute for a segment.
        bytes += [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            if let start = buffer.baseAddress { memset(start, 0, count) }
            used = count
        }
        var done = 0
        var failure: JournalError?
        bytes.withUnsafeMutableBytes { buffer in
            while done < count {
                let got = pread(file.id, buffer.baseAddress! + start + done, count - done, off_t(offset + done))
                if got > 0 {
                    done += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    let code = errno
                    failure = JournalError(.read, path(of: file), code: code)
                    return
                }
            }
        }
        bytes.removeLast(count - done)
        if let failure { throw failure }
    }

    public func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(JournalError) {
        var failure: JournalError?
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let put = pwrite(file.id, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done))
                if put >= 0 {
                    done += put
                } else if errno != EINTR {
                    let code = errno
                    failure = JournalError(.write, path(of: file), code: code)
                    return
                }
            }
        }
        if let failure { throw failure }
    }

    public func sync(_ file: StorageFile) throws(JournalError) {
        _ = try Self.retried(.sync, path(of: file)) {
            #if canImport(Glibc)
                fdatasync(file.id)
            #else
                // `fsync` on Darwin leaves the data in the drive's cache.
                fcntl(file.id, F_FULLFSYNC)
            #endif
        }
    }

    public func rename(_ name: String, to newName: String) throws(JournalError) {
        _ = try Self.retried(.rename, path(of: name)) { renameat(folder, name, folder, newName) }
    }

    public func remove(_ name: String) throws(JournalError) {
        _ = try Self.retried(.remove, path(of: name)) { unlinkat(folder, name, 0) }
    }

    public func syncFolder() throws(JournalError) {
        _ = try Self.retried(.syncFolder, location) { fsync(folder) }
    }

    /// A file in messages.
    private func path(of name: String) -> String { name == "." ? location : "\(location)/\(name)" }

    /// An open file in messages: the system knows its name.
    private func path(of file: StorageFile) -> String {
        #if os(Linux)
            var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/fd/\(file.id)", &bytes, bytes.count)
            let link = bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
            guard let slash = link.lastIndex(of: UInt8(ascii: "/")) else { return location }
            return path(of: String(decoding: link[(slash + 1)...], as: UTF8.self))
        #else
            location
        #endif
    }

    /// Opens a file of the folder.
    func openFile(_ name: String, _ flags: Int32, _ operation: StorageError.Operation) throws(JournalError) -> Int32 {
        // Without O_NONBLOCK, opening a pipe could block indefinitely. O_NOFOLLOW keeps links from leading out of the folder.
        let file = try Self.retried(operation, path(of: name)) {
            openat(folder, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o600)
        }
        var status = stat()
        guard fstat(file, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
            Self.closeDescriptor(file)
            throw JournalError(operation, path(of: name), code: EINVAL)
        }
        return file
    }

    /// Calls again after a signal; throws on any other error.
    static func retried(
        _ operation: StorageError.Operation, _ path: @autoclosure () -> String, _ call: () -> Int32
    ) throws(JournalError) -> Int32 {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            guard code == EINTR else { throw JournalError(operation, path(), code: code) }
        }
    }

    /// Creates a folder and its missing parents, each durable in its parent.
    /// - Returns: the folders created, the outermost first.
    static func createFolder(_ path: String) throws(JournalError) -> [String] {
        var status = stat()
        guard stat(path, &status) != 0 else { return [] }
        let trimmed = path.last == "/" ? String(path.dropLast()) : path
        let parent = trimmed.lastIndex(of: "/").map { $0 == trimmed.startIndex ? "/" : String(trimmed[..<$0]) } ?? "."
        var created = parent != trimmed ? try createFolder(parent) : []
        if mkdir(trimmed, 0o700) == 0 {
            created.append(trimmed)
        } else if errno != EEXIST {
            let code = errno
            removeFolders(created)
            throw JournalError(.create, path, code: code)
        }
        let descriptor = try retried(.open, parent) { openFolder(parent) }
        defer { Self.closeDescriptor(descriptor) }
        _ = try retried(.syncFolder, parent) { fsync(descriptor) }
        return created
    }

    /// Removes empty folders, the last one first.
    private static func removeFolders(_ paths: [String]) {
        for path in paths.reversed() where rmdir(path) != 0 { return }
    }

    /// Removes the folder and the parents made with it, if this storage has created them: for a start that fails before it has served
    /// anybody. A folder stays if another server has its lock, or if it has a file that is not a journal's.
    public func removeIfCreated() {
        guard !created.isEmpty, hasLock || (try? lock()) != nil, let names = try? names(),
            names.allSatisfy(FileName.isJournals)
        else { return }
        // The lock last: another server that starts meanwhile is refused.
        for name in names.filter({ $0 != FileName.lock }) + [FileName.lock] { try? remove(name) }
        Self.removeFolders(created)
    }

    static func openFolder(_ path: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #else
            Darwin.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #endif
    }

    /// The system's `close`, whose name a method has here.
    static func closeDescriptor(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }
}
