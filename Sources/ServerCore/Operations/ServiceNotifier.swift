import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Notifies the service manager: systemd's protocol (`sd_notify(3)`), one datagram per message.
///
/// A service that systemd did not start has no notifier.
public final class ServiceNotifier: Sendable {
    /// One line of a message.
    public enum Notice: Sendable, Equatable {
        /// Startup is complete.
        case ready
        case stopping
        /// One line for `systemctl status`.
        case status(String)
        /// Keep-alive.
        case watchdog

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .status(let text): "STATUS=" + text.unicodeScalars.map { $0.value < 0x20 ? " " : String($0) }.joined()
            case .watchdog: "WATCHDOG=1"
            }
        }
    }

    private let address: SocketAddress
    /// Opened once, so that the watchdog works even if the process runs out of descriptors.
    private let descriptor: Int32
    /// Interval of ``Notice/watchdog`` in milliseconds: half of systemd's timeout. nil without a watchdog.
    public let watchdogMilliseconds: Int64?

    /// - Parameters:
    ///   - environment: the variables `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    ///   - process: this process's id: the watchdog may be for another process.
    /// - Returns: nil without a notification socket.
    public init?(environment: [String: String], process: Int32 = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") && path.count > 1,
            let address = try? SocketAddress(unixPath: path, isAbstract: path.hasPrefix("@"))
        else { return nil }
        self.address = address
        descriptor = Descriptor.makeSocket(family: AF_UNIX, type: Descriptor.datagramType)
        // Blocks, as systemd's own client does: a full queue loses no notice.
        _ = fcntl(descriptor, F_SETFL, 0)
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogMilliseconds = isMeant && microseconds > 0 ? max(1, microseconds / 2000) : nil
    }

    /// Sends notices in one message, best effort.
    /// - Returns: whether it was sent.
    @discardableResult
    public func notify(_ notices: Notice...) -> Bool {
        let bytes = Array(notices.map(\.text).joined(separator: "\n").utf8)
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #else
            let flags = MSG_DONTWAIT
        #endif
        let sent = bytes.withUnsafeBytes { buffer in
            address.withPointer { sendto(descriptor, buffer.baseAddress, buffer.count, flags, $0, $1) }
        }
        return sent == bytes.count
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
