import Fairness
import Rules
import TableModel
import Wire

/// Has the shoes of tables contributed to, recorded and verified. Input: table changes, answers, time. Output: requests and findings.
///
/// A ``ShoeContributor`` decides what is committed and revealed, a ``ShoeRecord`` has what was shown of each shoe, and the ``ShoeVerifier``
/// judges it; this value asks for the proofs and counts. Memory is bounded: commitments, secrets, tables and shoes kept have limits that no
/// server can move.
public struct ShoeSession: Sendable {
    public enum Action: Equatable, Sendable {
        /// Ask the server, and hand the answer to ``take(_:to:at:)``.
        case request(ClientMessage)
        case found(ShoeFinding)
    }

    /// Shoes without a proof, and tables besides the one shown, that are kept: as many proofs as a server keeps.
    private static let mostKept = 8
    /// Commitments and secrets of the server that are remembered.
    private static let mostRemembered = 256
    /// Milliseconds after which an unanswered request for a proof is made again.
    private static let patience: Int64 = 10_000

    /// Whether it commits and reveals, or only verifies.
    public let contributes: Bool
    public var tally: ShoeTally {
        var tally = judged
        tally.open = awaiting.count + tables.count { $0.inPlay?.isOpen == true }
        return tally
    }
    /// Without those that are open.
    private var judged = ShoeTally()

    /// The one shown last is the last; empty before the first.
    private var tables: [TableRecord] = []
    /// Over, or given up behind the player's reveal, without a proof so far; oldest first.
    private var awaiting: [ShoeRecord] = []
    private var contributor = ShoeContributor()
    private var commitments: [UsedCommitment] = []
    private var secrets: [UsedSecret] = []
    /// Orders given up after the player's reveal, for a cause that could not be seen.
    package private(set) var givenUpOrders = 0
    private var isSeated = false
    /// Milliseconds; the time of the last call.
    private var now: Int64 = 0
    private var actions: [Action] = []

    /// - Parameter contributes: whether the login declared it.
    public init(contributes: Bool) { self.contributes = contributes }

    private var table: TableRecord {
        get { tables[tables.count - 1] }
        _modify { yield &tables[tables.count - 1] }
    }

    // MARK: Inputs

    /// The table changed, or is shown for the first time.
    /// - Parameters:
    ///   - epoch: the table's.
    ///   - player: the name in the reply to the login; nil for none.
    ///   - now: milliseconds on any clock.
    ///   - generator: the source of contributions; for real tables a cryptographically secure one.
    public mutating func take(
        _ change: TableChange, epoch: String, player: String?, at now: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        self.now = now
        show(change.table)
        let new = ShoeView(change.new, epoch: epoch, revision: change.revision)
        let known = [table.inPlay?.watched.commitment, table.coming?.next.commitment]
        let step = Step(table.last, new, isCut: table.isCut, hasSurvived: new.fair.map { known.contains($0.commitment) } ?? false)
        table.last = new
        do throws(ShoeFault) {
            try ShoeVerifier.checkRepeated(table.coming, step)
            try ShoeVerifier.checkCounters(step)
        } catch {
            accuse(error)
        }
        followShoe(step)
        followCeremony(step, player: player, using: &generator)
        do throws(ShoeFault) {
            try ShoeVerifier.checkItems(new)
            if new.fair == nil, new.shoe?.number ?? 0 == 0, new.isInPlay { accuse(.unannounced) }
        } catch {
            if table.inPlay == nil { accuse(error) } else { accuseShoe(error) }
        }
        // The player is back, or a spectator of the same table.
        if var shoe = table.inPlay, shoe.isLeft {
            (shoe.isLeft, shoe.provedInRound) = (false, shoe.proof.map { _ in shoe.round })
            table.inPlay = shoe
        }
        (table.isCut, table.shownAt) = (false, now)
        return finish(at: now)
    }

    /// The player took a seat. The server may have forgotten commitments to lists that are not closed: the next table has each sent again.
    public mutating func satDown() { contributor.seatLost() }

    /// The player asked to leave the table, and has left it: commitments to lists that are not closed are void.
    public mutating func left(at now: Int64) -> [Action] {
        self.now = now
        contributor.seatLost()
        leave()
        return finish(at: now)
    }

