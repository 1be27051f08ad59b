import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One attempt to reach a host, each of its addresses in turn, or a Unix-domain socket, within one deadline.
public final class Connector: PollTarget, @unchecked Sendable {  // touched on `loop.queue` alone after `init`
    private let loop: Loop
    private let subject: String
    private let limits: ConnectionLimits
    private var completion: ((Result<Connection, SocketError>) -> Void)?
    private var remaining: [SocketAddress] = []
    private var current: (descriptor: Int32, address: SocketAddress, token: PollToken)?
    private var failure: SocketError
    private var timer: LoopTimer?

    private init(
        loop: Loop, subject: String, limits: ConnectionLimits, completion: @escaping (Result<Connection, SocketError>) -> Void
    ) {
        self.loop = loop
        self.subject = subject
        self.limits = limits
        self.completion = completion
        failure = SocketError(operation: "connect to", subject: subject, reason: "the name has no address")
    }

    /// Connects. To be called on the loop; a name is looked up elsewhere, since that blocks.
    /// - Parameters:
    ///   - timeout: for everything together, in milliseconds.
    ///   - completion: called once, on the loop, unless the attempt is cancelled.
    @discardableResult
    public static func connect(
        host: String, port: Int, loop: Loop, timeout: Int64 = 10_000, limits: ConnectionLimits = ConnectionLimits(),
        completion: @escaping (Result<Connection, SocketError>) -> Void
    ) -> Connector {
        let connector = Connector(loop: loop, subject: SocketAddress.text(host, port), limits: limits, completion: completion)
        connector.give(timeout)
        if let addresses = SocketAddress.numeric(host: host, port: port) {
            loop.perform { connector.resolved(.success(addresses)) }
            return connector
        }
        // On a thread of its own: the system's queues have few, and whatever else waits there would take of this attempt's time.
        DispatchQueue(label: "bj.lookup").async {
            let addresses = Result { () throws(SocketError) in try SocketAddress.resolve(host: host, port: port) }
            loop.perform { connector.resolved(addresses) }
        }
        return connector
    }

    /// Connects to a Unix-domain socket. To be called on the loop.
    /// - Parameters:
    ///   - timeout: in milliseconds.
    ///   - completion: called once, on the loop and not from inside this call, unless the attempt is cancelled.
    @discardableResult
    public static func connect(
        unixPath: String, loop: Loop, timeout: Int64 = 10_000, limits: ConnectionLimits = ConnectionLimits(),
        completion: @escaping (Result<Connection, SocketError>) -> Void
    ) -> Connector {
        let connector = Connector(loop: loop, subject: unixPath, limits: limits, completion: completion)
        connector.give(timeout)
        let address = Result { () throws(SocketError) in [try SocketAddress(unixPath: unixPath)] }
        loop.perform { connector.resolved(address) }
        return connector
    }

    private func give(_ timeout: Int64) {
        let timer = loop.makeTimer { [weak self] in self?.timedOut() }
        timer.arm(at: loop.now + timeout)
        self.timer = timer
    }

    /// Gives up, in silence. On the loop.
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
            let descriptor = Descriptor.makeSocket(family: address.family)
            guard descriptor >= 0 else {
                failure = SocketError("open a socket for", subject)
                continue
            }
            if address.isInternet { Descriptor.configureStream(descriptor) }
            let status = address.withPointer { Descriptor.connect(descriptor, $0, $1) }
            // Interrupted, it goes on all the same.
            guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
                failure = SocketError("connect to", subject)
                Descriptor.close(descriptor)
                continue
            }
            guard let token = loop.poller.add(descriptor, .writing, self) else {
                failure = SocketError("watch", subject)
                Descriptor.close(descriptor)
                continue
            }
            current = (descriptor, address, token)
            return
        }
        complete(.failure(failure))
    }

    func ready(_ readiness: Readiness) {
        guard let attempt = current, readiness != .readable else { return }
        let code = Descriptor.pendingError(attempt.descriptor)
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

    func loopStopped() {
        completion = nil
        current = nil
    }

    private func timedOut() {
        complete(.failure(SocketError(operation: "connect to", subject: subject, reason: "no answer in time")))
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
