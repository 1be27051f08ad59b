import Dispatch
import Fairness
import Journal
import Records
import Sockets
import TableEngine
import Wire

/// The I/O around a shard: connects it to the sockets, timers, randomness, journal and log of the game's loop. Confined to the
/// loop.
///
/// Input: each readable connection is read into the loop's buffer and split into lines, at most two lines per connection and
/// turn (fairness). A connection with more input goes to the end of `backlogged`, and is not read meanwhile, so TCP's flow
/// control slows its client. A line that waits for the registry pauses its connection the same way: the line and all
/// input after it stay in `backlog` (``Client/isHeld``), and the line runs again once the answer is there.
///
/// Output: the shard sends to connections directly; their bytes are held back by the barrier (``TickRecords``) until the tick's
/// records are durable.
///
/// Stalls: while the journal is behind, the driver reads no input and holds timers back, then postpones all deadlines by the
/// length of the stall.
final class ShardDriver {
    /// A connection with its framer and its unread input.
    private final class Client: ConnectionHandler {
        /// Weak: a connection can outlive the server until its loop stops.
        private weak var driver: ShardDriver?
        let connection: Connection
        let address: IPAddress?
        /// The shard's state of the connection; nil if it was turned away.
        var session: Session?
        /// Whether it was refused, and counts in `turnedAway` until it has read the reason.
        var isLingering = false
        var framer: LineFramer
        /// Input left for a later turn, for fairness. Reading is paused while it is not empty.
        var backlog: [UInt8] = []
        /// Whether its current line is held, to be handled again or relayed; all its input is then in `backlog`.
        var isHeld = false
        /// The introduction with which the connection is relayed from the current line on.
        var pendingRelay: RelayIntroduction?
        /// The relay's key; nil for a direct connection.
        var relayKey: [UInt8]?
        /// Unhandled input to give back to the relaying server; nil unless the connection moves on.
        var returning: [UInt8]?
        /// Deadline for the relaying server's key.
        var returnTimer: LoopTimer?

        init(_ connection: Connection, at driver: ShardDriver, from address: IPAddress?) {
            self.driver = driver
            self.connection = connection
            self.address = address
            framer = LineFramer(limit: driver.shard.configuration.requestBytes, reportsBlankLines: true)
            connection.handler = self
        }

        func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
            guard let driver else { return }
            driver.deliver(bytes, to: self)
            driver.onChange?()
        }

        func connection(_ connection: Connection, endedBy reason: EndReason) { driver?.ended(self, by: reason) }

        func connectionHasDrained(_ connection: Connection) {
            guard let driver else { return }
            driver.shard.drained(connection.id, at: driver.loop.now)
        }

