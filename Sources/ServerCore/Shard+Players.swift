import Fairness
import Records
import Rules
import TableEngine
import TableModel
import Wire

/// Facts, and their effect on accounts, lobby and results.
extension Shard {
    // MARK: Facts

    func left(_ table: HostedTable, _ account: Account, with chips: Int) {
        (account.table, account.isKicked) = (nil, false)
        environment.log(.info, "left", ["table": table.name, "name": account.name, "chips": chips])
        if account.isExpired { retire(account) } else if account.session == nil { away.leaveSeat(account.id) }
    }

    /// Moves the chips of a player who sits down or gets up.
    func move(_ id: PlayerID, by fact: Fact, at table: HostedTable) -> Account? {
        listingChanged(table)
        guard let account = accounts[id] else { return nil }
        do { try account.state.apply(fact, at: table.name) } catch { preconditionFailure("the table has the player: \(error)") }
        return account
    }

    /// Players with a hand of the round have played.
    func notePlayed(at table: HostedTable) { for owner in table.engine.owners { accounts[owner]?.state.play(at: now) } }

    /// Counts rounds in careers and in the evening.
    func count(_ results: [PlayerRound], at table: HostedTable) {
        for result in results {
            guard let account = accounts[result.player] else { continue }
            account.state.count(result, at: now)
            leaderboard.note(
                account.id, name: account.name.text, isBot: account.state.isBot, net: result.net, best: result.bestSeat)
        }
        guard !results.isEmpty, var match = table.evening.running else { return }
        let isOver = match.count(results) { accounts[$0]?.state.personName }
        table.play(match)
        if isOver { finish(match, at: table) }
    }

    /// Records each player's result of a round with the revision that will show it.
    func keepResults(of table: HostedTable, _ facts: [Fact]) {
        let engine = table.engine
        for seat in 1...engine.rules.seats {
            guard let owner = engine.owner(seat: seat), let account = accounts[owner] else { continue }
            let chips = engine.bankroll(of: owner) ?? facts.chipsTaken(by: owner) ?? 0
            account.results.note(engine, seat: seat, chips: chips, at: table.revision + 1, table.epoch)
        }
    }
}

extension [Fact] {
    /// The chips that a player who left at the end of the round took to the account.
    fileprivate func chipsTaken(by player: PlayerID) -> Int? {
        for case .left(player, let chips) in self { return chips }
        return nil
    }
}

// MARK: - Login

/// The secrets of a login.
struct Credentials {
    var secret: AccountSecret?
    /// A code that makes the account a table's owner.
    var owner: String?
}

/// Logging in and out.
extension Shard {
    func logIn(
        _ name: PlayerName, _ credentials: Credentials, isBot: Bool, _ options: ConnectionOptions, _ session: Session
    ) throws -> LoginReply {
        guard session.account == nil else { throw Rejection.alreadyLoggedIn }
        let claim = try takeOwnerCode(credentials, of: name, session)
        let account: Account
        do {
            account = try enter(name, credentials, isBot: isBot, session)
            if claim != nil, !account.isOpen { try open(account, session) }
        } catch {
            if let unopened = session.account { close(unopened) }
            if let claim {
                owners.giveBack(claim)
                // The code's server would relay the login back here.
                if case RemoteDependency.partition = error { throw Rejection.elsewhere }
            }
            throw error
        }
        if let claim { own(claim, account) }
        session.options.take(options)
        scheduleSilence(of: session)
        environment.log(.info, "login", session.logFields(of: account))
        session.loginName = account.name.text
        session.isHouse = credentials.secret.map { opens($0, account.name) } ?? false
        if configuration.absentLeave, !session.isHouse { releaseAbsent() }
        if let table = account.table {
            declare(session)
            perform(.reconnected(player: account.id), at: table, now)
            table.publish()
        }
        return LoginReply(
            name: account.name.text, chips: account.shownChips, table: account.table?.name,
            seats: account.table?.engine.seats(of: account.id) ?? [], owner: claim?.table)
    }

    /// Notifies a player, once, that the start has closed their table.
    func tellOfClosedTable(_ session: Session) {
        guard let id = session.account?.id, let text = startNotices.removeValue(forKey: id) else { return }
        let notice = HostNotice(HostNotice.said, name: HostNotice.host, reason: text, time: now)
        session.sender.send(ServerMessage.notice(notice).encoded())
    }

