#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of a Unix-domain socket. Removes only the file that this process created.
struct UnixSocketFile {
    private let path: String
    private let inode: ino_t
    private let device: dev_t

    /// Binds a socket, replacing the stale file of a process that no longer listens.
    static func bind(_ descriptor: Int32, at path: String, _ address: SocketAddress, mode: UInt32) throws(SocketError)
        -> UnixSocketFile
    {
        if let file = bind(descriptor, path, address, mode) { return file }
        let error = SocketError("listen on", path)
        guard error.code == EADDRINUSE, let old = UnixSocketFile(path: path), !isAnswered(address) else { throw error }
        // `remove` checks the inode: a file created meanwhile stays.
        old.remove()
        if let file = bind(descriptor, path, address, mode) { return file }
        throw SocketError("listen on", path)
    }

    /// The caller listens only after this, so nobody connects before the file has its mode. `umask`, which would set it at once, is the
    /// whole process's: folders that other threads make meanwhile would lack permissions.
    private static func bind(_ descriptor: Int32, _ path: String, _ address: SocketAddress, _ mode: UInt32) -> UnixSocketFile? {
        guard address.withPointer({ Descriptor.bind(descriptor, $0, $1) }) == 0 else { return nil }
        let file = UnixSocketFile(path: path)
        guard chmod(path, mode_t(mode)) == 0 else {
            let code = errno
            file?.remove()
            errno = code
            return nil
        }
        return file
    }

    /// The socket file at a path; nil if there is none or the file is of another type.
    private init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        self.path = path
        inode = status.st_ino
        device = status.st_dev
    }

    private static func isAnswered(_ address: SocketAddress) -> Bool {
        let descriptor = Descriptor.makeSocket(family: AF_UNIX)
        guard descriptor >= 0 else { return true }
        defer { Descriptor.close(descriptor) }
        return address.withPointer { Descriptor.connect(descriptor, $0, $1) } == 0 || errno != ECONNREFUSED
    }

    func remove() {
        guard let current = UnixSocketFile(path: path), current.inode == inode, current.device == device else { return }
        unlink(path)
    }
}