        func connection(_ connection: Connection, willBeCutFor reason: EndReason) -> [UInt8]? { Shard.tooSlow }
    }

    let loop: Loop
    private(set) var shard: Shard!
    /// This driver, for other threads; nil once its loop has stopped.
    var handle: LoopConfined<ShardDriver>?
    /// nil for a server of a single partition, and once it has stopped.
    var relays: LoopConfined<RelayLoop>?
    /// Called when a connection has ended or a table may have closed. Set when the server begins to stop.
    var onChange: (() -> Void)?

    let options: Server.Options
    let records: TickRecords
    /// nil for a server without a journal.
    private let historyReader: HistoryReader?
    private let charts: ChartMaker
    private var clients: [ConnectionID: Client] = [:]
    /// In the order of connections, so that a simulation is deterministic.
    private var orderedClients: [Client] { clients.sorted { $0.key < $1.key }.map(\.value) }
    /// The connection whose input is being split; 0 for none.
    private var delivering: ConnectionID = 0
    /// Timers of tables by their index; nil for a table without a deadline.
    private var tableTimers: [LoopTimer?] = []
    /// Timers of connections, players and the lobby.
    private var timers: [TimerID: LoopTimer] = [:]
    private var entropy: ServerEntropy
    /// Connections with a backlog, oldest first.
    private var backlogged: [Client] = []
    private lazy var backlogTurn = loop.makeTurn { [weak self] in self?.drainBacklogs() }
    /// Refused connections that are still open.
    private var turnedAway: AddressTable
    /// Set while the disk is behind.
    var stall: Stall?
    /// Time of the last check of clock and disk.
    var stallCheckedAt: Int64 = 0
    /// Checks them without input while there is a deadline.
    private lazy var pulse = loop.makeTimer { [weak self] in self?.beat() }
    private var isPulsing = false
    /// Ends a pause after the timers that were due in it.
    private lazy var pauseTimer = loop.makeTimer { [weak self] in
        self?.stall?.isPause = false
        self?.endStall()
    }
    /// Checks the disk without input once a tick has waited for it.
    private lazy var diskTimer = loop.makeTimer { [weak self] in
        self?.records.isWatched = false
        _ = self?.isStalled()
    }
    /// Limits of every connection.
    private let limits: ConnectionLimits
    /// The `bye` of a stopping server. Connections that arrive later from the relay loop get it too.
    private var goodbye: (code: GoodbyeCode, message: String)?
    /// Whether the state is frozen for the next start: input, time-outs and ends of connections no longer reach the shard.
    private var isSuspended: Bool { isHandedOver || goodbye?.code == .restart }
    /// Whether the journal accepts no more records, and another process may own it.
    private var isHandedOver = false
    /// Whether another process may own the journal: stalls meanwhile.
    private var isLeaseInDoubt = false

    /// Must be called on the loop.
    init(
        loop: Loop, options: Server.Options, charts: ChartMaker, recovery: Recovery?,
        log: @escaping @Sendable (LogLine) -> Void, shard: (any Environment) -> Shard
    ) {
        self.loop = loop
        self.options = options
        records = TickRecords(recovery?.log, clock: loop.clock, log: log)
        historyReader = recovery?.reader
        self.charts = charts
        limits = options.limits
        turnedAway = AddressTable(
            capacity: options.lingering, capacityPerAddress: min(options.lingering, Server.lingeringPerAddress))
        entropy = ServerEntropy(seed: options.seed, frames: recovery?.end.sequence ?? 0)
        self.shard = shard(self)
        records.onRelease = { [weak self] in self?.endStall() }
        records.onWait = { [weak self] in self?.watchDisk() }
        loop.install(records)
    }

    /// Releases the references to the loop: clients, and sessions with their accounts and tables.
    func abandon() {
        for session in shard.sessions.values { session.part() }
        // A connection that is being relayed has no session.
        for client in clients.values { client.session?.part() }
        (handle, relays, clients, backlogged) = (nil, nil, [:], [])
    }

    /// Closes every connection after a `bye`. ``GoodbyeCode/restart`` does not change tables and accounts.
    func sayGoodbye(_ code: GoodbyeCode, _ message: String) {
        goodbye = (code, message)
        shard.disconnectAll(code: code, message: message)
    }

    var isEmpty: Bool { clients.isEmpty }
    var isDrained: Bool { shard.isDrained }

    /// Adds a connection, from a listener or from the proxy gate.
    /// - Parameters:
    ///   - introduction: from another server, which has sent the client `hello`.
    ///   - rest: bytes after the PROXY header.
    func accepted(
        _ connection: Connection, from address: IPAddress?, introduction: RelayIntroduction? = nil, rest: [UInt8] = []
    ) {
        // Closed without reading, so the relaying server takes the client back.
        guard !isLeaseInDoubt, introduction == nil || introduction?.partition == options.partitions?.own else {
            return connection.abort()
        }
        let client = Client(connection, at: self, from: address)
        client.relayKey = introduction?.key
        connection.apply(limits)
        clients[connection.id] = client
        log(
            .debug, "connected",
            address == connection.peer.ip
                ? ["conn": connection.id, "peer": connection.peer]
                : ["conn": connection.id, "peer": connection.peer, "for": address?.description ?? "?"])
        if let introduction {
            shard.connected(connection.id, from: address, by: introduction, at: loop.now)
        } else {
            shard.connected(connection.id, from: address, at: loop.now)
        }
        client.session = shard.sessions[connection.id]
        guard client.session != nil else { return linger(client) }
        if stall != nil { tellStall(client) } else { _ = isStalled() }
        rest.withUnsafeBytes { deliver($0, to: client) }
    }

    /// Keeps a refused connection open until it has read the reason; resets it if there are too many.
    private func linger(_ client: Client) {
        guard (try? turnedAway.admit(client.address ?? client.connection.peer.ip)) != nil else {
            return client.connection.reset()
        }
        client.isLingering = true
        shard.metrics.lingering.add(1)
    }

    /// Fairness: lines handled per connection per turn.
    private static let linesInARow = 2
    /// Maximum bytes of a backlog. Reading is paused while there is one, so only an error exceeds this.
    private static let longestBacklog = 1 << 20

    /// Splits input into lines until the connection is held or ends, or its turn is over.
    private func deliver(_ bytes: UnsafeRawBufferPointer, to client: Client) {
        guard client.returning == nil else { return collect(bytes, from: client) }
        guard !isSuspended else { return }
        guard client.backlog.isEmpty, !client.isHeld, !isStalled() else {
            if client.backlog.isEmpty, !client.isHeld { postpone(client) }
            client.backlog.append(contentsOf: bytes)
            if client.backlog.count > Self.longestBacklog { client.connection.abort(.closed) }
            return
        }
        let connection = client.connection
        let now = loop.now
        var lines = 0
        var held: [UInt8] = []
        delivering = connection.id
        let taken = client.framer.append(bytes) { line in
            let start = DispatchTime.now().uptimeNanoseconds
            let isAction = client.session.map { shard.received(line, from: $0, at: now) } ?? false
            // Excludes the tick's send call, which many lines share.
            if isAction {
                shard.metrics.actionDuration.observe(Int(clamping: DispatchTime.now().uptimeNanoseconds &- start))
            }
            lines += 1
            if client.isHeld { held = Array(line) + [UInt8(ascii: "\n")] }
            return connection.isOpen && !client.isHeld && lines < Self.linesInARow
        }
        delivering = 0
        // By the clock, since `now` lags behind it while the loop catches up: the input has arrived by the clock's time.
        if lines > 0, let session = client.session { session.heard = max(session.heard, loop.clock.now) }
        if client.framer.isOverLimit { shard.receivedTooLongLine(from: connection.id) }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[taken...])
        guard !client.isHeld else {
            connection.isReading = false
            client.backlog = held + rest
            return startRelay(client)
        }
        guard connection.isOpen, !rest.isEmpty else { return }
        postpone(client)
        client.backlog.append(contentsOf: rest)
    }

    /// Leaves a connection's input for a later turn, or for the end of a stall.
    private func postpone(_ client: Client) {
        client.connection.isReading = false
        backlogged.append(client)
        if stall == nil { backlogTurn.request() }
    }

    /// Removes an ended connection's backlog. During a stall, nothing else shrinks `backlogged`.
    private func forgetBacklog(of client: Client) {
        client.backlog = []
        guard stall != nil, backlogged.count > 2 * clients.count + 64 else { return }
        backlogged.removeAll { !$0.connection.isOpen }
    }

    /// Runs the next turn of connections with a backlog.
    private func drainBacklogs() {
        guard stall == nil else { return }
        var clients: [Client] = []
        swap(&clients, &backlogged)
        for client in clients where client.connection.isOpen {
            var backlog: [UInt8] = []
            swap(&backlog, &client.backlog)
            backlog.withUnsafeBytes { deliver($0, to: client) }
            if client.backlog.isEmpty, !client.isHeld { client.connection.isReading = true }
        }
        onChange?()
    }

    func resumeBacklogs() { if !backlogged.isEmpty { backlogTurn.request() } }

    // MARK: Relay

    /// Moves a connection to the relay loop, or returns it to the relaying server.
    private func startRelay(_ client: Client) {
        guard let introduction = client.pendingRelay, clients[client.connection.id] === client else { return }
        let (connection, budget) = (client.connection, client.session?.budget)
        // The shard has released the session.
        client.session = nil
        client.backlog = client.framer.takePartial() + client.backlog
        guard client.relayKey == nil else {
            shard.releaseConnection(budget)
            return moveOn(client, introduction)
        }
        clients[connection.id] = nil
        let relayed = RelayedConnection(
            address: client.address, budget: budget, introduction: introduction, input: client.backlog)
        let moves = relays.map { relays in connection.move(to: relays.loop) { relays.value.arrived($0, relayed) } }
        if moves != true {
            shard.releaseConnection(budget)
            connection.abort()
        }
        onChange?()
    }

    /// Receives a connection from the relay loop: it is for this partition, or the owner was not reached.
    func returned(_ connection: Connection, _ relayed: RelayedConnection) {
        guard !isHandedOver, !isLeaseInDoubt else {
            shard.releaseConnection(relayed.budget)
            return connection.abort()
        }
        let client = Client(connection, at: self, from: relayed.address)
        connection.apply(limits)
        clients[connection.id] = client
        shard.returned(connection.id, relayed, at: loop.now)
        client.session = shard.sessions[connection.id]
        if let goodbye { return shard.dismiss(connection.id, goodbye.code, goodbye.message) }
        var input = relayed.input[...]
        if relayed.isRefused, let end = input.firstIndex(of: UInt8(ascii: "\n")) {
            input[..<end].withUnsafeBufferPointer { shard.refuseElsewhere($0, from: connection.id, at: loop.now) }
            input = input[(end + 1)...]
        }
        input.withUnsafeBytes { deliver($0, to: client) }
    }

    /// Returns a relayed connection: announces its destination, then returns the unhandled input.
    private func moveOn(_ client: Client, _ introduction: RelayIntroduction) {
        let connection = client.connection
        var limits = limits
        limits.outboundBytes += 2 * MovingOn.longestInput
        connection.apply(limits)
        connection.send(MovingOn.announcement(introduction))
        client.returning = client.backlog
        client.backlog = []
        connection.isReading = true
        // A slow client may delay the bytes before the announcement.
        let timer = loop.makeTimer { connection.abort() }
        timer.arm(at: loop.now + limits.outboundStall)
        client.returnTimer = timer
    }

    private func collect(_ bytes: UnsafeRawBufferPointer, from client: Client) {
        guard let key = client.relayKey, client.connection.isOpen else { return }
        client.returning?.append(contentsOf: bytes)
        guard let returning = client.returning, returning.count <= MovingOn.longestInput + key.count else {
            return client.connection.abort()
        }
        // The key is the other server's last message.
        guard returning.suffix(key.count).elementsEqual(key) else { return }
        client.connection.send(returning)
        client.connection.close()
    }

    /// Handles the registry's answer. Ignored by a suspended server: the next start reconciles registry and journal.
    private func answered(_ question: RegistryQuestion, with answer: RegistryQuestion.Answer) {
        if !isSuspended { shard.answered(question, with: answer, at: loop.now) }
        onChange?()
    }

    private func watchDisk() {
        records.isWatched = true
        // Later than the bound, so that the check finds it exceeded.
        diskTimer.arm(at: loop.now + Int64(options.stallMilliseconds) + 10)
    }

    /// Notifies all clients of the stall. The notice bypasses the barrier: it depends on no record.
    func tellStall() { for client in orderedClients where client.session != nil { tellStall(client) } }

    private func tellStall(_ client: Client) {
        guard stall?.isPause != true else { return }
        // Before the first frame is durable `hello` waits as well; when it leaves, the stall is over.
        guard records.position > 0 else { return }
        client.connection.sendAhead(
            ServerMessage.notice(HostNotice(HostNotice.stalled, name: HostNotice.host, time: loop.now)).encoded())
    }

    private func ended(_ client: Client, by reason: EndReason) {
        let id = client.connection.id
        guard clients.removeValue(forKey: id) != nil else { return }
        forgetBacklog(of: client)
        client.returnTimer?.disarm()
        if client.isLingering {
            turnedAway.release(client.address ?? client.connection.peer.ip)
            shard.metrics.lingering.add(-1)
        }
        log(.debug, "disconnected", ["conn": id, "reason": reason])
        if [.outboundLimit, .outboundTotal, .outboundStalled].contains(reason) { shard.metrics.evictions.add() }
        if !isSuspended { shard.disconnected(id, at: loop.now) }
        onChange?()
    }

    // MARK: Stall

    // During a stall the disk does not keep up. The loop reads no input and holds back timers, so a client whose answers wait
    // for the disk loses neither a turn nor the connection. All clients get a notice, newcomers after `hello`; both bypass the
    // barrier, since they depend on no record.
    //
    // A pause of the process (SIGSTOP, a frozen container, no processor time) is a stall that is over when it is noticed:
    // deadlines are postponed first, and then the input and timers that waited are handled.

    struct Stall {
        /// Time of the oldest waiting record, or of the last check before a pause, in milliseconds.
        let since: Int64
        /// Whether timers due in a pause may be yet to fire.
        var isPause = false
        /// Timers that fired during the stall. Disarmed ones are removed, since connections come and go meanwhile.
        var timers = OrderedQueue<TimerID>()
    }

    /// The longest interval between two checks of the clock, and the delay that counts as a pause, in milliseconds.
    private static let (pulseInterval, leastPause): (Int64, Int64) = (500, 1000)

    private func beat() {
        _ = isStalled()
        isPulsing = false
        if !timers.isEmpty || tableTimers.contains(where: { $0 != nil }) { startPulse() }
    }

    private func startPulse() {
        stallCheckedAt = loop.clock.now
        isPulsing = true
        pulse.arm(at: stallCheckedAt + Self.pulseInterval)
    }

    /// Whether the loop is stalled. Begins a stall if the disk is behind or the process was paused.
    func isStalled() -> Bool {
        if stall != nil { return true }
        // Once a millisecond, since the check takes two locks. `loop.now` lags behind the clock after a pause.
        let (time, last) = (loop.clock.now, stallCheckedAt)
        guard time != last else { return false }
        stallCheckedAt = time
        if isPulsing, time - last >= Self.pulseInterval + Self.leastPause {
            stall = Stall(since: last, isPause: true)
            pauseTimer.arm(at: time)
            return true
        }
        guard let journal = records.journal, journal.isBehind(options) else { return false }
        beginStall(journal)
        records.log(LogLine(time: loop.wall, level: .warning, event: "storage_stalled", fields: []), atOnce: true)
        tellStall()
        return true
    }

    private func beginStall(_ journal: DurableLog) {
        stall = Stall(since: loop.now - Int64(journal.oldestWaiting))
        // Reports each tick's release, so that the end of the stall is noticed.
        records.isAwaited = true
        shard.metrics.stalls.add()
    }

    /// Another process may own the journal, or no longer may. In doubt the loop stalls and aborts all connections, so that clients reconnect
    /// and reach the owner.
    func doubtLease(_ isInDoubt: Bool) {
        isLeaseInDoubt = isInDoubt
        guard isInDoubt else { return endStall() }
        if stall == nil, let journal = records.journal { beginStall(journal) }
        // Drops the bytes that wait for the disk.
        for client in orderedClients { client.connection.abort() }
    }

    /// Hands over the last records, and reads no more input.
    func endRecords() {
        isHandedOver = true
        records.handOver()
    }

    /// Ends a stall if the disk has caught up: postpones every deadline by its length, then handles the input that waited.
    func endStall() {
        guard let stall, !stall.isPause, !isLeaseInDoubt else { return }
        // After a pause the disk may be behind.
        if let journal = records.journal, journal.isBehind(options) {
            records.isAwaited = true
            return
        }
        self.stall = nil
        let length = max(1, loop.now - stall.since)
        if records.isAwaited {
            log(.info, "storage_caught_up", ["ms": length])
        } else {
            log(.warning, "paused", ["ms": length])
        }
        records.isAwaited = false
        shard.postpone(by: length, at: loop.now)
        // The current tick has already handed over.
        records.handOver()
        resumeBacklogs()
        for timer in stall.timers.elements {
            if case .table = timer { fire(timer) } else { setTimer(timer, at: loop.now + length) }
        }
    }
}