    private func enter(_ name: PlayerName, _ credentials: Credentials, isBot: Bool, _ session: Session) throws -> Account {
        guard let id = player(like: name) else {
            if registryClient != nil { try ask(name, credentials, session) }
            do { return try register(name, credentials, isBot: isBot, session) } catch {
                if case .inserted(let id)? = session.answered?.answer { registryClient?.discard(id) }
                throw error
            }
        }
        guard let secret = credentials.secret else { throw Rejection.nameTaken }
        if let resident = accounts[id] { return try logInResident(resident, secret, owns: credentials.owner != nil, session) }
        return try logInDormant(name, secret, session)
    }

    /// Locates the account of a name that this server does not have.
    /// - Throws: ``RemoteDependency``, or a refusal. Returns if no account has the name.
    private func ask(_ name: PlayerName, _ credentials: Credentials, _ session: Session) throws {
        let isHost = credentials.secret.map { opens($0, name) } ?? false
        let claim = RemoteDependency.registry(.claim(name, secret: credentials.secret?.digest, isHost: isHost))
        switch session.answered?.answer {
        case .free, .inserted: return
        case .insertedMeanwhile where credentials.secret != nil: throw claim
        case .nameInUse, .insertedMeanwhile: throw Rejection.nameTaken
        case .wrongSecret(let own):
            if let secret = credentials.secret { try check(secret, false, of: own, session) }
            throw Rejection.wrongSecret
        case .disabled: throw Rejection.accountDisabled
        case .elsewhere(let partition): throw RemoteDependency.partition(partition)
        case .busy: throw Rejection.onTheWay
        case .arrives, .departed, .found, .unavailable: throw Rejection.elsewhere
        case nil:
            guard isHost || !configuration.reservedNames.contains(name) else { throw Rejection.reservedName }
            throw claim
        }
    }

    private func logInResident(
        _ known: Account, _ secret: AccountSecret, owns: Bool, _ session: Session
    ) throws(Rejection) -> Account {
        guard let digest = known.state.secret else { throw .nameTaken }
        try check(secret, opens(secret, known.name) || secret.opens(digest), of: known.name, session)
        guard !known.state.isDisabled else { throw .accountDisabled }
        // May be refused, so before the other connection is closed.
        if owns, !known.isOpen { try open(known, session) }
        away.remove(known.id)
        takeOver(known, session)
        return known
    }

    private func logInDormant(
        _ name: PlayerName, _ secret: AccountSecret, _ session: Session
    ) throws(Rejection) -> Account {
        guard let dormant = dormant.account(like: FoldedName(name)), let digest = dormant.secret else { throw .onTheWay }
        let ownName = dormant.playerName
        try check(secret, opens(secret, ownName) || secret.opens(digest), of: ownName, session)
        guard !dormant.isDisabled else { throw .accountDisabled }
        makeRoom()
        guard let account = try wake(dormant.id, ownName) else { throw .onTheWay }
        attach(account, to: session)
        return account
    }

    private func register(
        _ name: PlayerName, _ credentials: Credentials, isBot: Bool, _ session: Session
    ) throws -> Account {
        guard !isDraining else { throw Rejection.draining }
        guard isBot || !ReservedNames.bots.contains(name) else { throw Rejection.reservedName }
        if configuration.reservedNames.contains(name) {
            guard let secret = credentials.secret, opens(secret, name) else { throw Rejection.reservedName }
        }
        var given: PlayerID?
        if case .inserted(let id)? = session.answered?.answer { given = id }
        if registryClient != nil, given == nil {
            // A row in the database costs as much as an account.
            if credentials.secret != nil { try payClaim(session) }
            throw RemoteDependency.registry(.insert(name, secret: credentials.secret?.digest))
        }
        makeRoom()
        guard let id = try self.register(name, as: given) else { throw Rejection.nameTaken }
        let state = AccountState(id: id, name: name.text, isBot: isBot, secret: credentials.secret?.digest)
        let account = Account(state, firstChips: configuration.startingChips)
        accounts[id] = account
        attach(account, to: session)
        return account
    }

    /// Whether a name is reserved and the secret the host's.
    private func opens(_ secret: AccountSecret, _ name: PlayerName) -> Bool {
        guard let host = configuration.hostSecret else { return false }
        return Secret.isSame(secret.digits, host.digits) && configuration.reservedNames.contains(name)
    }

    /// The right secret is accepted at any time; only wrong ones are delayed.
    private func check(
        _ secret: AccountSecret, _ isRight: Bool, of name: PlayerName, _ session: Session
    ) throws(Rejection) {
        guard !isRight else { return }
        try mayShowSecret(session)
        wrongSecret("wrong_secret", name.text, session)
        throw .wrongSecret
    }

