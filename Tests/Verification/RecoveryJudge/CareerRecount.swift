import Wire

/// Recounts careers from the text of a house's journals, which have to be complete. A second opinion: of the server's own code only the JSON
/// reader is shared.
///
/// A round counts where its account has a secret and is no bot of the house, and where the dealer has played: where bets were returned instead, the hole
/// card was never turned, or a push stands beside a single card.
package struct CareerRecount {
    private struct Seat {
        var account = 0
        var hands = 0
        var blackjacks = 0
        var staked = 0
        var net = 0
    }

    private struct Round {
        var seats: [Int: Seat] = [:]
        var dealerCards = 0
        var isHidden = false
        var hasPush = false
    }

    /// An owner's match. An account that has not played in it goes on with the score of its name.
    private struct Match {
        var rounds: Int
        let from: Int
        var played = 0
        var scores: [Int: (name: String, net: Int)] = [:]

        mutating func add(_ net: Int, of account: Int, _ name: String) {
            if scores[account] == nil, let former = scores.first(where: { $0.value.name == name }) {
                (scores[former.key], scores[account]) = (nil, former.value)
            }
            scores[account] = (name, (scores[account]?.net ?? 0) + net)
        }
    }

    private struct Table {
        var match: Match?
        var number = 0
        var players: [Int: Int] = [:]
        var bets: [Int: Int] = [:]
        var round: Round?
    }

    private enum Event {
        case round(Seat, time: Int)
        case match(isWon: Bool)
        /// The account was closed, or a server that counts no careers has started.
        case forgotten
    }

    /// By account, with the serial of its stay at a server: stays follow each other whatever the servers' clocks show.
    private var events: [Int: [(stay: Int, event: Event)]] = [:]
    /// Accounts that have careers.
    private var counted: Set<Int> = []
    /// Of the journal at hand, as all that follows.
    private var stays: [Int: Int] = [:]
    private var tables: [String: Table] = [:]
    private var owners: [String: Int] = [:]
    /// Of accounts that are here, and no bots.
    private var people: [Int: String] = [:]
    private var time = 0
    private var counts = false
    package private(set) var rounds = 0

    package init() {}

    /// Another journal of the house begins.
    package mutating func beginJournal() { (stays, tables, owners, people, counts, time) = ([:], [:], [:], [:], false, 0) }

    /// Takes the next line of a journal.
    package mutating func add(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        try JSONValue.read(line) { value throws(JSONError) in try add(try value.object()) }
    }

    private mutating func add(_ record: JSONObject) throws(JSONError) {
        if let found = record.find("time") { time = max(time, try found.integer()) }
        let account = try record.find("account").map { value throws(JSONError) in try value.integer() } ?? 0
        switch try record.required("type").string() {
        case "started":
            time = try record.required("time").integer()
            let counts = record.find("careers") != nil
            if self.counts, !counts { for account in stays.keys { note(.forgotten, of: account) } }
            self.counts = counts
        case "account", "arrived":
            let name = try record.required("name").string()
            let isHouse = record.find("bot") != nil && (name.hasPrefix("house-") || name.hasPrefix("house "))
            if record.find("secret") != nil, !isHouse { counted.insert(account) }
            stays[account] = try record.find("serial")?.integer() ?? 0
            if record.find("bot") == nil { people[account] = name }
        case "renamed":
            let name = try record.required("name").string()
            if people[account] != nil { people[account] = name }
            for table in tables.keys { tables[table]?.match?.scores[account]?.name = name }
        case "departed": people[account] = nil
        case "closed":
            people[account] = nil
            note(.forgotten, of: account)
            for (name, owner) in owners where owner == account {
                tables[name]?.match = nil
                owners[name] = nil
            }
        case "owned":
            let (name, owner) = (try record.required("table").string(), try record.required("owner").integer())
            if owners.updateValue(owner, forKey: name) != owner { tables[name]?.match = nil }
        case "ownerMatch":
            let name = try record.required("table").string()
            try wish(record.required("rounds").integer(), after: record.required("round").integer(), at: name)
        case "opened", "gone": tables[try record.required("table").string()] = Table()
        case "facts":
            let name = try record.required("table").string()
            var facts = try record.required("facts").array()
            while let fact = facts.next() { try add(try fact.object(), to: name) }
        default: break
        }
    }

    private mutating func note(_ event: Event, of account: Int) {
        events[account, default: []].append((stays[account] ?? 0, event))
    }

    private mutating func add(_ fact: JSONObject, to name: String) throws(JSONError) {
        func number(_ key: StaticString) throws(JSONError) -> Int { try fact.required(key).integer() }
        var table = tables[name] ?? Table()
        defer { tables[name] = table }
        switch try fact.required("fact").string() {
        case "sat": table.players[try number("seat")] = try number("account")
        case "left":
            let account = try number("account")
            table.players = table.players.filter { $0.value != account }
        case "betPlaced": table.bets[try number("seat")] = try number("amount")
        case "roundStarted":
            var round = Round()
            table.number = try number("round")
            for (seat, bet) in table.bets where bet > 0 { round.seats[seat] = Seat(account: table.players[seat] ?? 0) }
            (table.round, table.bets) = (round, [:])
        case "dealtToDealer": table.round?.dealerCards += 1
        case "holeDealt": table.round?.isHidden = true
        case "holeRevealed":
            table.round?.isHidden = false
            table.round?.dealerCards += 1
        case "insuranceSettled":
            let (seat, stake) = (try number("seat"), try number("stake"))
            table.round?.seats[seat]?.staked += stake
            table.round?.seats[seat]?.net += try number("paid") - stake
        case "settled":
            let (seat, stake) = (try number("seat"), try number("stake"))
            let outcome = try fact.required("outcome").string()
            table.round?.seats[seat]?.hands += 1
            table.round?.seats[seat]?.staked += stake
            table.round?.seats[seat]?.net += try number("paid") - stake
            if outcome == "blackjack" || outcome == "evenMoney" { table.round?.seats[seat]?.blackjacks += 1 }
            if outcome == "push" { table.round?.hasPush = true }
        case "roundEnded":
            if let round = table.round, counts { end(round, &table) }
            table.round = nil
        default: break
        }
    }

    private mutating func wish(_ rounds: Int, after round: Int, at name: String) {
        guard var match = tables[name]?.match, match.played < match.rounds else {
            if rounds > 0 { tables[name]?.match = Match(rounds: rounds, from: round) }
            return
        }
        match.rounds = max(rounds, match.played)
        tables[name]?.match = match.rounds > 0 ? match : nil
        if match.played == match.rounds { end(match) }
    }

    private mutating func end(_ match: Match) {
        let best = match.scores.values.map(\.net).max()
        for (account, score) in match.scores where counted.contains(account) && people[account] != nil {
            note(.match(isWon: match.scores.count > 1 && score.net == best), of: account)
        }
    }

    private mutating func end(_ round: Round, _ table: inout Table) {
        guard !round.isHidden, round.dealerCards > 1 || round.dealerCards == 1 && !round.hasPush else { return }
        rounds += 1
        let seats = Dictionary(grouping: round.seats.values) { $0.account }
        for (account, all) in seats where counted.contains(account) {
            let sum = all.reduce(into: Seat(account: account)) { sum, seat in
                sum.hands += seat.hands
                sum.blackjacks += seat.blackjacks
                sum.staked += seat.staked
                sum.net += seat.net
            }
            note(.round(sum, time: time), of: account)
        }
        if var match = table.match, match.played < match.rounds, table.number > match.from {
            match.played += 1
            for (account, all) in seats {
                if let name = people[account] { match.add(all.reduce(0) { $0 + $1.net }, of: account, name) }
            }
            table.match = match
            if match.played == match.rounds { end(match) }
        }
    }

    /// The counters of each account with a round, in the order in which a checkpoint has them.
    package var careers: [Int: [Int]] {
        events.mapValues { events in
            var all: [Int] = []
            for index in events.indices.sorted(by: { (events[$0].stay, $0) < (events[$1].stay, $1) }) {
                switch events[index].event {
                case .forgotten: all = []
                case .match(let isWon):
                    // Not where a careerless server has played meanwhile.
                    guard !all.isEmpty else { continue }
                    all[11] += 1
                    all[12] += isWon ? 1 : 0
                case .round(let seat, let time):
                    if all.isEmpty { all = Array(repeating: 0, count: 13) }
                    let wins = seat.net > 0 ? 1 : 0
                    for (index, number) in [1, seat.hands, wins, seat.net == 0 ? 1 : 0, seat.blackjacks, seat.staked, seat.net]
                        .enumerated()
                    {
                        all[index] += number
                    }
                    if seat.net > all[7] { (all[7], all[8]) = (seat.net, time - time % 60_000) }
                    all[10] = seat.net < 0 ? 0 : all[10] + wins
                    all[9] = max(all[9], all[10])
                }
            }
            return all
        }.filter { !$0.value.isEmpty }
    }

    /// The first difference to the careers of a server, in words; nil: none.
    /// - Parameters:
    ///   - other: of accounts with a round.
    ///   - sameClock: whether times are compared, and missing accounts are a difference. Of several servers one may be set back, and a house
    ///     forgets rows of accounts that make room.
    package func difference(to other: [Int: [Int]], sameClock: Bool) -> String? {
        let own = careers
        func comparable(_ numbers: [Int]?) -> [Int]? {
            guard var numbers, !sameClock, numbers.count > 8 else { return numbers }
            numbers[8] = 0
            return numbers
        }
        let accounts = sameClock ? Set(own.keys).union(other.keys) : Set(other.keys)
        let wrong = accounts.filter { comparable(own[$0]) != comparable(other[$0]) }
        return wrong.min().map { account in
            "\(wrong.count) of \(accounts.count) careers differ: account \(account) has \(other[account] ?? []), recounted \(own[account] ?? [])"
        }
    }
}
