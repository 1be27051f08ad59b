import Journal
import LoadGenerator
import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Connections with delays, splits, stalls, resets and losses, drawn from the seed. Bytes arrive in order, cut anywhere.
final class VirtualNetwork {
    weak var machine: VirtualMachine?
    /// Whether delays and cuts vary.
    var isUnsteady = true
    private var random: SeededRandom
    /// By descriptor.
    private var links: [VirtualLink?] = [nil, nil, nil]
    private var freeDescriptors: [Int32] = []
    /// Connections in order of their opening, ended ones included until they are swept.
    private(set) var open: [VirtualLink] = []
    private var linkCount = 0
    private struct Listener {
        var backlog: [VirtualLink] = []
        var observer: (() -> Void)?
    }

    /// By descriptor.
    private var listeners: [Int32: Listener] = [:]
    private static let firstListener: Int32 = 1_000_000
    /// By descriptor.
    private var dialed: [Int32: DialedSocket] = [:]
    private var nextDialed: Int32 = 2_000_000
    /// The game's listeners and those for relays, by address.
    private var addressees: [String: VirtualProcess] = [:]
    /// The port of a game, and that of relays.
    static let (gamePort, relayPort) = (2121, 2122)
    /// The first bytes of the last relay with a ticket that was answered, and its addressee.
    private var lastRelay: (bytes: [UInt8], process: VirtualProcess)?
    private var replayed: ReplayedRelay?
    /// Microseconds: no process reaches another one before.
    private var splitUntil: Int64 = 0
    /// The process that accepts new connections; nil if the address does not answer.
    var entry: () -> VirtualProcess? = { nil }
    private var addresses: [String: SocketAddress] = [:]

    init(seed: UInt64) { random = SeededRandom(seed: seed, stream: 2) }

    private var time: Int64 { machine?.time ?? 0 }

    // MARK: Clients

    /// - Parameter process: by a way of its own; nil for the address that all clients know.
    func connect(
        _ client: any NetworkClient, from host: String, to process: VirtualProcess? = nil, port: Int = VirtualNetwork.gamePort
    ) -> VirtualLink {
        linkCount += 1
        // Small buffers now and then: writes are cut, and readers fall behind.
        let sizes = isUnsteady ? [600, 4096, 65_536, 262_144] : [262_144]
        let link = VirtualLink(
            number: linkCount, host: host, client: client,
            capacity: (sizes[random.below(sizes.count)], sizes[random.below(sizes.count)]))
        (link.process, link.port) = (process, port)
        open.append(link)
        if open.count > 256 { open.removeAll { $0.isSevered && $0.descriptor < 0 || $0.client == nil && $0.descriptor < 0 } }
        machine?.trace.note(.connect, at: time, link.number, text: host)
        if !(client is DialedSocket && time < splitUntil) { machine?.after(delay()) { [weak self] in self?.arrive(link) } }
        return link
    }

    private func arrive(_ link: VirtualLink) {
        guard let client = link.client, !link.isSevered else { return }
        let process = link.process ?? entry()
        guard let process, listeners[Self.listener(process, link.port)] != nil,
            link.port == Self.gamePort || !process.isSuperseded
        else {
            machine?.trace.note(.refuse, at: time, link.number)
            link.isSevered = true
            link.client = nil
            return client.ended()
        }
        link.process = process
        // The system takes the connection; its process may accept it later.
        listeners[Self.listener(process, link.port)]?.backlog.append(link)
        client.connected()
        listeners[Self.listener(process, link.port)]?.observer?()
    }

    /// - Returns: the bytes taken; the client hears of room after a partial send.
    func send(from link: VirtualLink, _ bytes: ArraySlice<UInt8>) -> Int {
        guard !link.isSevered, link.client != nil else { return bytes.count }
        let count = min(bytes.count, max(0, link.toServer.room))
        if count < bytes.count { link.toServer.isBlocked = true }
        guard count > 0 else { return 0 }
        bytes.prefix(count).withUnsafeBytes { bytes in
            machine?.trace.note(
                .clientSend, at: time, link.number, checksum(bytes), text: String(decoding: bytes, as: UTF8.self).trimmed)
            push(bytes, link, toServer: true)
        }
        return count
    }