    /// The server answered the login of a connection: it names the table at which it has a seat for the player.
    public mutating func loggedIn(_ login: LoginReply) {
        guard isSeated, login.table != tables.last?.name || login.seats.isEmpty else { return }
        isSeated = false
        contributor.seatLost()
    }

    /// The connection is lost. The player can log in on another device until the next table is shown here.
    public mutating func connectionLost() {
        for index in tables.indices { tables[index].isCut = true }
        contributor.connectionLost()
    }

    /// After a reconnect that changed nothing: makes requests whose answers were lost again.
    public mutating func resume(at now: Int64) -> [Action] {
        self.now = now
        contribute()
        return finish(at: now)
    }

    /// Time has passed: makes unanswered requests again. A call every ten seconds is enough.
    public mutating func tick(at now: Int64) -> [Action] { finish(at: now) }

    /// A request of an action has left for the server.
    public mutating func sent(_ request: ClientMessage, at now: Int64) -> [Action] {
        contributor.sent(request, at: now).map { [.request($0)] } ?? []
    }

    /// The server refused a request of an action for now: it is sent again.
    public mutating func postponed(_ request: ClientMessage, at now: Int64) {
        self.now = now
        conclude(contributor.postponed(request, at: now))
    }

    /// The answer to a request of an action.
    public mutating func take(_ answer: Result<Reply, Refusal>, to request: ClientMessage, at now: Int64) -> [Action] {
        self.now = now
        switch request {
        case .commit(let server, _):
            contributor.committed(answer, to: server)
            // The list may have been closed without it, or the answer may say nothing.
            if case .success = answer, tables.last?.coming?.next.commitment == server { contribute() }
        case .reveal(let list, _): conclude(contributor.revealed(answer, under: list, at: now))
        case .ping: conclude(contributor.witnessed(answer))
        case .proof(let table?, let shoe?, let commitment): proved(answer, table: table, shoe: shoe, commitment: commitment)
        default: break
        }
        defer { actions.removeAll() }
        return actions
    }

    private mutating func finish(at now: Int64) -> [Action] {
        self.now = now
        for own in contributor.unanswered(at: now) { countGivenUp(own.next.shoe) }
        askForProofs()
        defer { actions.removeAll() }
        return actions
    }

    // MARK: Findings

    private mutating func found(_ finding: ShoeFinding) {
        switch finding {
        case .verified: judged.verified += 1
        case .contradicted: judged.contradicted += 1
        case .notVerified: judged.notVerified += 1
        case .noCeremonies, .evidence, .named, .givenUp: break
        }
        actions.append(.found(finding))
    }

    /// Counts an order that was given up after the player's reveal, for a cause that could not be seen: the server may have rejected it.
    private mutating func countGivenUp(_ shoe: Int) {
        givenUpOrders += 1
        found(.givenUp(.unseen(times: givenUpOrders), shoe: shoe))
    }

    private mutating func conclude(_ result: (ShoeContributor.Contribution, ShoeContributor.Consequence)?) {
        guard let (own, consequence) = result else { return }
        switch consequence {
        case .none: break
        case .rejection: countGivenUp(own.next.shoe)
        case .contradiction where tables.last?.name != own.table: break
        case .contradiction where table.coming?.next.shoe == own.next.shoe: accuse(.namedAsWithholder)
        case .contradiction: if table.inPlay?.watched.shoe == own.next.shoe { accuseShoe(.namedAsWithholder) }
        }
    }

    /// Reports a fault of the coming shoe, once.
    private mutating func accuse(_ fault: ShoeFault) {
        guard let coming = table.coming, coming.fault == nil else { return }
        table.coming?.fault = fault
        found(.contradicted(table.record(of: coming, own(coming.next.commitment)).report, fault))
    }

    /// Reports a fault of the shoe in play, once.
    private mutating func accuseShoe(_ fault: ShoeFault) {
        guard var shoe = table.inPlay, shoe.fault == nil else { return }
        (shoe.fault, shoe.watched.own) = (fault, own(shoe.watched.commitment))
        table.inPlay = shoe
        found(.contradicted(shoe.report, fault))
    }

    private func own(_ server: Digest) -> WatchedShoe.Own? { contributor.own(for: server, at: table.name) }

    private func isRevealed(_ next: NextShoe) -> Bool { contributor.isRevealed(to: next.commitment, at: table.name) }

    // MARK: Tables

