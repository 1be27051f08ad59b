import Fairness
import RecoveryJudge
import Rules
import TableEngine
import TestKit
import Testing
import Wire

@testable import Records

/// Careers of accounts, beside a recount by a judge that reads nothing but the journals' text.
struct CareerTests {
    /// A house of two servers, whose accounts play at random, move, are renamed and closed, while servers are killed.
    private struct Evening {
        var players = RandomPlayers()
        var states = [SavedState(house: "h"), SavedState(house: "h")]
        var journals: [[UInt8]] = [[], []]
        var tables: [String: Table] = [:]
        var now: Int64 = 1_795_000_000_000
        var serials: [PlayerID: UInt64] = [:]
        /// Commands until the next round is void.
        var voidIn = 200

        init(players count: Int, tables number: Int) throws {
            for place in 0...1 { try note(.started(time: now, version: "1", careers: true), at: place) }
            for index in 0..<number {
                let (name, rules, pace) = ("t\(index)", players.house(), players.pace())
                tables[name] = Table(rules: rules, pace: pace)
                try note(.opened(table: name, rules: rules, pace: pace, pass: nil, time: now), at: index % 2)
            }
            for id in 1...count {
                // Now and then a guest, a bot, and a bot of the house.
                let (secret, name) = (id % 17 == 0 ? nil : SHA256.hash("\(id)".utf8), id % 11 == 0 ? "house t-\(id)" : "p\(id)")
                try note(
                    .account(PlayerID(id), name: name, isBot: id % 11 < 2, secret: secret, chips: 1_000_000, time: now),
                    at: id % 2)
            }
        }

        mutating func note(_ record: Record, at place: Int) throws {
            let line = record.encoded()
            journals[place] += line
            let read = RecordPlace(sequence: 1, line: 1)
            try line.withUnsafeBufferPointer { line throws(ReplayError) in try states[place].apply(line: line, at: read) }
        }

        mutating func perform(_ command: Command, _ name: String, at place: Int) throws {
            guard var table = tables[name] else { return }
            var sink = FactList()
            let moment = Timestamp(milliseconds: now)
            try? table.perform(command, at: moment, into: &sink)
            if table.needsShoeSource {
                try? table.perform(.supplyShoe(.seeded(players.random.next64())), at: moment, into: &sink)
            }
            tables[name] = table
            if !sink.facts.isEmpty { try note(.facts(table: name, time: now, sink.facts), at: place) }
        }

        mutating func step(_ number: Int) throws {
            let index = players.random.below(tables.count)
            let (name, place) = ("t\(index)", index % 2)
            now += Int64(players.random.below(3000))
            let free = states[place].accounts.values.filter { $0.table == nil }.sorted { $0.id.rawValue < $1.id.rawValue }
            if let account = free.isEmpty ? nil : players.pick(free) {
                switch players.random.below(40) {
                case 0...3: try move(account, from: place)
                case 4 where !account.name.hasPrefix("house "): try note(.renamed(account.id, name: "n\(number)"), at: place)
                case 5 where number % 20 == 0: try note(.closed(account.id, time: now), at: place)
                default:
                    let profile = PlayerProfile(name: account.name, isBot: account.isBot)
                    try perform(.sit(player: account.id, profile: profile, seat: nil, chips: account.chips), name, at: place)
                }
            }
            if players.random.below(6) == 0 {
                let match = Records.Evening.Match(rounds: players.random.below(4) * 2, from: tables[name]?.round ?? 0)
                // No account: its owner is never closed.
                try note(.ownerMatch(table: name, owner: PlayerID(1 << 40), match), at: place)
            }
            try play(name, at: place)
            if players.random.below(50) == 0 { try kill(place) }
            guard let seated = tables[name]?.playerViews, !seated.isEmpty, players.random.below(3) == 0 else { return }
            try perform(.leave(player: players.pick(seated).id), name, at: place)
        }

        private mutating func play(_ name: String, at place: Int) throws {
            for player in tables[name]?.playerViews ?? [] {
                for seat in player.seats where players.random.below(8) > 0 {
                    try perform(.bet(player: player.id, seat: seat, amount: 10 * (1 + players.random.below(9))), name, at: place)
                }
            }
            for _ in 0..<60 {
                now += 100
                guard let table = tables[name] else { return }
                if let command = players.legal(table) {
                    // The end of a drain, and hands of those who are slow.
                    voidIn -= 1
                    if voidIn <= 0, case .playing = table.phase {
                        voidIn = 200
                        return try perform(.void, name, at: place)
                    }
                    if players.random.below(200) == 0 { now += 60_000 }
                    try perform(command, name, at: place)
                } else {
                    now += 20_000
                    try perform(.tick, name, at: place)
                    if case .betting = table.phase { continue }
                    return
                }
            }
        }

