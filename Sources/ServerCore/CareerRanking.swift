import Records
import TableEngine
import Wire

/// The careers of this server's accounts, ranked when somebody asks: in slices, so that no turn of the loop looks at all accounts (it copies the ids
/// of the residents), and at most once a minute. A small server has one slice, and ranks within each question.
///
/// An account that becomes resident or dormant meanwhile may be counted twice, or not at all, until the next ranking.
struct CareerRanking {
    /// Accounts of a slice: some 100 µs.
    static let slice = 1024
    /// Milliseconds between two rankings.
    static let interval: Int64 = 60_000
    /// Milliseconds between two slices.
    static let pause: Int64 = 10

    enum Stage {
        case idle
        /// Dormant accounts, from this slot on.
        case dormant(Int)
        case residents(ArraySlice<PlayerID>)
    }

    /// The ranks of people, or of bots.
    private struct Ranks {
        var best: [PlayerID: LeaderboardEntry] = [:]
        /// The net of each account: sorted slices, so that a place takes a binary search in each, and nothing is sorted as a whole.
        var nets: [[Int64]] = []

        mutating func add(_ account: AccountState) {
            nets[nets.count - 1].append(account.career.net)
            var last: (key: PlayerID, value: LeaderboardEntry)? { best.max { $0.value.precedes($1.value) } }
            // Most accounts end here: to make a name takes longer than all else.
            if best.count >= WireLimits.standings, account.career.net < floor { return }
            best[account.id] = account.ranked
            if best.count > WireLimits.standings, let last { best[last.key] = nil }
            floor = last?.value.career.net ?? .min
        }

        /// The net of the last of the best.
        private var floor = Int64.min

        /// Accounts with more.
        func count(above net: Int64) -> Int {
            nets.reduce(0) { sum, sorted in
                var (low, high) = (0, sorted.count)
                while low < high {
                    let middle = (low + high) / 2
                    if sorted[middle] > net { high = middle } else { low = middle + 1 }
                }
                return sum + sorted.count - low
            }
        }
    }

    var stage = Stage.idle
    private var begun: Int64?
    /// Whether a ranking has been finished: nobody has a place before.
    private var isRanked = false
    private var (people, bots) = (Ranks(), Ranks())
    private var next = (people: Ranks(), bots: Ranks())

    /// - Parameter isSmall: whether one slice has all accounts.
    mutating func beginIfDue(at now: Int64, isSmall: Bool) {
        guard case .idle = stage, isSmall || begun.map({ now - $0 >= Self.interval }) ?? true else { return }
        (begun, stage, next) = (now, .dormant(0), (Ranks(), Ranks()))
    }

    mutating func add(_ accounts: some Sequence<AccountState>) {
        next.people.nets.append([])
        next.bots.nets.append([])
        for account in accounts where account.career.rounds > 0 {
            if account.isBot { next.bots.add(account) } else { next.people.add(account) }
        }
        next.people.nets[next.people.nets.count - 1].sort()
        next.bots.nets[next.bots.nets.count - 1].sort()
    }

    mutating func finish() {
        (people, bots, stage, isRanked) = (next.people, next.bots, .idle, true)
        next = (Ranks(), Ranks())
    }

    /// Takes an account that is deleted from the lists.
    mutating func forget(_ id: PlayerID) {
        (people.best[id], bots.best[id], next.people.best[id], next.bots.best[id]) = (nil, nil, nil, nil)
    }

    mutating func rename(_ id: PlayerID, to name: String) {
        for ranks in [\Self.people, \.bots, \.next.people, \.next.bots] { self[keyPath: ranks].best[id]?.name = name }
    }

    func standings(of account: AccountState) -> Standings {
        var standings = Standings(over: .career)
        for entry in people.best.values { standings.rank(entry) }
        for entry in bots.best.values { standings.rank(entry) }
        standings.own = account.ranked
        standings.place = !isRanked ? nil : standings.own.map { 1 + (account.isBot ? bots : people).count(above: $0.career.net) }
        return standings
    }
}

extension AccountState {
    /// The career; nil without a round.
    package var ranked: LeaderboardEntry? {
        career.rounds > 0 ? LeaderboardEntry(name: playerName.text, isBot: isBot, career: career) : nil
    }
}

extension Shard {
    func careerStandings(_ session: Session) throws -> Standings {
        let account = try account(session)
        careers.beginIfDue(at: now, isSmall: dormant.slotCount + accounts.count <= CareerRanking.slice)
        if case .dormant(0) = careers.stage { rankCareers() }
        return careers.standings(of: account.state)
    }

    /// Ranks slices while they are small, and the others after a pause.
    func rankCareers() {
        var left = CareerRanking.slice
        while left > 0 {
            switch careers.stage {
            case .idle: return
            case .dormant(let slot) where slot < dormant.slotCount:
                careers.add(dormant.accounts(inSlots: slot..<slot + left))
                careers.stage = .dormant(slot + left)
                left -= min(left, dormant.slotCount - slot)
            case .dormant: careers.stage = .residents(Array(accounts.keys)[...])
            case .residents(let ids) where ids.isEmpty: careers.finish()
            case .residents(let ids):
                careers.add(ids.prefix(left).lazy.compactMap { [accounts] in accounts[$0]?.state })
                careers.stage = .residents(ids.dropFirst(left))
                left -= min(left, ids.count)
            }
        }
        environment.setTimer(.careers, at: now + CareerRanking.pause)
    }
}
