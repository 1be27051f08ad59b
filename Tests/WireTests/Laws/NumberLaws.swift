import TableModel
import Wire

// The ranges once more, by hand: what a server and its clients reckon with without a further look.

private let exact = 1 << 53
private let stakes = 0...1_000_000_000_000

extension ClientMessage {
    /// Whether each number is one that can be reckoned with.
    var isInRange: Bool {
        switch self {
        case .login(_, _, _, _, let version, let options): (0...65_535).contains(version) && options.isInRange
        case .sit(_, let seat, _, let known): isSeat(seat) && known.isInRange
        case .watch(_, _, let known): known.isInRange
        case .bet(let amount, let seat, let round): stakes.contains(amount) && isSeat(seat) && (0...exact).contains(round)
        case .act(_, let seat, let hand, let amount, let turn):
            isSeat(seat) && (1...4).contains(hand ?? 1) && stakes.contains(amount ?? 0) && (0...exact).contains(turn)
        case .proof(_, let shoe, _): (0...exact).contains(shoe ?? 0)
        case .kick(_, let minutes): (0...10).contains(minutes)
        case .options(let options): options.isInRange
        default: true
        }
    }

    private func isSeat(_ seat: Int?) -> Bool { (1...7).contains(seat ?? 1) }
}

extension ConnectionOptions {
    fileprivate var isInRange: Bool { silence == 0 || (5...300).contains(silence ?? 5) }
}

extension KnownTable {
    fileprivate var isInRange: Bool { (0...exact).contains(revision ?? 0) && (0...exact).contains(chat ?? 0) }
}

extension CatchUp {
    fileprivate var isInRange: Bool {
        (0...exact).contains(revision) && chat.allSatisfy(\.isInRange) && results.allSatisfy(\.isInRange)
    }
}

extension ServerMessage {
    /// Whether each number is one that can be reckoned with.
    var isInRange: Bool {
        switch self {
        case .hello(let hello):
            isTime(hello.time) && hello.idleSeconds > 0 && hello.idleSeconds < 1 << 31 && hello.limits.burst < 1 << 31
        case .ok(_, .ping(let time)): isTime(time)
        case .chat(let line): line.isInRange
        case .notice(let notice): isTime(notice.time)
        case .history(let history): isTime(history.since) && history.rounds.allSatisfy(\.isInRange)
        case .chart(let chart): chart.isInRange
        case .ok(_, .applied(_, let revision)): (0...exact).contains(revision ?? 0)
        case .ok(_, .sit(_, _, let catchUp, let rebuy)): catchUp.isInRange && stakes.contains(rebuy ?? 0)
        case .ok(_, .watch(_, let catchUp)): catchUp.isInRange
        case .ok(_, .kick(let minutes)): (0...10).contains(minutes)
        case .ok(_, .login(let login)): (0...exact).contains(login.chips)
        case .ok(_, .lobby(let revision, let total, _)): (0...exact).contains(revision) && (0...exact).contains(total)
        case .error(let refusal): (0...86_400_000).contains(refusal.retryAfter ?? 0)
        case .snapshot(_, _, let revision, let table, let chat):
            (0...exact).contains(revision) && (0...exact).contains(chat) && table.isInRange
        case .diff(let from, let to, _, let difference, let news):
            (0...exact).contains(from) && (0...exact).contains(to)
                && difference.entries.allSatisfy(\.isInRange) && news.isInRange
        case .lobby(let change): (0...exact).contains(change.from) && (0...exact).contains(change.to)
        default: true
        }
    }

    private func isTime(_ time: Int64) -> Bool { (0...Int64(exact)).contains(time) }
}

extension TableNews {
    fileprivate var isInRange: Bool {
        guard case .facts(let facts) = self else { return true }
        return facts.count <= 256
            && facts.allSatisfy { fact in
                switch fact {
                case .sat(_, let seat): (1...7).contains(seat)
                case .hand(let hand, _): (1...7).contains(hand.seat) && (1...4).contains(hand.number)
                case .card(let number, _): (0...1_000_000).contains(number)
                case .table, .player, .other: true
                }
            }
    }
}

extension ChatLine {
    fileprivate var isInRange: Bool { (0...exact).contains(sequence) && (0...Int64(exact)).contains(time) }
}

extension RoundResult {
    fileprivate var isInRange: Bool {
        let nets = -stakes.upperBound...stakes.upperBound
        return (0...exact).contains(round) && (1...7).contains(seat) && (0...exact).contains(chips)
            && hands.allSatisfy { stakes.contains($0.bet) && nets.contains($0.result.net) }
            && stakes.contains(insurance?.bet ?? 0) && nets.contains(insurance?.net ?? 0)
    }
}

extension PastRound {
    fileprivate var isInRange: Bool {
        let nets = -stakes.upperBound...stakes.upperBound
        return (0...exact).contains(round) && (0...Int64(exact)).contains(time)
            && seats.allSatisfy { seat in
                (1...7).contains(seat.seat) && stakes.contains(seat.bet)
                    && seat.hands.allSatisfy { stakes.contains($0.bet) && nets.contains($0.result.net) }
                    && stakes.contains(seat.insurance?.bet ?? 0) && nets.contains(seat.insurance?.net ?? 0)
            }
    }
}

extension ValueChart {
    fileprivate var isInRange: Bool {
        let values = -80_000...80_000
        return (-1_000_000...1_000_000).contains(edge) && insurance.allSatisfy(values.contains)
            && rows.allSatisfy { row in
                (3...6).contains(row.cards ?? 3)
                    && [row.stand, row.hit, row.double, row.split, row.surrender, row.decline].allSatisfy {
                        ($0 ?? []).allSatisfy(values.contains)
                    }
            }
    }
}

extension TableSnapshot {
    fileprivate var isInRange: Bool {
        entries.allSatisfy(\.isInRange)
    }
}

extension TableEntry {
    fileprivate var isInRange: Bool {
        switch self {
        case .round(let number): (0...exact).contains(number)
        case .clock(let clock): (0...Int64(exact)).contains(clock.deadline)
        case .player(_, let player): (0...exact).contains(player.chips)
        case .bet(_, let chips), .insurance(_, let chips): stakes.contains(chips)
        case .choice(_, let choice):
            choice.options.allSatisfy { stakes.contains($0.cost) } && (0...exact).contains(choice.turn)
        case .insuranceResult(_, let net): (-stakes.upperBound...stakes.upperBound).contains(net)
        case .result(_, let result): (-stakes.upperBound...stakes.upperBound).contains(result.net)
        case .shoe(let shoe): (0...exact).contains(shoe.number)
        case .fairShoe(let fair):
            [fair.shoe, fair.segment?.number ?? 0, fair.segment?.first ?? 0, fair.segment?.count ?? 0].allSatisfy {
                (0...exact).contains($0)
            }
        case .nextShoe(let next):
            (0...exact).contains(next.shoe) && (1...4).contains(next.attempt) && (0...Int64(exact)).contains(next.until ?? 0)
        case .closing(let notice): (0...Int64(exact)).contains(notice.deadline ?? 0)
        default: true
        }
    }
}