extension Connection: LineSender {
    public func offer(_ line: [UInt8]) -> Bool {
        guard !isCongested else { return false }
        share(line)
        return true
    }
}

extension ShardDriver: Environment {
    func sender(for connection: ConnectionID) -> any LineSender {
        guard let client = clients[connection] else { preconditionFailure("a shard hears of connections that are here") }
        return client.connection
    }

    func pause(_ connection: ConnectionID) {
        guard let client = clients[connection] else { return }
        client.isHeld = true
        if delivering != connection { client.connection.isReading = false }
    }

    func resume(_ connection: ConnectionID) {
        guard let client = clients[connection], client.isHeld, client.pendingRelay == nil else { return }
        client.isHeld = false
        postpone(client)
    }

    func relay(_ connection: ConnectionID, to partition: Int, _ introduction: RelayIntroduction) {
        guard let client = clients[connection] else { return }
        client.pendingRelay = introduction
        client.pendingRelay?.partition = partition
        client.isHeld = true
        if delivering != connection { startRelay(client) }
    }

    func setTimer(_ id: TimerID, at deadline: Int64?) {
        if !isPulsing, deadline != nil { startPulse() }
        guard case .table(let slot) = id else { return setOneShot(id, at: deadline) }
        guard let deadline else {
            guard tableTimers.indices.contains(slot) else { return }
            tableTimers[slot]?.disarm()
            tableTimers[slot] = nil
            while let last = tableTimers.last, last == nil { tableTimers.removeLast() }
            return
        }
        while tableTimers.count <= slot { tableTimers.append(nil) }
        if tableTimers[slot] == nil { tableTimers[slot] = loop.makeTimer { [weak self] in self?.fire(id) } }
        tableTimers[slot]?.arm(at: deadline)
    }