    /// Moves the player to a new session; the old one is closed with `replaced`.
    private func takeOver(_ account: Account, _ session: Session) {
        environment.setTimer(.player(account.id), at: nil)
        if let old = account.session {
            old.account = nil
            stopWatching(old)
            dismiss(old.connection, .replaced, "This account has logged in on another connection.")
        }
        attach(account, to: session)
    }

    /// Gives up the seat. The account becomes dormant once the player has left the table, and keeps its chips.
    func logOut(_ session: Session) throws -> Answer {
        let account = try account(session)
        stopWatching(session)
        session.account = nil
        (account.session, account.isBrief, account.isExpired) = (nil, session.isBrief, true)
        ownerChanged(account.id, isHere: false)
        let table = account.table
        if let table {
            // Refused only if the player is already leaving.
            perform(.leave(player: account.id), at: table, now)
        } else {
            retire(account)
        }
        return Answer(.done("logout")) { [self] in
            dismiss(session.connection, .loggedOut, "Goodbye.", of: account)
            if let table { table.publish() }
        }
    }

    // MARK: Players

    func watch(_ name: String?, _ pass: String?, _ known: KnownTable, _ session: Session) throws -> Answer {
        let table = try tableToWatch(name, pass, session)
        return Answer(.watch(table: table.name, missed(since: known, at: table, session))) { [self] in
            show(table, to: session, since: known)
        }
    }

    /// Fields of the reply, before the lines that bring the table: results and chat that the client has missed.
    private func missed(since known: KnownTable, at table: HostedTable, _ session: Session) -> CatchUp {
        let isSame = known.epoch == table.epoch
        let results = isSame ? known.revision.flatMap { session.account?.results.since($0, ofEpoch: table.epoch) } : nil
        return CatchUp(
            epoch: table.epoch, revision: table.describe(), results: results ?? [],
            chat: known.chat.map { table.chat(since: isSame ? $0 : 0) } ?? [])
    }

    private func tableToWatch(_ name: String?, _ pass: String?, _ session: Session) throws(Rejection) -> HostedTable {
        let account = try account(session)
        let table: HostedTable
        if let named = try find(name, for: account) ?? account.table ?? session.watching {
            table = named
        } else {
            table = try only()
        }
        // Applies already while a hand that they left is played.
        if let wait = table.sentAway.wait(of: account.id, at: now) { throw .sentAway(retryAfter: Int(wait)) }
        if let seated = account.table {
            guard seated === table else { throw .alreadyAtTable(seated.name) }
            return table
        }
        try admit(pass, to: table, session)
        guard session.watching === table || table.viewers.count < configuration.maximumViewers else { throw .tableCrowded }
        return table
    }

    func sit(
        _ name: String?, _ seat: Int?, _ pass: String?, _ known: KnownTable, _ session: Session
    ) throws -> Answer {
        let account = try account(session)
        let table = try find(name, for: account) ?? account.table ?? session.watching ?? anyTable(for: account)
        // A round that is due to end can return the player's chips first.
        tick(table, at: now)
        if let seated = account.table, seated !== table { throw Rejection.alreadyAtTable(seated.name) }
        if let wait = table.sentAway.wait(of: account.id, at: now) { throw Rejection.sentAway(retryAfter: Int(wait)) }
        let mine = table.engine.playerView(account.id)
        if account.isKicked { throw Rejection.alreadyLeaving }
        if mine.map({ seat.map($0.seats.contains) == false }) ?? true {
            guard !isDraining else { throw Rejection.draining }
            if mine == nil { try admit(pass, to: table, session) }
            try checkShare(of: account, at: table, session)
        }
        // A player who returns to the seat sees the table before chips are added.
        let isShort = mine == nil || session.watching === table && table.engine.isBroke(account.id)
        let rebuy = isShort ? try rebuy(for: account, at: table, isHouse: session.isHouse) : 0
        let profile = PlayerProfile(
            name: account.name.text, isBot: account.state.isBot, contributes: session.contributes)
        let command = Command.sit(
            player: account.id, profile: profile, seat: seat,
            chips: rebuy + (mine == nil ? account.shownChips : 0))
        if !account.isOpen || rebuy > 0 {
            // Accounts change only for a sit that succeeds.
            try table.engine.validate(command, at: Timestamp(milliseconds: now))
            if !account.isOpen { try open(account, session) }
            if rebuy > 0 { apply(.issued(account.id, chips: rebuy, reason: .rebuy, time: now), to: account) }
        }
        for case .sat(_, _, let seat, _) in try perform(command, at: table, now).get() {
            environment.log(
                .info, "sat", ["table": table.name, "seat": seat, "name": account.name])
        }
        let taken = seat ?? table.engine.seats(of: account.id).first ?? 0
        let reply = Reply.sit(
            table: table.name, seat: taken, missed(since: known, at: table, session), rebuy: rebuy > 0 ? rebuy : nil)
        return Answer(reply) { [self] in
            table.publish()
            if session.watching !== table { show(table, to: session, since: known) }
        }
    }

