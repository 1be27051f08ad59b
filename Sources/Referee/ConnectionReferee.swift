import Rules
import TableModel
import Wire

/// Reads and judges one connection: replies, revisions, tables, deadlines. Inputs: lines and the time. Output: events.
/// Confined to its loop.
package final class ConnectionReferee {
    /// The meaning of a line.
    package enum Event {
        case hello(Hello)
        case reply(id: RequestID?, Reply)
        case refused(Refusal)
        /// The table is another one than before.
        case table(ShownTable)
        /// The table must be requested again.
        case lost
        case goodbye(code: String, message: String)
        case other
    }

    /// A request that was not answered yet.
    private struct Pending {
        var id: RequestID?
        /// nil for a line that is no request.
        var type: String?
        /// The revision that it answers, for a decision.
        var revision: Int
    }

    let group: RefereeGroup
    /// The bot's name in reports.
    let name: String
    package private(set) var shown: ShownTable?
    /// The seat that this player has, once known.
    package private(set) var seat: Int?
    /// The name that the server knows this player by.
    package private(set) var player: String?
    private(set) var transcript = Transcript()
    var clock = DeadlineWatch()

    private var pending: [Pending] = []
    /// Whether the table was requested again: diffs of the old one are ignored.
    private var isLost = false
    private(set) var mirror: TableMirror?

    package init(group: RefereeGroup, name: String) {
        self.group = group
        self.name = name
    }

    /// A new connection begins: replies to the old one will not come.
    package func reconnected(at now: Int64) {
        pending = []
        clock.asked(at: now)
    }

    /// The line of a request, its end included, which is taken as sent.
    package func line(of request: Request, at now: Int64) -> [UInt8] {
        let line = request.encoded()
        transcript.note(Array(line.dropLast()), isSent: true, at: now, shown)
        pending.append(Pending(id: request.id, type: request.type, revision: shown?.revision ?? -1))
        guard case .success(let message) = request.message else { return line }
        if case .ping = message { clock.asked(at: now) }
        clock.note(message)
        return line
    }

    /// Takes a line of the server's.
    /// - Parameter now: milliseconds on the local clock.
    package func take(_ line: UnsafeBufferPointer<UInt8>, at now: Int64) -> Event {
        group.lines += 1
        if let shown, let step = mirror?.step(from: shown.revision), step.matches(UnsafeRawBufferPointer(line)) {
            transcript.note(step.line, isSent: false, at: now, shown)
            return moved(to: step.after, at: now)
        }
        let kept = Array(line)
        transcript.note(kept, isSent: false, at: now, shown)
        do {
            let message = try ServerMessage(line: line)
            guard case .diff(let from, let to, let check, let difference, _) = message else { return took(message, at: now) }
            return changed(kept, from, to, check, difference, at: now)
        } catch {
            accuse(.grammar, "no message of the protocol: \(error.message)")
            return .other
        }
    }

    /// Follows lines that other bots of this loop have judged, comparing each as a whole; stops at a different or partial line.
    /// - Parameters:
    ///   - bytes: input, from the beginning of a line.
    ///   - onTable: called with each revision, in order.
    /// - Returns: the bytes followed.
    package func follow(_ bytes: UnsafeRawBufferPointer, at now: Int64, onTable: (ShownTable) -> Void) -> Int {
        var (start, lines) = (0, 0)
        while let shown, let step = mirror?.step(from: shown.revision), let length = step.opens(bytes, from: start) {
            lines += 1
            transcript.note(step.line, isSent: false, at: now, shown)
            start += length
            _ = moved(to: step.after, at: now)
            onTable(step.after)
        }
        group.lines += lines
        return start
    }

    private func took(_ message: ServerMessage, at now: Int64) -> Event {
        switch message {
        case .hello(let hello):
            clock.told(hello.time)
            return .hello(hello)
        case .ok(let id, let reply): return answered(id, reply)
        case .error(let refusal): return refused(refusal, at: now)
        case .snapshot(let table, let epoch, let revision, let snapshot, _):
            return arrived(table, epoch, revision, snapshot, at: now)
        case .bye(let code, let message, _, _): return .goodbye(code: code, message: message)
        // A diff never comes here.
        case .diff, .lobby, .chat, .notice, .history, .chart, .value, .unknown: return .other
        }
    }

    // MARK: Replies

    private func settle(_ id: RequestID?, _ type: String?) -> Pending? {
        guard let first = pending.first else {
            accuse(.replies, "a reply to \(type ?? "an unnamed request") arrived without a request")
            return nil
        }
        pending.removeFirst()
        let name = first.id?.description ?? "without an id"
        if id != first.id {
            accuse(.replies, "the reply to request \(name) names request \(id?.description ?? "without an id")")
        } else if let type, let wanted = first.type, type != wanted {
            accuse(.replies, "the reply to request \(name), \(wanted), names \(type)")
        }
        return first
    }

    private func answered(_ id: RequestID?, _ reply: Reply) -> Event {
        _ = settle(id, reply.type)
        if case .applied(let type, let revision?) = reply, let shown, revision < shown.revision {
            accuse(.replies, "the reply to \(type) names revision \(revision) after \(shown.revision) was shown")
        }
        switch reply {
        case .login(let login):
            player = login.name
            seat = login.seats.first
        case .sit(_, let seat, _, _): self.seat = seat
        case .ping(let time): clock.told(time)
        case .applied("leave", _):
            (seat, shown, mirror) = (nil, nil, nil)
        case .watch: isLost = false
        default: break
        }
        return .reply(id: id, reply)
    }

    /// Codes that must not refuse an offered decision while nothing changed.
    private static let unfair: Set<String> = ["not_allowed", "insufficient_chips"]

    /// A refusal comes before the table that shows why: only where no deadline can have passed is nothing changed for certain.
    private func refused(_ refusal: Refusal, at now: Int64) -> Event {
        // The last line may be about the connection rather than a request.
        if refusal.id == nil, refusal.closes { return .refused(refusal) }
        if let request = settle(refusal.id, refusal.type), request.type == "act", request.revision == shown?.revision,
            Self.unfair.contains(refusal.code), clock.isBefore(shown?.facts.deadline, at: now)
        {
            accuse(.legality, "what was offered at revision \(request.revision) was refused: \(refusal.code): \(refusal.message)")
        }
        return .refused(refusal)
    }

    // MARK: Tables

    private func arrived(_ table: String, _ epoch: String, _ revision: Int, _ snapshot: TableSnapshot, at now: Int64) -> Event {
        let mirror = group.mirror(of: table)
        self.mirror = mirror
        isLost = false
        if let latest = mirror.latest, latest.epoch == epoch, revision <= latest.revision {
            if let known = mirror.shown(at: revision) {
                if known.snapshot != snapshot {
                    accuse(.equality, "revision \(revision) was shown to others as another table", table)
                }
                return moved(to: known, at: now)
            }
            // The others are far ahead: this bot follows on its own until it has caught up.
            let alone = ShownTable(
                name: table, epoch: epoch, revision: revision, snapshot: snapshot, facts: TableFacts(snapshot), after: nil)
            return moved(to: alone, at: now)
        }
        let (shown, findings) = mirror.begin(snapshot, name: table, epoch: epoch, revision: revision)
        report(findings, shown)
        return moved(to: shown, at: now)
    }

    private func changed(
        _ line: [UInt8], _ from: Int, _ to: Int, _ check: UInt32?, _ difference: TableDifference, at now: Int64
    ) -> Event {
        // Without a table, a diff that was on its way when we left is indistinguishable from a mistake of the server.
        guard !isLost, let shown, let mirror else { return .other }
        guard from == shown.revision, to > from else {
            return lose(.revisions, "a diff from \(from) to \(to) came at revision \(shown.revision)")
        }
        guard let next = try? shown.snapshot.applying(difference) else {
            return lose(.revisions, "the diff from \(from) to \(to) does not fit")
        }
        if let check, check != next.check {
            return lose(.equality, "the table at \(to) has the check value \(next.check), the server sent \(check)")
        }
        if let known = mirror.shown(at: to), known.epoch == shown.epoch {
            if known.snapshot != next { accuse(.equality, "revision \(to) was shown to others as another table") }
            return moved(to: known, at: now)
        }
        if mirror.latest?.epoch == shown.epoch, let (table, findings) = mirror.take(line, from: from, to: to, next) {
            report(findings, table)
            return moved(to: table, at: now)
        }
        let alone = ShownTable(
            name: shown.name, epoch: shown.epoch, revision: to, snapshot: next, facts: TableFacts(next), after: shown)
        return moved(to: alone, at: now)
    }

    private func lose(_ law: Violation.Law, _ detail: String) -> Event {
        accuse(law, detail)
        isLost = true
        return .lost
    }

    private func moved(to table: ShownTable, at now: Int64) -> Event {
        let old = shown
        shown = table
        // After a gap a shared table has not been compared with the one that this viewer saw last, and what ended there is unknown.
        guard let old, table.epoch == old.epoch, table.revision == old.revision + 1 else {
            keepSeat(table)
            return .table(table)
        }
        if table.occupants != 0 { keepSeat(table) }
        if let seat, let early = clock.judge(old, table, seat: seat, at: now) { accuse(.order, early) }
        if let fault = clock.judgeAbsent(old, table, at: now) { accuse(.order, fault) }
        return .table(table)
    }

    /// A player moved out of the seat has none.
    private func keepSeat(_ table: ShownTable) {
        if let seat, let player, table.snapshot.player(seat)?.name != player { self.seat = nil }
    }

    // MARK: Accusations

    /// Reports a shoe that its player found not to be honest.
    package func accuseShoe(_ detail: String) { accuse(.shuffle, detail) }

    private func report(_ findings: [TableReferee.Finding], _ table: ShownTable) {
        for finding in findings { accuse(finding.law, finding.detail, table.name, round: table.facts.round) }
    }

    private func accuse(_ law: Violation.Law, _ detail: String, _ table: String? = nil, round: Int? = nil) {
        let violation = Violation(
            law: law, table: table ?? shown?.name ?? "", round: round ?? shown?.facts.round ?? 0, line: transcript.count,
            detail: detail, bot: name)
        group.report(violation) { transcript.text(["bjbots transcript of \(name)", violation.description]) }
    }
}

