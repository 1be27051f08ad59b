import Foundation

/// A port of this machine that nobody listens on, and nobody else gets while this lives.
public final class ClosedPort: Sendable {
    /// 1…65535
    public let number: Int
    private let descriptor: Int32

    public init() throws { (descriptor, number) = try Loopback.bound() }

    deinit { close(descriptor) }
}
