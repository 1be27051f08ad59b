import Fairness
import Rules
import TableModel
import Wire

/// Has the shoes of the table that is shown contributed to, recorded and verified. Input: table changes, answers, time. Output: requests and
/// findings.
///
/// A fault is a contradiction between two things that the server showed or said, which no lost message can bring about; everything that has
/// an innocent cause is none. An order that is given up after the player's reveal is no fault, and counted, whatever the cause.
/// Memory is bounded: commitments, secrets, contributions and shoes kept have limits that no server can move.
public struct ShoeSession: Sendable {
    public enum Action: Equatable, Sendable {
        /// Ask the server, and hand the answer to ``take(_:to:at:)``.
        case request(ClientMessage)
        case found(ShoeFinding)
    }

    /// Shoes without a proof that are kept: as many proofs as a server keeps.
    private static let mostKept = 8
    /// Contributions that are kept: as many as the attempts of 8 shoes.
    private static let mostContributions = 8 * NextShoe.attempts
    /// Commitments and secrets of the server that are remembered.
    private static let mostRemembered = 256
    /// Milliseconds after which a request for a proof is made again.
    private static let interval: Int64 = 10_000
    /// Milliseconds that a whole shoe takes at least where people play: two or three rounds.
    private static let leastTime: Int64 = 20_000

    /// Whether it commits and reveals, or only verifies.
    public let contributes: Bool
    public var tally: ShoeTally {
        var tally = judged
        tally.open = awaiting.count + (table?.inPlay?.isOpen == true ? 1 : 0)
        return tally
    }
    /// Without those that are open.
    private var judged = ShoeTally()

    /// The table shown last, the only one that is followed; nil before the first, and once the player has left it.
    private var table: WatchedTable?
    /// Shoes that are over, or left while they were in play, without a proof so far; oldest first.
    private var awaiting: [ShoeRecord] = []
    /// Newest last.
    private var contributions: [Contribution] = []
    private var commitments: [UsedCommitment] = []
    /// Revealed ones, by their digests, and the commitments that they give.
    private var secrets: [(digest: Digest, commitment: Digest)] = []
    /// The rules of the tables shown last, newest last.
    private var stated: [StatedRules] = []
    /// Shoes that were reported as contradicted, by table.
    private var accused: [String: Set<Int>] = [:]
    /// The source of contributions; for real tables a cryptographically secure one.
    private var generator: any RandomNumberGenerator & Sendable
    /// Milliseconds; the time of the last call.
    private var now: Int64 = 0
    private var actions: [Action] = []

    /// - Parameter contributes: whether the login declared it.
    public init(contributes: Bool, generator: any RandomNumberGenerator & Sendable) {
        (self.contributes, self.generator) = (contributes, generator)
    }

    // MARK: Inputs

    /// The table changed, or is shown for the first time.
    /// - Parameters:
    ///   - epoch: the table's.
    ///   - player: the name in the reply to the login; nil for none.
    ///   - now: milliseconds on any clock.
    public mutating func take(_ change: TableChange, epoch: String, player: String?, at now: Int64) -> [Action] {
        self.now = now
        if table?.last?.name != change.table {
            leave()
            table = WatchedTable(inPlay: comeBack(to: change.table, epoch))
        }
        guard var shown = table else { return [] }
        let step = shown.show(ShoeView(change, epoch: epoch), at: now)
        table = shown
        if let fault = shown.fault(in: step) { accuse(fault) }
        followShoe(step)
        followCeremony(step, player: player)
        if let fault = step.new.missingItem { if table?.inPlay == nil { accuse(fault) } else { accuseShoe(fault) } }
        followRules(step.new)
        if let fault = step.new.settlementFault { accuseRules(fault) }
        return finish(at: now)
    }

    /// The player took a seat. The server may have forgotten commitments to lists that are not closed: the next table has each sent again.
    public mutating func satDown() { forgetCommits() }

    /// The player asked to leave the table, and has left it: commitments to lists that are not closed are void.
    public mutating func left(at now: Int64) -> [Action] {
        self.now = now
        leave()
        return finish(at: now)
    }

    /// The connection is lost. The player can log in on another device until the next table is shown here: it can replace a commitment until
    /// its list is closed, or get up, which voids it.
    public mutating func connectionLost() {
        table?.isCut = true
        forgetCommits()
    }

