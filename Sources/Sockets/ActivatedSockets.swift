#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A socket that was open when the process began: a service manager listens while its service restarts.
public struct ActivatedSocket: Equatable, Sendable {
    public let descriptor: Int32
    /// What the service manager calls it (`FileDescriptorName=`); `unknown` without a name.
    public let name: String

    public init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }
}

/// Socket activation as systemd does it: `LISTEN_PID` says for whom, `LISTEN_FDS` how many, from descriptor 3 on, and
/// `LISTEN_FDNAMES` what they are called. (sd_listen_fds(3))
public enum ActivatedSockets {
    private static let first: Int32 = 3
    private static let most = 1024
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// The sockets that an environment promises to a process: none if it speaks of none or of another process.
    /// - Throws: when it contradicts itself.
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

    /// Takes what this process was given, once: no child process inherits the sockets or hears of them. To be called before there are
    /// other threads, since it changes the environment.
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

    /// Whether a descriptor is a Unix-domain stream socket that listens.
    public static func isUnixListener(_ descriptor: Int32) -> Bool {
        Descriptor.option(descriptor, SO_TYPE) == Descriptor.streamType && Descriptor.option(descriptor, SO_ACCEPTCONN) == 1
            && SocketAddress.bound(to: descriptor)?.family == AF_UNIX
    }

    private static func invalid(_ variable: String, _ value: String, _ expected: String) -> SocketError {
        SocketError(operation: "take sockets from", subject: variable, reason: "\(value) is not \(expected)")
    }
}
