import Fairness
import TableModel
import Testing

@testable import TableEngine

/// Requests that a ceremony refuses, without any effect.
final class CeremonyRefusalTests {
    private var game = CeremonyGame()

    @Test func onlyASeatedPlayerThatDeclaredIt_commits_andDeclaringChangesThat() throws {
        #expect(throws: Rejection.notSeated) { try game.commit(1) }
        try game.sit(1)
        try game.sit(2, contributes: false)
        #expect(throws: Rejection.notContributing) { try game.commit(2) }
        try game.perform(.declare(player: PlayerID(2), contributes: true))
        #expect(try game.perform(.declare(player: PlayerID(2), contributes: true)).isEmpty)
        try game.commit(2)
    }

    @Test func aCommitmentToAnotherSecret_isStale_andALaterOneReplacesTheFormer_untilTheListCloses() throws {
        for number in 1...2 { try game.sit(number) }
        let server = try #require(game.table.nextShoe?.commitment)
        let (mine, other) = (SHA256.hash([1]), SHA256.hash([2]))
        func commit(_ server: Digest, _ contribution: Digest) -> Command {
            .commit(player: PlayerID(1), name: "p1", server: server, contribution: contribution)
        }
        #expect(throws: Rejection.staleCommitment) { try game.perform(commit(other, mine)) }
        try game.perform(commit(server, mine))
        #expect(try game.perform(commit(server, mine)).isEmpty, "once more does no harm")
        try game.perform(commit(server, other))
        try game.commit(2)
        guard case .revealing(let list) = game.next else { return #expect(Bool(false)) }
        #expect(list.map(\.name) == ["p1", "p2"] && list[0].commitment == other)
        #expect(throws: Rejection.alreadyCommitted) { try game.perform(commit(server, mine)) }
        #expect(try game.perform(commit(server, other)).isEmpty)
    }

    @Test func aReveal_isTakenUnderItsListOnly_byWhoIsOnIt_withTheBytesCommittedTo() throws {
        for number in 1...3 { try game.sit(number) }
        let wrong = game.secret()
        func reveal(_ number: Int, _ list: Digest, _ bytes: ShoeSecret) -> Command {
            .reveal(player: PlayerID(number), list: list, contribution: bytes)
        }
        #expect(throws: Rejection.noCeremony) { try game.perform(reveal(1, SHA256.hash([]), wrong)) }
        for number in 1...2 { try game.commit(number) }
        try game.wait(1000)
        let list = try #require(game.table.closedList)
        #expect(throws: Rejection.staleList) { try game.perform(reveal(1, SHA256.hash([]), wrong)) }
        #expect(throws: Rejection.notOnList) { try game.perform(reveal(3, list, wrong)) }
        #expect(throws: Rejection.wrongContribution) { try game.perform(reveal(1, list, wrong)) }
        try game.reveal(1)
        let count = game.facts.count
        try game.reveal(1)
        #expect(game.facts.count == count, "once more does no harm")
    }

    @Test func aTableWithCeremonies_takesNoKeyFromOutside_andOneSecretAtATime() throws {
        #expect(throws: Rejection.shoeHasCeremony) { try game.perform(.supplyShoe(.seeded(1))) }
        let secret = game.secret()
        #expect(throws: Rejection.shoeAlreadySupplied) { try game.perform(.supplySecret(secret)) }
        #expect(throws: Rejection.shoeAlreadySupplied) { try game.perform(.beginCeremonies(table: "x")) }
        var plain = Table(rules: game.table.rules)
        var sink = NoFacts()
        #expect(throws: Rejection.noCeremony) {
            try plain.perform(.supplySecret(secret), at: Timestamp(milliseconds: 0), into: &sink)
        }
    }

    @Test func corruptFacts_areInvalid_andTrapNothing() throws {
        for number in 1...2 { try game.sit(number) }
        for number in 1...2 { try game.commit(number) }
        try game.reveal(1)
        let wrong: [Fact] = [
            .ceremonyOpened(shoe: 1, secret: game.secret()), .ceremoniesBegan(table: "again"),
            .contributed(player: PlayerID(1), name: "p1", commitment: SHA256.hash([])), .listDue(until: nil),
            .listClosed(until: game.now), .revealed(player: PlayerID(2), contribution: game.secret()),
            .revealed(player: PlayerID(9), contribution: game.secret()), .secretRevealed(shoe: 1),
            .shoeSupplied(.seeded(1)), .shuffled(shoe: 1, source: .seeded(1)), .declared(player: PlayerID(9), contributes: true),
        ]
        for fact in wrong {
            var table = game.table
            #expect(throws: FactValidationError.self, "\(fact)") { try table.replay(fact) }
            #expect(table == game.table)
        }
    }
}