        private mutating func move(_ account: AccountState, from place: Int) throws {
            guard account.secret != nil else { return }
            try note(.departed(account.id, ticket: nil, time: now), at: place)
            let departure = try #require(states[place].departures[account.id])
            serials[account.id, default: 1] += 1
            let arrival = Record.arrival(of: account.id, departure.bytes, serial: serials[account.id] ?? 0, at: now)
            try note(try #require(arrival), at: 1 - place)
            try note(.delivered(account.id, serial: account.serial, time: now), at: place)
        }

        /// The next start begins with a checkpoint.
        private mutating func kill(_ place: Int) throws {
            states[place] = try ReplayTests.read(ReplayTests.checkpoint(of: states[place], sequence: 1)).state
            try note(.started(time: now, version: "1", careers: true), at: place)
        }

        var careers: [Int: [Int]] {
            let all = states.flatMap(\.accounts.values).filter { $0.career.rounds > 0 }
            return Dictionary(uniqueKeysWithValues: all.map { (Int($0.id.rawValue), $0.career.numbers) })
        }

        func recounted() throws -> CareerRecount {
            var recount = CareerRecount()
            for journal in journals {
                recount.beginJournal()
                for line in journal.split(separator: 10) { try line.withUnsafeBufferPointer { try recount.add($0) } }
            }
            return recount
        }
    }

    @Test func careers_equalARecountOfTheJournals_overKillsMovesRenamesAndVoids() throws {
        let rounds = Thorough.count(1000, most: 100_000)
        var evening = try Evening(players: min(1000, 40 + rounds / 20), tables: 12)
        for number in 1... {
            try evening.step(number)
            if evening.tables.values.reduce(0, { $0 + $1.round }) >= rounds { break }
        }
        let recount = try evening.recounted()
        #expect(recount.difference(to: evening.careers, sameClock: true) == nil, "BJ_SEED=\(Seed.value)")
        #expect(evening.careers.values.contains { $0[12] > 0 && $0[11] > $0[12] }, "BJ_SEED=\(Seed.value)")
        #expect(recount.rounds > rounds * 9 / 10 && recount.rounds < rounds && evening.careers.count > 20, "\(recount.rounds)")
        // Over again from the journals, as an audit does.
        for (state, journal) in zip(evening.states, evening.journals) {
            var again = SavedState(house: "h")
            for line in journal.split(separator: 10) { try line.withUnsafeBufferPointer { try again.apply(line: $0) } }
            #expect(again.accounts == state.accounts && again.decisions == state.decisions)
        }
    }

    private static func account(_ career: String) throws -> AccountState {
        let line =
            #"{"type":"arrived","time":9,"account":7,"created":120000,"name":"ann","secret":"\#(SHA256.hash("".utf8).hex)","serial":2\#(career)}"#
        guard case .arrived(let account, _) = try Record(line: Array(line.utf8)) else { preconditionFailure("it arrives") }
        return account
    }

    @Test func aCareer_isReadAtAnyLength_andAbsentWithoutARound() throws {
        let long = try Self.account(#","career":[3,1,1,1,0,30,-5,10,98,1,0,2,1,12345,7]"#).career
        #expect(long.numbers == [3, 4, 1, 1, 0, 30, -5, 10, 6_000_000, 1, 0, 2, 1])
        #expect(try Self.account(#","career":[3,1]"#).career.numbers == [3, 4] + Array(repeating: 0, count: 11))
        let none = try Self.account("")
        #expect(none.career == Career())
        let written = String(decoding: Record.arrived(none, time: 9).encoded(), as: UTF8.self)
        #expect(!written.contains("career"))
        #expect(throws: RecordError.self) { try Self.account(#","career":[1.5]"#) }
        #expect(throws: RecordError.self) { try Self.account(#","career":7"#) }
    }

    @Test func aServerOfAnEarlierVersion_countsNoRound_andForgetsCareers() throws {
        var evening = try Evening(players: 20, tables: 2)
        for number in 1...200 { try evening.step(number) }
        #expect(!evening.careers.isEmpty)
        for place in 0...1 { try evening.note(.started(time: evening.now, version: "1.0.0"), at: place) }
        #expect(evening.careers.isEmpty)
        // It goes on, and writes a checkpoint that has nothing of them.
        let checkpoint = String(decoding: ReplayTests.checkpoint(of: evening.states[0], sequence: 1), as: UTF8.self)
        #expect(!checkpoint.contains("career"))
    }
}
