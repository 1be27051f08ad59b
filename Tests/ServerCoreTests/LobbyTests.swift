import Rules
import TableModel
import TestKit
import Testing
import Wire

@testable import ServerCore

struct LobbyTests {
    /// A list is compared with one that is looked through.
    @Test func whateverChangesAndOpensElsewhere_aTableIsFoundByItsName_andTheSmallestBetIsKnown() throws {
        var random = SeededGenerator()
        func table(_ name: Int, _ rules: HouseRules? = nil) throws -> TableSummary {
            let minimum = 5 * (1 + random.below(3))
            return TableSummary(
                name: "t\(name)", seats: 7, freeSeats: random.below(8), players: [], watchers: 0,
                rules: try rules ?? HouseRules([("minimumBet", .integer(minimum))]), isLocked: random.below(3) == 0,
                isClosing: random.below(3) == 0)
        }
        var own = try (0..<5).map { try table($0) }
        var lobby = Lobby(own.map { .init(name: $0.name, rules: $0.rules) })
        for index in own.indices { _ = lobby.update(index, own[index]) }
        var elsewhere = [TableSummary]()
        for step in 0..<400 {
            let index = random.below(own.count)
            if random.below(3) == 0 {
                elsewhere = try (0..<random.below(4)).map { _ in try table(random.below(12)) }
                lobby.list(elsewhere: elsewhere)
            } else {
                let new = try table(index, own[index].rules)
                #expect(lobby.update(index, new) == (new != own[index]))
                own[index] = new
            }
            var names: Set<String> = []
            let all = (own + elsewhere).filter { names.insert($0.name).inserted }
            let open = all.filter { !$0.isLocked && !$0.isClosing }
            let note: Comment = "step \(step), seed \(Seed.value)"
            #expect((0..<12).allSatisfy { name in lobby["t\(name)"] == all.first { $0.name == "t\(name)" } }, note)
            #expect(lobby.total == all.count && lobby.listed == all.sorted { $0.name < $1.name }, note)
            #expect(lobby.onlyName == (all.count == 1 ? all[0].name : nil), note)
            #expect(lobby.smallestMinimum == open.map(\.rules.minimumBet).min(), note)
        }
    }

    /// The longest names, owners and rules: escaped letters, and no rule as by default.
    @Test(arguments: [false, true])
    func theListFitsWhatMayBeQueued_howeverLongNamesAndRulesAre(hasOwnRules: Bool) throws {
        let long = String(repeating: "\u{10400}", count: 15)
        let preset = hasOwnRules ? try HouseRules(preset: "single-deck") : HouseRules()
        let settings = (0..<500).map { index in
            let name = "a-table-with-a-name-as-long-as-t\(index)".suffix(32)
            return ShardConfiguration.TableSetting(name: String(name), rules: preset)
        }
        var lobby = Lobby(settings)
        for (index, setting) in settings.enumerated() {
            let table = TableSummary(
                name: setting.name, seats: 7, freeSeats: 0, players: (0..<7).map { _ in long }, watchers: 1_000_000,
                rules: preset, isLocked: true, isClosing: true, owner: long)
            _ = lobby.update(index, table)
        }
        lobby.note(edge: -1_000_000, of: preset)
        let line = ServerMessage.ok(id: .number(1), .lobby(revision: .max >> 11, total: lobby.total, lobby.listed)).encoded()
        #expect(line.count <= 64 << 10 && lobby.listing.bytes <= WireLimits.lobbyBytes && line.count <= lobby.listing.bytes + 100)
        #expect(lobby.listed.count > 100 && lobby.total == 500 && lobby.listed.allSatisfy(\.players.isEmpty))
        #expect(lobby[settings[499].name]?.players.count == 7)
    }

    @Test func questions_hurryFewChangesThatFollowersGet() {
        let server = VirtualServer.plain { $0.requests = .unreached }
        server.connect(1, asGuest: "ann")
        server.receive(#"{"type":"lobby","follow":true}"#, from: 1)
        server.connect(2, asGuest: "bob")
        _ = server.take()
        var changes = 0
        for turn in 0..<300 {
            server.receive(turn.isMultiple(of: 2) ? #"{"type":"watch"}"# : #"{"type":"leave"}"#, from: 2)
            server.receive(#"{"type":"lobby","table":"main"}"#, from: 2)
            changes += server.take(1).count
        }
        #expect((90...100).contains(changes))
        server.advance(500)
        #expect(server.reply(to: #"{"type":"lobby"}"#, 2).contains(#""watchers":0"#))
    }

    @Test func aSetOfTables_findsItsFirst() {
        var random = SeededGenerator()
        var (tables, model) = (TableSet(), Set<Int>())
        for _ in 0..<500 {
            let index = random.below(200)
            if random.below(2) == 0 { model.insert(index) } else { model.remove(index) }
            tables.set(index, model.contains(index))
            #expect(tables.first { $0 % 3 > 0 } == model.filter { $0 % 3 > 0 }.min())
        }
    }

    @Test func theEdge_isShownAtTablesWithItsRules() throws {
        let other = try HouseRules(preset: "single-deck")
        var lobby = Lobby([.init(name: "main", rules: HouseRules()), .init(name: "one", rules: other)])
        #expect(lobby.listed.allSatisfy { $0.edge == nil } && !lobby.hasEdge(of: other))
        let old = lobby
        lobby.note(edge: -4059, of: HouseRules())
        #expect(lobby.listed.map(\.edge) == [-4059, nil] && lobby.change(since: old).tables.map(\.edge) == [-4059])
        lobby.note(edge: -1877, of: other)
        #expect(lobby.listed.map(\.edge) == [-4059, -1877] && lobby.hasEdge(of: other))
    }

    /// Also with more tables than are listed: some move up into the list, others down.
    @Test(arguments: [8, 600]) func whateverClosesAndOpensMeanwhile_aFollowedLobbyIsTheOneThatIsAskedFor(_ count: Int) throws {
        var random = SeededGenerator()
        var lobby = Lobby([.init(name: "t3-main", rules: HouseRules())])
        var followed = lobby.listed
        for step in 0..<(count > 500 ? 40 : 300) {
            let (old, open) = (lobby, (0..<count).shuffled(using: &random).dropLast(random.below(min(count, 150) + 1)))
            lobby.list(
                elsewhere: open.map {
                    TableSummary(
                        name: "t\($0)", seats: 7, freeSeats: random.below(8), players: [], watchers: 0, rules: HouseRules())
                })
            let line = ServerMessage.lobby(lobby.change(since: old)).encoded().dropLast()
            guard case .lobby(let change) = try line.withUnsafeBufferPointer({ try ServerMessage(line: $0) }) else { continue }
            followed = change.applied(to: followed)
            #expect(followed == lobby.listed, "step \(step), seed \(Seed.value)")
            #expect(followed.map(\.name) == Array((open.map { "t\($0)" } + ["t3-main"]).sorted().prefix(500)))
        }
    }
}