    /// The client closes: with a reset, or in order.
    func close(_ link: VirtualLink, withReset: Bool) {
        guard link.client != nil else { return }
        machine?.trace.note(withReset ? .reset : .finish, at: time, link.number, text: "by the client")
        link.client = nil
        push(withReset ? .reset : .finish, link, toServer: true)
    }

    /// The client is gone without a word; the server learns of it three minutes later, as from keepalive probes.
    func vanish(_ link: VirtualLink) {
        guard !link.isSevered else { return }
        machine?.trace.note(.vanish, at: time, link.number)
        link.isSevered = true
        link.client = nil
        machine?.after(180_000_000) { [weak link] in
            guard let link, link.descriptor >= 0 else { return }
            link.serverError = ETIMEDOUT
            link.observer?()
        }
    }

    /// The network ends a connection on both sides.
    func reset(_ link: VirtualLink) {
        guard !link.isSevered else { return }
        machine?.trace.note(.reset, at: time, link.number, text: "by the network")
        link.isSevered = true
        link.serverError = ECONNRESET
        link.observer?()
        guard let client = link.client else { return }
        link.client = nil
        client.ended()
    }

    func setReading(_ isReading: Bool, _ link: VirtualLink) {
        guard link.isClientReading != isReading else { return }
        link.isClientReading = isReading
        if isReading { machine?.after(1) { [weak self] in self?.deliver(link) } }
    }

    /// Holds everything back on a connection.
    func clog(_ link: VirtualLink, for microseconds: Int64) {
        link.cloggedUntil = max(link.cloggedUntil, time + microseconds)
        machine?.after(link.cloggedUntil - time) { [weak self] in
            self?.move(link, toServer: true)
            self?.move(link, toServer: false)
        }
    }

    /// Holds everything back between processes, and loses the connections that they open.
    func split(for microseconds: Int64) {
        splitUntil = max(splitUntil, time + microseconds)
        for link in open where link.client is DialedSocket { clog(link, for: microseconds) }
    }

    /// Resends the first bytes of the last relay with a ticket, on a new connection.
    func replayRelay() {
        guard let lastRelay, !lastRelay.process.isEnded else { return }
        let peer = ReplayedRelay(lastRelay.bytes, self)
        peer.link = connect(peer, from: "10.255.0.1", to: lastRelay.process, port: Self.relayPort)
        replayed = peer
    }

    /// - Parameter bytes: the first ones of a relay: a PROXY header with an introduction, whose flags begin six bytes after its mark.
    fileprivate func noteRelay(_ bytes: [UInt8], to process: VirtualProcess?) {
        guard let process, let mark = bytes.firstRange(of: Array("bjr1".utf8))?.lowerBound, bytes.count > mark + 6,
            bytes[mark + 6] & 1 == 1
        else { return }
        lastRelay = (bytes, process)
    }

    func unclog() {
        splitUntil = time
        for link in open where link.cloggedUntil > time {
            link.cloggedUntil = time
            machine?.after(Int64(random.below(1000))) { [weak self] in
                self?.move(link, toServer: true)
                self?.move(link, toServer: false)
            }
        }
    }

    // MARK: Transport

    private func delay() -> Int64 {
        guard isUnsteady else { return 50 }
        // Mostly a local network; now and then a far one.
        let scale = random.below(20) == 0 ? 40_000 : random.below(4) == 0 ? 4000 : 400
        return Int64(20 + random.below(scale))
    }

