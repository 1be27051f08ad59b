import Fairness
import Records
import Sockets
import TableEngine
import TableModel
import Wire

/// The server's state: tables, connections, players and their names, budgets and bans of addresses. Inputs: lines, time,
/// randomness. Output: lines, timers, records and log events, through its ``Environment``. The shard does no I/O, so tests and
/// the simulator run the real one.
///
/// A shard is confined to its loop and has no lock. Other threads reach it by a message to the loop (``LoopConfined``), and it
/// reaches them by questions to its environment, whose answers come back as later calls. Every call carries the time as `now`;
/// the shard reads no clock.
///
/// Invariant: `bank`, all accounts, the chips and bets at the tables and the house's winnings add up to 0 after every call.
/// Each change of chips is a table's fact or an account's record, and is recorded in the call that makes it, before any line
/// that tells of it is sent. Lines and records of a call leave together, once the records are durable (``TickRecords``), so no
/// client learns of a change that a crash can undo.
///
/// An account is in one of three places: resident (in `accounts`, with a session or a seat), dormant (in `dormant`), or on the
/// way to another partition (with the ``RegistryClient``). A name belongs to at most one of them.
public final class Shard {
    /// The server's metrics.
    let metrics: Metrics
    /// nil for a house of one server.
    let registryClient: RegistryClient?
    unowned let environment: any Environment  // owns the shard and is its only caller
    // No exclusive access checks on state of every line: one loop, and no access spans a call to foreign code.
    @exclusivity(unchecked) var accounts: [PlayerID: Account] = [:]
    var names = NameIndex<PlayerID>()
    var dormant = AccountStore()
    /// Residents without a connection.
    var away = AwayPlayers()
    var lastID: UInt64 = 0
    /// Accounts with a secret, resident and dormant.
    var openAccounts = 0
    /// The bank's balance: minus the chips issued.
    var bank = 0
    var admission: AddressTable
    var budgets: AddressBudgets
    var banList: BanList
    var usedBudgets = UsedBudgets()
    /// Rate limit on moves of guests to other servers.
    var guestJourneys = TokenBucket()
    var sessions: [ConnectionID: Session] = [:]
    /// The tables. Constant after the start.
    @exclusivity(unchecked) private(set) var hostedTables: [HostedTable] = []
    /// Tables without a pass phrase, and those of them with a free seat.
    private var openTables = TableSet()
    private var freeTables = TableSet()
    /// Totals of tables closed by earlier starts: the house's winnings and the rounds begun.
    var formerTables = (houseNet: 0, rounds: 0)
    /// Tables whose lobby entry may have changed.
    var lobbyChanges: Set<Int> = []
    var lobby: Lobby
    var owners = TableOwners()
    /// Tables that their owners have paused.
    var pausedTables: Set<Int> = []
    var leaderboard = Leaderboard()
    var careers = CareerRanking()
    /// Proofs of tables closed by earlier starts, oldest first.
    var formerProofs: [FormerProofs] = []
    /// Messages for players whose table this start has closed, until they log in.
    var startNotices: [PlayerID: String] = [:]
    /// The lobby last sent to followers.
    var sentLobby: Lobby
    /// Rate limit on lobby updates that a client's request triggers early.
    var lobbiesHurried = TokenBucket()
    var isLobbyScheduled = false
    package var isDraining = false
    /// Chips of open bets returned by the stopping server.
    var returnedChips: [PlayerID: Int] = [:]
    /// Time of the current input, in milliseconds.
    var now: Int64 = 0
    /// Scratch buffers shared by the tables.
    private let scratch = TableScratch()
    /// Rate limit on log lines about failures; suppressed ones are counted in `failuresUnlogged`.
    var failuresLogged = TokenBucket()
    var failuresUnlogged = 0
    /// Buffer for the current reply.
    @exclusivity(unchecked) var replyBuffer: [UInt8] = []