    /// Milliseconds for which a refused player counts as waiting for a seat.
    private static let waitMilliseconds: Int64 = 60_000

    /// While others wait for a seat, a network gets at most half of the table's seats. Otherwise one IPv4 address, or one IPv6 /48, could hold
    /// all of them indefinitely by alternating connections.
    private func checkShare(of account: Account, at table: HostedTable, _ session: Session) throws(Rejection) {
        let (engine, rules) = (table.engine, table.engine.rules)
        guard engine.seats(of: account.id).count < rules.seatsPerPlayer else { return }
        let network = session.budget?.network
        let othersWait = table.refusedSit.map { refused in
            (refused.network == nil || refused.network != network) && now - refused.time < Self.waitMilliseconds
        }
        guard othersWait == true || table.freeSeats == 0 else { return }
        let taken = engine.playerViews.reduce(0) { sum, player in
            guard let network, let other = accounts[player.id], other.isLimited, other.address?.network == network else {
                return sum
            }
            return sum + player.seats.count
        }
        if taken < max(1, rules.seats / 2) {
            if table.freeSeats == 0 { table.refusedSit = (network, now) }
        } else if othersWait == true {
            throw .othersWait
        }
    }

    /// The chips that the house gives to a player who cannot bet the table's minimum; 0 for others. Fills up to the chips of a new account, or
    /// to the lowest minimum of all open tables if that is more. Not to this table's minimum: then sitting down at an expensive table would
    /// be worth more than playing.
    /// - Throws: a refusal if the house gives nothing.
    private func rebuy(for account: Account, at table: HostedTable, isHouse: Bool) throws(Rejection) -> Int {
        let minimum = table.engine.rules.minimumBet
        let owned = table.engine.bankroll(of: account.id) ?? account.shownChips
        guard owned < minimum else { return 0 }
        let chips = configuration.rebuyChips ?? configuration.startingChips
        guard chips > 0, chips >= minimum || isHouse || lobby.smallestMinimum == minimum else {
            throw .insufficientChips(chips: owned, minimum: minimum)
        }
        return max(chips, minimum) - owned
    }

    func leave(_ session: Session) throws -> Answer {
        let account = try account(session)
        guard let table = account.table ?? session.watching else { return Answer(.applied("leave", at: nil)) }
        // Refused only if the player has just left.
        if account.table != nil { perform(.leave(player: account.id), at: table, now) }
        let revision = table.describe()
        stopWatching(session)
        return Answer(.applied("leave", at: revision)) { table.publish() }
    }

    /// Sends a chat line to all viewers of the table.
    func chat(_ text: ChatText, _ reaction: Reaction?, _ id: RequestID?, _ session: Session) throws -> Answer {
        guard reaction == nil || reaction?.rawValue == text.text else { throw Rejection.otherReaction }
        let account = try account(session)
        guard let table = session.watching else { throw Rejection.notAtTable }
        let origin = HostedTable.ChatOrigin(player: account.id, id: id, connection: session.connection)
        if table.hasSaid(text, origin) { return Answer(.done("chat")) }
        try payChat(account, session, isReaction: reaction != nil)
        return Answer(.done("chat")) { [self] in table.say(text, reaction, by: account.name.text, origin, at: now) }
    }

    /// Makes a session a viewer of this table only, and sends the lines that lead to it from the table that the client knows.
    private func show(_ table: HostedTable, to session: Session, since known: KnownTable) {
        if session.watching !== table { stopWatching(session) }
        session.watching = table
        table.addViewer(session)
        let lines = table.catchUp(from: known, wantsFacts: session.wantsFacts)
        if !lines.isEmpty { session.sender.send(lines) }
        listingChanged(table)
    }

    func stopWatching(_ session: Session) {
        guard let table = session.watching else { return }
        session.watching = nil
        table.removeViewer(session)
        listingChanged(table)
    }