    private func setOneShot(_ id: TimerID, at deadline: Int64?) {
        guard let deadline else {
            timers.removeValue(forKey: id)?.disarm()
            stall?.timers.remove(id)
            return
        }
        if let timer = timers[id] { return timer.arm(at: deadline) }
        let timer = loop.makeTimer { [weak self] in
            self?.timers[id] = nil
            self?.fire(id)
        }
        timers[id] = timer
        timer.arm(at: deadline)
    }

    func fire(_ id: TimerID) {
        guard !isSuspended else { return }
        guard !isStalled() else {
            stall?.timers.append(id)
            return
        }
        shard.timerFired(id, at: loop.now)
        onChange?()
    }

    func randomBytes(_ count: Int) -> [UInt8] { entropy.bytes(count) }

    func shoeSource() -> ShoeSource {
        let key = shoeKey()
        return .keyed(options.drill?.key(from: key) ?? key)
    }

    var isRecording: Bool { records.isKeeping }

    func record(_ write: (inout [UInt8]) -> Void) { records.append(write) }

    func handOver() { records.handOver() }

    func ask(_ question: PlayerQuestion) -> Bool {
        let answered: PlayerQuestion.Completion = { [handle] question, failure in
            handle?.perform { driver in
                driver.shard.answered(question)
                guard let failure else { return }
                let fields: LogFields = ["account": question.account.rawValue, "reason": failure]
                driver.log(.error, "history_failed", fields)
            }
        }
        if question.subject.isOfPast { return historyReader?.ask(question, done: answered) ?? false }
        return charts.ask(question, done: answered)
    }

    func ask(_ question: RegistryQuestion) -> Bool {
        guard let registryClient = shard.registryClient, let handle else { return false }
        return registryClient.ask(question) { answer in handle.perform { $0.answered(question, with: answer) } }
    }

    func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> LogFields) {
        guard options.logging.includes(level) else { return }
        records.log(LogLine(time: loop.wall, level: level, event: event, fields: fields().all))
    }
}

extension DurableLog {
    /// Whether records have waited too long for the disk, or too many bytes wait.
    func isBehind(_ options: Server.Options) -> Bool {
        configuration.durability != .none && (oldestWaiting > options.stallMilliseconds || waitingBytes > options.stallBytes)
    }
}
