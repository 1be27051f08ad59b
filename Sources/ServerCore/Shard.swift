import Operations
import TableEngine
import TableModel
import Wire

/// The part of the house that is on one loop: its tables, the connections that are there, and the players who are at home there. Lines,
/// time and chance go in, lines come out through its ``Environment``; it does no input or output of its own. Confined to its loop.
public final class Shard {
    let directory: Directory
    /// Which of the house's loops this is.
    let loop: Int
    unowned let environment: any Environment
    // What each line touches is not checked for exclusive access: all of it is on one loop, and nothing that is done to it calls out.
    @exclusivity(unchecked) var accounts: [PlayerID: Account] = [:]
    /// Negative by the chips that were issued here, and by those that came with players from other loops.
    var bank = 0
    var sessions: [ConnectionID: Session] = [:]
    /// This loop's tables: every ``Directory/loops``th of all, at its index divided by that; nil where one is gone.
    @exclusivity(unchecked) private(set) var slots: [HostedTable?] = []
    /// What tables that are gone have left behind: what the house won there, and how many rounds were begun.
    private(set) var formerTables = (houseNet: 0, rounds: 0)
    /// Tables that may look otherwise in the lobby than it says.
    var lobbyChanges: Set<Int> = []
    /// What those who follow the lobby here have been told.
    var toldLobby: Lobby
    var isLobbyScheduled = false
    package var isDraining = false
    /// The moment of what is going on, in milliseconds.
    var now: Int64 = 0
    /// What its tables work with.
    private let bench = TableScratch()
    /// Failures that are logged; the others are counted.
    var failuresLogged = TokenBucket()
    var failuresUnlogged = 0
    /// Memory for replies.
    @exclusivity(unchecked) var scratch: [UInt8] = []
    /// Told of each revision of each table as it is sent: for those who judge the house from within the package.
    @exclusivity(unchecked) package var onPublish: ((_ table: String, _ revision: Int, TableSnapshot) -> Void)?

    /// The bounds that hold here.
    @exclusivity(unchecked) var configuration: ShardConfiguration
    /// - Parameter environment: outlives the shard.
    public init(directory: Directory, loop: Int = 0, environment: any Environment) {
        self.directory = directory
        self.loop = loop
        self.environment = environment
        toldLobby = directory.lobby
        configuration = directory.configuration
        for (index, setting) in configuration.tables.enumerated() where directory.loop(ofTable: index) == loop {
            slots.append(makeTable(setting, index))
        }
    }

    /// This loop's tables, in the order of their places.
    var hostedTables: some Sequence<HostedTable> { slots.lazy.compactMap(\.self) }

    /// The table at an index of this loop; nil if it is gone.
    func hostedTable(at index: Int) -> HostedTable? {
        let slot = index / directory.loops
        return slots.indices.contains(slot) ? slots[slot] : nil
    }

    func put(_ table: HostedTable) {
        let slot = table.index / directory.loops
        while slots.count <= slot { slots.append(nil) }
        precondition(slots[slot] == nil, "one table has one slot")
        slots[slot] = table
    }

    /// Forgets a table that has closed, if nobody watches it any more. Its place is for another one then.
    func forgetIfGone(_ table: HostedTable) {
        guard table.engine.phase == .closed, !isDraining, table.viewers.isEmpty, self.hostedTable(at: table.index) === table
        else { return }
        formerTables.houseNet &+= table.engine.houseNet
        formerTables.rounds += table.engine.round
        slots[table.index / directory.loops] = nil
        while let last = slots.last, last == nil { slots.removeLast() }
        lobbyChanges.remove(table.index)
        environment.setTimer(.table(table.index), at: nil)
        directory.vacateTable(table.index)
    }

    func makeTable(_ setting: ShardConfiguration.TableSetting, _ index: Int) -> HostedTable {
        let pace = Pace(
            settledMilliseconds: configuration.settledMilliseconds, graceMilliseconds: configuration.graceMilliseconds,
            sitOutMilliseconds: configuration.sitOutMilliseconds)
        let table = HostedTable(
            setting, index: index, table: Table(rules: setting.rules, pace: pace), epoch: hexadecimal(environment.randomBytes(4)),
            bench: bench, metrics: directory.metrics, environment: environment)
        table.onFacts = { [unowned self, unowned table] in book($0, at: table) }
        return table
    }