    @exclusivity(unchecked) let configuration: ShardConfiguration
    /// - Parameters:
    ///   - bans: the configuration's.
    ///   - environment: must outlive the shard.
    ///   - restart: the state to continue.
    ///   - now: milliseconds since 1970.
    init(
        _ configuration: ShardConfiguration, bans: Set<AddressBlock> = [], metrics: Metrics = Metrics(),
        registryClient: RegistryClient? = nil, environment: any Environment, restart: Restart? = nil, at now: Int64 = 0
    ) {
        let configuration = configuration.bounded
        (self.configuration, self.metrics, self.registryClient, self.now) = (configuration, metrics, registryClient, now)
        self.environment = environment
        admission = AddressTable(
            capacity: configuration.maximumConnections, capacityPerAddress: configuration.maximumConnectionsPerAddress)
        budgets = AddressBudgets(configuration.addresses)
        banList = BanList(configured: bans)
        lobby = Lobby(configuration.tables, partition: registryClient?.registry.partition ?? 0)
        sentLobby = lobby
        metrics.accountsLimit.set(configuration.maximumAccounts)
        registryClient?.publish(lobby.ownTables)
        if let restart { restore(restart) }
        for (index, setting) in configuration.tables.enumerated() {
            let table = makeTable(setting, index, from: restart?.state)
            hostedTables.append(table)
            if table.isPaused { pausedTables.insert(index) }
            noteSeats(of: table)
            // The lobby list was made from the configuration, which an owner may have overruled.
            if table.owner != nil || table.pass != setting.pass { listingChanged(table) }
        }
        if let restart { restorePlayers(restart) }
    }

    /// - Parameter state: holds the table's state if it was open before the last start.
    func makeTable(
        _ setting: ShardConfiguration.TableSetting, _ index: Int, from state: SavedState? = nil
    ) -> HostedTable {
        let pace = configuration.pace
        let saved = state?.tables[setting.name]
        let decisions = takeDecisions(setting)
        if saved == nil {
            let pass = decisions?.phrase.map(\.pass) ?? setting.pass
            environment.record(.opened(table: setting.name, rules: setting.rules, pace: pace, pass: pass, time: now))
        }
        return HostedTable(
            setting, index: index, table: saved?.table ?? Table(rules: setting.rules, pace: pace),
            epoch: environment.randomBytes(4).hex, scratch: scratch, metrics: metrics,
            owner: owners.owner(of: setting.name), decisions: decisions, at: now, in: environment
        )
    }

    public convenience init(configuration: ShardConfiguration, environment: any Environment) {
        self.init(configuration, environment: environment)
    }

    /// Handles a new connection: sends `hello`, or an error and closes.
    /// - Parameter address: the remote address; nil for a peer without one.
    public func connected(_ connection: ConnectionID, from address: IPAddress? = nil, at now: Int64) {
        self.now = now
        guard let session = admit(connection, from: address) else { return }
        let requests = configuration.requests
        var limits = Hello.Limits(
            requestsPerSecond: max(1, Int(requests.count * 1000 / requests.milliseconds)), burst: Int(requests.burst))
        limits.line = configuration.requestBytes
        let hello = Hello(
            server: configuration.serverName, house: configuration.house ?? Hello.unnamedHouse, time: now,
            idleSeconds: Int(configuration.idleMilliseconds / 1000), limits: limits,
            isDraining: isDraining, givesRebuys: (configuration.rebuyChips ?? configuration.startingChips) > 0)
        session.sender.sendAhead(ServerMessage.hello(hello).encoded())
    }

    private func admit(
        _ connection: ConnectionID, from address: IPAddress?, by introduction: RelayIntroduction? = nil
    ) -> Session? {
        do throws(AddressTable.Refusal) {
            let budget = try admitConnection(from: address, isNew: introduction == nil)
            return begin(connection, from: address, budget, by: introduction)
        } catch {
            turnAway(connection, error, isRelayed: introduction != nil)
            return nil
        }
    }

    /// Admits and counts a connection.
    /// - Returns: the key of its budget; nil for a trusted address and for a peer without one.
    /// - Throws: the reason to refuse it.
    private func admitConnection(from address: IPAddress?, isNew: Bool) throws(AddressTable.Refusal) -> IPAddress? {
        // Bans apply to trusted addresses, too.
        if let address, banList.bans(address, at: now) { throw .banned }
        let key = address.flatMap { budgets.key(of: $0) }
        if isNew, case .refused(let wait) = budgets.take(.connect, key, at: now) { throw .tooFast(retryAfter: wait) }
        try admission.admit(key)
        metrics.connections.add(1)
        return key
    }

    /// - Parameter budget: of a connection that has ended.
    func releaseConnection(_ budget: IPAddress?) {
        admission.release(budget)
        metrics.connections.add(-1)
    }

