import Sockets
import Wire

// A relay: the server that accepted a connection (the front server) copies the client's bytes to the owner of another
// partition, and the owner's bytes back. The client does not notice.
//
// 1. The front server connects to the owner's proxy listener. It sends a PROXY header with a `RelayIntroduction`, the line
// that belongs to the other partition, and then all further bytes of the client.
//
// 2. To hand the connection on, the owner sends a byte 0, which no message to a client contains, and the introduction for the
// next partition.
//
// 3. The front server stops copying and sends the introduction's key. The owner then knows that it has received all bytes of
// the client.
//
// 4. The owner returns the bytes that it has not handled, followed by the key. The front server then knows that it has all of
// them, and continues with these bytes: to the next owner, or to its own shard.
//
// So relays never form chains, and each byte of the client is handled exactly once, in order.

/// The partitions of a house, as a server's relays need them.
public struct HousePartitions: Sendable {
    /// This server's, from 1.
    public let own: Int
    /// The address at which the owner of another partition accepts relays: host and port; nil while unknown.
    public let relayAddress: @Sendable (_ partition: Int) -> String?

    public init(own: Int, relayAddress: @escaping @Sendable (_ partition: Int) -> String?) {
        (self.own, self.relayAddress) = (own, relayAddress)
    }
}

/// The other server broke the relay protocol.
struct RelayFault: Error, Equatable, CustomStringConvertible {
    /// The fault, in words.
    let description: String
}

// MARK: - Introduction

extension RelayIntroduction {
    /// The type of its PROXY extension: the first that is free for any use.
    static let extensionType: UInt8 = 0xE0
    /// The prefix of its value, which distinguishes it from other uses of the type.
    static let mark = Array("bjr1".utf8)
    /// Bytes of a key and of a ticket.
    static let secretLength = 16
    /// Mark, partition, flags, silence, time to log in and key; a ticket and a name follow.
    private static let shortest = 4 + 2 + 1 + 2 + 4 + secretLength

    /// Silence and partition in two bytes, time in four, big-endian. Flags from the lowest bit: ticket, lobby, fair, facts, pedantic, brief.
    var bytes: [UInt8] {
        let wishes = [options.fair, options.facts, options.pedantic, options.brief]
        let bits = [ticket != nil, followsLobby] + wishes.map { $0 == true }
        let flags = bits.enumerated().reduce(UInt8(0)) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) }
        let numbers = [partition, options.silence ?? 0].map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let time = withUnsafeBytes(of: UInt32(truncatingIfNeeded: timeToLogIn).bigEndian) { Array($0) }
        return Self.mark + numbers[0] + [flags] + numbers[1] + time + key + (ticket ?? []) + Array(loginName.utf8)
    }

    /// - Parameter bytes: exactly those of ``bytes``.
    init(_ bytes: some Collection<UInt8>) throws(RelayFault) {
        let bytes = Array(bytes)
        guard bytes.count >= Self.shortest, bytes.starts(with: Self.mark) else { throw RelayFault(description: "it is cut off") }
        let flags = bytes[6]
        guard flags < 0x40 else { throw RelayFault(description: "an unknown flag") }
        func isSet(_ bit: UInt8) -> Bool { flags & 1 << bit != 0 }
        self.init(key: Array(bytes[13..<Self.shortest]))
        timeToLogIn = bytes[9..<13].reduce(0) { $0 << 8 | Int64($1) }
        partition = Int(bytes[4]) << 8 | Int(bytes[5])
        guard partition > 0 else { throw RelayFault(description: "no partition") }
        let silence = Int(bytes[7]) << 8 | Int(bytes[8])
        guard silence == 0 || WireLimits.silenceSeconds.contains(silence) else { throw RelayFault(description: "a silence") }
        options = ConnectionOptions(
            fair: isSet(2), facts: isSet(3), pedantic: isSet(4), silence: silence, brief: isSet(5) ? true : nil)
        followsLobby = isSet(1)
        var rest = bytes[Self.shortest...]
        if isSet(0) {
            guard rest.count >= Self.secretLength else { throw RelayFault(description: "a ticket is cut off") }
            ticket = Array(rest.prefix(Self.secretLength))
            rest = rest.dropFirst(Self.secretLength)
        }
        guard rest.count <= PlayerName.maximumBytes, let name = String(validating: rest, as: UTF8.self),
            name.isEmpty || (try? PlayerName(name))?.text == name
        else { throw RelayFault(description: "a name") }
        loginName = name
    }
}

