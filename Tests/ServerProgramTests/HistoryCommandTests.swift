import Foundation
import ServerCore
import TestKit
import Testing

/// `bjserver history` and `accounts export`, of rounds that were played.
@Suite(.ownThread) struct HistoryCommandTests {
    private let scratch = DataScratch()

    private static let rounds = 8

    /// A server with rounds of bots.
    private func played() throws -> DataServer {
        let server = try DataServer(on: scratch)
        let play = try scratch.run("bjbots", ["play", "127.0.0.1:\(server.port)", "--bots", "2", "--rounds", "\(Self.rounds)"])
        try #require(play.status == 0, "\(play.errors)")
        return server
    }

    private func names() throws -> [String] {
        try DataSnapshot(folder: scratch.path("data")).state.accounts.values.map(\.name).sorted()
    }

    private func objects(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func handsArePrinted_byPlayerTableRoundAndNumber() throws {
        let server = try played()
        let folder = scratch.path("data")
        let name = try #require(names().first)
        let all = try scratch.run("bjserver", ["history", folder])
        #expect(all.status == 0 && all.errors.isEmpty && all.output.hasPrefix("round 1 at main, 20"))
        #expect(all.output.contains("  dealer: ") && all.output.contains("\(name) (seat "))
        let last = try scratch.run("bjserver", ["history", folder, "--player", name.uppercased(), "--last", "3", "--json"])
        let rounds = try objects(last.output)
        #expect(rounds.count == 3 && rounds.allSatisfy { $0["table"] as? String == "main" })
        let numbers = rounds.compactMap { $0["round"] as? Int }
        #expect(numbers == numbers.sorted())
        let one = try objects(scratch.run("bjserver", ["history", folder, "--table", "main", "--round", "2", "--json"]).output)
        #expect(one.compactMap { $0["round"] as? Int } == [2])
        let unknown = try scratch.run("bjserver", ["history", folder, "--player", "nobody"])
        #expect(
            unknown.status == 1 && unknown.output.isEmpty && unknown.errors.contains("no account or hand with the name nobody"))
        let mistyped = try scratch.run("bjserver", ["history", folder, "--table", "mian"])
        #expect(mistyped.status == 1 && mistyped.output.isEmpty && mistyped.errors.contains("no open table mian"))
        for words in [["--player", name, "--round", "9999"], ["--table", "main", "--round", "9999"], ["--round", "9999"]] {
            let none = try scratch.run("bjserver", ["history", folder] + words)
            #expect(none.status == 0 && none.output.isEmpty)
        }
        server.kill()
        #expect(try scratch.run("bjserver", ["history", folder, "--last", "0"]).status == 64)
        #expect(try scratch.run("bjserver", ["history", scratch.path("none")]).status == 66)
    }

    @Test func anExport_hasAccountAndHands_ofThePlayerAlone() throws {
        let server = try played()
        server.kill()
        let names = try names()
        let ending = try scratch.accounts("export", names[0])
        #expect(ending.status == 0 && ending.output.contains(names[0]) && !ending.output.contains(names[1]))
        let export = try #require(objects(ending.output).first)
        let account = try #require(export["account"] as? [String: Any])
        #expect(account["issued"] as? Int == 1000)
        let hands = try #require(export["hands"] as? [[String: Any]])
        #expect(hands.count >= Self.rounds)
        #expect(try scratch.accounts("export", "nobody").status == 1)
    }
}
