#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A listening socket inherited from a service manager, which keeps listening while its service restarts.
public struct ActivatedSocket: Equatable, Sendable {
    public let descriptor: Int32
    /// The name given by the service manager (`FileDescriptorName=`); `unknown` without one.
    public let name: String

    public init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }
}

/// systemd's socket activation (sd_listen_fds(3)): `LISTEN_PID` is the receiving process, `LISTEN_FDS` the number of descriptors
/// from 3 on, `LISTEN_FDNAMES` their names.
public enum ActivatedSockets {
    private static let first: Int32 = 3
    private static let most = 1024
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Parses the environment of a process. Empty if it passes no sockets, or passes them to another process.
    /// - Throws: ``SocketError`` if a variable is malformed.
    public static func parse(environment: [String: String], pid: Int32) throws(SocketError) -> [ActivatedSocket] {
        guard let count = environment["LISTEN_FDS"], let receiver = environment["LISTEN_PID"] else { return [] }
        guard let receiver = Int32(receiver) else { throw invalid("LISTEN_PID", receiver, "a process") }
        guard receiver == pid else { return [] }
        guard let count = Int(count), (0...most).contains(count) else {
            throw invalid("LISTEN_FDS", count, "a number from 0 to \(most)")
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            let name = index < names.count ? String(names[index]) : ""
            return ActivatedSocket(descriptor: first + Int32(index), name: name.isEmpty ? "unknown" : name)
        }
    }

    /// Takes the inherited sockets, once, and hides them from child processes. Changes the environment, so call it before other
    /// threads start.
    public static func take() throws(SocketError) -> [ActivatedSocket] {
        var environment: [String: String] = [:]
        for variable in variables {
            if let value = getenv(variable) { environment[variable] = String(cString: value) }
            unsetenv(variable)
        }
        let sockets = try parse(environment: environment, pid: getpid())
        for socket in sockets { Descriptor.closeOnExecution(socket.descriptor) }
        return sockets
    }

    /// Whether a descriptor is a listening Unix-domain stream socket.
    public static func isUnixListener(_ descriptor: Int32) -> Bool {
        Descriptor.option(descriptor, SO_TYPE) == Descriptor.streamType && Descriptor.option(descriptor, SO_ACCEPTCONN) == 1
            && SocketAddress.bound(to: descriptor)?.family == AF_UNIX
    }

    private static func invalid(_ variable: String, _ value: String, _ expected: String) -> SocketError {
        SocketError(operation: "take sockets from", subject: variable, reason: "\(value) is not \(expected)")
    }
}