    /// Time has passed, or a reconnect has changed nothing: makes unanswered requests again. A call every ten seconds is enough.
    public mutating func tick(at now: Int64) -> [Action] {
        contribute()
        return finish(at: now)
    }

    /// The answer to a request of an action.
    public mutating func take(_ answer: Result<Reply, Refusal>, to request: ClientMessage, at now: Int64) -> [Action] {
        self.now = now
        switch request {
        case .commit(let server, _): committed(answer, to: server)
        case .reveal(let list, _):
            guard let index = contributions.lastIndex(where: { $0.list == list }) else { break }
            contributions[index].reveal = Contribution.state(after: answer)
        case .proof(_, _, let commitment?): proved(answer, commitment)
        case .rules(let table?): noteRules(answer, ofTable: table)
        // No request of a ceremony.
        default: break
        }
        defer { actions.removeAll() }
        return actions
    }

    private mutating func finish(at now: Int64) -> [Action] {
        self.now = now
        askForProofs()
        defer { actions.removeAll() }
        return actions
    }

    // MARK: Findings

    private mutating func found(_ finding: ShoeFinding) {
        switch finding {
        case .verified: judged.verified += 1
        case .contradicted(let report, _):
            // One alarm a shoe, whatever commitments and epochs a server shows with it.
            guard judged.contradicted < Self.mostRemembered else { return }
            guard accused[report.table, default: []].insert(report.shoe).inserted else { return }
            judged.contradicted += 1
        case .notVerified: judged.notVerified += 1
        case .noCeremonies, .evidence, .givenUp: break
        }
        actions.append(.found(finding))
    }

    /// Counts an order that is given up after the player's reveal: the server may have rejected it.
    private mutating func countGivenUp(_ cause: GivenUpCause, _ shoe: Int) {
        judged.givenUp += 1
        found(.givenUp(cause, shoe: shoe, times: judged.givenUp))
    }

    /// Reports a fault of the coming shoe, once.
    private mutating func accuse(_ fault: ShoeFault) {
        guard let coming = table?.coming, coming.fault == nil else { return }
        table?.coming?.fault = fault
        found(.contradicted(report(of: coming), fault))
    }

    /// Reports a fault of the shoe in play, once.
    private mutating func accuseShoe(_ fault: ShoeFault) {
        guard var shoe = table?.inPlay, shoe.fault == nil else { return }
        (shoe.fault, shoe.watched.own) = (fault, own(for: shoe.watched.commitment))
        table?.inPlay = shoe
        found(.contradicted(shoe.report, fault))
    }

    /// - Parameter coming: nil for a table without ceremonies, whose rules' digest stands for a commitment.
    private func report(of coming: ComingShoe?) -> ShoeReport {
        let (shown, rules) = (table?.last, table?.last?.tableRules.flatMap(ShoeRules.init))
        var watched = WatchedShoe(
            table: shown?.name ?? "", shoe: coming?.next.shoe ?? max(0, shown?.shoe?.number ?? 0), rules: rules,
            commitment: coming?.next.commitment ?? rules?.digest ?? SHA256.hash([]))
        (watched.list, watched.own) = (coming?.list, own(for: watched.commitment))
        watched.statedRules = table?.statedRules
        return ShoeReport(watched: watched)
    }

    // MARK: Rules

    private mutating func followRules(_ new: ShoeView) {
        guard let item = new.tableRules else { return }
        guard let index = stated.lastIndex(where: { ($0.table, $0.epoch) == (new.name, new.epoch) }) else {
            judged.tables += 1
            judged.hasUnknownRules = judged.hasUnknownRules || !item.others.isEmpty
            stated = stated.suffix(Self.mostKept - 1) + [StatedRules(table: new.name, epoch: new.epoch, item: item)]
            return followRules(new)
        }
        if stated[index].item != item { accuseRules(.rulesChanged, [AllRules(stated[index].item).text, AllRules(item).text]) }
        guard !stated[index].isAsked else { return }
        stated[index].isAsked = true
        actions.append(.request(.rules(table: new.name)))
    }

    private mutating func noteRules(_ answer: Result<Reply, Refusal>, ofTable name: String) {
        guard let index = stated.lastIndex(where: { $0.table == name }), stated[index].isAsked else { return }
        guard case .success(.rules(name, let all)) = answer, table?.last?.name == name, table?.last?.epoch == stated[index].epoch
        else {
            // Without a connection, or at another table: asked again with the next change.
            if case .failure(let refusal) = answer, !refusal.isLocal { return }
            stated[index].isAsked = false
            return
        }
        if let fault = all.fault(beside: stated[index].item) {
            accuseRules(fault, [AllRules(stated[index].item).text, all.text])
        } else {
            judged.tablesWithRules += 1
        }
    }

