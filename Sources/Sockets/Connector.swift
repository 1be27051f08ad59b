import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One connection attempt: to each address of a host in turn, with one deadline, or inside the process.
public final class Connector: PollTarget {
    private let loop: Loop
    private let subject: String
    private let limits: ConnectionLimits
    private var completion: ((Result<Connection, SocketError>) -> Void)?
    private var remaining: [SocketAddress] = []
    private var current: (descriptor: Int32, address: SocketAddress, token: PollToken)?
    private var failure: SocketError
    private var timer: LoopTimer?
    private var source: String?
    private var receiveBuffer: Int32 = 0

    private init(
        loop: Loop, subject: String, limits: ConnectionLimits, completion: @escaping (Result<Connection, SocketError>) -> Void
    ) {
        self.loop = loop
        self.subject = subject
        self.limits = limits
        self.completion = completion
        failure = SocketError(operation: "connect to", subject: subject, reason: "the host name cannot be resolved")
    }

    /// Connects over TCP. Must be called on the loop; name lookup blocks and runs on a thread of its own.
    /// - Parameters:
    ///   - source: a numeric local address to connect from; nil lets the system choose. Each address has its own ports: fewer
    ///     than 28,232 on Linux, and allocation slows down once half of them are in use.
    ///   - receiveBuffer: requested size in bytes; 0 for the system's choice.
    ///   - timeout: milliseconds for lookup and all addresses together.
    ///   - completion: called once, on the loop, unless the attempt is cancelled.
    @discardableResult
    public static func connect(
        host: String, port: Int, from source: String? = nil, receiveBuffer: Int32 = 0, loop: Loop, timeout: Int64 = 10_000,
        limits: ConnectionLimits = ConnectionLimits(), completion: @escaping (Result<Connection, SocketError>) -> Void
    ) -> Connector {
        let connector = Connector(loop: loop, subject: SocketAddress.text(host, port), limits: limits, completion: completion)
        (connector.source, connector.receiveBuffer) = (source, receiveBuffer)
        connector.startTimer(timeout)
        let handle = LoopConfined(connector, on: loop)
        if let addresses = SocketAddress.numeric(host: host, port: port) {
            handle.perform { $0.resolved(.success(addresses)) }
            return connector
        }
        // A queue of its own: Dispatch's shared threads are few, and a blocked one would delay this attempt.
        DispatchQueue(label: "bj.lookup").async {
            let addresses = Result { () throws(SocketError) in try SocketAddress.resolve(host: host, port: port) }
            handle.perform { $0.resolved(addresses) }
        }
        return connector
    }

    /// Connects to a Unix-domain socket. Must be called on the loop.
    /// - Parameter completion: called once, on the loop, unless the attempt is cancelled.
    package static func connect(
        unixPath: String, loop: Loop, completion: @escaping (Result<Connection, SocketError>) -> Void
    ) -> Connector {
        // Its path is nobody's business: the reason may be shown to players.
        let connector = Connector(loop: loop, subject: "the server", limits: ConnectionLimits(), completion: completion)
        connector.startTimer(10_000)
        let address = Result { () throws(SocketError) in [try SocketAddress(unixPath: unixPath)] }
        LoopConfined(connector, on: loop).perform { $0.resolved(address) }
        return connector
    }

    /// Connects inside the process. Must be called on the loop.
    /// - Parameter completion: called once, on the loop, unless the attempt is cancelled.
    package static func connect(
        to listener: LocalListener, loop: Loop, completion: @escaping (Result<Connection, SocketError>) -> Void
    ) -> Connector {
        let connector = Connector(loop: loop, subject: "this process", limits: ConnectionLimits(), completion: completion)
        LoopConfined(connector, on: loop).perform { connector in
            guard connector.completion != nil else { return }
            connector.complete(Result { () throws(SocketError) in try listener.connect(from: connector.loop, connector.limits) })
        }
        return connector
    }

    private func startTimer(_ timeout: Int64) {
        let timer = loop.makeTimer { [weak self] in self?.timedOut() }
        timer.arm(at: loop.now + timeout)
        self.timer = timer
    }

    /// Cancels the attempt without calling `completion`. Must be called on the loop.
    public func cancel() {
        completion = nil
        finish()
    }

    private func resolved(_ addresses: Result<[SocketAddress], SocketError>) {
        guard completion != nil else { return }
        switch addresses {
        case .success(let addresses):
            remaining = addresses.reversed()
            tryNext()
        case .failure(let error):
            complete(.failure(error))
        }
    }

    private func tryNext() {
        while let address = remaining.popLast() {
            let descriptor = loop.sockets.makeSocket(family: address.family)
            guard descriptor >= 0 else {
                failure = SocketError("open a socket for", subject)
                continue
            }
            if address.isInternet { loop.sockets.configureStream(descriptor) }
            if receiveBuffer > 0 { Descriptor.set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
            guard bind(descriptor, family: address.family, to: source) else {
                loop.sockets.close(descriptor)
                continue
            }
            let status = loop.sockets.connect(descriptor, to: address)
            // An interrupted connect continues in the background (POSIX, connect).
            guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
                failure = SocketError("connect to", subject)
                loop.sockets.close(descriptor)
                continue
            }
            guard let token = loop.poller.add(descriptor, .writing, self) else {
                failure = SocketError("watch", subject)
                loop.sockets.close(descriptor)
                continue
            }
            current = (descriptor, address, token)
            return
        }
        complete(.failure(failure))
    }

    /// Binds a socket to the source address, if any.
    private func bind(_ descriptor: Int32, family: Int32, to source: String?) -> Bool {
        guard let source else { return true }
        guard let address = SocketAddress.numeric(host: source, port: 0)?.first(where: { $0.family == family }) else {
            failure = SocketError(operation: "connect from", subject: source, reason: "not an address of the same family")
            return false
        }
        guard Descriptor.bindSource(descriptor, address) else {
            failure = SocketError("connect from", source)
            return false
        }
        return true
    }

    package func ready(_ readiness: Readiness) {
        guard let attempt = current, readiness != .readable else { return }
        let code = loop.sockets.pendingError(attempt.descriptor)
        guard code == 0 else {
            failure = SocketError("connect to", subject, errno: code)
            abandonCurrent()
            return tryNext()
        }
        current = nil
        let connection = Connection(loop: loop, descriptor: attempt.descriptor, peer: attempt.address, limits: limits)
        connection.adopt(attempt.token)
        complete(.success(connection))
    }

    package func loopStopped() {
        completion = nil
        current = nil
    }

    private func timedOut() {
        complete(.failure(SocketError(operation: "connect to", subject: subject, reason: "timed out")))
    }

    private func complete(_ result: Result<Connection, SocketError>) {
        let completion = completion
        self.completion = nil
        finish()
        completion?(result)
    }

    private func finish() {
        timer?.disarm()
        timer = nil
        remaining = []
        abandonCurrent()
    }

    private func abandonCurrent() {
        if let current { loop.poller.removeAndClose(current.token) }
        current = nil
    }
}
