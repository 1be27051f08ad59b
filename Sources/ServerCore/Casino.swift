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
    var accounts: [PlayerID: Account] = [:]
    /// Negative by the chips that were issued here, and by those that came with players from other loops.
    var bank = 0
    var sessions: [ConnectionID: Session] = [:]
    /// This loop's tables: every ``House/loops``th of all.
    let hosts: [TableHost]
    /// Tables that may look otherwise in the lobby than it says.
    var lobbyChanges: Set<Int> = []
    /// What those who follow the lobby here have been told.
    var toldLobby: Lobby
    var isLobbyScheduled = false
    package var isDraining = false
    /// The moment of what is going on, in milliseconds.
    var now: Int64 = 0
    /// Memory for replies.
    var scratch: [UInt8] = []
    /// Told of each revision of each table as it is sent: for those who judge the house from within the package.
    package var onPublish: ((_ table: String, _ revision: Int, TableSnapshot) -> Void)?

    var configuration: CasinoConfiguration { house.configuration }

    /// - Parameter environment: outlives the casino.
    public init(house: House, loop: Int = 0, environment: any Environment) {
        self.house = house
        self.loop = loop
        self.environment = environment
        toldLobby = house.lobby
        let pace = Pace(settledMilliseconds: house.configuration.settledMilliseconds)
        hosts = house.configuration.tables.enumerated().compactMap { index, setting in
            guard house.loop(ofTable: index) == loop else { return nil }
            return TableHost(
                setting, index: index, table: Table(rules: setting.rules, pace: pace),
                epoch: hexadecimal(environment.randomBytes(4)), environment: environment)
        }
        for host in hosts { host.onFacts = { [unowned self, unowned host] in book($0, at: host) } }
    }

    /// A casino that is the whole house.
    public convenience init(configuration: CasinoConfiguration, environment: any Environment) {
        self.init(house: House(configuration: configuration), environment: environment)
    }

    /// A peer has connected: it is greeted, or sent away when the house is full.
    public func connected(_ connection: ConnectionID, at now: Int64) {
        self.now = now
        guard house.enter() else {
            var refusal = Refusal(id: nil, type: nil, CasinoRefusal.serverFull)
            refusal.isFatal = true
            send(.error(refusal), to: connection)
            environment.close(connection)
            return
        }
        sessions[connection] = Session(connection: connection, outlet: environment.outlet(of: connection), heard: now)
        environment.remind(.connection(connection), at: now + configuration.loginMilliseconds)
        let hello = Hello(
            server: configuration.serverName, time: now, idleSeconds: Int(configuration.idleMilliseconds / 1000),
            isDraining: isDraining)
        send(.hello(hello), to: connection)
    }

    /// A whole line has come.
    public func received(_ line: UnsafeBufferPointer<UInt8>, from connection: ConnectionID, at now: Int64) {
        guard let session = sessions[connection] else { return }
        session.heard = now
        session.pinged = nil
        take(line, from: session, at: now, hops: 0)
    }

    /// A line longer than allowed is coming: where the next one starts can't be known any more.
    public func receivedTooLongLine(from connection: ConnectionID) {
        guard sessions[connection] != nil else { return }
        send(.error(Refusal(id: nil, type: nil, ProtocolError.lineTooLong(limit: WireLimits.requestBytes))), to: connection)
        environment.close(connection)
    }

    /// A peer has taken everything that waited for it.
    public func drained(_ connection: ConnectionID) {
        guard let session = sessions[connection] else { return }
        session.watching?.resume(session)
    }

    /// The peer is gone. The player's seat and chips are kept for a while.
    public func disconnected(_ connection: ConnectionID, at now: Int64) {
        self.now = now
        guard let session = sessions.removeValue(forKey: connection) else { return }
        house.exit()
        environment.remind(.connection(connection), at: nil)
        stopWatching(session)
        guard let account = session.account else { return }
        session.account = nil
        account.session = nil
        // Who has neither a seat nor won or lost a chip leaves nothing behind that is worth keeping a name for.
        if account.table == nil && account.chips == configuration.startingChips { return close(account) }
        account.heldUntil = now + configuration.holdMilliseconds
        environment.remind(.player(account.id), at: account.heldUntil)
        if let host = account.table {
            try? host.perform(.disconnected(player: account.id), at: now)
            publish(host)
        }
    }

    /// The moment of a reminder has come.
    public func remind(_ reminder: Reminder, at now: Int64) {
        self.now = now
        switch reminder {
        case .table(let index):
            hosts[index / house.loops].wasReminded()
            tick(hosts[index / house.loops], at: now)
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

    private func expire(_ id: PlayerID, at now: Int64) {
        guard let account = accounts[id], account.session == nil, account.heldUntil <= now else { return }
        account.isExpired = true
        guard let host = account.table else { return close(account) }
        try? host.perform(.leave(player: id), at: now)
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