    /// Reports a fault of the rules as one of the shoe in play, else of the coming one.
    /// - Parameter texts: as in ``WatchedShoe/statedRules``.
    private mutating func accuseRules(_ fault: ShoeFault, _ texts: [String]? = nil) {
        judged.areRulesFalse = true
        if let texts {
            table?.statedRules = texts
            table?.inPlay?.watched.statedRules = texts
        }
        if table?.inPlay != nil {
            accuseShoe(fault)
        } else if table?.coming != nil {
            accuse(fault)
        } else {
            found(.contradicted(report(of: nil), fault))
        }
    }

    /// The player goes: the proof of the shoe in play is asked for later, and the coming shoe is not followed.
    private mutating func leave() {
        forgetCommits()
        guard let left = table.take(), var shoe = left.inPlay, shoe.proof == nil else { return }
        shoe.watched.own = own(for: shoe.watched.commitment)
        (shoe.cause, shoe.epoch, shoe.askAt) = (.left, left.last?.epoch, now + Self.interval)
        keep(shoe)
    }

    /// - Returns: the shoe that the player left in play at a table.
    private mutating func comeBack(to table: String, _ epoch: String) -> ShoeRecord? {
        let index = awaiting.firstIndex { $0.cause == .left && $0.watched.table == table && $0.epoch == epoch }
        guard var shoe = index.map({ awaiting.remove(at: $0) }) else { return nil }
        (shoe.cause, shoe.epoch, shoe.askAt, shoe.attempts) = (.refused, nil, .min, 0)
        return shoe
    }

    // MARK: The shoe in play

    private mutating func followShoe(_ step: Step) {
        let (new, coming) = (step.new, table?.coming?.next)
        guard let fair = new.fairShoe else {
            let number = new.shoe?.number ?? 0
            if !step.isRestart, new.phase != .closed {
                // A shoe that is announced stays so while it is in play.
                if number > 0 { accuseShoe(.contradiction) }
                if table?.inPlay == nil, number > 0 ? coming?.shoe ?? .max <= number : new.isInPlay { accuse(.unannounced) }
            }
            finishShoe(step)
            return sayNone()
        }
        // A shoe without the items that describe it has failed, and goes on.
        guard let rules = new.tableRules, let status = new.shoe else { return }
        if let shoe = table?.inPlay, shoe.watched.shoe != fair.shoe || shoe.watched.commitment != fair.commitment {
            if step.isRepeated { accuseShoe(.contradiction) }
            if step.isNext, !shoe.isExpectedShuffle(step) { accuseShoe(.shuffledEarly) }
            finishShoe(step)
        }
        if table?.inPlay == nil {
            // Nothing is dealt at a closed table: its shoe was seen before, or not at all.
            if new.phase == .closed { return }
            begin(fair, rules, in: step)
        }
        view(step)
        if new.phase == .closed { finishShoe(step) } else { askWhenOver(new, status) }
    }

    /// A ceremony's first shoe comes into play.
    private mutating func begin(_ fair: FairShoe, _ rules: TableRules, in step: Step) {
        var shoe = ShoeRecord(fair, rules, table: step.new.name)
        shoe.watched.statedRules = table?.statedRules
        table?.inPlay = shoe
        guard let coming = table?.coming, coming.next.shoe == fair.shoe, !step.hasForgotten else {
            // A shoe that was never announced, though every change was seen.
            if step.isNext, table?.coming != nil { accuseShoe(.commitmentChanged) }
            return
        }
        guard coming.fault == nil else {
            table?.inPlay?.fault = coming.fault
            return
        }
        guard coming.next.commitment == fair.commitment else {
            // Another attempt made the shoe: an honest server has one where changes were missed.
            if step.isNext { return accuseShoe(.commitmentChanged) }
            if case .mixed = coming.next.stage { return accuseShoe(.voidedWithoutCause) }
            if isRevealed(coming.next) { countGivenUp(.unseen, fair.shoe) }
            return
        }
        var (played, order) = (coming.next, fair.order)
        // The first order is not shown where another one of its key is in play.
        if fair.segment != nil || rules.rules.continuousShuffle, case .mixed(_, _, let first) = played.stage { order = first }
        played.stage = .mixed(list: fair.list, fair.mixed, order: order)
        if let fault = stageFault(of: played, after: coming, in: step) { return accuseShoe(fault) }
        countVoid(coming.next, played, in: step, player: nil)
    }