    private mutating func show(_ name: String) {
        guard tables.last?.name != name else { return }
        leave()
        if let index = tables.firstIndex(where: { $0.name == name }) { return tables.append(tables.remove(at: index)) }
        if tables.count > Self.mostKept, let shoe = tables.removeFirst().inPlay, shoe.isOpen { giveUp(shoe, .left) }
        tables.append(TableRecord(name: name))
    }

    /// The player goes: the proof of the shoe in play is asked for later.
    private mutating func leave() {
        isSeated = false
        guard !tables.isEmpty else { return }
        table.coming?.hasLeft = true
        guard var shoe = table.inPlay, !shoe.isLeft else { return }
        (shoe.isLeft, shoe.askedAt, shoe.attempts) = (true, now, 0)
        table.inPlay = shoe
    }

    // MARK: The shoe in play

    private mutating func followShoe(_ step: Step) {
        let new = step.new
        guard let fair = new.fair, let rules = new.rules, let status = new.shoe else {
            // A shoe without the items that describe it has failed, and goes on.
            if let fair = new.fair, table.inPlay?.watched.commitment == fair.commitment { return }
            if let number = new.shoe?.number, number > 0, new.phase != .closed, !step.isRestart {
                // A shoe that is announced stays so while it is in play.
                accuseShoe(.contradiction)
                if table.inPlay == nil, table.coming?.next.shoe ?? .max <= number { accuse(.unannounced) }
            }
            finishShoe(step)
            return sayNone()
        }
        if let shoe = table.inPlay, shoe.watched.shoe != fair.shoe || shoe.watched.commitment != fair.commitment {
            if step.isRepeated { accuseShoe(.contradiction) }
            if step.isNext, !ShoeVerifier.isExpectedShuffle(shoe, step) { accuseShoe(.shuffledEarly) }
            if step.isNext, let began = shoe.began, shoe.gaps == 0 {
                let shoes: Int64 = rules.rules.continuousShuffle ? Int64(ShoeRules.roundsOfCeremony) : 1
                table.shortestShoe = min(table.shortestShoe ?? .max, (now - began) / shoes)
            }
            finishShoe(step)
        }
        if table.inPlay == nil {
            // Nothing is dealt at a closed table: its shoe was seen before, or not at all.
            if new.phase == .closed { return }
            begin(fair, rules, in: step)
        } else if step.isGap {
            table.inPlay?.gaps += 1
        }
        view(step)
        if new.phase == .closed { finishShoe(step) } else { askWhenOver(new, status) }
    }

    /// A ceremony's first shoe comes into play.
    private mutating func begin(_ fair: FairShoe, _ rules: TableRules, in step: Step) {
        table.inPlay = ShoeRecord(fair, rules, table: table.name, epoch: step.new.epoch)
        let (coming, own) = (table.coming, contributor.contribution(to: fair.commitment, at: table.name))
        if let coming, coming.next.shoe == fair.shoe, !step.hasForgotten, let fault = coming.fault {
            table.inPlay?.fault = fault
            return
        }
        do throws(ShoeFault) {
            try ShoeVerifier.checkStart(of: fair, after: coming, in: step, own: own)
            guard let next = coming?.next, next.shoe == fair.shoe, next.commitment != fair.commitment else { return }
            if !step.hasForgotten, isRevealed(next) { countGivenUp(next.shoe) }
        } catch {
            accuseShoe(error)
        }
    }

    /// Checks and notes a view of the shoe in play.
    private mutating func view(_ step: Step) {
        guard let shoe = table.inPlay, shoe.fault == nil else { return }
        var fault: ShoeFault?
        do throws(ShoeFault) {
            try ShoeVerifier.checkItems(step.new)
            try ShoeVerifier.checkPlay(of: shoe, before: table.coming, in: step)
        } catch {
            fault = error
        }
        let time = now
        let isNew = table.inPlay?.note(step, at: time) == true
        // A late view shows true cards only.
        if fault == nil, isNew, let proof = shoe.proof, let noted = table.inPlay,
            case .contradicted(let wrong) = ShoeVerifier.verdict(on: noted, proof: proof)
        {
            fault = wrong
        }
        if let fault { accuseShoe(fault) }
    }

