import TableModel
import TestKit
import Testing

@testable import TableEngine

struct PostponingTests {
    /// Facts with every moment later.
    private func shifted(_ fact: Fact, by milliseconds: Int) -> Fact {
        func later(_ moment: Timestamp) -> Timestamp { moment.adding(milliseconds: milliseconds) }
        return switch fact {
        case .satOut(let player, let until): .satOut(player: player, until: later(until))
        case .disconnected(let player, let grace): .disconnected(player: player, grace: later(grace))
        case .idling(let until): .idling(until: later(until))
        case .charged(let id, let milliseconds, let from): .charged(player: id, milliseconds: milliseconds, from: later(from))
        case .bettingOpened(let closes): .bettingOpened(closes: later(closes))
        case .earlySurrenderOffered(let closes): .earlySurrenderOffered(closes: later(closes))
        case .insuranceOffered(let closes): .insuranceOffered(closes: later(closes))
        case .turnStarted(let seat, let hand, let legal, let closes):
            .turnStarted(seat: seat, hand: hand, legal: legal, closes: later(closes))
        case .roundEnded(let until): .roundEnded(until: later(until))
        default: fact
        }
    }

    @Test func afterAnOutage_aPostponedTable_playsOnAsIfTheOutageHadNotBeen() throws {
        var players = RandomPlayers()
        for run in 0..<Thorough.count(20, most: 200) {
            var table = Table(rules: players.house(), pace: players.pace())
            var other: Table?
            var now = Timestamp(milliseconds: 0)
            let outage = 1 + players.random.below(3_600_000)
            let start = players.random.below(300)
            for step in 0..<500 {
                var command = players.command(table)
                if case .postpone = command { command = .tick }
                if step == start {
                    var late = table
                    var sink = FactList()
                    try? late.perform(.postpone(by: outage), at: now.adding(milliseconds: outage), into: &sink)
                    if table.phase != .closed { #expect(sink.facts == [.postponed(milliseconds: outage)]) }
                    other = late
                }
                if players.random.below(4) == 0 { now = now.adding(milliseconds: players.random.below(8000)) }
                let place = "seed \(Seed.value), run \(run), step \(step), \(command)"
                var (facts, found) = (FactList(), FactList())
                let refusal = table.performByTheLaws(command, at: now, into: &facts, place)
                guard other != nil else { continue }
                let otherRefusal = other!.performByTheLaws(command, at: now.adding(milliseconds: outage), into: &found, place)
                #expect(found.facts == facts.facts.map { shifted($0, by: outage) }, "\(place)")
                #expect(otherRefusal?.code == refusal?.code, "\(place)")
                #expect(other!.nextEvent == table.nextEvent?.adding(milliseconds: outage), "\(place)")
            }
        }
    }
}