// MARK: - Moving on

/// The message with which an owner returns a relayed connection to the front server.
enum MovingOn {
    /// A byte that no message to a client contains.
    static let start: UInt8 = 0
    /// Maximum bytes of a client that are returned.
    static let longestInput = 1 << 20

    /// ``start``, the length of the introduction for the next partition in two bytes, big-endian, and the introduction.
    static func announcement(_ introduction: RelayIntroduction) -> [UInt8] {
        let bytes = introduction.bytes
        return [start, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
}

// MARK: - State machine

/// A relay without I/O.
struct RelayMachine {
    enum Phase: Equatable {
        /// The owner is being dialed. The client is not read.
        case dialing
        /// The owner has the introduction and the input, and has not replied. The client is not read, so that the connection can continue here
        /// if the owner closes it.
        case introduced
        /// Copies in both directions.
        case copying
        /// The owner returns the client's bytes, after its 0. The client is not read.
        case returning([UInt8])
        case ended
    }

    enum Action: Equatable {
        /// Stop reading the client, and send the key to the owner.
        case sendKey
        /// The owner has finished. Continue at the introduction's partition with the returned bytes.
        case goOn(RelayIntroduction, input: [UInt8])
    }

    private(set) var phase = Phase.dialing
    private let key: [UInt8]
    /// Whether the client has received only whole lines, so another message may follow.
    private(set) var isBetweenLines = true

    init(key: [UInt8]) { self.key = key }

    /// Whether the client is read.
    var isForwarding: Bool { phase == .copying }

    /// - Parameter isAsked: whether the owner has a line to answer.
    mutating func dialed(isAsked: Bool) { phase = isAsked ? .introduced : .copying }

    mutating func end() { phase = .ended }

    /// Receives the owner's bytes.
    /// - Returns: the number of leading bytes that are the client's, and the action after them.
    mutating func received(_ bytes: UnsafeRawBufferPointer) throws(RelayFault) -> (forwarded: Int, action: Action?) {
        switch phase {
        case .dialing, .ended: return (0, nil)
        case .introduced, .copying:
            let end = bytes.firstIndex(of: MovingOn.start)
            let count = end ?? bytes.count
            if count > 0 { isBetweenLines = bytes[count - 1] == UInt8(ascii: "\n") }
            guard let end else {
                phase = .copying
                return (count, nil)
            }
            guard isBetweenLines else { throw RelayFault(description: "a byte 0 within a line") }
            phase = .returning([])
            return (count, try received(UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])).action ?? .sendKey)
        case .returning(var returned):
            phase = .ended
            returned.append(contentsOf: bytes)
            guard returned.count <= ProxyHeaderParser.limit + MovingOn.longestInput + key.count else {
                throw RelayFault(description: "more bytes of the client than may be returned")
            }
            guard returned.count > key.count, returned.suffix(key.count).elementsEqual(key) else {
                phase = .returning(returned)
                return (0, nil)
            }
            let rest = returned.dropFirst(2 + Int(returned[0]) << 8 + Int(returned[1]))
            guard rest.count >= key.count else { throw RelayFault(description: "an introduction is cut off") }
            return (0, .goOn(try RelayIntroduction(returned[2..<rest.startIndex]), input: Array(rest.dropLast(key.count))))
        }
    }
}

// MARK: - Shell

/// The state that moves with a relayed connection between loops: values only.
struct RelayedConnection: Sendable {
    /// The client's address.
    let address: IPAddress?
    /// The key of its address's budget. It counts there until it has ended.
    let budget: IPAddress?
    /// The introduction for the destination.
    var introduction: RelayIntroduction
    /// Unhandled bytes of the client, beginning with the line that caused the relay.
    var input: [UInt8]
    /// Whether that line is refused here, with `on_the_way`.
    var isRefused = false
}

/// A client's connection and the one to the owner of another partition. Confined to the relay loop.
private final class Relay: ConnectionHandler {
    /// Milliseconds to reach an owner.
    static let dialMilliseconds: Int64 = 3_000
    /// Milliseconds for the rest of a line before a `bye`.
    static let goodbyeMilliseconds: Int64 = 300

