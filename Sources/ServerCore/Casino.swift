import Operations
import TableEngine
import TableModel
import Wire

/// The part of the house that is on one loop: its tables, the connections that are there, and the players who are at home there. Lines,
/// time and chance go in, lines come out through its ``Environment``; it does no input or output of its own. Confined to its loop.
public final class Casino {
    let house: House
    /// Which of the house's loops this is.
    let loop: Int
    unowned let environment: any Environment
    // What each line touches is not checked for exclusive access: all of it is on one loop, and nothing that is done to it calls out.
    @exclusivity(unchecked) var accounts: [PlayerID: Account] = [:]
    /// Negative by the chips that were issued here, and by those that came with players from other loops.
    var bank = 0
    var sessions: [ConnectionID: Session] = [:]
    /// This loop's tables: every ``House/loops``th of all, at its index divided by that; nil where one is gone.
    @exclusivity(unchecked) private(set) var places: [TableHost?] = []
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
    private let bench = Workbench()
    /// Failures that are logged; the others are counted.
    var failuresLogged = TokenBucket()
    var failuresUnlogged = 0
    /// Memory for replies.
    @exclusivity(unchecked) var scratch: [UInt8] = []
    /// Told of each revision of each table as it is sent: for those who judge the house from within the package.
    @exclusivity(unchecked) package var onPublish: ((_ table: String, _ revision: Int, TableSnapshot) -> Void)?

    /// The bounds that hold here.
    @exclusivity(unchecked) var configuration: CasinoConfiguration
    /// Bets and decisions that were carried out.
    var actions = 0

    /// - Parameter environment: outlives the casino.
    public init(house: House, loop: Int = 0, environment: any Environment) {
        self.house = house
        self.loop = loop
        self.environment = environment
        toldLobby = house.lobby
        configuration = house.configuration
        for (index, setting) in configuration.tables.enumerated() where house.loop(ofTable: index) == loop {
            places.append(makeHost(setting, index))
        }
    }

    /// This loop's tables, in the order of their places.
    var hosts: some Sequence<TableHost> { places.lazy.compactMap(\.self) }

    /// The table at an index of this loop; nil if it is gone.
    func host(at index: Int) -> TableHost? {
        let place = index / house.loops
        return places.indices.contains(place) ? places[place] : nil
    }

    func put(_ host: TableHost) {
        let place = host.index / house.loops
        while places.count <= place { places.append(nil) }
        precondition(places[place] == nil, "one table has one place")
        places[place] = host
    }

    /// Forgets a table that has closed, if nobody watches it any more. Its place is for another one then.
    func forgetIfGone(_ host: TableHost) {
        guard host.table.phase == .closed, !isDraining, host.viewers.isEmpty, self.host(at: host.index) === host else { return }
        formerTables.houseNet &+= host.table.houseNet
        formerTables.rounds += host.table.round
        places[host.index / house.loops] = nil
        while let last = places.last, last == nil { places.removeLast() }
        lobbyChanges.remove(host.index)
        environment.remind(.table(host.index), at: nil)
        house.vacateTable(host.index)
    }

    func makeHost(_ setting: CasinoConfiguration.TableSetting, _ index: Int) -> TableHost {
        let pace = Pace(
            settledMilliseconds: configuration.settledMilliseconds, graceMilliseconds: configuration.graceMilliseconds,
            sitOutMilliseconds: configuration.sitOutMilliseconds)
        let host = TableHost(
            setting, index: index, table: Table(rules: setting.rules, pace: pace), epoch: hexadecimal(environment.randomBytes(4)),
            bench: bench, metrics: house.metrics, environment: environment)
        host.onFacts = { [unowned self, unowned host] in book($0, at: host) }
        return host
    }

    /// A casino that is the whole house.
    public convenience init(configuration: CasinoConfiguration, environment: any Environment) {
        self.init(house: House(configuration: configuration), environment: environment)
    }

    /// A peer has connected: it is greeted, or sent away.
    /// - Parameter address: where it comes from; nil for a peer without an address.
    public func connected(_ connection: ConnectionID, from address: IPAddress? = nil, at now: Int64) {
        self.now = now
        let budget: IPAddress?
        do throws(AddressTable.Refusal) {
            budget = try house.enter(address, at: now)
        } catch {
            return turnAway(connection, error)
        }
        let deadline = now + configuration.loginMilliseconds
        sessions[connection] = Session(
            connection: connection, outlet: environment.outlet(of: connection), address: address, budget: budget, heard: now,
            loginDeadline: deadline)
        environment.remind(.connection(connection), at: deadline)
        let requests = configuration.requests
        var limits = Hello.Limits(
            requestsPerSecond: max(1, Int(requests.count * 1000 / requests.milliseconds)), burst: Int(requests.burst))
        limits.line = configuration.requestBytes
        let hello = Hello(
            server: configuration.serverName, time: now, idleSeconds: Int(configuration.idleMilliseconds / 1000), limits: limits,
            isDraining: isDraining)
        send(.hello(hello), to: connection)
    }