    private func begin(
        _ connection: ConnectionID, from address: IPAddress?, _ budget: IPAddress?, by introduction: RelayIntroduction?
    ) -> Session {
        let deadline = now + min(introduction?.timeToLogIn ?? .max, configuration.loginMilliseconds)
        let session = Session(
            connection: connection, sender: environment.sender(for: connection), address: address, budget: budget, heard: now,
            loginDeadline: deadline)
        sessions[connection] = session
        environment.setTimer(.connection(connection), at: deadline)
        if let introduction { goOn(session, introduction) }
        return session
    }

    /// - Parameter isRelayed: whether another server relays the client: that server answers.
    private func turnAway(_ connection: ConnectionID, _ reason: AddressTable.Refusal, isRelayed: Bool) {
        let (cause, refusal): (String, Rejection) =
            switch reason {
            case .full: ("full", .connectionsFull)
            case .tooManyFromAddress: ("too_many_from_address", .tooManyConnections(retryAfter: 10_000))
            case .tooFast(let wait): ("too_fast", .tooManyConnections(retryAfter: Int(wait)))
            case .banned: ("banned", .banned)
            }
        metrics.refusedConnections.count(cause)
        // The operator can make room; the others are the limits' daily work.
        let level: LogLevel = reason == .full ? .info : .debug
        environment.log(level, "turned_away", ["conn": connection, "reason": cause])
        metrics.errors.count(refusal.code.rawValue)
        let sender = environment.sender(for: connection)
        if !isRelayed { sender.send(ServerMessage.error(Refusal(id: nil, type: nil, refusal)).encoded()) }
        sender.close()
    }

    /// Handles a line, without its newline.
    /// - Returns: whether a bet or a decision was applied.
    @discardableResult
    public func received(_ line: UnsafeBufferPointer<UInt8>, from connection: ConnectionID, at now: Int64) -> Bool {
        sessions[connection].map { received(line, from: $0, at: now) } ?? false
    }

    func received(_ line: UnsafeBufferPointer<UInt8>, from session: Session, at now: Int64) -> Bool {
        guard !session.isClosing else { return false }
        self.now = now
        session.heard = now
        guard session.answered == nil else { return receivedOnceMore(line, from: session) }
        // Over a limit, too: a later line may be within it.
        if session.account == nil, Self.isOfBrowser(line) {
            refuse(.unreadable, Rejection.webRequest, session)
            return false
        }
        if case .refused(let wait) = session.requests.take(of: configuration.requests, at: now) {
            throttle(session, Request(line: line, isPedantic: false), retryAfter: wait)
            return false
        }
        if session.paid > 0 { session.paid &-= 1 } else if !pay(for: session, line) { return false }
        // A blank line is ignored but charged: reading it costs as much as a request.
        guard !line.isEmpty else {
            if session.account != nil || admitStranger(.unreadable, session) { session.refusedInARow = 0 }
            return false
        }
        let request = Request(line: line, isPedantic: session.isPedantic)
        // Charged before any lookup.
        if session.account == nil, !admitStranger(request, session) { return false }
        session.refusedInARow = 0
        return answer(request, from: session)
    }

