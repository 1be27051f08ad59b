import Fairness
import Rules
import TableEngine
import Testing

@testable import Records

/// The audit's own account of a ceremony.
struct CeremonyCheckTests {
    private let ann = PlayerID(1)
    private let secret = Samples.secret

    private func check(_ facts: [Fact]) -> [Bool] {
        var check = CeremonyCheck(HouseRules())
        return facts.map { check.isRight($0) }
    }

    private func ceremony(reveals: Bool = true) throws -> (facts: [Fact], key: ShoeKey) {
        let rules = HouseRules().digest
        let mine = try #require(ShoeSecret(Array(repeating: 9, count: 32)))
        let server = secret.serverCommitment(table: "t", shoe: 1, rules: rules)
        let commitment = mine.contribution(table: "t", shoe: 1, player: "ann", to: server)
        let list = [Contributor(name: "ann", commitment: commitment)].listDigest(server: server)
        let key = ShoeKey(secret: secret, mix: list.mix([reveals ? mine : nil]))
        let facts: [Fact] = [
            .ceremoniesBegan(table: "t"), .ceremonyOpened(shoe: 1, secret: secret),
            .sat(player: ann, profile: PlayerProfile(name: "ann", contributes: true), seat: 3, chips: 100),
            .contributed(player: ann, name: "ann", commitment: commitment), .listClosed(until: Timestamp(milliseconds: 9)),
        ]
        return (facts + (reveals ? [.revealed(player: ann, contribution: mine)] : []), key)
    }

    @Test func aRightCeremony_isRight_andItsShoeIsDealtUntilTheSecretIsRevealed() throws {
        let (facts, key) = try ceremony()
        let rest: [Fact] = [
            .shoeSupplied(.keyed(key)), .shuffled(shoe: 1, source: .keyed(key)), .roundStarted(round: 1),
            .secretRevealed(shoe: 1),
        ]
        #expect(check(facts + rest).allSatisfy { $0 })
        #expect(check(facts + rest + [.roundStarted(round: 2)]).last == false)
    }

    @Test func anotherKey_anotherShuffle_andAKeyWithoutAReveal_areWrong() throws {
        let (facts, key) = try ceremony()
        #expect(check(facts + [.shoeSupplied(.keyed(key.segment(1)))]).last == false)
        #expect(check(facts + [.shoeSupplied(.keyed(key)), .shuffled(shoe: 1, source: .keyed(key.round(0)))]).last == false)
        let (withheld, without) = try ceremony(reveals: false)
        #expect(check(withheld + [.shoeSupplied(.keyed(key))]).last == false)
        #expect(check(withheld + [.shoeSupplied(.keyed(without))]).last == true)
    }

    @Test func aSecretUsedTwice_isWrong() throws {
        let (facts, key) = try ceremony()
        let again: [Fact] = [
            .shoeSupplied(.keyed(key)), .shuffled(shoe: 1, source: .keyed(key)), .ceremonyOpened(shoe: 2, secret: secret),
        ]
        #expect(check(facts + again).last == false)
        #expect(check(facts + [.attemptVoided(timedOut: true), .ceremonyOpened(shoe: 1, secret: secret)]).last == false)
    }

    @Test func otherBytesThanThoseCommittedTo_areWrong() throws {
        let (facts, _) = try ceremony(reveals: false)
        #expect(check(facts + [.revealed(player: ann, contribution: secret)]).last == false)
    }
}