    private func push(_ bytes: UnsafeRawBufferPointer, _ link: VirtualLink, toServer: Bool) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let isCut = isUnsteady && rest.count > 1 && random.below(4) == 0
            let piece = rest.prefix(isCut ? 1 + random.below(rest.count) : rest.count)
            rest = rest.dropFirst(piece.count)
            push(.bytes(Array(piece)), link, toServer: toServer)
        }
    }

    private func push(_ item: VirtualPipe.Item, _ link: VirtualLink, toServer: Bool) {
        guard !link.isSevered else { return }
        let earliest = time + delay()
        let arrival =
            toServer ? link.toServer.append(item, notBefore: earliest) : link.toClient.append(item, notBefore: earliest)
        machine?.after(arrival - time) { [weak self] in self?.move(link, toServer: toServer) }
    }

    /// Moves what has arrived by now to its reader.
    private func move(_ link: VirtualLink, toServer: Bool) {
        guard !link.isSevered, link.cloggedUntil <= time else { return }
        let isReset = toServer ? take(&link.toServer) : take(&link.toClient)
        if toServer {
            if isReset { link.serverError = ECONNRESET }
            if link.descriptor >= 0 { link.observer?() }
        } else {
            deliver(link)
            if isReset { endClient(link) }
        }
    }

    /// - Returns: whether a reset has arrived.
    private func take(_ pipe: inout VirtualPipe) -> Bool {
        var count = 0
        var isReset = false
        for (arrival, item) in pipe.inFlight {
            guard arrival <= time else { break }
            count += 1
            switch item {
            case .bytes(let bytes):
                pipe.inFlightBytes -= bytes.count
                pipe.arrived += bytes
            case .finish: pipe.hasFinishArrived = true
            case .reset: isReset = true
            }
        }
        pipe.inFlight.removeFirst(count)
        return isReset
    }

    private func deliver(_ link: VirtualLink) {
        guard link.isClientReading, let client = link.client else { return }
        if link.toClient.unread > 0 {
            let bytes = Array(link.toClient.arrived[link.toClient.start...])
            link.toClient.arrived.removeAll(keepingCapacity: true)
            link.toClient.start = 0
            if link.toClient.isBlocked {
                link.toClient.isBlocked = false
                if link.descriptor >= 0 { link.observer?() }
            }
            bytes.withUnsafeBytes { bytes in
                machine?.trace.note(
                    .arrive, at: time, link.number, checksum(bytes), text: String(decoding: bytes, as: UTF8.self).trimmed)
                client.received(bytes)
            }
        }
        if link.toClient.hasFinishArrived { endClient(link) }
    }

    private func endClient(_ link: VirtualLink) {
        guard let client = link.client else { return }
        link.client = nil
        push(.finish, link, toServer: true)
        client.ended()
    }

    // MARK: The server's calls

    private static func listener(_ process: VirtualProcess, _ port: Int) -> Int32 {
        firstListener + 2 * process.number + (port == relayPort ? 1 : 0)
    }

    func listen(_ process: VirtualProcess, port: Int) -> Int32 {
        let descriptor = Self.listener(process, port)
        addressees[process.host] = process
        guard listeners[descriptor] == nil else { return fail(EADDRINUSE) }
        listeners[descriptor] = Listener()
        return descriptor
    }

    func accept(_ descriptor: Int32, _ peer: inout SocketAddress) -> Int32 {
        guard listeners[descriptor]?.backlog.isEmpty == false, let link = listeners[descriptor]?.backlog.removeFirst() else {
            return fail(EAGAIN)
        }
        let descriptor = freeDescriptors.popLast() ?? Int32(links.count)
        if Int(descriptor) == links.count { links.append(nil) }
        links[Int(descriptor)] = link
        link.descriptor = descriptor
        peer = address(of: link.host)
        machine?.trace.note(.accept, at: time, link.number)
        return descriptor
    }

    private func address(of host: String) -> SocketAddress {
        if let known = addresses[host] { return known }
        guard let address = SocketAddress.numeric(host: host, port: 40_000)?.first else {
            preconditionFailure("clients have numeric addresses")
        }
        addresses[host] = address
        return address
    }

    private func fail<Value: FixedWidthInteger>(_ code: Int32) -> Value {
        errno = code
        return -1
    }

    private func link(_ descriptor: Int32) -> VirtualLink? {
        links.indices.contains(Int(descriptor)) ? links[Int(descriptor)] : nil
    }

    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        if let socket = dialed[descriptor] {
            let count = socket.send(bytes)
            return count > 0 ? count : fail(EAGAIN)
        }
        guard let link = link(descriptor) else { return fail(EPIPE) }
        guard link.serverError == 0 else { return fail(link.serverError) }
        if isUnsteady, random.below(200) == 0 {
            // Interrupted: the caller tries again once there is room, which is at once.
            machine?.after(10) { [weak link] in link?.observer?() }
            return fail(EINTR)
        }
        let count = min(bytes.count, max(0, link.toClient.room))
        guard count > 0 else {
            link.toClient.isBlocked = true
            return fail(EAGAIN)
        }
        let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        machine?.trace.note(.send, at: time, link.number, checksum(part))
        // Nobody acknowledges it: the buffer stays full.
        if link.isSevered { link.toClient.inFlightBytes += count } else { push(part, link, toServer: false) }
        if count < bytes.count { link.toClient.isBlocked = true }
        return count
    }

    func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let socket = dialed[descriptor] {
            let count = socket.read(into: buffer)
            return count > 0 || socket.inbound.hasFinishArrived ? count : fail(EAGAIN)
        }
        guard let link = link(descriptor) else { return fail(EBADF) }
        if link.toServer.unread > 0 {
            let count = link.toServer.read(into: buffer)
            machine?.trace.note(
                .receive, at: time, link.number, checksum(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
            if link.toServer.isBlocked, link.client != nil {
                link.toServer.isBlocked = false
                machine?.after(delay()) { [weak link] in link?.client?.writable() }
            }
            return count
        }
        guard link.serverError == 0 else { return fail(link.serverError) }
        return link.toServer.hasFinishArrived ? 0 : fail(EAGAIN)
    }

    func shutdownWriting(_ descriptor: Int32) {
        if let link = dialed[descriptor]?.link { return push(.finish, link, toServer: true) }
        guard let link = link(descriptor), !link.toClient.isFinished else { return }
        link.toClient.isFinished = true
        push(.finish, link, toServer: false)
    }

    func resetOnClose(_ descriptor: Int32) {
        dialed[descriptor]?.resetsOnClose = true
        link(descriptor)?.resetsOnClose = true
    }

    func close(_ descriptor: Int32) {
        if let socket = dialed.removeValue(forKey: descriptor) { return socket.close() }
        if let listener = listeners.removeValue(forKey: descriptor) {
            for link in listener.backlog { push(.reset, link, toServer: false) }
            return
        }
        guard let link = link(descriptor) else { return }
        links[Int(descriptor)] = nil
        freeDescriptors.append(descriptor)
        link.descriptor = -1
        link.observer = nil
        // Unread input turns the end into a reset, which may overtake nothing that was sent.
        if link.resetsOnClose || link.toServer.unread > 0 {
            push(.reset, link, toServer: false)
        } else if !link.toClient.isFinished {
            push(.finish, link, toServer: false)
        }
    }

    func observe(_ descriptor: Int32, _ changed: (() -> Void)?) {
        if listeners[descriptor] != nil {
            listeners[descriptor]?.observer = changed
        } else if let socket = dialed[descriptor] {
            socket.observer = changed
        } else {
            link(descriptor)?.observer = changed
        }
    }

    func makeSocket(of process: VirtualProcess) -> Int32 {
        nextDialed += 1
        dialed[nextDialed] = DialedSocket(process, self)
        return nextDialed
    }

    /// Always under way when it returns.
    func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
        guard let socket = dialed[descriptor], let process = address.ip.flatMap({ addressees["\($0)"] }) else {
            return fail(ECONNREFUSED)
        }
        socket.link = connect(socket, from: socket.process.host, to: process, port: Self.relayPort)
        return fail(EINPROGRESS)
    }

    func pendingError(_ descriptor: Int32) -> Int32 { dialed[descriptor]?.error ?? 0 }

    func readiness(of descriptor: Int32) -> Readiness {
        if let listener = listeners[descriptor] { return listener.backlog.isEmpty ? [] : .readable }
        if let socket = dialed[descriptor] { return socket.readiness }
        guard let link = link(descriptor) else { return [] }
        if link.serverError != 0 { return [.readable, .writable, .hangup] }
        var ready: Readiness = link.toClient.room > 0 ? .writable : []
        if link.toServer.unread > 0 { ready.insert(.readable) }
        if link.toServer.hasFinishArrived { ready.formUnion([.readable, .finished]) }
        if link.toServer.hasFinishArrived, link.toClient.isFinished { ready.insert(.hangup) }
        return ready
    }

    // MARK: The end of a process

    /// The kernel closes what the process had open: of the bytes on their way a part arrives, then a reset.
    func end() {
        for link in open { (link.client, link.observer) = (nil, nil) }
        (listeners, links, open, entry) = ([:], [], [], { nil })
        (dialed, addressees, lastRelay, replayed) = ([:], [:], nil, nil)
    }

    /// Ends the connections of a process that can still be reached.
    /// - Parameter keepingRelays: a proxy finds the process not ready, and has nothing to do with what other servers opened.
    func cut(_ process: VirtualProcess, keepingRelays: Bool = false) {
        for link in open where link.process === process && !(keepingRelays && link.port == Self.relayPort) { reset(link) }
    }

    func endProcess(_ process: VirtualProcess) {
        let ended = open.filter { $0.process === process }
        open.removeAll { $0.process === process }
        for port in [Self.gamePort, Self.relayPort] { listeners[Self.listener(process, port)] = nil }
        addressees[process.host] = nil
        for (descriptor, socket) in dialed.sorted(by: { $0.key < $1.key }) where socket.process === process {
            dialed[descriptor] = nil
            socket.close()
        }
        // Also those whose client is gone: nothing calls the ended process. Its descriptors are not used again: it may close them later.
        for link in ended {
            if link.descriptor >= 0 { links[Int(link.descriptor)] = nil }
            (link.descriptor, link.observer) = (-1, nil)
        }
        for link in ended where link.client != nil {
            link.cloggedUntil = 0
            let left = isUnsteady ? random.below(link.toClient.inFlight.count + 1) : link.toClient.inFlight.count
            for (_, item) in link.toClient.inFlight.prefix(left) {
                if case .bytes(let bytes) = item { link.toClient.arrived += bytes }
            }
            link.toClient.inFlight = []
            link.isClientReading = true
            deliver(link)
            link.isSevered = true
            guard let client = link.client else { continue }
            link.client = nil
            client.ended()
        }
    }
}

