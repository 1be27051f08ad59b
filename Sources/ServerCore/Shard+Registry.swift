import Fairness
import Records
import Sockets
import TableEngine
import TableModel
import Wire

/// Thrown by a request that needs the registry's answer or belongs to another partition. It has had no effect.
enum RemoteDependency: Error {
    /// The request waits for the registry, and then runs again.
    case registry(RegistryQuestion.Subject)
    /// The request goes to the owner of a partition.
    case partition(Int)
}

/// Moves of accounts in a house of several servers: from the registry to the shard, back, and to other servers.
///
/// A request that needs the registry throws ``RemoteDependency/registry(_:)`` before it has any effect. Its connection is paused, with the
/// line and all input after it, and the question goes to the ``RegistryClient``. When the answer comes, the same line runs again
/// from the start, with the answer in ``Session/answered``; it may then succeed, or ask one more question
/// (``PausedLine/questions`` at most). An answer that a line does not use, because its connection has ended or it was refused,
/// is given back by `drop(_:)`, so a claimed account never stays unowned.
extension Shard {
    // MARK: Pausing

    /// Pauses a connection at the current line until the registry has answered.
    func pause(_ session: Session, _ line: PausedLine, _ subject: RegistryQuestion.Subject, after delay: Int64 = 0) {
        let isHeld = session.paused != nil
        session.paused = line
        guard environment.ask(RegistryQuestion(subject: subject, connection: session.connection, delay: delay)) else {
            session.paused = nil
            guard !isHeld, let request = line.request else { return leave(session, refusing: line.request) }
            // Too many questions wait: refuses the line and continues with the next one.
            return refuse(request, Rejection.elsewhere, session)
        }
        if !isHeld { environment.pause(session.connection) }
    }

    /// Asks the registry, and runs the request again with its answer, or passes the connection to a partition's owner with the request.
    func resolve(_ dependency: RemoteDependency, with request: Request, _ session: Session) {
        switch dependency {
        case .registry(let subject):
            let asked = (session.answered?.asked ?? 0) + 1
            guard asked <= PausedLine.questions else { return refuse(request, Rejection.onTheWay, session) }
            pause(session, PausedLine(request: request, asked: asked), subject)
        case .partition(let partition):
            guard registryClient?.relay(of: partition) != nil else { return refuseForNow(request, session) }
            guard let account = session.account else { return relay(session, to: partition) }
            send(account, session, to: partition, with: request)
        }
    }

    /// Handles the registry's answer. The connection may have ended meanwhile.
    func answered(_ question: RegistryQuestion, with answer: RegistryQuestion.Answer, at now: Int64) {
        self.now = now
        if case .arrives(let row) = answer { arrive(row, at: now) }
        guard let session = sessions[question.connection], !session.isClosing, var line = session.paused else {
            if case .departure(let id) = question.subject { registryClient?.endGuest(id) }
            return drop(answer)
        }
        if case .busy = answer, line.asked < PausedLine.questions {
            line.asked += 1
            return pause(session, line, question.subject, after: Int64(20 * line.asked))
        }
        session.paused = nil
        switch question.subject {
        case .departure:
            if case .departed = answer, let (partition, ticket) = line.destination {
                return relay(session, to: partition, ticket: ticket)
            }
            // The account is in the outbox, and the next login finds it.
            leave(session, refusing: line.request)
        case .ticket:
            if case .arrives = answer { makeRoom() }
            guard case .arrives(let row) = answer, let account = try? wake(row.id, row.name) else {
                drop(answer)
                return leave(session, refusing: nil)
            }
            attach(account, to: session)
            session.requests = usedBudgets[account.id].requests
            session.hasJustArrived = line.refused == nil
            scheduleSilence(of: session)
            environment.log(.info, "arrived", session.logFields(of: account))
            if let refused = line.refused { refuseForNow(refused, session) }
            environment.resume(session.connection)
        case .claim, .insert, .lookUp, .tables:
            session.answered = (answer, line.asked)
            environment.resume(session.connection)
        }
    }

    /// Runs a line again with the registry's answer. It was already charged.
    func receivedOnceMore(_ line: UnsafeBufferPointer<UInt8>, from session: Session) -> Bool {
        defer { if let (answer, _) = session.answered.take() { drop(answer) } }
        return answer(Request(line: line, isPedantic: session.isPedantic), from: session)
    }