    /// Checks and notes a view of the shoe in play.
    private mutating func view(_ step: Step) {
        guard var shoe = table?.inPlay, shoe.fault == nil else { return }
        var fault = step.new.missingItem ?? shoe.fault(in: step, coming: table?.coming?.next)
        // A late view shows true cards only.
        if shoe.note(step), fault == nil, let proof = shoe.proof { fault = shoe.check(proof).fault }
        table?.inPlay = shoe
        if let fault { accuseShoe(fault) }
    }

    /// The shoe in play is over: asks for its proof, unless it has come already.
    private mutating func finishShoe(_ step: Step) {
        guard var over = table?.inPlay.take(), over.proof == nil else { return }
        over.watched.own = own(for: over.watched.commitment)
        if step.new.phase != .closed { (over.epoch, over.cause) = (step.new.epoch, step.isRestart ? .restarted : .refused) }
        keep(over)
    }

    /// Says once that the shoe in play has no ceremony: one may be announced for the next.
    private mutating func sayNone() {
        guard let table, let shown = table.last, !table.hasSaidNone, shown.phase != .closed else { return }
        // A table without ceremonies may leave out its shoe.
        guard shown.shoe?.number ?? 0 > 0 || shown.nextShoe == nil && shown.isInPlay else { return }
        self.table?.hasSaidNone = true
        found(.noCeremonies(table: shown.name))
    }

    // MARK: The coming shoe

    private mutating func followCeremony(_ step: Step, player: String?) {
        let new = step.new
        // The coming shoe of a table that closes is never played: everybody sees why.
        guard new.phase != .closed else {
            table?.coming = nil
            return
        }
        if step.hasForgotten, let lost = table?.coming, lost.next.commitment != new.nextShoe?.commitment {
            // The server was started again without the ceremony: everybody sees that, too.
            if isRevealed(lost.next) {
                found(.notVerified(report(of: lost), .restarted))
                // A server that is started again has lost the connection.
                if !step.isCut { countGivenUp(.unseen, lost.next.shoe) }
            }
            table?.coming = nil
        }
        // An open table with ceremonies has a coming shoe at each instant.
        guard let next = new.nextShoe else { return accuse(.commitmentChanged) }
        let before = table?.coming
        let coming = before?.followed(by: next) ?? ComingShoe(next: next, list: next.list)
        let fault = coming.fault == nil ? ceremonyFault(next, after: before, in: step, player: player) : nil
        table?.coming = coming
        let used: UsedCommitment = (new.name, new.epoch, next.shoe, next.attempt, next.commitment)
        if !commitments.contains(where: { $0 == used }) { commitments = commitments.suffix(Self.mostRemembered - 1) + [used] }
        if let before, let fair = new.fairShoe { countMissed(before.next, before: next, fair, in: step) }
        if let fault {
            accuse(fault)
        } else if let before, before.next.shoe == next.shoe {
            countVoid(before.next, next, in: step, player: player)
        }
        if let player, new.hasSeat(player) {
            if contributes, next.stage == .open, table?.coming?.fault == nil { draw(for: next, as: player) }
        } else {
            forgetCommits()
        }
        contribute()
    }

    /// The first thing that is wrong with the ceremony shown.
    private func ceremonyFault(_ next: NextShoe, after before: ComingShoe?, in step: Step, player: String?) -> ShoeFault? {
        // A closed table stays closed.
        if step.old?.phase == .closed { return .wentBack }
        let isSame = before?.next.isSameAttempt(as: next) ?? false
        if !isSame, let fault = commitmentFault(of: next, after: before?.next, in: step) { return fault }
        if let before = before?.next, let player, before.shoe == next.shoe, next.names(since: before).contains(player) {
            // Names come with void attempts. In an attempt behind a lost connection another device can have withheld.
            let isUnknown = step.isCut && next.attempt > before.attempt + 1
            let isGiven = contribution(to: before.commitment)?.reveal == .confirmed
            if next.attempt == before.attempt || isGiven && !isUnknown { return .namedAsWithholder }
        }
        return stageFault(of: next, after: isSame ? before : nil, in: step)
    }