/// State shared by the connection referees of one loop: mirrors of tables, and violations. Confined to its loop.
package final class RefereeGroup {
    private(set) var mirrors: [String: TableMirror] = [:]
    /// The first violations, with the transcripts of their connections.
    package private(set) var violations: [(violation: Violation, transcript: String)] = []
    package private(set) var violationCount = 0
    /// Lines that were read and judged.
    package var lines = 0

    private static let keptViolations = 100

    package init() {}

    func mirror(of table: String) -> TableMirror {
        if let mirror = mirrors[table] { return mirror }
        let mirror = TableMirror()
        mirrors[table] = mirror
        return mirror
    }

    func report(_ violation: Violation, transcript: () -> String) {
        violationCount += 1
        if violations.count < Self.keptViolations { violations.append((violation, transcript())) }
    }

    /// Rounds of each table.
    package var rounds: [String: Int] { mirrors.mapValues(\.rounds) }
}

/// Checks that players get all the time they were promised. The server's clock is ahead by at most the time between a question and its
/// answer, so only an end that is early by this bound is a violation.
struct DeadlineWatch {
    /// The most that the server's clock can be ahead of ours, in milliseconds.
    private var mostAhead: Int64?
    private var askedAt: Int64?
    /// The question that this player answered last, and the round after which it bet last.
    private var answeredTurn: Int?
    private var betRound: Int?
    private var isGoing = false

