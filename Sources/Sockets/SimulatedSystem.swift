/// The system below simulated loops: virtual time, one thread for everything, sockets without a kernel. Deterministic: its owner's seed decides
/// every order and delay. Production code has none.
package protocol SimulatedSystem: AnyObject, Sendable {
    /// Milliseconds of a clock that never goes back.
    var monotonic: Int64 { get }
    /// Milliseconds since 1970, which may jump.
    var wallClock: Int64 { get }

    /// Runs work after all that was queued for the same loop before; -1 for background work.
    func enqueue(onLoop index: Int, _ work: @escaping () -> Void)
    /// Runs work after so many milliseconds, or later.
    func enqueue(after milliseconds: Int64, _ work: @escaping () -> Void)
    /// Runs what is queued for a loop, then `body` on it, before this returns.
    func runNow(onLoop index: Int, _ body: () -> Void)
    /// The loop whose work runs now; -1 for none.
    var currentLoop: Int { get }

    /// A new listener's descriptor; -1 with errno set if the port is in use.
    func listen(port: Int) -> Int32
    func accept(_ listener: Int32, _ peer: inout SocketAddress) -> Int32
    /// As send(2) and recv(2) on non-blocking sockets.
    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int
    func shutdownWriting(_ descriptor: Int32)
    /// Makes `close` send a reset.
    func resetOnClose(_ descriptor: Int32)
    func close(_ descriptor: Int32)
    /// Calls `changed` whenever the readiness may have gained an event; nil stops it.
    func observe(_ descriptor: Int32, _ changed: (() -> Void)?)
    func readiness(of descriptor: Int32) -> SocketReadiness
}

/// The events that a simulated descriptor is ready for.
package struct SocketReadiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = SocketReadiness(rawValue: 1)
    package static let writable = SocketReadiness(rawValue: 2)
    package static let hangup = SocketReadiness(rawValue: 4)
    /// The peer has shut down its sending side.
    package static let finished = SocketReadiness(rawValue: 8)
}

/// The socket calls of a loop's connections: one predicted branch beside a system call.
enum SocketSystem {
    case kernel
    case simulated(any SimulatedSystem)

    @inline(__always)
    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        switch self {
        case .kernel: Descriptor.send(descriptor, bytes)
        case .simulated(let system): system.send(descriptor, bytes)
        }
    }

    @inline(__always)
    func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch self {
        case .kernel: Descriptor.receive(descriptor, buffer)
        case .simulated(let system): system.receive(descriptor, buffer)
        }
    }

    func accept(_ listener: Int32, _ peer: inout SocketAddress) -> Int32 {
        switch self {
        case .kernel: Descriptor.accept(listener, &peer)
        case .simulated(let system): system.accept(listener, &peer)
        }
    }

    /// Sets the options of a game's connection.
    func configureStream(_ descriptor: Int32) {
        if case .kernel = self { Descriptor.configureStream(descriptor) }
    }

    func makeRoom(_ descriptor: Int32, for milliseconds: Int64) {
        if case .kernel = self { Descriptor.makeRoom(descriptor, for: milliseconds) }
    }

    func shutdownWriting(_ descriptor: Int32) {
        switch self {
        case .kernel: Descriptor.shutdownWriting(descriptor)
        case .simulated(let system): system.shutdownWriting(descriptor)
        }
    }

    func resetOnClose(_ descriptor: Int32) {
        switch self {
        case .kernel: Descriptor.resetOnClose(descriptor)
        case .simulated(let system): system.resetOnClose(descriptor)
        }
    }

    func close(_ descriptor: Int32) {
        switch self {
        case .kernel: Descriptor.close(descriptor)
        case .simulated(let system): system.close(descriptor)
        }
    }
}
