import Foundation
import TestKit
import Testing

@testable import ServerCore

struct LoopsTests {
    private let loops = VirtualLoops(tables: 2, loops: 2)

    @Test func aPlayerAndHisConnectionGoToTheLoopOfHisTable() throws {
        let loops = VirtualLoops(tables: 4, loops: 2)
        loops.connect(1, asGuest: "ann")
        #expect(loops.place[1] == 0)
        loops.receive(#"{"type":"sit","table":"t3","seat":2,"id":5}"#, from: 1)
        #expect(loops.place[1] == 1)
        let said = loops.take(1)
        #expect(said.contains { $0.hasPrefix(#"{"type":"ok","id":5,"to":"sit","table":"t3","seat":2,"rev":"#) }, "\(said)")
        #expect(loops.drivers[0].shard.accounts.isEmpty && loops.drivers[0].shard.sessions.isEmpty)
        loops.receive(#"{"type":"bet","amount":10,"id":6,"round":"now"}"#, from: 1)
        #expect(loops.take(1).first?.hasPrefix(#"{"type":"ok","id":6,"to":"bet","rev":"#) == true)
        #expect(loops.ledger.imbalance == 0)
    }

    @Test func aLostPlayerIsFoundByTheSecret_onAnyLoop() throws {
        loops.connect(1, as: "ann")
        _ = loops.take(1)
        loops.receive(#"{"type":"sit","table":"t1","id":5}"#, from: 1)
        loops.cut(1)
        loops.connect(2, as: "ann")
        #expect(loops.place[2] == 1 && loops.take(2).last?.contains(#""table":"t1","seats":[1]"#) == true)
    }

    @Test func whoAsksForAnySeatIsTakenToATableThatHasOne() {
        for player in ConnectionID(1)...15 {
            loops.connect(player)
            loops.receive("{\"type\":\"login\",\"name\":\"p\(player)\"}", from: player)
            _ = loops.take(player)
            loops.receive(#"{"type":"sit"}"#, from: player)
            loops.advance(600)
            let said = loops.take(player)
            if player <= 14 {
                #expect(said.contains { $0.contains(#""to":"sit","table""#) }, "\(player): \(said)")
            } else {
                #expect(said.contains { $0.contains(#""code":"table_full""#) }, "\(said)")
            }
        }
        #expect(Set(loops.place.values) == [0, 1])
    }

    @Test func aPlayerWhoIsOnTheWayIsNotThereTwice_andNotLost() throws {
        loops.connect(1, as: "ann")
        _ = loops.take(1)
        loops.receive(#"{"type":"sit","table":"t1"}"#, from: 1, arriving: false)
        #expect(loops.place[1] == nil && loops.ledger.imbalance == 0)
        // The second connection arrives before the player does.
        loops.connect(2)
        loops.receive(login("ann"), from: 2, arriving: false)
        let second = loops.journeys.remove(at: 1)
        loops.place[2] = second.loop
        loops.drivers[second.loop].shard.arrived(second.transfer, at: loops.now)
        let refusal = loops.take(2).last ?? ""
        #expect(refusal.contains(#""code":"on_the_way""#) && refusal.contains(#""retryAfter":100"#), "\(refusal)")
        // The first connection ends while it is on its way: the player is where he came from.
        loops.cut(1)
        loops.receive(login("ann"), from: 2)
        #expect(loops.ledger.imbalance == 0 && loops.drivers.map(\.shard.accounts.count).reduce(0, +) <= 1)
    }

    @Test func theLobbyIsToldOnEveryLoop() {
        loops.connect(1)
        loops.receive(#"{"type":"lobby","follow":true}"#, from: 1)
        _ = loops.take(1)
        loops.seat(guest: "bob", 2, at: "t1")
        loops.advance(1_200)
        #expect(loops.take(1).contains { $0.contains(#""type":"lobby""#) && $0.contains(#""table":"t1","seats":7,"free":6"#) })
    }

    @Test func whateverPeersDoOnSeveralLoops_chipsAreConserved_andNobodyIsThereTwice() {
        var random = SeededGenerator()
        let loops = VirtualLoops(tables: 5, loops: 3, seed: Seed.value)
        var next = ConnectionID(1)
        var rounds: Int { loops.drivers.reduce(0) { $0 + $1.shard.rounds } }
        // Further until enough rounds were played.
        for step in 0..<80_000 where step < 4000 || rounds <= 20 {
            switch Int.random(in: 0..<16, using: &random) {
            case 0 where loops.place.count + loops.journeys.count < 8:
                loops.connect(next)
                next += 1
            case 1:
                if let gone = (loops.place.keys.sorted() + loops.journeys.map(\.connection)).randomElement(using: &random) {
                    loops.cut(gone)
                }
            case 2, 3: loops.advance(Int64.random(in: 1...15_000, using: &random))
            case 4: loops.arrive()
            default:
                guard let connection = loops.place.keys.sorted().randomElement(using: &random) else { continue }
                let name = "p\(Int.random(in: 1...5, using: &random))"
                let table = "t\(Int.random(in: 0...5, using: &random))"
                let lines = [
                    "{\"type\":\"login\",\"name\":\"\(name)\"}",
                    login(name), login(name),
                    "{\"type\":\"sit\",\"table\":\"\(table)\"}", "{\"type\":\"sit\"}",
                    "{\"type\":\"watch\",\"table\":\"\(table)\"}",
                    "{\"type\":\"leave\"}", "{\"type\":\"logout\"}", "{\"type\":\"bet\",\"amount\":10,\"round\":\"now\"}",
                    "{\"type\":\"act\",\"action\":\"stand\",\"turn\":\"now\"}",
                    "{\"type\":\"act\",\"action\":\"hit\",\"turn\":\"now\"}",
                ]
                loops.receive(lines.randomElement(using: &random) ?? "", from: connection, arriving: Bool.random(using: &random))
            }
            for connection in loops.said.keys {
                loops.said[connection] = []
            }
            for connection in loops.closed { loops.cut(connection) }
            loops.closed = []
            let ids = loops.drivers.flatMap(\.shard.accounts.keys)
            #expect(Set(ids).count == ids.count && loops.ledger.imbalance == 0, "step \(step), BJ_SEED=\(Seed.value)")
        }
        #expect(rounds > 20, "BJ_SEED=\(Seed.value)")
    }
}
