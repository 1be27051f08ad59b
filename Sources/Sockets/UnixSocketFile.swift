#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file by which a Unix-domain socket is found. Only the one that was made here is ever removed.
struct UnixSocketFile {
    private let path: String
    private let inode: ino_t
    private let device: dev_t

    /// Binds a socket, in place of a file on which nobody listens any more.
    static func bind(_ descriptor: Int32, at path: String, _ address: SocketAddress, mode: UInt32) throws(SocketError)
        -> UnixSocketFile
    {
        if let file = bind(descriptor, path, address, mode) { return file }
        let error = SocketError("listen on", path)
        guard error.code == EADDRINUSE, let old = UnixSocketFile(path: path), !isAnswered(address) else { throw error }
        // Removed only if it is still the file that was found dead.
        old.remove()
        if let file = bind(descriptor, path, address, mode) { return file }
        throw SocketError("listen on", path)
    }

    private static func bind(_ descriptor: Int32, _ path: String, _ address: SocketAddress, _ mode: UInt32) -> UnixSocketFile? {
        // A file that is made by another thread in this moment gets fewer permissions, never more.
        let previous = umask(mode_t(~mode & 0o777))
        let status = address.withPointer { Descriptor.bind(descriptor, $0, $1) }
        let code = errno
        umask(previous)
        errno = code
        return status == 0 ? UnixSocketFile(path: path) : nil
    }

    /// The socket's file at a path; nil if something else is there, or nothing.
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
