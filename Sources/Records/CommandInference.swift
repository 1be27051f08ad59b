import Fairness
import Rules
import TableEngine

/// Infers the commands that led to the facts of a record, and checks with the table's own validator that each was legal.
struct CommandInference {
    /// The table before the facts.
    private(set) var table: Table
    private let now: Moment
    private let name: String
    private let facts: [Fact]
    /// The facts accounted for.
    private var done = 0
    /// Facts of a voided round: its bets are returned, not settled.
    private(set) var voided = 0..<0
    /// Commands of players that were found.
    private(set) var decisions = 0

    init(_ table: Table, _ name: String, at time: Int64, _ facts: [Fact]) {
        self.table = table
        self.name = name
        now = Moment(milliseconds: time)
        self.facts = facts
    }

    /// Accounts for every fact: time-outs that are due, then commands.
    mutating func run() throws(AuditFinding.Reason) {
        while done < facts.count {
            if case .postponed = facts[done] {
                try perform()
            } else if try !advance() {
                try perform()
            }
        }
    }

    /// Whether time-outs were due.
    private mutating func advance() throws(AuditFinding.Reason) -> Bool {
        var sink = FactList()
        table.advance(to: now, into: &sink)
        guard !sink.facts.isEmpty else { return false }
        if let difference = difference(sink.facts) { throw difference }
        done += sink.facts.count
        return true
    }

    private mutating func perform() throws(AuditFinding.Reason) {
        /// The finding of the first command that could be meant.
        var finding: AuditFinding.Reason?
        for command in candidates(facts[done]) {
            do {
                try table.validate(command, at: now)
            } catch {
                if finding == nil { finding = .illegal(table: name, fact: done + 1, error) }
                continue
            }
            var next = table
            var sink = FactList()
            try? next.perform(command, at: now, into: &sink)
            if let difference = difference(sink.facts) {
                if finding == nil { finding = difference }
                continue
            }
            table = next
            if case .void = command { voided = done..<done + sink.facts.count }
            done += sink.facts.count
            if case .act = command { decisions += 1 }
            return
        }
        throw finding ?? .unexpected(table: name, fact: done + 1, expected: nil, found: facts[done])
    }

    /// How the next facts differ from those that must follow; nil if they do not. Nothing must follow from no fact at all.
    private func difference(_ expected: [Fact]) -> AuditFinding.Reason? {
        if expected.isEmpty { return .unexpected(table: name, fact: done + 1, expected: nil, found: facts[done]) }
        for (offset, fact) in expected.enumerated() {
            let found = done + offset < facts.count ? facts[done + offset] : nil
            if found != fact {
                return .unexpected(table: name, fact: done + offset + 1, expected: fact, found: found)
            }
        }
        return nil
    }

    /// Commands whose first fact this can be, the likely one first.
    private func candidates(_ fact: Fact) -> [Command] {
        switch fact {
        // The time that a player took precedes what the player did.
        case .charged: facts.count > done + 1 ? commands(facts[done + 1]) : []
        default: commands(fact)
        }
    }

    private func commands(_ fact: Fact) -> [Command] {
        switch fact {
        case .sat(let player, let profile, let seat, let chips):
            [.sit(player: player, profile: profile, seat: seat, chips: chips)]
        case .left(let player, _): [.leave(player: player), .release(player: player)]
        case .leaving(let player): [.leave(player: player)]
        case .satOut(let player, _): [.sitOut(player: player)]
        case .satIn(let player): [.sitIn(player: player)]
        case .disconnected(let player, _): [.disconnected(player: player)]
        case .reconnected(let player): [.reconnected(player: player)]
        case .released(let player): [.release(player: player)]
        case .shoeSupplied(let source): [.supplyShoe(source), .tick]
        // A step of a ceremony that a command left due follows the next one, also one without facts of its own.
        case .attemptVoided, .listClosed, .listDue: [.tick]
        case .declared(let player, let contributes): [.declare(player: player, contributes: contributes)]
        case .ceremoniesBegan(let table): [.beginCeremonies(table: table)]
        case .ceremonyOpened(_, let secret): [.supplySecret(secret)]
        case .contributed(let player, let name, let commitment): commit(player, name, commitment)
        case .revealed(let player, let contribution): reveal(player, contribution)
        case .closing(let notice): [.close(notice)]
        case .postponed(let milliseconds): [.postpone(by: milliseconds)]
        case .insuranceSettled, .settled, .roundEnded: [.void]
        case .betPlaced(let seat, let amount):
            player(seat).map { player in
                // Leaving takes the bets back first.
                (amount == 0 ? [.leave(player: player)] : []) + [.bet(player: player, seat: seat, amount: amount)]
            } ?? []
        default: decision(fact).map { [$0] } ?? []
        }
    }

    private func commit(_ player: PlayerID, _ name: String, _ commitment: Digest) -> [Command] {
        table.nextShoe.map { next in
            [.commit(player: player, name: name, server: next.commitment, contribution: commitment)]
        } ?? []
    }

    private func reveal(_ player: PlayerID, _ contribution: ShoeSecret) -> [Command] {
        table.closedList.map { [.reveal(player: player, list: $0, contribution: contribution)] } ?? []
    }

    private func decision(_ fact: Fact) -> Command? {
        switch fact {
        case .hit(let seat, let hand): act(.hit, seat, hand)
        case .stood(let seat, let hand, .chosen): act(.stand, seat, hand)
        case .doubled(let seat, let hand, let added): act(.double, seat, hand, added)
        case .split(let seat, let hand, _): act(.split, seat, hand)
        case .surrendered(let seat): act(.surrender, seat, 0)
        case .insured(let seat, let amount): act(.insurance, seat, 0, amount)
        case .evenMoneyTaken(let seat): act(.evenMoney, seat, 0)
        case .declined(let seat, false): act(.decline, seat, 0)
        default: nil
        }
    }

    private func act(_ action: Action, _ seat: Int, _ hand: Int, _ amount: Int? = nil) -> Command? {
        player(seat).map { .act(player: $0, action: action, seat: seat, hand: hand, amount: amount) }
    }

    private func player(_ seat: Int) -> PlayerID? {
        (1...table.rules.seats).contains(seat) ? table.seatView(seat).player : nil
    }
}
