#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A failed operation: the operation, its subject, and the system's reason.
public struct SocketError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation that failed: `resolve`, `bind`, `listen`, `connect`, …
    public let operation: String
    /// The address, path or variable, as the user wrote it: `127.0.0.1:2121`.
    public let subject: String
    /// The system's reason, such as `Address already in use`.
    public let reason: String
    /// The system's error number; 0 if it has none (a time-out, a name without addresses).
    public let code: Int32

    public init(operation: String, subject: String, reason: String, code: Int32 = 0) {
        self.operation = operation
        self.subject = subject
        self.reason = reason
        self.code = code
    }

    /// The system's message for an error number.
    public static func reason(of code: Int32) -> String { String(cString: strerror(code)) }

    init(_ operation: String, _ subject: String, errno code: Int32 = errno) {
        self.init(operation: operation, subject: subject, reason: String(cString: strerror(code)), code: code)
    }

    public var description: String { "cannot \(operation) \(subject): \(reason)" }
}
