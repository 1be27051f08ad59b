#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A bound, listening socket and, for a Unix-domain socket, its file.
struct ListeningSocket {
    let descriptor: Int32
    /// Names the socket in errors.
    let subject: String
    private(set) var file: UnixSocketFile?
    private(set) var isAdopted = false

    private static let backlog: Int32 = 1024

    init(host: String, port: Int, on system: SocketSystem = .kernel) throws(SocketError) {
        subject = SocketAddress.text(host, port)
        if case .simulated(let system) = system {
            descriptor = system.listen(port: port)
            guard descriptor >= 0 else { throw SocketError("listen on", subject) }
            return
        }
        if host.isEmpty, let address = SocketAddress.everyLocal(port: port) {
            let attempt = Self.open(address, subject, isDual: true)
            switch attempt {
            case .success(let descriptor):
                self.descriptor = descriptor
                return
            case .failure(let error):
                // Falls back to IPv4 only on a system without IPv6.
                guard error.code == EAFNOSUPPORT || error.code == EADDRNOTAVAIL else { throw error }
            }
        }
        var failure = SocketError(operation: "listen on", subject: subject, reason: "the name has no address")
        for address in try SocketAddress.resolve(host: host, port: port, passive: true) {
            switch Self.open(address, subject, isDual: false) {
            case .success(let descriptor):
                self.descriptor = descriptor
                return
            case .failure(let error): failure = error
            }
        }
        throw failure
    }

    init(unixPath: String, mode: UInt32) throws(SocketError) {
        subject = unixPath
        let address = try SocketAddress(unixPath: unixPath)
        let descriptor = Descriptor.makeSocket(family: AF_UNIX)
        guard descriptor >= 0 else { throw SocketError("open a socket for", unixPath) }
        do {
            file = try UnixSocketFile.bind(descriptor, at: unixPath, address, mode: mode)
        } catch {
            Descriptor.close(descriptor)
            throw error
        }
        guard listen(descriptor, Self.backlog) == 0 else {
            let error = SocketError("listen on", unixPath)
            file?.remove()
            Descriptor.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    init(adopting descriptor: Int32) throws(SocketError) {
        subject = "descriptor \(descriptor)"
        guard let type = Descriptor.option(descriptor, SO_TYPE) else { throw SocketError("adopt", subject) }
        guard type == Descriptor.streamType else {
            throw SocketError(operation: "adopt", subject: subject, reason: "it is no stream socket", code: EPROTOTYPE)
        }
        guard Descriptor.option(descriptor, SO_ACCEPTCONN) == 1 else {
            throw SocketError(operation: "adopt", subject: subject, reason: "it does not listen", code: EINVAL)
        }
        Descriptor.setDefaults(descriptor)
        self.descriptor = descriptor
        isAdopted = true
    }

    /// - Parameter isDual: whether an IPv6 socket also accepts IPv4.
    private static func open(_ address: SocketAddress, _ subject: String, isDual: Bool) -> Result<Int32, SocketError> {
        let descriptor = Descriptor.makeSocket(family: address.family)
        guard descriptor >= 0 else { return .failure(SocketError("open a socket for", subject)) }
        Descriptor.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == AF_INET6 { Descriptor.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, isDual ? 0 : 1) }
        let isBound = address.withPointer { Descriptor.bind(descriptor, $0, $1) } == 0
        if isBound && listen(descriptor, backlog) == 0 { return .success(descriptor) }
        let error = SocketError("listen on", subject)
        Descriptor.close(descriptor)
        return .failure(error)
    }
}
