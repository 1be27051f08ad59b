import ClientCore
import Sockets
import Wire

/// A door for people without the program: each connection of `nc` or `telnet` is a ``TableSession`` with typed lines. Reads and writes no file.
/// Confined to its loop.
public final class Door {
    package struct Bounds: Sendable {
        /// Callers at once.
        package var callers = 32
        /// Of one address; a /64 of IPv6 is one.
        package var callersOfAddress = 8
        /// Milliseconds from the connection to the first sight of a table: name and phrase.
        var patience: Int64 = 60_000

        package init() {}
    }

    private let loop: Loop
    private let options: TableSession.Options
    private let bounds: Bounds
    private let route: (SocketAddress) -> ProxyRoute?
    private var callers: [UInt64: CallerFrontend] = [:]
    private var listener: Listener?

    /// - Parameters:
    ///   - host: the server's, with its port, of which programs are told.
    ///   - route: of a caller, whose address the server counts; nil to connect to the server's port, where the door is one client.
    package init(
        loop: Loop, host: String, port: Int, bounds: Bounds = Bounds(), route: @escaping (SocketAddress) -> ProxyRoute?
    ) {
        (self.loop, self.bounds, self.route) = (loop, bounds, route)
        var options = TableSession.Options(host: host, port: port, name: .asked(suggestion: ""))
        options.isCaller = true
        options.greeting = """
            Type 'bet 10' to bet, 'hit' or 'stand' to play, 'help' for more, 'leave' to go.
            Name and chips last as long as your connection.
            """
        self.options = options
    }

    /// Starts listening. Must be called on the loop.
    /// - Returns: the listener's address, with its real port.
    package func listen(host: String, port: Int) throws(SocketError) -> SocketAddress {
        // The loop keeps the listener, and it the door.
        let listener = try Listener(host: host, port: port, loop: loop, limits: CallerFrontend.limits, accepted: accepted)
        self.listener = listener
        return listener.address
    }

    /// Stops listening, and sends everybody away.
    package func close() {
        listener?.close()
        for caller in callers.values { caller.sendAway("The door is closing.") }
    }

    private func accepted(_ connection: Connection) {
        let address = connection.peer.ip?.counted
        guard callers.values.count(where: { $0.connection.peer.ip?.counted == address }) < bounds.callersOfAddress else {
            return turnAway(connection, "Your address has \(bounds.callersOfAddress) connections already.")
        }
        if callers.count >= bounds.callers {
            // Ids grow.
            guard let oldest = callers.filter({ !$0.value.isSeated }).min(by: { $0.key < $1.key }) else {
                return turnAway(connection, "All \(bounds.callers) places are taken: try again later.")
            }
            // At once: several connections are accepted in a tick, at whose end this one is gone.
            callers[oldest.key] = nil
            oldest.value.reset("Others wait at the door.")
        }
        let caller = CallerFrontend(connection) { [weak self] in self?.callers[connection.id] = nil }
        callers[connection.id] = caller
        var options = options
        options.client.route = route(connection.peer)
        // Nobody else has it, so that a name is free again with its first connection, and a crash of the server keeps the hand.
        var generator = SystemRandomNumberGenerator()
        (options.client.credential, options.client.isBrief) = (.secret(AccountSecret(using: &generator)), true)
        caller.start(options, patience: bounds.patience)
    }

    /// Leaves nothing behind in the kernel: there may be many.
    private func turnAway(_ connection: Connection, _ reason: String) {
        connection.send(Array("\(reason)\r\n".utf8))
        connection.reset()
    }
}