    private func turnAway(_ connection: ConnectionID, _ reason: AddressTable.Refusal) {
        let (cause, refusal): (ConnectionRefusal, CasinoRefusal) =
            switch reason {
            case .full: (.full, .serverFull)
            case .tooManyFromAddress: (.tooManyFromAddress, .tooManyConnections(retryAfter: nil))
            case .tooFast(let wait): (.tooFast, .tooManyConnections(retryAfter: Int(wait)))
            case .keptOut(let wait): (.banned, .keptOut(retryAfter: Int(wait)))
            case .banned: (.banned, .banned)
            }
        logNewBan()
        house.metrics.refusedConnections[cause].add()
        environment.log(.debug, "turned_away", [LogField("conn", connection), LogField("reason", cause.labelValue)])
        var last = Refusal(id: nil, type: nil, refusal.code, message: refusal.message.description)
        last.retryAfter = refusal.retryAfter
        last.isFatal = true
        count(refusal.code)
        send(.error(last), to: connection)
        environment.close(connection)
    }

    /// A whole line has come.
    public func received(_ line: UnsafeBufferPointer<UInt8>, from connection: ConnectionID, at now: Int64) {
        if let session = sessions[connection] { received(line, from: session, at: now) }
    }

    /// A whole line has come from a connection that is here.
    func received(_ line: UnsafeBufferPointer<UInt8>, from session: Session, at now: Int64) {
        guard session.goodbye == nil else { return }
        session.heard = now
        session.pinged = nil
        if case .refused(let wait) = session.requests.take(of: configuration.requests, at: now) {
            return slowDown(session, Request(line: line, isPedantic: false), retryAfter: wait)
        }
        if session.paid > 0 { session.paid &-= 1 } else if !pay(for: session, line) { return }
        // A blank line is ignored, but it counts: reading it costs as much as reading a request.
        guard !line.isEmpty else {
            if session.account != nil || admitStranger(.unreadable, session) { session.refusedInARow = 0 }
            return
        }
        take(line, from: session, at: now, hops: 0)
    }

    /// Too many requests: refused, and who does not stop then is sent away.
    func slowDown(_ session: Session, _ request: Request, retryAfter wait: Int64) {
        session.refusedInARow += 1
        guard session.refusedInARow <= Int(configuration.requests.burst) else {
            return dismiss(session.connection, .rateLimited, "Too many requests, and more after that was said.")
        }
        // A pong is never answered.
        if request.message == .success(.pong) { return }
        refuse(request, CasinoRefusal.rateLimited(retryAfter: Int(wait)), session)
    }

    /// A line longer than allowed is coming: where the next one starts can't be known any more.
    public func receivedTooLongLine(from connection: ConnectionID) {
        guard let session = sessions[connection], session.goodbye == nil else { return }
        refuse(.unreadable, ProtocolError.lineTooLong(limit: configuration.requestBytes), session)
    }

    /// A peer has taken everything that waited for it.
    public func drained(_ connection: ConnectionID, at now: Int64) {
        guard let session = sessions[connection], let host = session.watching else { return }
        host.resume(session, at: now)
        // The last of a table that has closed meanwhile.
        if host.table.phase == .closed, !isDraining { letViewersGo(host) }
    }

    /// The peer is gone. The player's seat and chips are kept for a while.
    /// - Parameter reason: why, as far as the connection knows.
    public func disconnected(_ connection: ConnectionID, because reason: DisconnectReason = .peerClosed, at now: Int64) {
        self.now = now
        guard let session = sessions.removeValue(forKey: connection) else { return }
        house.exit(session.budget)
        giveBack(session)
        house.metrics.disconnects[session.goodbye ?? reason].add()
        environment.remind(.connection(connection), at: nil)
        stopWatching(session)
        guard let account = session.account else { return }
        session.account = nil
        account.session = nil
        // Who has neither a seat nor won or lost a chip leaves nothing behind that is worth keeping a name for.
        if account.table == nil && account.chips == account.firstChips { return close(account) }
        account.heldUntil = now + configuration.awayMilliseconds
        environment.remind(.player(account.id), at: account.heldUntil)
        noteAway(account)
        if let host = account.table {
            try? host.perform(.disconnected(player: account.id), at: now)
            publish(host)
        }
        // A ban by the host ends what the address holds; one by the server itself does not reach those who have logged in.
        if session.goodbye == .banned { evict(account.id, at: now) }
    }

    /// The moment of a reminder has come.
    public func remind(_ reminder: Reminder, at now: Int64) {
        self.now = now
        switch reminder {
        case .table(let index):
            guard let host = host(at: index) else { return }
            host.wasReminded()
            tick(host, at: now)
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
                send(.ping(time: now), to: connection)
            }
        }
        scheduleSilence(of: session)
    }

    /// Has the next look at a connection taken when something about its silence is due.
    func scheduleSilence(of session: Session) {
        var due = session.heard + configuration.idleMilliseconds
        if session.heartbeat > 0 { due = min(due, (session.pinged ?? session.heard) + session.heartbeat) }
        environment.remind(.connection(session.connection), at: due)
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
        guard let host = account.table else { return close(account) }
        // What the player has bet is dealt and settled first; whoever comes back meanwhile keeps the seat.
        try? host.perform(.release(player: id), at: now)
        publish(host)
    }

    /// Runs what is due at a table.
    func tick(_ host: TableHost, at now: Int64) {
        try? host.perform(.tick, at: now)
        publish(host)
    }

    func send(_ message: ServerMessage, to connection: ConnectionID) { environment.send(message.encoded(), to: connection) }
}

/// Bytes in digits of base 16.
func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
