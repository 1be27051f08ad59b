import Operations
import TableEngine
import TableModel
import Wire

/// The fields of a login that prove something.
struct Credentials {
    var secret: AccountSecret?
    var invite: String?
}

/// Logging in and out.
extension Shard {
    func logIn(
        _ name: PlayerName, _ credentials: Credentials, isBot: Bool, contributes: Bool, _ session: Session
    ) throws -> LoginReply {
        guard session.account == nil else { throw RequestRefusal.alreadyLoggedIn }
        let account: Account
        if let location = directory.location(of: name) {
            guard let secret = credentials.secret else { throw RequestRefusal.nameTaken }
            if location.loop == nil {
                account = try logInDormant(name, secret, session)
            } else {
                account = try logInResident(location.id, secret, session)
            }
        } else {
            account = try register(name, credentials, isBot: isBot, session)
        }
        scheduleSilence(of: session)
        noteSeen(account)
        environment.log(.info, "login", session.logFields(of: account))
        session.loginName = account.name.text
        session.contributes = contributes
        session.isHouse = credentials.secret.map { opens($0, account.name) } ?? false
        if let table = account.table {
            try? perform(.declare(player: account.id, contributes: contributes), at: table, now)
            try? perform(.reconnected(player: account.id), at: table, now)
            publish(table)
        }
        return LoginReply(
            name: account.name.text, chips: account.shownChips, table: account.table?.name,
            seats: account.table?.engine.seats(of: account.id) ?? [])
    }

    private func logInResident(_ id: PlayerID, _ secret: AccountSecret, _ session: Session) throws(RequestRefusal) -> Account {
        guard let known = accounts[id] else { throw .onTheWay }
        guard let digest = known.digest else { throw .nameTaken }
        try check(secret, opens(secret, known.name) || secret.opens(digest), of: known.name, session)
        guard !known.isDisabled else { throw .accountDisabled }
        guard directory.cameBack(id, known.name) else { throw .onTheWay }
        takeOver(known, session)
        return known
    }

    private func logInDormant(_ name: PlayerName, _ secret: AccountSecret, _ session: Session) throws -> Account {
        guard let dormant = directory.dormantAccount(named: name) else { throw RequestRefusal.onTheWay }
        let ownName = try PlayerName(dormant.name)
        try check(secret, opens(secret, ownName) || secret.opens(dormant.digest), of: ownName, session)
        guard !dormant.isDisabled else { throw RequestRefusal.accountDisabled }
        if let first = directory.makeRoom() { evict(first) }
        guard let account = try wake(dormant, ownName) else { throw RequestRefusal.onTheWay }
        attach(account, to: session)
        return account
    }

    private func register(
        _ name: PlayerName, _ credentials: Credentials, isBot: Bool, _ session: Session
    ) throws(RequestRefusal) -> Account {
        guard !isDraining else { throw .draining }
        if configuration.reservedNames.contains(name) {
            guard let secret = credentials.secret, opens(secret, name) else { throw .reservedName }
        } else {
            try checkInvite(credentials, of: name, session)
        }
        if let first = directory.makeRoom() { evict(first) }
        guard let id = try directory.register(name, on: loop) else { throw .nameTaken }
        let account = Account(
            id: id, name: name, digest: credentials.secret?.digest, isBot: isBot, firstChips: configuration.startingChips)
        account.invite = credentials.invite
        accounts[id] = account
        attach(account, to: session)
        return account
    }

    /// Whether this is the host's secret, and the name the host's.
    private func opens(_ secret: AccountSecret, _ name: PlayerName) -> Bool {
        guard let host = configuration.hostSecret else { return false }
        return Secret.isSame(secret.digits, host.digits) && configuration.reservedNames.contains(name)
    }

    /// The right secret is accepted at any time; only wrong ones are delayed.
    private func check(
        _ secret: AccountSecret, _ isRight: Bool, of name: PlayerName, _ session: Session
    ) throws(RequestRefusal) {
        guard !isRight else { return }
        try mayShowSecret(session)
        wrongSecret(.secret, of: name.text, session)
        throw .wrongSecret
    }

    /// Checks the code of a new player in a closed house. The first sit redeems it.
    private func checkInvite(_ credentials: Credentials, of name: PlayerName, _ session: Session) throws(RequestRefusal) {
        guard let invites = configuration.invites else { return }
        // A missing code is not a guess, so it is not delayed.
        guard let code = credentials.invite else { throw .inviteNeeded }
        // A guest's account ends with the connection, and the code would be spent for nobody.
        guard credentials.secret != nil else { throw .invitedGuest }
        try mayShowSecret(session)
        let digest = InviteCodes.digest(of: code)
        guard invites.digests.contains(digest), !directory.hasRedeemed(digest) else {
            wrongSecret(.invite, of: name.text, session)
            throw .inviteNeeded
        }
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
        account.session = nil
        account.isExpired = true
        noteSeen(account)
        let table = account.table
        if let table {
            // Refused only if the player is already leaving.
            try? perform(.leave(player: account.id), at: table, now)
        } else {
            retire(account)
        }
        return Answer(.done("logout")) { [self] in
            dismiss(session.connection, .loggedOut, "Goodbye.")
            if let table { publish(table) }
        }
    }
}