    /// A web page has a browser send any lines behind `POST / HTTP/1.1` (RFC 9112, §3), or within a session ticket behind the first byte of TLS
    /// (RFC 8446, §5.1), even from a trusted address. No JSON object has this end or start.
    private static func isOfBrowser(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        line.first == 0x16
            || line.last.map((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) == true
                && line.suffix(9).starts(with: " HTTP/".utf8)
    }

    /// Refuses a request over the rate limit; disconnects a client that keeps sending.
    func throttle(_ session: Session, _ request: Request, retryAfter wait: Int64) {
        session.refusedInARow += 1
        guard session.refusedInARow <= Int(configuration.requests.burst) else {
            return dismiss(session.connection, .rateLimited, "Too many requests despite a warning.")
        }
        refuse(request, Rejection.rateLimited(retryAfter: Int(wait)), session)
    }

    /// Handles a line longer than allowed: refuses it and closes, since the start of the next line is unknown.
    func receivedTooLongLine(from connection: ConnectionID) {
        guard let session = sessions[connection], !session.isClosing else { return }
        refuse(.unreadable, Rejection(ProtocolError.lineTooLong(limit: configuration.requestBytes)), session)
    }

    /// Handles that the peer has read everything queued for it.
    public func drained(_ connection: ConnectionID, at now: Int64) {
        self.now = now
        guard let session = sessions[connection], let table = session.watching else { return }
        table.resume(session)
    }

    /// Handles the end of a connection. The player's seat is kept for ``ShardConfiguration/awayMilliseconds``; a guest's is given up.
    public func disconnected(_ connection: ConnectionID, at now: Int64) {
        self.now = now
        guard let session = sessions.removeValue(forKey: connection) else { return }
        releaseConnection(session.budget)
        refund(session)
        environment.setTimer(.connection(connection), at: nil)
        if let answered = session.answered { drop(answered.answer) }
        stopWatching(session)
        guard let account = session.account else { return }
        environment.log(.info, "gone", session.logFields(of: account))
        session.account = nil
        (account.session, account.isBrief) = (nil, session.isBrief)
        ownerChanged(account.id, isHere: false)
        // Frees the name.
        if account.table == nil, !account.lasts { return close(account) }
        guard !account.state.isGuest else { return giveUpSeat(of: account) }
        becomeAway(account)
        // A ban by the host evicts the player.
        if session.isBanned { evict(account.id, at: now) }
    }

    /// Keeps an absent player's seat for a while.
    private func becomeAway(_ account: Account) {
        // Time of a pause that has passed so far is not for this player.
        if let table = account.table, table.isPaused { perform(.tick, at: table, now) }
        account.heldUntil = now + configuration.awayMilliseconds
        environment.setTimer(.player(account.id), at: account.heldUntil)
        noteAway(account)
        if let table = account.table {
            perform(.disconnected(player: account.id), at: table, now)
            table.publish()
        }
    }

    /// Gives up a guest's seat: the bets are settled by the table's rules, then the seat is freed and the account closed.
    func giveUpSeat(of account: Account) {
        account.isExpired = true
        guard let table = account.table else { return }
        perform(.disconnected(player: account.id), at: table, now)
        // Refused if the player was leaving already.
        perform(.release(player: account.id), at: table, now)
        table.publish()
    }

    /// Handles a timer.
    func timerFired(_ timer: TimerID, at now: Int64) {
        self.now = now
        switch timer {
        case .table(let index):
            let table = hostedTables[index]
            table.timerFired()
            endPauseIfOver(table)
            tick(table, at: now)
        case .connection(let connection): checkSilence(of: connection, at: now)
        // In a pause seats are kept.
        case .player(let id): if accounts[id]?.table?.isPaused != true { expire(id, at: now) }
        case .lobby: publishLobby()
        case .careers: rankCareers()
        }
    }

    private func checkSilence(of connection: ConnectionID, at now: Int64) {
        guard let session = sessions[connection] else { return }
        // A paused player has no account until the registry answers, within seconds.
        if let line = session.paused, line.request == nil || line.destination != nil {
            return environment.setTimer(.connection(connection), at: now + 2 * RegistryClient.deadline)
        }
        // The login deadline is not extended by input: it bounds how long an unauthenticated client holds a connection.
        guard session.account != nil else {
            guard session.loginDeadline <= now else {
                return environment.setTimer(.connection(connection), at: session.loginDeadline)
            }
            return dismiss(connection, .loginTimeout, "No login was received in time.")
        }
        guard silenceDeadline(of: session) > now else {
            return dismiss(connection, .idle, "Nothing was received for too long.")
        }
        scheduleSilence(of: session)
    }

    private func silenceDeadline(of session: Session) -> Int64 {
        session.heard + min(session.silence > 0 ? session.silence : .max, configuration.idleMilliseconds)
    }

    /// Arms the timer that ends the connection if no line arrives in time.
    func scheduleSilence(of session: Session) {
        environment.setTimer(.connection(session.connection), at: silenceDeadline(of: session))
    }

    /// Ends the residence of an absent player before its time is over.
    func evict(_ id: PlayerID, at now: Int64) {
        accounts[id]?.heldUntil = now
        accounts[id]?.isExpected = false
        expire(id, at: now)
    }

    private func expire(_ id: PlayerID, at now: Int64) {
        self.now = now
        guard let account = accounts[id], account.session == nil else { return }
        // The deadline was extended: re-arms.
        guard account.heldUntil <= now else { return environment.setTimer(.player(id), at: account.heldUntil) }
        guard !account.isExpected else {
            account.isExpected = false
            return becomeAway(account)
        }
        account.isExpired = true
        guard let table = account.table else { return retire(account) }
        // Bets are settled first; a player who returns before that keeps the seat.
        perform(configuration.absentLeave ? .leave(player: id) : .release(player: id), at: table, now)
        table.publish()
    }

    /// Gives up every seat without a connection: see ``ShardConfiguration/absentLeave``.
    func releaseAbsent() {
        for table in hostedTables {
            for player in table.engine.playerViews {
                guard let account = accounts[player.id], account.session == nil else { continue }
                account.isExpired = true
                perform(.leave(player: player.id), at: table, now)
            }
            table.publish()
        }
    }

    /// Runs a table's command and applies its facts to accounts, lobby, results and metrics, including those of time-outs that a refused
    /// command triggered.
    @discardableResult
    func perform(_ command: Command, at table: HostedTable, _ now: Int64) -> HostedTable.Step {
        let wasPaused = table.isPaused
        let step = table.step(command, at: now, in: environment)
        var (isDealt, isCounted) = (false, false)
        for fact in step.facts {
            switch fact {
            case .roundStarted:
                metrics.rounds.add()
                // Once per record, as in replay, and before players leave.
                if !isDealt { notePlayed(at: table) }
                isDealt = true
            case .roundEnded:
                // Of all rounds that ended with this command, before players leave.
                if !isCounted { count(step.results, at: table) }
                isCounted = true
                keepResults(of: table, step.facts)
            case .settled(_, _, let outcome, _, _): metrics.hands.count(outcome.name)
            case .stood(_, _, .timedOut), .declined(_, timedOut: true): metrics.timeouts.add()
            case .attemptVoided: metrics.voidAttempts.add()
            case .postponed(let milliseconds) where wasPaused: holdSeats(at: table, for: milliseconds)
            case .sat(let id, _, _, _): move(id, by: fact, at: table)?.table = table
            case .left(let id, let chips): if let account = move(id, by: fact, at: table) { left(table, account, with: chips) }
            // Neither counted nor a move of chips between account and table.
            default: break
            }
        }
        // A table that closes waits for nobody.
        if wasPaused, !table.isPaused { pauseEnded(at: table) }
        return step
    }

    /// Runs a table's due events.
    func tick(_ table: HostedTable, at now: Int64) {
        perform(.tick, at: table, now)
        table.publish()
    }

    // MARK: Partitions

    /// Finds the partition that handles a request of a player without a seat.
    /// - Throws: a ``RemoteDependency`` unless it is this one.
    func checkPartition(of message: ClientMessage, from session: Session) throws(RemoteDependency) {
        guard let registryClient, let account = session.account, account.table == nil else { return }
        var partition: Int?
        let table = message.tableNamed
        switch message {
        // Otherwise two full servers could send a player back and forth, since each has a stale view of the other.
        case .sit(nil, _, _, _) where session.watching == nil && anyFree(for: account) == nil && !session.hasJustArrived:
            partition = registryClient.partitionWithFreeSeat
        // Answered here while a table is watched: moving the connection would end that.
        case .proof where session.watching != nil: break
        // At the named table, wherever it is.
        default: if let table, lobby.indices[table] == nil { partition = registryClient.partition(ofTable: table) }
        }
        if let partition { throw .partition(partition) }
        if let table, lobby[table] == nil, session.answered == nil { throw .registry(.tables) }
    }

    /// Relays a connection to the owner of another partition, with the current line and all input after it.
    /// - Parameter ticket: claims the player's departed account; nil before the login.
    func relay(_ session: Session, to partition: Int, ticket: [UInt8]? = nil) {
        stopWatching(session)
        refund(session)
        sessions[session.connection] = nil
        environment.setTimer(.connection(session.connection), at: nil)
        var introduction = RelayIntroduction(key: environment.randomBytes(RelayIntroduction.secretLength))
        introduction.timeToLogIn = max(0, session.loginDeadline - now)
        introduction.options = session.options
        introduction.followsLobby = session.followsLobby
        introduction.ticket = ticket
        introduction.loginName = session.loginName
        session.part()
        environment.relay(session.connection, to: partition, introduction)
    }

    /// Handles a connection that another server relays. It counts here as well, but is not new.
    func connected(_ connection: ConnectionID, from address: IPAddress?, by introduction: RelayIntroduction, at now: Int64) {
        self.now = now
        _ = admit(connection, from: address, by: introduction)
    }

    /// Handles the return of a relayed connection, which still counts here.
    func returned(_ connection: ConnectionID, _ relayed: RelayedConnection, at now: Int64) {
        self.now = now
        _ = begin(connection, from: relayed.address, relayed.budget, by: relayed.introduction)
    }

    /// Restores the session's state on the other server from its introduction.
    private func goOn(_ session: Session, _ introduction: RelayIntroduction) {
        session.options.take(introduction.options)
        (session.loginName, session.followsLobby) = (introduction.loginName, introduction.followsLobby)
        if session.followsLobby { scheduleLobby() }
        if let ticket = introduction.ticket { claim(ticket, for: session) }
    }

    /// Refuses a line whose partition's owner was not reached.
    func refuseElsewhere(_ line: UnsafeBufferPointer<UInt8>, from connection: ConnectionID, at now: Int64) {
        self.now = now
        guard let session = sessions[connection] else { return }
        let request = Request(line: line, isPedantic: session.isPedantic)
        if session.paused != nil { session.paused?.refused = request } else { refuseForNow(request, session) }
    }

    // MARK: Seats

    /// A table without a pass phrase, with a free seat, from which the player was not sent away.
    private func anyFree(for account: Account) -> HostedTable? {
        freeTables.first { hostedTables[$0].sentAway.wait(of: account.id, at: now) == nil }.map { hostedTables[$0] }
    }

    /// A table with a free seat; otherwise the first one, whose refusal says why.
    func anyTable(for account: Account) throws(Rejection) -> HostedTable {
        let first = openTables.first { _ in true }.map { hostedTables[$0] }
        guard let table = anyFree(for: account) ?? first ?? hostedTables.first else { throw .noSuchTable }
        return table
    }

    func noteSeats(of table: HostedTable) {
        openTables.set(table.index, table.pass == nil)
        freeTables.set(table.index, table.pass == nil && table.freeSeats > 0)
    }

    // MARK: Budgets

    // Logged-in sessions prepay 32 requests at a time, so most lines only decrement a counter.

    /// Requests prepaid beyond the current one.
    private static let advance = 31

    /// Charges a logged-in session's address for a request and an advance. `admitStranger` charges unauthenticated connections.
    /// - Returns: false if the request was refused.
    func pay(for session: Session, _ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard session.account != nil else { return true }
        guard case .refused(let wait) = charge(1, session) else { return true }
        throttle(session, Request(line: line, isPedantic: false), retryAfter: wait)
        return false
    }

    /// Charges an unauthenticated request to its address and to the total of all such connections.
    /// - Returns: false if the request was refused.
    func admitStranger(_ request: Request, _ session: Session) -> Bool {
        let verdict: AddressBudgets.Verdict
        if case .success(.login) = request.message {
            verdict = take(.logIn, session.budget)
        } else {
            let extra = if case .success(let message) = request.message { extraPrice(of: message, session) } else { 0 }
            verdict = budgets.ask(session.budget, price: 1 + extra, advance: 0, isStranger: true, at: now).verdict
        }
        guard case .refused(let wait) = verdict else { return true }
        throttle(session, request, retryAfter: wait)
        return false
    }

    /// Units beyond the first that a connection may spend on its own: some 50 KiB of answers a second.
    static let ownExtras = RateLimit.perSecond(50, burst: 500)

    /// Charges an expensive request for units beyond the first, before any work.
    func payExtra(_ message: ClientMessage, for session: Session) throws(Rejection) {
        try pay(extraPrice(of: message, session), session)
    }

    /// Charges a move to a table of another server: two registry commits, and records at both servers.
    func payJourney(_ session: Session) throws(Rejection) { try pay(100, session) }

    /// Charges the connection of a seated or trusted player, and the address of others, so that a flood from the same network does not block
    /// players.
    private func pay(_ price: Int, _ session: Session) throws(Rejection) {
        guard price > 0 else { return }
        let paysAlone = session.budget == nil || session.account?.table != nil
        // `admitStranger` has charged the address.
        guard paysAlone || session.account != nil else { return }
        let price = min(price, Int(Self.ownExtras.burst))
        let verdict = paysAlone ? session.extras.take(price, of: Self.ownExtras, at: now) : charge(price, session)
        guard case .refused(let wait) = verdict else { return }
        throw .rateLimited(retryAfter: Int(wait))
    }

    /// Charges a logged-in session.
    private func charge(_ price: Int, _ session: Session) -> AddressBudgets.Verdict {
        if session.paid >= price {
            session.paid -= price
            return .granted
        }
        // A seated player pays nothing from the address's budget: the rate limit and the number of seats bound them.
        guard let budget = session.budget, session.account?.table == nil else {
            session.paid = Self.advance
            session.hasPaid = false
            return .granted
        }
        let owed = price - session.paid
        let (paid, verdict) = budgets.ask(budget, price: owed, advance: Self.advance, isStranger: false, at: now)
        guard verdict == .granted else { return verdict }
        session.paid += paid - price
        session.hasPaid = true
        return .granted
    }

    /// Cost of a request beyond one unit: about 10 µs of work or a KiB of answer each. Known from the request, without work.
    private func extraPrice(of message: ClientMessage, _ session: Session) -> Int {
        switch message {
        case .available(let name): name.utf8.count > name.unicodeScalars.count ? 3 : 0
        case .lobby(_, table: nil): 1 + sentLobby.listing.bytes / 1024
        case .standings(.evening): 4 + leaderboard.results.count / 250
        // At most a slice of the ranking.
        case .standings(.career), .standings(.match): 10
        // The digest of the rules is computed for each answer.
        case .rules, .proof: 3
        // With up to 32 lines of chat.
        case .watch(_, _, let known), .sit(_, _, _, let known): known.chat == nil ? 3 : 16
        // A line of 10 kB, and a computation once per set of rules; or a computation in the background.
        case .chart, .value(turn: nil, _): 10
        case .value: 1
        // Each reads from the disk in the background.
        case .history: 30
        // To examine 200 characters beyond ASCII takes 20 µs.
        case .chat(let text, _): 1 + (session.watching?.viewers.count ?? 0) / 16 + text.utf8.count / 400
        // A line in, a short one out.
        default: 0
        }
    }

    /// Refunds prepaid requests to the address when the connection ends.
    func refund(_ session: Session) {
        guard session.hasPaid, session.paid > 0, let budget = session.budget else { return }
        budgets.giveBack(session.paid, budget)
        session.paid = 0
    }

    /// Charges player and address for a line of chat.
    func payChat(_ account: Account, _ session: Session, isReaction: Bool) throws(Rejection) {
        var reactions = account.budgets.reactions
        if isReaction, case .refused(let wait) = reactions.take(of: Self.reactions, at: now) {
            throw .rateLimited(retryAfter: Int(wait))
        }
        let verdict = budgets.talk(&account.budgets.chat, of: configuration.chat, session.budget, at: now)
        if case .refused(let wait) = verdict { throw .rateLimited(retryAfter: Int(wait)) }
        account.budgets.reactions = reactions
    }

    /// Rate limit of a player's reactions.
    private static let reactions = RateLimit.perMinute(12, burst: 3)

    /// Charges the address for a new account.
    func payClaim(_ session: Session) throws(Rejection) {
        guard case .refused(let wait) = take(.claim, session.budget) else { return }
        throw .newAccountsLimited(retryAfter: Int(wait))
    }

    private func take(_ activity: AddressBudgets.Activity, _ budget: IPAddress?) -> AddressBudgets.Verdict {
        budgets.take(activity, budget, at: now)
    }

    // MARK: Secrets

    /// Refuses to check a secret during the delay after earlier failures of the address.
    func mayShowSecret(_ session: Session) throws(Rejection) {
        guard let budget = session.budget else { return }
        guard let wait = budgets.delay(budget, at: now) else { return }
        throw .guessesLimited(retryAfter: wait)
    }

    /// Counts a wrong secret, and logs it at a limited rate.
    /// - Parameter key: of the field that says of whom or what.
    func wrongSecret(_ event: StaticString, of key: StaticString = "name", _ name: String, _ session: Session) {
        let failure = budgets.fail(session.budget, at: now)
        guard failuresLogged.take(of: .perSecond(2, burst: 20), at: now) == .granted else {
            failuresUnlogged += 1
            return
        }
        environment.log(
            .info, event,
            [
                "conn": session.connection, "address": session.address?.description ?? "-",
                key: name, "failures": failure.count, "delay_ms": failure.delay, "unlogged": failuresUnlogged,
            ])
        failuresUnlogged = 0
    }
}

extension ClientMessage {
    /// The table that a request about a table names, here or at another server.
    fileprivate var tableNamed: String? {
        switch self {
        case .sit(let table, _, _, _), .watch(let table, _, _), .proof(let table, _, _): table
        // About the house, or about the table where the player is.
        default: nil
        }
    }
}