private func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 { UInt64(CRC32C.extended(over: bytes)) }

extension String {
    /// The start of a text in one line, for a trace.
    fileprivate var trimmed: String { String(prefix(160)).replacing("\n", with: "⏎") }
}

/// One direction of a connection: what is on its way, and what has arrived and is unread.
struct VirtualPipe {
    enum Item {
        case bytes([UInt8])
        case finish
        case reset
    }

    var inFlight: [(arrival: Int64, item: Item)] = []
    /// Arrived and unread, from `start` on.
    var arrived: [UInt8] = []
    var start = 0
    var inFlightBytes = 0
    /// Bytes that may be on their way and unread together.
    var capacity: Int
    var isFinished = false
    var hasFinishArrived = false
    var lastArrival: Int64 = 0
    /// Whether the writer met a full pipe.
    var isBlocked = false

    var unread: Int { arrived.count - start }
    var room: Int { capacity - inFlightBytes - unread }

    /// - Returns: the time of its arrival, behind everything sent before.
    mutating func append(_ item: Item, notBefore earliest: Int64) -> Int64 {
        lastArrival = max(earliest, lastArrival)
        if case .bytes(let bytes) = item { inFlightBytes += bytes.count }
        inFlight.append((lastArrival, item))
        return lastArrival
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(unread, buffer.count)
        arrived.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
        start += count
        if start == arrived.count {
            arrived.removeAll(keepingCapacity: true)
            start = 0
        }
        return count
    }
}