    private func commitmentFault(of next: NextShoe, after before: NextShoe?, in step: Step) -> ShoeFault? {
        for used in commitments {
            let isSameAttempt = used.table == step.new.name && used.shoe == next.shoe && used.attempt == next.attempt
            if used.commitment == next.commitment, !isSameAttempt { return .commitmentRepeated }
            // Within an epoch an attempt has one commitment, whatever was shown in between.
            if used.commitment != next.commitment, isSameAttempt, used.epoch == step.new.epoch { return .commitmentChanged }
        }
        // Another number without the shoe before in play would let the server try other shoes.
        if let number = step.new.nextNumber, number != next.shoe { return .commitmentChanged }
        guard let before else { return nil }
        guard before.shoe == next.shoe else { return before.shoe > next.shoe ? .wentBack : nil }
        guard before.attempt < next.attempt else { return .commitmentChanged }
        // No attempt is void once its order is made, or without a reason: that would let the server try other shoes.
        if case .mixed = before.stage { return .voidedWithoutCause }
        let isSeen = next.attempt == before.attempt + 1
        // Where changes were missed, names of the next attempt are from this list.
        let isJudged = step.isNext || isSeen && before.stage != .open && !next.names(since: before).isEmpty
        return isJudged && (!isSeen || step.cause(of: next, after: before) == nil) ? .voidedWithoutCause : nil
    }

    /// - Parameter same: the same attempt as shown before.
    private func stageFault(of next: NextShoe, after same: ComingShoe?, in step: Step) -> ShoeFault? {
        if let known = same?.list, known != next.list { return .listChanged }
        guard case .mixed(let list, let mixed, let order) = next.stage else {
            if case .mixed = same?.next.stage { return .listChanged }
            return nil
        }
        // A list is closed, and shown, before anybody on it can reveal.
        if step.isNext, same?.next.stage ?? .open == .open, !mixed.flags.isEmpty { return .listChanged }
        if case .mixed(_, let known, let made) = same?.next.stage {
            if (known, made) != (mixed, order) { return .orderChanged }
        } else if next.attempt < NextShoe.attempts, mixed.flags.contains(false) {
            // Only the last attempt goes on without a contribution.
            return .mixed
        }
        let own = contribution(to: next.commitment)
        return own?.reveal == .confirmed && own?.isMissing(in: mixed, list) == true ? .namedAsWithholder : nil
    }

    /// Counts an attempt that is void, or the last one that was mixed without the player, if the player had revealed.
    private mutating func countVoid(_ before: NextShoe, _ next: NextShoe, in step: Step, player: String?) {
        if case .mixed(let list, let mixed, _) = next.stage, before.stage != next.stage,
            contribution(to: next.commitment)?.isMissing(in: mixed, list) == true
        {
            countGivenUp(.named, next.shoe)
        }
        guard before.attempt < next.attempt, isRevealed(before) else { return }
        let names = next.names(since: before)
        let cause = step.isNext ? step.cause(of: next, after: before) : names.isEmpty ? nil : .withheld(names)
        // A player who leaves is shown nothing more: one who is said to have got up has not asked to.
        countGivenUp(player.map(names.contains) == true ? .named : cause ?? .unseen, next.shoe)
    }

    /// Counts an order to which the player revealed, and that came into play unseen, or not at all: behind a connection that lasted, or was lost
    /// for too short a time, the server alone can have hidden a shoe.
    private mutating func countMissed(_ missed: NextShoe, before next: NextShoe, _ fair: FairShoe, in step: Step) {
        guard missed.shoe != next.shoe, fair.shoe != missed.shoe, !step.isNext, isRevealed(missed) else { return }
        if step.away / Self.leastTime < max(1, fair.shoe - missed.shoe) { countGivenUp(.unseen, missed.shoe) }
    }

    // MARK: Contributions

    private func index(of server: Digest) -> Int? { contributions.lastIndex { $0.server == server } }

    private func contribution(to server: Digest) -> Contribution? { index(of: server).map { contributions[$0] } }

    private func isRevealed(_ next: NextShoe) -> Bool { contribution(to: next.commitment)?.list != nil }

    /// The contribution to compare a proof with: nothing that the server may lack, or have from another device.
    private func own(for server: Digest) -> WatchedShoe.Own? {
        guard let own = contribution(to: server), own.commit == .confirmed else { return nil }
        return .init(
            name: own.player, contribution: own.secret, commitment: own.commitment, list: own.list,
            isConfirmed: own.reveal == .confirmed)
    }