    /// The shoe in play is over: asks for its proof, unless it has come already.
    private mutating func finishShoe(_ step: Step) {
        guard var over = table.inPlay else { return }
        table.inPlay = nil
        guard over.proof == nil else { return }
        over.watched.own = own(over.watched.commitment)
        (over.epoch, over.isClosed) = (step.new.epoch, step.new.phase == .closed)
        if step.isRestart, !over.isClosed { over.cause = over.isLeft ? .left : .restarted }
        (over.isLeft, over.askedAt, over.attempts) = (false, nil, 0)
        keep(over)
        askForProofs()
    }

    /// Says once that the shoe in play has no ceremony: one may be announced for the next.
    private mutating func sayNone() {
        guard let shown = table.last, !table.hasSaidNone, shown.fair == nil, shown.phase != .closed else { return }
        // A table without ceremonies may leave out its shoe.
        guard shown.shoe?.number ?? 0 > 0 || shown.next == nil && shown.isInPlay else { return }
        table.hasSaidNone = true
        found(.noCeremonies(table: table.name))
    }

    // MARK: The coming shoe

    private mutating func followCeremony(_ step: Step, player: String?, using generator: inout some RandomNumberGenerator) {
        guard let next = step.new.next else {
            // An open table with ceremonies has a coming shoe at each instant.
            if step.hasForgotten { loseCeremony(step) } else if step.new.phase != .closed { accuse(.commitmentChanged) }
            return
        }
        if step.hasForgotten, table.coming?.next.commitment != next.commitment { loseCeremony(step) }
        let before = table.coming
        var coming = before?.followed(by: next) ?? ComingShoe(next)
        var fault: ShoeFault?
        if coming.fault == nil {
            do throws(ShoeFault) {
                let (name, known) = (table.name, contributor)
                try ShoeVerifier.checkCeremony(
                    of: table, next, in: step, player: player, own: { known.contribution(to: $0, at: name) },
                    commitments: commitments)
            } catch {
                fault = error
            }
        }
        coming.list = coming.list ?? next.list
        table.coming = coming
        let used = UsedCommitment(
            table: table.name, epoch: step.new.epoch, shoe: next.shoe, attempt: next.attempt, commitment: next.commitment)
        if !commitments.contains(used) { commitments = commitments.suffix(Self.mostRemembered - 1) + [used] }
        if let before, before.next.shoe != next.shoe, !before.isClosed, hasMissed(before.next, in: step) {
            miss(before, .refused, in: step)
        }
        if let fault {
            accuse(fault)
        } else if let before, before.next.shoe == next.shoe {
            noteVoid(next, after: before.next, in: step, player: player)
        }
        isSeated = player.map { name in step.new.players.values.contains { $0.name == name } } ?? false
        if !isSeated { contributor.seatLost() }
        if contributes, isSeated, next.stage == .open, table.coming?.fault == nil, let player {
            contributor.draw(for: next, at: table.name, as: player, using: &generator)
        }
        contribute()
        if step.new.phase == .closed, let over = table.coming, !over.isClosed {
            table.coming?.isClosed = true
            // The order to which the player revealed can never be played: its proof shows that it was made as shown.
            if isRevealed(over.next), let closed = table.coming { miss(closed, .refused, in: step) }
        }
    }

    private mutating func contribute() {
        guard let coming = tables.last?.coming else { return }
        do throws(ShoeFault) {
            let request = try contributor.act(
                on: coming.next, at: table.name, isSeated: isSeated, isHonest: coming.fault == nil)
            if let request { actions.append(.request(request)) }
        } catch {
            accuse(error)
        }
    }

    /// Says why an order was given up after its list was closed, and counts it where that could not be seen.
    private mutating func noteVoid(_ next: NextShoe, after before: NextShoe, in step: Step, player: String?) {
        let (names, own) = (
            next.withheld.filter { !before.withheld.contains($0) },
            contributor.contribution(to: before.commitment, at: table.name)
        )
        if let player, names.contains(player) {
            let waits: Int64 = step.new.shoe?.number ?? 0 > 0 ? 2_000 : 1_000
            if own?.isRevealed == true { found(.named(shoe: next.shoe)) }
            let consequence = step.isCut ? .none : contributor.named(to: before.commitment, at: table.name, waits: waits, at: now)
            if consequence == .rejection { countGivenUp(next.shoe) }
        }
        if case .mixed(let list, let mixed, _) = next.stage,
            let own = contributor.contribution(to: next.commitment, at: table.name),
            own.isMissing(in: mixed, list), own.naming == nil
        {
            if before.stage != next.stage { found(.named(shoe: next.shoe)) }
            _ = contributor.named(to: next.commitment, at: table.name, waits: nil, at: now)
        }
        guard before.attempt < next.attempt, case .revealing(let contributors) = before.stage else { return }
        switch step.isNext ? ShoeVerifier.cause(of: next, after: before, step) : .withheld(names) {
        case .gotUp(let names)?: found(.givenUp(.gotUp(names), shoe: next.shoe))
        case .withheld(let names)?:
            let others = names.filter { $0 != player }
            if !others.isEmpty { found(.givenUp(.withheld(others), shoe: next.shoe)) }
        case .unseen?, nil: break
        }
        if step.isNext { return }
        // The player's own name is no cause where the server had got the reveal.
        let isNamed = contributors.contains { names.contains($0.name) && !($0.name == player && own?.isGiven == true) }
        if !isNamed, own?.isRevealed == true { countGivenUp(next.shoe) }
    }

