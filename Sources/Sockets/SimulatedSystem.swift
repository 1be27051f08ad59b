/// The system below simulated loops: virtual time, one thread for everything, sockets without a kernel. Deterministic: its owner's seed decides
/// every order and delay. Production code has none.
package protocol SimulatedSystem: AnyObject, Sendable {
    /// Milliseconds of a clock that never goes back.
    var monotonic: Int64 { get }
    /// Milliseconds since 1970, which may jump.
    var wallClock: Int64 { get }

    /// Queues work behind earlier work of the same loop; -1 for background work.
    func enqueue(onLoop index: Int, _ work: @escaping () -> Void)
    /// Runs work after this many milliseconds, or later.
    func enqueue(after milliseconds: Int64, _ work: @escaping () -> Void)
    /// Runs a loop's queued work, then `body` on the loop, before returning.
    func runNow(onLoop index: Int, _ body: () -> Void)
    /// The loop whose work runs now; -1 for none.
    var currentLoop: Int { get }
    var sockets: any SimulatedSockets { get }
    /// Reports the readiness of a loop's descriptors.
    func makePoller(onLoop index: Int, owner: any PollerOwner) -> any Poller
    /// - Parameter fired: called on the loop.
    func makeAlarm(onLoop index: Int, fired: @escaping @Sendable () -> Void) -> any LoopAlarm
}

/// The socket calls of a loop's connections: one indirect call beside a system call.
package protocol SocketSystem: AnyObject {
    func accept(_ listener: Int32, _ peer: inout SocketAddress) -> Int32
    /// As socket(2), connect(2) on a non-blocking socket, and SO_ERROR.
    func makeSocket(family: Int32) -> Int32
    func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32
    func pendingError(_ descriptor: Int32) -> Int32
    /// As send(2) and recv(2) on non-blocking sockets.
    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int
    func shutdownWriting(_ descriptor: Int32)
    /// Makes `close` send a reset.
    func resetOnClose(_ descriptor: Int32)
    func close(_ descriptor: Int32)
    /// Sets the options of a game's connection.
    func configureStream(_ descriptor: Int32)
    func makeRoom(_ descriptor: Int32)
}

final class KernelSockets: SocketSystem, Sendable {
    static let shared = KernelSockets()

    func accept(_ listener: Int32, _ peer: inout SocketAddress) -> Int32 { Descriptor.accept(listener, &peer) }
    func makeSocket(family: Int32) -> Int32 { Descriptor.makeSocket(family: family) }
    func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
        address.withPointer { Descriptor.connect(descriptor, $0, $1) }
    }
    func pendingError(_ descriptor: Int32) -> Int32 { Descriptor.pendingError(descriptor) }
    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { Descriptor.send(descriptor, bytes) }
    func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int { Descriptor.receive(descriptor, buffer) }
    func shutdownWriting(_ descriptor: Int32) { Descriptor.shutdownWriting(descriptor) }
    func resetOnClose(_ descriptor: Int32) { Descriptor.resetOnClose(descriptor) }
    func close(_ descriptor: Int32) { Descriptor.close(descriptor) }
    func configureStream(_ descriptor: Int32) { Descriptor.configureStream(descriptor) }
    func makeRoom(_ descriptor: Int32) { Descriptor.makeRoom(descriptor) }
}

package protocol SimulatedSockets: SocketSystem {
    /// A new listener's descriptor; -1 with errno set if the port is in use.
    func listen(port: Int) -> Int32
}