    /// A shard that is the whole directory.
    public convenience init(configuration: ShardConfiguration, environment: any Environment) {
        self.init(directory: Directory(configuration: configuration), environment: environment)
    }

    /// A peer has connected: it is greeted, or sent away.
    /// - Parameter address: where it comes from; nil for a peer without an address.
    public func connected(_ connection: ConnectionID, from address: IPAddress? = nil, at now: Int64) {
        self.now = now
        let budget: IPAddress?
        do throws(AddressTable.Refusal) {
            budget = try directory.enter(address, at: now)
        } catch {
            return turnAway(connection, error)
        }
        let deadline = now + configuration.loginMilliseconds
        sessions[connection] = Session(
            connection: connection, sender: environment.sender(for: connection), address: address, budget: budget, heard: now,
            loginDeadline: deadline)
        environment.setTimer(.connection(connection), at: deadline)
        let requests = configuration.requests
        var limits = Hello.Limits(
            requestsPerSecond: max(1, Int(requests.count * 1000 / requests.milliseconds)), burst: Int(requests.burst))
        limits.line = configuration.requestBytes
        let hello = Hello(
            server: configuration.serverName, time: now, idleSeconds: Int(configuration.idleMilliseconds / 1000), limits: limits,
            isDraining: isDraining)
        environment.sender(for: connection).send(ServerMessage.hello(hello).encoded())
    }

    private func turnAway(_ connection: ConnectionID, _ reason: AddressTable.Refusal) {
        let (cause, refusal): (ConnectionRefusal, RequestRefusal) =
            switch reason {
            case .full: (.full, .serverFull)
            case .tooManyFromAddress: (.tooManyFromAddress, .tooManyConnections(retryAfter: nil))
            case .tooFast(let wait): (.tooFast, .tooManyConnections(retryAfter: Int(wait)))
            case .keptOut(let wait): (.banned, .keptOut(retryAfter: Int(wait)))
            case .banned: (.banned, .banned)
            }
        logNewBan()
        directory.metrics.refusedConnections[cause].add()
        environment.log(.debug, "turned_away", [LogField("conn", connection), LogField("reason", cause.labelValue)])
        var last = Refusal(id: nil, type: nil, refusal.code, message: refusal.message.description)
        last.retryAfter = refusal.retryAfter
        last.isFatal = true
        count(refusal.code)
        let sender = environment.sender(for: connection)
        sender.send(ServerMessage.error(last).encoded())
        sender.close()
    }

    /// Takes a line without its newline.
    /// - Returns: whether it was a bet or a decision that was carried out.
    @discardableResult
    public func received(_ line: UnsafeBufferPointer<UInt8>, from connection: ConnectionID, at now: Int64) -> Bool {
        sessions[connection].map { received(line, from: $0, at: now) } ?? false
    }

    func received(_ line: UnsafeBufferPointer<UInt8>, from session: Session, at now: Int64) -> Bool {
        guard session.goodbye == nil else { return false }
        session.heard = now
        session.pinged = nil
        if case .refused(let wait) = session.requests.take(of: configuration.requests, at: now) {
            slowDown(session, Request(line: line, isPedantic: false), retryAfter: wait)
            return false
        }
        if session.paid > 0 { session.paid &-= 1 } else if !pay(for: session, line) { return false }
        // A blank line is ignored, but it counts: reading it costs as much as reading a request.
        guard !line.isEmpty else {
            if session.account != nil || admitStranger(.unreadable, session) { session.refusedInARow = 0 }
            return false
        }
        let request = Request(line: line, isPedantic: session.isPedantic)
        // Before anything is looked up for it.
        if session.account == nil, !admitStranger(request, session) { return false }
        session.refusedInARow = 0
        return route(request, from: session, at: now, hops: 0)
    }

    /// Too many requests: refused, and who does not stop then is sent away.
    func slowDown(_ session: Session, _ request: Request, retryAfter wait: Int64) {
        session.refusedInARow += 1
        guard session.refusedInARow <= Int(configuration.requests.burst) else {
            return dismiss(session.connection, .rateLimited, "Too many requests, and more after that was said.")
        }
        // A pong is never answered.
        if request.message == .success(.pong) { return }
        refuse(request, RequestRefusal.rateLimited(retryAfter: Int(wait)), session)
    }