    // MARK: Proofs

    /// The server was started again with another ceremony. It has lost the one before, and may have rejected its order.
    private mutating func loseCeremony(_ step: Step) {
        guard let lost = table.coming else { return }
        table.coming = nil
        if !lost.isClosed, isRevealed(lost.next) { miss(lost, .restarted, in: step) }
    }

    /// Another shoe's ceremony follows on one to which the player revealed, and which may have come into play unseen. A shoe in play is
    /// compared with its ceremony when it begins.
    private func hasMissed(_ before: NextShoe, in step: Step) -> Bool {
        !step.isNext && isRevealed(before) && step.new.fair.map { $0.shoe != before.shoe } == true
    }

    /// Asks for the proof of a ceremony's shoe that was not seen in play.
    private mutating func miss(_ lost: ComingShoe, _ cause: UnverifiedCause, in step: Step) {
        guard !awaiting.contains(where: { $0.watched.commitment == lost.next.commitment }) else { return }
        var record = table.record(of: lost, own(lost.next.commitment))
        (record.cause, record.isClosed, record.gaps) = (lost.hasLeft ? .left : cause, lost.isClosed, lost.isClosed ? 0 : 1)
        let shoes = max(1, (step.new.fair?.shoe ?? lost.next.shoe) - lost.next.shoe)
        record.isSuspect = !lost.isClosed && (!step.isCut || now - table.shownAt < table.leastTime * Int64(shoes))
        keep(record)
    }

    private mutating func keep(_ record: ShoeRecord) {
        if awaiting.count == Self.mostKept { giveUp(awaiting.removeFirst(), .unanswered) }
        awaiting.append(record)
    }

    /// Asks as soon as the secret may be revealed: at the settlement after the cut card with the next order made, or at that of a closing
    /// table.
    private mutating func askWhenOver(_ shown: ShoeView, _ status: ShoeStatus) {
        guard let shoe = table.inPlay, let rules = shoe.rules, shoe.proof == nil, shoe.askedInRound != shoe.round,
            shown.phase == .settled
        else { return }
        if !shown.isClosing {
            guard case .mixed = shown.next?.stage else { return }
            let isLast = status.number == shoe.watched.shoe + ShoeRules.roundsOfCeremony - 1
            guard rules.continuousShuffle ? isLast : shoe.drawn >= rules.cardsBeforeCut else { return }
        }
        table.inPlay?.askedInRound = shoe.round
        actions.append(.request(shoe.proofRequest))
    }

    /// Asks for proofs that were not asked for, or not answered: three times, and eight times with growing pauses where the player left,
    /// who does not see the end of the shoe.
    private mutating func askForProofs() {
        func isDue(_ shoe: ShoeRecord) -> Bool {
            shoe.askedAt.map { now - $0 >= Self.patience << (shoe.isLeft ? Int64(shoe.attempts) : 0) } ?? true
        }
        for index in awaiting.indices.reversed() where isDue(awaiting[index]) {
            guard awaiting[index].attempts < 3 else {
                giveUp(awaiting.remove(at: index), .unanswered)
                continue
            }
            actions.append(.request(awaiting[index].ask(at: now)))
        }
        for index in tables.indices {
            guard let shoe = tables[index].inPlay, shoe.isLeft, shoe.proof == nil, isDue(shoe) else { continue }
            if shoe.attempts < 8, let request = tables[index].inPlay?.ask(at: now) {
                actions.append(.request(request))
            } else {
                tables[index].inPlay = nil
                giveUp(shoe, .left)
            }
        }
    }