    private unowned let relays: RelayLoop  // owns all relays and is their only caller
    let client: Connection
    private var owner: Connection?
    private var connector: Connector?
    private(set) var relayed: RelayedConnection
    private var machine: RelayMachine
    /// The dialed address of the owner.
    private(set) var address = ""
    private lazy var timer = client.loop.makeTimer { [weak self] in self?.end("no answer in time") }
    /// The `bye` to send to the client between two lines, before both ends are closed.
    private var goodbye: [UInt8]?

    init(_ client: Connection, _ relayed: RelayedConnection, of relays: RelayLoop) {
        (self.client, self.relayed, self.relays) = (client, relayed, relays)
        machine = RelayMachine(key: relayed.introduction.key)
        client.handler = self
        client.isReading = false
        client.outlivesInput = true
        client.apply(relays.limits)
    }

    func dial() {
        machine = RelayMachine(key: relayed.introduction.key)
        let partition = relayed.introduction.partition
        guard partition != relays.partitions.own, let address = relays.partitions.relayAddress(partition),
            let colon = address.lastIndex(of: ":"), let port = Int(address[address.index(after: colon)...])
        else { return takeBack("no address of the partition's owner") }
        self.address = address
        let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
        connector = Connector.connect(
            host: host, port: port, loop: client.loop, timeout: Self.dialMilliseconds, limits: relays.limits
        ) { [weak self] in self?.dialed($0) }
    }

    private func dialed(_ result: Result<Connection, SocketError>) {
        connector = nil
        switch result {
        case .failure(let error): takeBack(error.description)
        case .success(let owner):
            self.owner = owner
            owner.handler = self
            machine.dialed(isAsked: relayed.input.contains(UInt8(ascii: "\n")))
            owner.send(ProxyHeader.introducing(relayed.address, relayed.introduction).bytes + relayed.input)
            client.isReading = machine.isForwarding
            if !machine.isForwarding { timer.arm(at: client.loop.now + relays.answerMilliseconds) }
        }
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        if connection !== client { return ownerSaid(bytes) }
        guard machine.isForwarding, let owner else { return }
        owner.forward(bytes)
        if owner.isCongested { client.isReading = false }
    }

    private func ownerSaid(_ bytes: UnsafeRawBufferPointer) {
        if machine.phase == .introduced {
            timer.disarm()
            relayed.input = []
            client.isReading = owner?.isCongested == false
        }
        do throws(RelayFault) {
            let (count, action) = try machine.received(bytes)
            if let goodbye, let feed = bytes[..<count].firstIndex(of: UInt8(ascii: "\n")) {
                client.forward(UnsafeRawBufferPointer(rebasing: bytes[...feed]))
                client.send(goodbye)
                return end(nil)
            }
            client.forward(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            if client.isCongested, machine.phase == .copying { owner?.isReading = false }
            switch action {
            case nil: break
            case .sendKey: sendKey()
            case .goOn(let introduction, let input): goOn(introduction, input)
            }
        } catch {
            relays.note(error.description, of: self)
            end(nil)
        }
    }

    private func sendKey() {
        client.isReading = false
        // The owner's next bytes are for this server: a slow client must not delay them.
        owner?.isReading = true
        owner?.send(relayed.introduction.key)
        timer.arm(at: client.loop.now + relays.answerMilliseconds)
    }

    private func goOn(_ introduction: RelayIntroduction, _ input: [UInt8]) {
        client.isReading = false
        relayed.introduction = introduction
        relayed.input = input
        leaveOwner()
        if introduction.partition == relays.partitions.own { relays.giveBack(self) } else { dial() }
    }

    /// The owner was not reached, or closed the connection before any reply. The ticket shows whether it carried the line out: if the
    /// player's account can be claimed back, it did not. Otherwise the connection ends.
    private func takeBack(_ reason: String) {
        let isKnown = machine.phase == .dialing || machine.phase == .introduced && relayed.introduction.ticket != nil
        guard isKnown else { return end(reason) }
        relays.note(reason, of: self)
        leaveOwner()
        relayed.isRefused = true
        relays.giveBack(self)
    }

    /// The owner has a successor, at another address.
    func succeeded() { takeBack("the owner has a successor") }

    private func leaveOwner() {
        timer.disarm()
        connector?.cancel()
        connector = nil
        owner?.handler = nil
        owner?.close()
        owner = nil
    }

    /// Closes both ends once their queued bytes are sent.
    /// - Parameter problem: logged; nil for the usual end.
    func end(_ problem: String?) {
        if let problem, goodbye == nil { relays.note(problem, of: self) }
        machine.end()
        leaveOwner()
        client.close()
    }

    func sayGoodbye(_ line: [UInt8]) {
        goodbye = line
        guard machine.isBetweenLines else { return timer.arm(at: client.loop.now + Self.goodbyeMilliseconds) }
        client.send(line)
        end(nil)
    }

    func connectionHasDrained(_ connection: Connection) {
        if connection === client { owner?.isReading = true } else { client.isReading = machine.isForwarding }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        guard connection !== client else {
            machine.end()
            leaveOwner()
            return relays.ended(self)
        }
        owner = nil
        if machine.phase == .introduced {
            takeBack("the owner has closed the connection: does its --proxy-trust cover this server?")
        } else {
            end(nil)
        }
    }
}

/// The relays of a server, on their own loop. It has no durability barrier: the other server sends only what is durable there.
final class RelayLoop {
    let loop: Loop
    let limits: ConnectionLimits
    let answerMilliseconds: Int64
    let partitions: HousePartitions
    private let metrics: Metrics
    private let driver: LoopConfined<ShardDriver>
    private let log: (LogLevel, StaticString, LogFields) -> Void
    private var relays: [ConnectionID: Relay] = [:]
    private var goodbye: [UInt8]?
    /// Called when a relay has ended. Set when the server begins to stop.
    var onChange: (() -> Void)?