/// A connection between a client and the server.
final class VirtualLink {
    let number: Int
    /// The server's end; -1 before it is accepted and after it is closed.
    var descriptor: Int32 = -1
    var toServer: VirtualPipe
    var toClient: VirtualPipe
    weak var client: (any NetworkClient)?
    /// The server's; nil before it arrives.
    weak var process: VirtualProcess?
    var port = VirtualNetwork.gamePort
    let host: String
    /// Whether the client reads.
    var isClientReading = true
    /// Microseconds: nothing arrives in either direction before.
    var cloggedUntil: Int64 = 0
    /// The two ends do not hear of each other again.
    var isSevered = false
    /// The error that the server's next call meets; 0 for none.
    var serverError: Int32 = 0
    var resetsOnClose = false
    var observer: (() -> Void)?

    init(number: Int, host: String, client: any NetworkClient, capacity: (server: Int, client: Int)) {
        (self.number, self.host, self.client) = (number, host, client)
        toServer = VirtualPipe(capacity: capacity.server)
        toClient = VirtualPipe(capacity: capacity.client)
    }
}

/// A process's end of a connection that it opened: a client of the network behind the calls of a socket.
private final class DialedSocket: NetworkClient {
    unowned let process: VirtualProcess  // the end of a process closes its sockets
    private unowned let network: VirtualNetwork
    var link: VirtualLink?
    /// Arrived and unread.
    var inbound = VirtualPipe(capacity: 65_536)
    private var isConnected = false
    /// The first bytes sent, until the other process has answered; none then.
    private var first: [UInt8]?
    private(set) var error: Int32 = 0
    var resetsOnClose = false
    var observer: (() -> Void)?

