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
    private var source: String?

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
    ///   - source: an address of this machine, in numbers, to connect from; whichever the system likes without it. Each has ports of its own:
    ///     one has fewer than 28,232 on Linux, and finding one takes the system longer and longer once half of them are taken.
    ///   - timeout: for everything together, in milliseconds.
    ///   - completion: called once, on the loop, unless the attempt is cancelled.
    @discardableResult
    public static func connect(
        host: String, port: Int, from source: String? = nil, loop: Loop, timeout: Int64 = 10_000,
        limits: ConnectionLimits = ConnectionLimits(), completion: @escaping (Result<Connection, SocketError>) -> Void
    ) -> Connector {
        let connector = Connector(loop: loop, subject: SocketAddress.text(host, port), limits: limits, completion: completion)
        connector.source = source
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
            guard leave(from: source, descriptor, family: address.family) else {
                Descriptor.close(descriptor)
                continue
            }
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

    /// Binds a socket to the address that it is to connect from, if one was named. The port is chosen when it connects.
    private func leave(from source: String?, _ descriptor: Int32, family: Int32) -> Bool {
        guard let source else { return true }
        guard let address = SocketAddress.numeric(host: source, port: 0)?.first(where: { $0.family == family }) else {
            failure = SocketError(operation: "connect from", subject: source, reason: "not an address of the same family")
            return false
        }
        #if canImport(Glibc)
            // IP_BIND_ADDRESS_NO_PORT of <linux/in.h>: without it a port is taken from all peers at once.
            Descriptor.set(descriptor, Int32(IPPROTO_IP), 24, 1)
        #endif
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
            failure = SocketError("connect from", source)
            return false
        }
        return true
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