    /// Both clocks count whole milliseconds, each with a rounding of its own.
    private static let rounding: Int64 = 2

    /// A question that the server answers with its time goes out.
    mutating func asked(at now: Int64) { askedAt = now }

    /// The server's time arrives, in its milliseconds since 1970.
    mutating func told(_ time: Int64) {
        guard let asked = askedAt else { return }
        askedAt = nil
        mostAhead = min(mostAhead ?? .max, time - asked)
    }

    /// Whether the server's clock has certainly not come to a deadline; true where there is none.
    func isBefore(_ deadline: Int64?, at now: Int64) -> Bool {
        deadline == nil || rest(until: deadline, at: now) != nil
    }

    mutating func note(_ message: ClientMessage) {
        switch message {
        case .act(_, _, _, _, let turn): answeredTurn = turn
        case .bet(_, _, let round): betRound = round
        case .leave, .logout, .sitOut(true): isGoing = true
        case .sit, .sitOut(false): isGoing = false
        // Tells nothing about what the player will do at the table.
        case .login, .available, .lobby, .standings, .rules, .chart, .value, .watch, .commit, .reveal, .proof, .chat, .history,
            .kick,
            .pass, .pause, .match, .options, .ping:
            break
        }
    }

    /// Milliseconds that certainly remain until a deadline; nil where it may have passed.
    private func rest(until deadline: Int64?, at now: Int64) -> Int64? {
        guard let mostAhead, let deadline else { return nil }
        let early = deadline - (now + mostAhead + Self.rounding)
        return early > 0 ? early : nil
    }