    /// Draws a contribution, once for each commitment of the server.
    private mutating func draw(for next: NextShoe, as player: String) {
        guard let table = table?.last?.name, contribution(to: next.commitment) == nil else { return }
        let secret = ShoeSecret(using: &generator)
        let commitment = secret.contribution(table: table, shoe: next.shoe, player: player, to: next.commitment)
        contributions = contributions.suffix(Self.mostContributions - 1)
        contributions.append(Contribution(server: next.commitment, player: player, secret: secret, commitment: commitment))
    }

    /// Commits or reveals, as far as the stage has it and it was not done. Nothing is given to a shoe with which something is wrong.
    private mutating func contribute() {
        guard let coming = table?.coming, let index = index(of: coming.next.commitment) else { return }
        let (own, next) = (contributions[index], coming.next)
        let isSeated = table?.last?.hasSeat(own.player) == true
        switch next.stage {
        case .open:
            guard own.commit == .unsent, isSeated, coming.fault == nil, !next.withheld.contains(own.player) else { return }
            contributions[index].commit = .asked
            actions.append(.request(.commit(server: next.commitment, contribution: own.commitment)))
        case .revealing(let contributors):
            let row = contributors.firstIndex { $0.name == own.player }
            guard let row, contributors[row].commitment == own.commitment else {
                if own.commit == .confirmed, row != nil || isSeated { accuse(row == nil ? .leftOut : .ownContribution) }
                return
            }
            contributions[index].commit = .confirmed
            let list = contributors.listDigest(server: next.commitment)
            guard own.list ?? list == list else { return accuse(.listChanged) }
            guard own.reveal == .unsent, coming.fault == nil else { return }
            (contributions[index].list, contributions[index].row, contributions[index].reveal) = (list, row, .asked)
            actions.append(.request(.reveal(list: list, contribution: own.secret)))
        case .mixed(_, let mixed, _):
            // A list of nobody lacks a commitment that the server has, and that nobody gave up. Others show in the proof.
            if own.list == nil, own.commit == .confirmed, isSeated, mixed.flags.isEmpty { accuse(.leftOut) }
        }
    }

    private mutating func committed(_ answer: Result<Reply, Refusal>, to server: Digest) {
        // A list that was seen has decided.
        guard let index = index(of: server), contributions[index].list == nil else { return }
        contributions[index].commit = Contribution.state(after: answer)
        // The list may have been closed without it, or the answer may say nothing.
        if case .success = answer, table?.coming?.next.commitment == server { contribute() }
    }

    /// The server may lack commitments to lists that are not closed: each is sent again.
    private mutating func forgetCommits() {
        for index in contributions.indices where contributions[index].list == nil { contributions[index].commit = .unsent }
    }

    // MARK: Proofs

    private mutating func keep(_ record: ShoeRecord) {
        if awaiting.count == Self.mostKept { giveUp(awaiting.removeFirst(), .unanswered) }
        awaiting.append(record)
    }

    /// Asks as soon as the secret may be revealed: at the settlement after the cut card with the next order made, or at that of a closing
    /// table.
    private mutating func askWhenOver(_ shown: ShoeView, _ status: ShoeStatus) {
        guard shown.phase == .settled, let shoe = table?.inPlay, shoe.proof == nil, shoe.askedInRound != shoe.round else {
            return
        }
        if shown.closing == nil {
            guard case .mixed = shown.nextShoe?.stage else { return }
            let isLast = status.number == shoe.watched.shoe + ShoeRules.roundsOfCeremony - 1
            guard shoe.rules.continuousShuffle ? isLast : shoe.drawn >= shoe.rules.cardsBeforeCut else { return }
        }
        table?.inPlay?.askedInRound = shoe.round
        actions.append(.request(shoe.proofRequest))
    }

    /// Asks for proofs that were not asked for, or not answered: three times, and eight times with growing pauses where the player left,
    /// who does not see the end of the shoe.
    private mutating func askForProofs() {
        for index in awaiting.indices.reversed() where awaiting[index].askAt <= now {
            let (isLeft, attempts) = (awaiting[index].cause == .left, awaiting[index].attempts + 1)
            guard attempts <= (isLeft ? 8 : 3) else {
                giveUp(awaiting.remove(at: index), .unanswered)
                continue
            }
            (awaiting[index].attempts, awaiting[index].askAt) = (attempts, now + Self.interval << (isLeft ? Int64(attempts) : 0))
            actions.append(.request(awaiting[index].proofRequest))
        }
    }