    /// The answer to a request for a proof.
    private mutating func proved(_ answer: Result<Reply, Refusal>, table name: String, shoe number: Int, commitment: Digest?) {
        let isPlayed = tables.firstIndex { $0.inPlay?.isAsked(by: name, number, commitment) == true && $0.inPlay?.proof == nil }
        if let isPlayed, var shoe = tables[isPlayed].inPlay {
            if case .success(.proof(let proof)) = answer, proof.commitment == shoe.watched.commitment {
                shoe.watched.own = contributor.own(for: proof.commitment, at: name)
                awaiting.removeAll { $0.watched.commitment == proof.commitment && $0.watched.table == name }
                judge(&shoe, by: proof)
                (shoe.proof, shoe.provedInRound) = (proof, shoe.round)
                tables[isPlayed].inPlay = shoe
                return
            }
            if case .failure(let refusal) = answer, refusal.isLocal, shoe.isLeft {
                (shoe.askedAt, shoe.attempts) = (nil, 0)
                tables[isPlayed].inPlay = shoe
            }
        }
        guard let index = awaiting.firstIndex(where: { $0.isAsked(by: name, number, commitment) }) else { return }
        let isSameTable = tables.last?.name == name && tables.last?.last?.epoch == awaiting[index].epoch
        switch answer {
        case .success(.proof(let proof)):
            var over = awaiting.remove(at: index)
            if proof.commitment == over.watched.commitment || over.fair != nil && over.cause != .restarted && isSameTable {
                judge(&over, by: proof)
            } else if over.fair == nil, over.cause != .restarted {
                // Another attempt made the shoe.
                if over.cause != .left { countGivenUp(number) }
            } else {
                giveUp(over, over.isClosed ? over.cause : .restarted)
            }
        case .failure(let refusal) where refusal.code != ErrorCode.notFound.rawValue:
            // For want of a connection, or of requests allowed: again with the next change.
            awaiting[index].askedAt = refusal.isLocal ? nil : now
            if refusal.isLocal { awaiting[index].attempts = 0 }
        case .success, .failure:
            let over = awaiting.remove(at: index)
            let isLost = over.fair != nil && tables.last?.name == name && !isSameTable && !over.isClosed
            giveUp(over, isLost ? .restarted : over.cause)
        }
    }

    private mutating func judge(_ over: inout ShoeRecord, by proof: ShoeProof) {
        let verdict = ShoeVerifier.verdict(on: over, proof: proof, secrets: secrets)
        let hasDrawn = contributor.contribution(to: over.watched.commitment, at: over.watched.table) != nil
        let others = tables.flatMap { [$0.inPlay?.watched.commitment, $0.coming?.next.commitment] }.compactMap(\.self)
        contributor.forget(upTo: over.watched, but: others)
        var report = over.report
        report.proof = proof
        switch verdict {
        case .verified(let isIncluded):
            let used = UsedSecret(proof)
            if !secrets.contains(used) { secrets = secrets.suffix(Self.mostRemembered - 1) + [used] }
            report.isIncluded = isIncluded
            if hasDrawn, !isIncluded { judged.withoutPlayer += 1 }
            found(.verified(report))
            if over.isSuspect { countGivenUp(over.watched.shoe) }
        case .contradicted(let fault):
            found(over.fault == nil ? .contradicted(report, fault) : .evidence(report, fault))
            over.fault = fault
        case .notVerified(let cause): giveUp(over, cause)
        }
    }

    private mutating func giveUp(_ over: ShoeRecord, _ cause: UnverifiedCause) {
        guard over.fault == nil else { return }
        let said = over.cause == .left ? .left : cause
        found(.notVerified(over.report, said))
        // A restart is seen, and said: it is no hidden cause.
        if over.fair == nil, said == .refused || said == .unanswered { countGivenUp(over.watched.shoe) }
    }
}

extension ShoeRecord {
    /// With the commitment: after a restart another table may have the name.
    fileprivate var proofRequest: ClientMessage {
        .proof(table: watched.table, shoe: watched.shoe, commitment: watched.commitment)
    }

    fileprivate mutating func ask(at now: Int64) -> ClientMessage {
        (askedAt, attempts) = (now, attempts + 1)
        return proofRequest
    }
}