    init(
        loop: Loop, options: Server.Options, partitions: HousePartitions, metrics: Metrics,
        driver: LoopConfined<ShardDriver>,
        log: @escaping (LogLevel, StaticString, LogFields) -> Void
    ) {
        self.loop = loop
        answerMilliseconds = options.relayMilliseconds
        var limits = options.limits
        // In addition to the bytes queued when a connection arrives, and the input that an owner returned.
        limits.outboundBytes += 2 * MovingOn.longestInput
        self.limits = limits
        (self.partitions, self.metrics, self.driver, self.log) = (partitions, metrics, driver, log)
    }

    var isEmpty: Bool { relays.isEmpty }

    /// Receives a connection from the shard's loop.
    func arrived(_ client: Connection, _ relayed: RelayedConnection) {
        let relay = Relay(client, relayed, of: self)
        relays[client.id] = relay
        metrics.relayed.add(1)
        log(.debug, "relayed", ["conn": client.id, "partition": relayed.introduction.partition])
        if let goodbye { relay.sayGoodbye(goodbye) } else { relay.dial() }
    }

    /// Closes every relay after a `bye`.
    func sayGoodbye(_ code: GoodbyeCode, _ message: String) {
        let line = ServerMessage.bye(code: code.rawValue, message: message).encoded()
        goodbye = line
        for (_, relay) in relays.sorted(by: { $0.key < $1.key }) { relay.sayGoodbye(line) }
    }

    /// The owner of a partition has another address.
    func moved(_ partition: Int, to address: String) {
        let outdated = relays.filter { $0.value.relayed.introduction.partition == partition && $0.value.address != address }
        for (_, relay) in outdated.sorted(by: { $0.key < $1.key }) { relay.succeeded() }
    }

    /// Counts and logs a failed relay.
    fileprivate func note(_ reason: String, of relay: Relay) {
        metrics.relayFailures.add()
        let partition = relay.relayed.introduction.partition
        log(.warning, "relay_failed", ["partition": partition, "reason": reason])
    }

    /// Moves a client to the shard's loop.
    fileprivate func giveBack(_ relay: Relay) {
        let moves = relay.client.move(to: driver.loop) { [driver, relayed = relay.relayed] in
            driver.value.returned($0, relayed)
        }
        // A client that has ended does not move: ends its relay.
        if moves { forget(relay) } else { relay.end(nil) }
    }

    fileprivate func ended(_ relay: Relay) {
        driver.perform { [budget = relay.relayed.budget] in $0.shard.releaseConnection(budget) }
        forget(relay)
    }

    private func forget(_ relay: Relay) {
        relays[relay.client.id] = nil
        metrics.relayed.add(-1)
        onChange?()
    }
}