    init(_ process: VirtualProcess, _ network: VirtualNetwork) { (self.process, self.network) = (process, network) }

    // MARK: The network's calls

    func connected() {
        isConnected = true
        observer?()
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        // The ticket is used: nothing is answered before.
        if let first, !first.isEmpty { network.noteRelay(first, to: link?.process) }
        first = []
        inbound.arrived += bytes
        if let link, inbound.room <= 0 { network.setReading(false, link) }
        observer?()
    }

    func writable() { observer?() }

    func ended() {
        if isConnected { inbound.hasFinishArrived = true } else { error = ECONNREFUSED }
        observer?()
    }

    // MARK: The process's calls

    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let link else { return 0 }
        if first == nil { first = Array(bytes) }
        return network.send(from: link, Array(bytes)[...])
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = inbound.read(into: buffer)
        if let link, inbound.room > 0 { network.setReading(true, link) }
        return count
    }

    func close() {
        observer = nil
        if let link { network.close(link, withReset: resetsOnClose || inbound.unread > 0) }
        link = nil
    }

    var readiness: Readiness {
        if error != 0 { return [.readable, .writable, .hangup] }
        guard isConnected, let link else { return [] }
        var ready: Readiness = inbound.hasFinishArrived || link.toServer.room > 0 ? .writable : []
        if inbound.unread > 0 { ready.insert(.readable) }
        if inbound.hasFinishArrived { ready.formUnion([.readable, .finished]) }
        return ready
    }
}

/// Says what another process has said to begin with: its ticket is used.
private final class ReplayedRelay: NetworkClient {
    private let bytes: [UInt8]
    private unowned let network: VirtualNetwork
    var link: VirtualLink?

    init(_ bytes: [UInt8], _ network: VirtualNetwork) { (self.bytes, self.network) = (bytes, network) }

    func connected() { if let link { _ = network.send(from: link, bytes[...]) } }
    func received(_ bytes: UnsafeRawBufferPointer) {}
    func writable() {}
    func ended() { link = nil }
}

/// A client's end of a connection. Calls come from the machine, never inside a call to it.
protocol NetworkClient: AnyObject {
    func connected()
    func received(_ bytes: UnsafeRawBufferPointer)
    /// There is room again after a send that did not take everything.
    func writable()
    /// The connection has ended, or could not be opened.
    func ended()
}