    /// Returns the account of an answer, unless it was used.
    func drop(_ answer: RegistryQuestion.Answer) {
        switch answer {
        case .arrives(let row): sendBack(row.id, row.name, at: now)
        case .inserted(let id): registryClient?.discard(id)
        default: break
        }
    }

    /// Ends a connection whose player is elsewhere. The client reconnects and logs in.
    private func leave(_ session: Session, refusing request: Request?) {
        if let request { refuse(request, Rejection.elsewhere, session) }
        session.isClosing = true
        session.sender.close()
    }

    /// Refuses a request whose partition's owner is unreachable, and looks for a successor.
    func refuseForNow(_ request: Request, _ session: Session) {
        refuse(request, Rejection.elsewhere, session)
        registryClient?.exchangeSoon()
    }

    // MARK: Arriving

    /// A claimed account becomes a dormant one of this server, unless the claim was used.
    func arrive(_ row: AccountRow, at now: Int64) {
        self.now = now
        guard let arrival = Record.arrival(of: row.id, row.account, serial: row.serial, at: now),
            case .arrived(var account, _) = arrival
        else { preconditionFailure("a row is read before it is claimed") }
        guard registryClient?.use(row.id, serial: row.serial) == true else { return }
        environment.record(arrival)
        if account.playerName != row.name {
            let renamed = Record.renamed(row.id, name: row.name.text)
            account.follow(renamed)
            environment.record(renamed)
        }
        bank &-= account.chips
        if !account.isGuest { openAccounts += 1 }
        dormant.insert(account, FoldedName(row.name))
        // The account may have been renamed since it became a table's owner here.
        owners.rename(row.id, to: row.name.text)
    }

    /// Claims the account of a connection relayed from another server, or returned by a relay.
    func claim(_ ticket: [UInt8], for session: Session) { pause(session, PausedLine(), .ticket(SHA256.hash(ticket))) }

    // MARK: Departing

    /// Returns an account without a seat to its row.
    /// - Parameter ticket: the SHA-256 of the ticket with which another server claims it.
    func depart(_ account: Account, ticket: Digest? = nil) {
        if let session = account.session { account.budgets.requests = session.requests }
        usedBudgets.keep(account.budgets, of: account.id)
        vacate(account)
        depart(account.state, ticket: ticket)
    }

    private func depart(_ account: AccountState, ticket: Digest?) {
        bank &+= account.chips
        if !account.isGuest { openAccounts -= 1 }
        environment.record(.departed(account.id, ticket: ticket, time: now))
        environment.handOver()
        registryClient?.depart(Departure(account, ticket: ticket, at: now))
    }

    /// Returns a dormant account to its row, or closes it if it does not last.
    func sendBack(_ id: PlayerID, _ name: PlayerName, at now: Int64) {
        self.now = now
        guard let account = dormant.remove(id, FoldedName(name)) else { return }
        guard !account.lasts else { return depart(account, ticket: nil) }
        environment.record(.closed(id, time: now))
        settle(account)
    }

    /// Removes the row of a closed account, once the closing is durable.
    func removeRow(of account: AccountState) {
        guard let registryClient else { return }
        environment.handOver()
        registryClient.depart(Departure(closed: account, at: now))
    }

    /// Sends a player without a seat to a table of another partition: the account first, then the connection with the request.
    private func send(_ account: Account, _ session: Session, to partition: Int, with request: Request) {
        // Answers of background threads can reach the connection only here.
        guard session.questions.isEmpty else { return refuse(request, Rejection.onTheWay, session) }
        do throws(Rejection) {
            try payJourney(session)
            // Rate-limited: a guest's row outlives a connection that ends in transit.
            if !account.state.lasts, case .refused(let wait) = guestJourneys.take(of: .perSecond(20, burst: 200), at: now) {
                throw .rateLimited(retryAfter: Int(wait))
            }
            // An account has no record before the first sit.
            if !account.isOpen { try open(account, session) }
        } catch { return refuse(request, error, session) }
        let ticket = environment.randomBytes(16)
        stopWatching(session)
        depart(account, ticket: SHA256.hash(ticket))
        pause(session, PausedLine(request: request, destination: (partition, ticket)), .departure(account.id))
    }
}