    /// The answer to a request for a proof, which names the commitment: after a restart another table may have the name.
    private mutating func proved(_ answer: Result<Reply, Refusal>, _ commitment: Digest) {
        if var shoe = table?.inPlay, shoe.watched.commitment == commitment {
            guard case .success(.proof(let proof)) = answer, shoe.proof == nil else { return }
            shoe.watched.own = own(for: commitment)
            judge(&shoe, by: proof)
            (shoe.proof, shoe.provedInRound) = (proof, shoe.round)
            table?.inPlay = shoe
        } else if let index = awaiting.firstIndex(where: { $0.watched.commitment == commitment }) {
            switch answer {
            case .success(.proof(let proof)):
                var over = awaiting.remove(at: index)
                judge(&over, by: proof)
            case .failure(let refusal) where refusal.isLocal:
                // For want of a connection, or of requests allowed: again with the next change.
                (awaiting[index].askAt, awaiting[index].attempts) = (.min, 0)
            case .failure(let refusal) where refusal.code != ErrorCode.notFound.rawValue:
                awaiting[index].askAt = now + Self.interval
            case .failure where awaiting[index].cause == .left: break
            case .success, .failure:
                let over = awaiting.remove(at: index)
                let isSameTable = table?.last?.name == over.watched.table
                giveUp(over, isSameTable && over.epoch ?? table?.last?.epoch != table?.last?.epoch ? .restarted : over.cause)
            }
        }
    }

    private mutating func judge(_ over: inout ShoeRecord, by proof: ShoeProof) {
        var report = over.report
        report.proof = proof
        let (result, used) = (over.check(proof), (digest: SHA256.hash(proof.secret.bytes), commitment: proof.commitment))
        // A secret used twice would make the second shoe known. The same proof may come twice.
        let isReused = secrets.contains { $0.digest == used.digest && $0.commitment != used.commitment }
        if let fault = over.fault ?? result.fault ?? (isReused ? .secretReused : nil) {
            found(over.fault == nil ? .contradicted(report, fault) : .evidence(report, fault))
            over.fault = fault
        } else if !secrets.contains(where: { $0 == used }) {
            secrets = secrets.suffix(Self.mostRemembered - 1) + [used]
            report.isIncluded = result.isIncluded
            if !result.isIncluded, contribution(to: proof.commitment) != nil { judged.withoutPlayer += 1 }
            found(.verified(report))
        }
    }

    private mutating func giveUp(_ over: ShoeRecord, _ cause: UnverifiedCause) {
        if over.fault == nil { found(.notVerified(over.report, over.cause == .left ? .left : cause)) }
    }
}

// MARK: - Kept

/// A player's contribution to the shoe of one commitment of the server.
///
/// It is drawn once and revealed once, under one list, which has to hold its own commitment; that stays so over reconnects. The server has a
/// commitment for certain only on the connection on which its `ok` came, and until its seat is given up: behind a lost one another device of
/// the player may have replaced the commitment since. Then the same is committed once more.
private struct Contribution: Sendable {
    enum State: Equatable, Sendable {
        case unsent, asked, confirmed, refused
    }

    let server: Digest
    let player: String
    let secret: ShoeSecret
    let commitment: Digest
    var commit = State.unsent
    /// The one list under which it is revealed: from then on the server may know the secret.
    var list: Digest?
    /// The player's row in that list.
    var row = 0
    var reveal = State.unsent

    /// Whether a mix of the list under which it was revealed lacks it.
    func isMissing(in mixed: MixedContributions, _ list: Digest) -> Bool {
        self.list == list && mixed.flags.indices.contains(row) && !mixed.flags[row]
    }

    /// Without a connection nobody has refused, and what is refused for now can succeed later: the same is asked again.
    static func state(after answer: Result<Reply, Refusal>) -> State {
        switch answer {
        case .success: .confirmed
        case .failure(let refusal): refusal.isLocal || refusal.kind == .again ? .unsent : .refused
        }
    }
}

/// A commitment of the server that was seen.
private typealias UsedCommitment = (table: String, epoch: String, shoe: Int, attempt: Int, commitment: Digest)