    private func admit(_ pass: String?, to table: HostedTable, _ session: Session) throws(Rejection) {
        guard let secret = table.pass, !session.isHouse else { return }
        // An owner may have forgotten the phrase, and can change it.
        if let owner = owners.owner(of: table.name), owner.id == session.account?.id { return }
        // A missing pass is not a guess, so it is not delayed.
        guard let pass else { throw .passNeeded }
        try mayShowSecret(session)
        let account = try account(session)
        let isKnown = table.admitted.contains(account.id)
        // Checked only while the table's budget covers a wrong one: otherwise a refusal would reveal that the phrase is wrong. Strangers who use
        // it up do not shut out an address without a wrong guess, which has its first one beyond the budget.
        let verdict = isKnown ? .granted : table.guesses.take(of: AdmittedPlayers.guesses, at: now)
        if case .refused(let wait) = verdict, !budgets.hasNoFailure(session.budget, at: now) {
            throw .guessesLimited(retryAfter: wait)
        }
        guard Secret.isSame(pass, secret) else {
            wrongSecret("wrong_pass", of: "table", table.name, session)
            throw .wrongPass
        }
        if !isKnown, verdict == .granted { table.guesses.give(1, of: AdmittedPlayers.guesses) }
        table.admitted.insert(account.id)
    }

    func find(_ name: String?, for account: Account) throws(Rejection) -> HostedTable? {
        guard let name else { return nil }
        guard let index = lobby.indices[name] else {
            if let seated = account.table, registryClient?.partition(ofTable: name) != nil {
                throw .alreadyAtTable(seated.name)
            }
            throw registryClient?.knowsHouse == false ? .elsewhere : .noSuchTable
        }
        return hostedTables[index]
    }

    func only() throws(Rejection) -> HostedTable {
        guard let index = lobby.onlyName.flatMap({ lobby.indices[$0] }) else { throw .noTableNamed }
        return hostedTables[index]
    }

    // MARK: Lobby

    /// Records that a table's entry may have changed. Changes are debounced.
    func listingChanged(_ table: HostedTable) {
        lobbyChanges.insert(table.index)
        noteSeats(of: table)
        scheduleLobby()
    }

    func scheduleLobby() {
        guard !isLobbyScheduled else { return }
        isLobbyScheduled = true
        environment.setTimer(.lobby, at: now + configuration.lobbyMilliseconds)
    }

    /// Updates the lobby and sends its changes to the followers.
    func publishLobby() {
        isLobbyScheduled = false
        if !lobbyChanges.isEmpty {
            for index in lobbyChanges.sorted() { _ = lobby.update(index, hostedTables[index].summary) }
            lobbyChanges = []
        }
        defer { sentLobby = lobby }
        guard lobby.revision != sentLobby.revision else { return }
        registryClient?.publish(lobby.ownTables)
        let followers = sessions.values.filter(\.followsLobby)
        guard !followers.isEmpty else { return }
        // Sent also if no listed table has changed, since followers count revisions.
        let line = ServerMessage.lobby(lobby.change(since: sentLobby)).encoded()
        for session in followers.sorted(by: { $0.connection < $1.connection }) {
            // A congested follower misses the line and detects the gap in the revisions.
            _ = session.sender.offer(line)
        }
    }

    /// The rules of any table of the house.
    func rules(ofTable named: String?, _ session: Session) throws(Rejection) -> Reply {
        let (name, rules) = try tableRules(named, session)
        return .rules(table: name, AllRules(TableRules(rules, digest: rules.digest.hex)))
    }

    /// A table's name and rules; without a name those of the session's table, or of the only one.
    func tableRules(_ named: String?, _ session: Session) throws(Rejection) -> (name: String, rules: HouseRules) {
        let named = named ?? session.account?.table?.name ?? session.watching?.name
        guard let name = named ?? lobby.onlyName else { throw .noTableNamed }
        guard let table = lobby[name] else { throw .noSuchTable }
        return (table.name, table.rules)
    }

    /// - Parameter table: the table whose entry is shown with the names of its players; nil for the list.
    func showLobby(_ follow: Bool?, _ table: String?, to session: Session) throws(Rejection) -> Reply {
        // Rate-limited, since an update after a change goes to all followers.
        if lobbiesHurried.take(of: .perSecond(10, burst: 100), at: now) == .granted { publishLobby() }
        let entry = table.flatMap { sentLobby[$0] }
        guard table == nil || entry != nil else { throw .noSuchTable }
        if let follow { session.followsLobby = follow }
        return .lobby(revision: sentLobby.revision, total: sentLobby.total, entry.map { [$0] } ?? sentLobby.listed)
    }
}
