#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension FileStorage {
    public func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(StorageError) {
        let start = bytes.count
        // At once: a debug build appends repeated elements one by one, half a minute for a segment.
        bytes += [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            if let start = buffer.baseAddress { memset(start, 0, count) }
            used = count
        }
        var done = 0
        var failure: StorageError?
        bytes.withUnsafeMutableBytes { buffer in
            while done < count {
                let got = pread(file.id, buffer.baseAddress! + start + done, count - done, off_t(offset + done))
                if got > 0 {
                    done += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failure = StorageError(.read, location, code: errno)
                    return
                }
            }
        }
        bytes.removeLast(count - done)
        if let failure { throw failure }
    }

    public func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(StorageError) {
        var failure: StorageError?
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let put = pwrite(file.id, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done))
                if put >= 0 {
                    done += put
                } else if errno != EINTR {
                    failure = StorageError(.write, location, code: errno)
                    return
                }
            }
        }
        if let failure { throw failure }
    }

    public func sync(_ file: StorageFile) throws(StorageError) {
        _ = try Self.retried(.sync, location) {
            #if canImport(Glibc)
                fdatasync(file.id)
            #else
                // `fsync` on Darwin leaves the data in the drive's cache.
                fcntl(file.id, F_FULLFSYNC)
            #endif
        }
    }

    public func rename(_ name: String, to newName: String) throws(StorageError) {
        _ = try Self.retried(.rename, name) { renameat(folder, name, folder, newName) }
    }

    public func remove(_ name: String) throws(StorageError) {
        _ = try Self.retried(.remove, name) { unlinkat(folder, name, 0) }
    }

    public func syncFolder() throws(StorageError) {
        _ = try Self.retried(.syncFolder, location) { fsync(folder) }
    }

    /// Opens a file of the folder.
    func openFile(_ name: String, _ flags: Int32, _ operation: StorageError.Operation) throws(StorageError) -> Int32 {
        // Without O_NONBLOCK, opening a pipe waits for ever. No link leads out of the folder.
        let file = try Self.retried(operation, name) {
            openat(folder, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o600)
        }
        var status = stat()
        guard fstat(file, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
            Self.closeDescriptor(file)
            throw StorageError(operation, name, code: EINVAL)
        }
        return file
    }

    /// Calls again after a signal; throws on any other error.
    static func retried(
        _ operation: StorageError.Operation, _ name: String, _ call: () -> Int32
    ) throws(StorageError) -> Int32 {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw StorageError(operation, name, code: errno) }
        }
    }

    /// Creates a folder and its missing parents, each durable in its parent.
    /// - Returns: the folders created, the outermost first.
    static func createFolder(_ path: String) throws(StorageError) -> [String] {
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
            throw StorageError(.create, path, code: code)
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
