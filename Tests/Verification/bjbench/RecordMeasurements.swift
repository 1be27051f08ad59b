import Records
import Rules
import TableEngine
import TableModel
import Wire

/// Measures the records of a server: written on the path of every command, read at a start.
enum RecordMeasurements {
    static func run(_ bench: Bench) {
        guard bench.mayMeasure("records:") else { return }
        let groups = facts()
        let count = groups.reduce(0) { $0 + $1.facts.count }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 << 20)
        bench.measure("records: fact encoded", calls: 20, per: count, limit: 150) {
            bytes.removeAll(keepingCapacity: true)
            for (time, facts) in groups { Record.encodeFacts(table: "low-3", time: time, facts: facts, into: &bytes) }
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
        bench.measure("records: fact decoded", calls: 5, per: count, limit: 1500) {
            for line in lines { consume(try? Record(line: line)) }
        }
        replay(bench, groups, count)
        checkpoint(bench)
    }

    /// A server with 1,000 tables of seven in the middle of a hand, and 100,000 accounts.
    private static func checkpoint(_ bench: Bench) {
        guard bench.mayMeasure("records: checkpoint") else { return }
        var state = SavedState(house: "0011223344556677")
        var bytes: [UInt8] = []
        do {
            for id in 1...100_000 {
                let name = "player\(id)"
                try state.apply(.account(PlayerID(id), name: name, isBot: false, secret: nil, chips: 100_000, time: 1))
            }
            for table in 0..<1000 { try seat(&state, table) }
        } catch {
            preconditionFailure("\(error)")
        }
        bench.measure("records: checkpoint of 1,000 tables, 100,000 accounts written", runs: 5, calls: 1) {
            bytes.removeAll(keepingCapacity: true)
            state.writeCheckpoint(sequence: 1) { bytes += copy $0 }
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
        bench.measure("records: checkpoint of 1,000 tables, 100,000 accounts read", runs: 5, calls: 1, limit: 1e9) {
            var reader = CheckpointReader()
            do {
                for line in lines {
                    try line.withUnsafeBufferPointer { line throws(CheckpointError) in try reader.read(line) }
                }
                consume(try reader.finish().state)
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }

    /// Seven players in the middle of a hand.
    private static func seat(_ state: inout SavedState, _ number: Int) throws(ReplayError) {
        var table = Table(rules: HouseRules())
        let now: Int64 = 1_795_000_000_000
        var sink = FactList()
        let players = 7 * number + 1...7 * number + 7
        table.seat(players, chips: 100_000, at: now, into: &sink)
        table.take(.supplyShoe(.seeded(UInt64(number))), at: now, into: &sink)
        for player in players { table.take(.bet(player: PlayerID(player), seat: nil, amount: 50), at: now, into: &sink) }
        table.take(.supplyShoe(.seeded(UInt64(number) + 1)), at: now, into: &sink)
        let name = "table-\(number)"
        try state.apply(.opened(table: name, rules: table.rules, pace: table.pace, pass: nil, time: now))
        try state.apply(.facts(table: name, time: now, sink.facts))
    }

    private static func replay(_ bench: Bench, _ groups: [(time: Int64, facts: [Fact])], _ count: Int) {
        let records = groups.map { Record.facts(table: "low-3", time: $0.time, $0.facts) }
        var start = SavedState(house: "0011223344556677")
        let opening = Record.opened(table: "low-3", rules: HouseRules(), pace: Pace(), pass: nil, time: 1)
        var opened: [Record] = [opening]
        for seat in 1...7 {
            let name = "player\(seat)"
            opened.append(.account(PlayerID(seat), name: name, isBot: true, secret: nil, chips: 1_000_000, time: 1))
        }
        do {
            for record in opened { try start.apply(record) }
            bench.measure("records: fact replayed", calls: 5, per: count) {
                var state = start
                for record in records where (try? state.apply(record)) == nil { preconditionFailure("a fact is invalid") }
                consume(state)
            }
            bench.measure("records: fact audited", runs: 5, calls: 1, per: count) {
                guard var auditor = try? Auditor(start) else { return }
                for (index, record) in records.enumerated() {
                    let place = RecordPlace(sequence: 1, line: index + 1)
                    guard (try? auditor.audit(record, at: place)) != nil else { preconditionFailure("a record is wrong") }
                }
                consume(auditor.state)
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The facts of each command of some rounds at a full table, with the command's timestamp.
    private static func facts() -> [(time: Int64, facts: [Fact])] {
        var table = Table(rules: HouseRules())
        var now = Timestamp(milliseconds: 1_795_000_000_000)
        var groups: [(time: Int64, facts: [Fact])] = []
        func perform(_ command: Command) {
            var sink = FactList()
            try? table.perform(command, at: now, into: &sink)
            if !sink.facts.isEmpty { groups.append((now.milliseconds, sink.facts)) }
        }
        for seat in 1...7 {
            let profile = PlayerProfile(name: "player\(seat)", isBot: true)
            perform(.sit(player: PlayerID(seat), profile: profile, seat: seat, chips: 100_000))
        }
        for round in 0..<50 {
            perform(.supplyShoe(.seeded(UInt64(round))))
            for seat in 1...7 { perform(.bet(player: PlayerID(seat), seat: seat, amount: 50)) }
            while table.deadline != nil, RoundPhase(table.phase) != .settled {
                if let decision = table.decision {
                    let action: Action = decision.value.total < 15 ? .hit : .stand
                    perform(.act(player: decision.player, action: action, seat: nil, hand: nil, amount: nil))
                } else {
                    for seat in 1...7 where table.question(seat: seat) != nil {
                        perform(.act(player: PlayerID(seat), action: .decline, seat: seat, hand: nil, amount: nil))
                    }
                }
            }
            now = now.adding(milliseconds: 3000)
            perform(.tick)
        }
        return groups
    }
}