    /// A line longer than allowed is coming: where the next one starts can't be known any more.
    public func receivedTooLongLine(from connection: ConnectionID) {
        guard let session = sessions[connection], session.goodbye == nil else { return }
        refuse(.unreadable, ProtocolError.lineTooLong(limit: configuration.requestBytes), session)
    }

    /// A peer has taken everything that waited for it.
    public func drained(_ connection: ConnectionID, at now: Int64) {
        guard let session = sessions[connection], let table = session.watching else { return }
        table.resume(session, at: now)
        // The last of a table that has closed meanwhile.
        if table.engine.phase == .closed, !isDraining { letViewersGo(table) }
    }

    /// The peer is gone. The player's seat and chips are kept for a while.
    /// - Parameter reason: why, as far as the connection knows.
    public func disconnected(_ connection: ConnectionID, because reason: DisconnectReason = .peerClosed, at now: Int64) {
        self.now = now
        guard let session = sessions.removeValue(forKey: connection) else { return }
        directory.exit(session.budget)
        giveBack(session)
        directory.metrics.disconnects[session.goodbye ?? reason].add()
        environment.setTimer(.connection(connection), at: nil)
        stopWatching(session)
        guard let account = session.account else { return }
        session.account = nil
        account.session = nil
        // Who has neither a seat nor won or lost a chip leaves nothing behind that is worth keeping a name for.
        if account.table == nil && account.chips == account.firstChips { return close(account) }
        account.heldUntil = now + configuration.awayMilliseconds
        environment.setTimer(.player(account.id), at: account.heldUntil)
        noteAway(account)
        if let table = account.table {
            try? table.perform(.disconnected(player: account.id), at: now)
            publish(table)
        }
        // A ban by the host ends what the address holds; one by the server itself does not reach those who have logged in.
        if session.goodbye == .banned { evict(account.id, at: now) }
    }

    /// The moment of a timer has come.
    public func timerFired(_ timer: TimerID, at now: Int64) {
        self.now = now
        switch timer {
        case .table(let index):
            guard let table = hostedTable(at: index) else { return }
            table.timerFired()
            tick(table, at: now)
        case .connection(let connection): checkSilence(of: connection, at: now)
        case .player(let id): expire(id, at: now)
        case .lobby: tellLobby()
        }
    }

    private func checkSilence(of connection: ConnectionID, at now: Int64) {
        guard let session = sessions[connection] else { return }
        // Before the login the clock is not set back by whatever is sent: it bounds how long a stranger holds a connection.
        guard session.account != nil else { return dismiss(connection, .loginTimeout, "Nobody logged in.") }
        guard session.heard + configuration.idleMilliseconds > now else {
            return dismiss(connection, .idle, "Nothing was heard for too long.")
        }
        if session.heartbeat > 0 {
            if let pinged = session.pinged, pinged + session.heartbeat <= now {
                return dismiss(connection, .noPulse, "The server's ping was not answered.")
            }
            if session.pinged == nil, session.heard + session.heartbeat <= now {
                session.pinged = now
                session.sender.send(ServerMessage.ping(time: now).encoded())
            }
        }
        scheduleSilence(of: session)
    }

    /// Has the next look at a connection taken when something about its silence is due.
    func scheduleSilence(of session: Session) {
        var due = session.heard + configuration.idleMilliseconds
        if session.heartbeat > 0 { due = min(due, (session.pinged ?? session.heard) + session.heartbeat) }
        environment.setTimer(.connection(session.connection), at: due)
    }

    /// Has a player who is away forgotten now, however long the account was to be kept.
    public func evict(_ id: PlayerID, at now: Int64) {
        accounts[id]?.heldUntil = now
        expire(id, at: now)
    }

    private func expire(_ id: PlayerID, at now: Int64) {
        self.now = now
        guard let account = accounts[id], account.session == nil, account.heldUntil <= now else { return }
        account.isExpired = true
        guard let table = account.table else { return close(account) }
        // What the player has bet is dealt and settled first; whoever comes back meanwhile keeps the seat.
        try? table.perform(.release(player: id), at: now)
        publish(table)
    }

    /// Runs what is due at a table.
    func tick(_ table: HostedTable, at now: Int64) {
        try? table.perform(.tick, at: now)
        publish(table)
    }

}

/// Bytes in digits of base 16.
func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