    /// Judges absent players between two consecutive revisions: their bets stay, and their turns run the whole clock.
    /// - Returns: the fault in words, or nil.
    func judgeAbsent(_ old: ShownTable, _ new: ShownTable, at now: Int64) -> String? {
        var absent = old.facts.away & new.facts.away
        guard absent != 0 else { return nil }
        absent &= ~new.facts.occupants(otherThanIn: old.facts)
        let gone = absent & old.facts.betting & ~new.facts.betting
        if new.facts.round == old.facts.round, !new.facts.isInRound, gone != 0 {
            return "the bet of seat \(gone.trailingZeroBitCount) is gone, whose player is away"
        }
        let ended = absent & new.facts.answered(since: old.facts)
        guard ended != 0, let early = rest(until: old.facts.deadline, at: now) else { return nil }
        return "the time of seat \(ended.trailingZeroBitCount), whose player is away, ended \(early) ms early"
    }

    /// Judges the time of this player between two consecutive revisions.
    /// - Returns: the early end in words, or nil.
    func judge(_ old: ShownTable, _ new: ShownTable, seat: Int, at now: Int64) -> String? {
        guard !isGoing, let early = rest(until: old.facts.deadline, at: now) else { return nil }
        let bit = UInt8(1) << UInt8(seat)
        if old.facts.asked & bit != 0 {
            let isOver = new.facts.answered(since: old.facts) & new.facts.here & bit != 0
            return isOver && old.facts.seats[seat].choice?.turn != answeredTurn
                ? "the time to answer ended at least \(early) ms early" : nil
        }
        guard old.facts.mayJoin & bit != 0, new.facts.round == old.facts.round + 1, betRound != old.facts.round,
            new.facts.playing & bit == 0
        else { return nil }
        return "the betting ended at least \(early) ms early"
    }
}

/// A table as its viewers see it at one revision: taken apart and judged once for all of them.
package final class ShownTable: Sendable {
    package let name: String
    package let epoch: String
    package let revision: Int
    package let snapshot: TableSnapshot
    package let facts: TableFacts
    /// Results of the last finished round, by seat; empty before the first.
    package let outcomes: [SeatOutcome]
    /// Seats with another player than in the former table, or none: bit n for seat n.
    let occupants: UInt8
    /// Whether the item `fair` or `next` differs from the former table, or may.
    package let changesShoes: Bool

    /// - Parameter old: the former table of this viewer; nil for the first, or after a gap.
    init(
        name: String, epoch: String, revision: Int, snapshot: TableSnapshot, facts: TableFacts, after old: ShownTable?
    ) {
        self.name = name
        self.epoch = epoch
        self.revision = revision
        self.snapshot = snapshot
        self.facts = facts
        outcomes = facts.outcomes ?? old?.outcomes ?? []
        occupants = old.map { facts.occupants(otherThanIn: $0.facts) } ?? .max
        changesShoes = old.map { snapshot.nextShoe != $0.snapshot.nextShoe || snapshot.fairShoe != $0.snapshot.fairShoe } ?? true
    }
}
