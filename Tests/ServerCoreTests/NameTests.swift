import Foundation
import Operations
import Rules
import TableEngine
import Testing
import Wire

@testable import ServerCore

private let seed = ProcessInfo.processInfo.environment["BJ_SEED"].flatMap(UInt64.init) ?? 20_261_121

private func house() -> House { House(configuration: CasinoConfiguration(tables: [.init(name: "main", rules: HouseRules())])) }

struct NameTests {
    @Test func aPlayerIsFoundByANameThatLooksLikeHis_andForgottenWithAllOfThem() throws {
        let house = house()
        let (ian, lan, capitals) = (try PlayerName("Ian"), try PlayerName("lan"), try PlayerName("IAN"))
        let id = try #require(try house.register(ian, on: 0))
        #expect(house.residence(of: lan)?.id == id && house.residence(of: capitals)?.id == id)
        #expect(try house.register(lan, on: 0) == nil)
        house.forget(ian, of: id)
        #expect(house.residence(of: lan) == nil && house.residence(of: ian) == nil && house.knownNames == 0)
        #expect(try house.register(lan, on: 0) != nil)
        // `ian` looks like neither, but is `Ian` in small letters.
        #expect(try house.register(PlayerName("ian"), on: 0) != nil)
        #expect(house.residence(of: ian) != nil)
    }

    @Test func nobodyIsKnownBesideSomebodyWhoLooksLikeHim_whoeverComesAndGoes() throws {
        var random = SeededGenerator(seed: seed)
        let house = house()
        var known: [(name: PlayerName, id: PlayerID)] = []
        let alphabets = [
            "iIl1oO0aAn", "\u{456}\u{406}\u{4CF}\u{43E}\u{41E}\u{430}\u{410}\u{43D}",
            "\u{3B9}\u{399}\u{3BF}\u{39F}\u{391}\u{397}",
        ]
        for step in 0..<4_000 {
            if Int.random(in: 0..<3, using: &random) == 0, let gone = known.indices.randomElement(using: &random) {
                let gone = known.remove(at: gone)
                house.forget(gone.name, of: gone.id)
                continue
            }
            let alphabet = alphabets.randomElement(using: &random) ?? ""
            let text = (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) }
            let name = try PlayerName(String(text))
            let isTaken = known.contains { $0.name.key == name.key || $0.name.skeleton == name.skeleton }
            #expect((house.residence(of: name) == nil) == !isTaken, "step \(step), seed \(seed)")
            let id = try house.register(name, on: 0)
            #expect((id == nil) == isTaken, "\(name), step \(step), seed \(seed)")
            if let id { known.append((name, id)) }
        }
        for (name, id) in known { house.forget(name, of: id) }
        #expect(house.knownNames == 0)
    }

    @Test func aNameThatSomebodyElseHasByNowIsNotTakenFromThem() throws {
        let house = house()
        let name = try PlayerName("ann")
        let first = try #require(try house.register(name, on: 0))
        house.forget(name, of: first)
        let second = try #require(try house.register(name, on: 0))
        house.forget(name, of: first)
        house.move(name, of: first, to: 7)
        #expect(house.residence(of: name)?.id == second && house.residence(of: name)?.loop == 0)
    }

    @Test func whoLogsInByALookAlikeWithTheTokenIsThePlayer_underHisOwnName() throws {
        let house = VirtualHouse.small()
        house.connect(1)
        house.receive(#"{"type":"login","name":"Oleg"}"#, from: 1)
        let token = try #require(house.take(1).last?.firstMatch(of: /"token":"([0-9a-f]*)"/)?.1)
        house.connect(2)
        house.receive(#"{"type":"login","name":"0leg"}"#, from: 2)
        #expect(house.take(2).last?.contains("name_taken") == true)
        house.receive("{\"type\":\"login\",\"name\":\"0leg\",\"token\":\"\(token)\"}", from: 2)
        #expect(house.take(2).last?.contains(#""name":"Oleg""#) == true && house.casino.accounts.count == 1)
    }
}
