import Fairness
import Foundation
import Testing

/// The verifier against the published vectors of bj1, and against each way to tamper with a shoe.
struct VerifierTests {
    private static func secret(_ hex: String) -> ShoeSecret {
        guard let digest = Digest(hex: hex), let secret = ShoeSecret(digest.bytes) else { fatalError("32 bytes") }
        return secret
    }

    private static let countedUp = secret("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")

    /// The vector: a six-deck shoe with three contributors.
    private static let proof: ShoeProof = {
        let reveals = [
            ("alice", secret(String(repeating: "a1", count: 32))), ("bob", countedUp),
            ("carol", secret("4c26d9074c27d89ede59270c0ac14b71e071b15239519f75474b2f3ba63481f5")),
        ]
        let server = countedUp.serverCommitment(table: "T1", shoe: 1, rules: form.digest)
        return ShoeProof(
            table: "T1", shoe: 1, commitment: server, secret: countedUp,
            contributions: reveals.map { name, reveal in
                .init(
                    name: name, commitment: reveal.contribution(table: "T1", shoe: 1, player: name, to: server), reveal: reveal)
            })
    }()

    private static let form = ShoeRules(decks: 6, digest: SHA256.hash("6d,s17,das,sp4,ls,peek,bj=1.5".utf8))
    private static let codes = proof.key.order(decks: 6)

    /// All that a player saw who was there from the first card to the last, `alice`.
    private static func seen(of proof: ShoeProof = proof) -> WatchedShoe {
        var seen = WatchedShoe(table: proof.table, shoe: proof.shoe, rules: form, commitment: proof.commitment)
        seen.list = proof.list
        seen.mixed = proof.contributions.map { $0.reveal != nil }
        let key = proof.key
        var codes = key.order(decks: 6)
        seen.orders = [
            .init(
                shoe: proof.shoe, segment: 0, first: 0, count: 312,
                digest: key.orderDigest(segment: 0, first: 0, codes: codes))
        ]
        for segment in proof.segments {
            let next = key.segment(segment.number)
            let full = (0..<312).map { UInt8($0 % 52) }
            let order = next.shuffled(segment.discards.isEmpty ? full : Array(codes[segment.discards]))
            seen.orders.append(
                .init(
                    shoe: proof.shoe, segment: segment.number, first: segment.first, count: order.count,
                    digest: next.orderDigest(segment: segment.number, first: segment.first, codes: order),
                    discards: segment.discards))
            codes += order
        }
        for place in 1..<codes.count { seen.note(codes[place], at: place, ofShoe: proof.shoe) }
        let own = proof.contributions[0]
        if let reveal = own.reveal {
            seen.own = .init(
                name: own.name, contribution: reveal, commitment: own.commitment, list: proof.list, isConfirmed: true)
        }
        return seen
    }

    private func fault(of proof: ShoeProof = proof, _ seen: WatchedShoe = seen(), _ form: ShoeRules = form) -> ShoeFault? {
        do throws(ShoeFault) {
            try proof.check(against: seen, form)
            return nil
        } catch {
            return error
        }
    }

    @Test func anHonestShoe_isVerified_andTheViewerIncluded() throws {
        #expect(try Self.proof.check(against: Self.seen(), Self.form))
        #expect(Self.seen().seen == 311 && Self.seen().total == 312)
        var late = Self.seen()
        late.own = nil
        #expect(try !Self.proof.check(against: late, Self.form))
    }

    @Test func anyBitOfTheSecret_isCaught() {
        for bit in 0..<256 {
            var proof = Self.proof
            proof.secret = Self.flipped(proof.secret, bit)
            #expect(fault(of: proof) == .secret)
        }
    }

    @Test func anyBitOfAnyContribution_isCaught() {
        for (index, name) in ["alice", "bob", "carol"].enumerated() {
            for bit in 0..<256 {
                var proof = Self.proof
                proof.contributions[index].reveal = proof.contributions[index].reveal.map { Self.flipped($0, bit) }
                #expect(fault(of: proof) == .contribution(name))
            }
        }
    }

    /// The same, where the server makes commitment, list, mix and order anew to fit.
    @Test func aContributionThatIsReplacedEverywhere_isCaughtByItsOwner() {
        var proof = Self.proof
        let other = Self.flipped(Self.countedUp, 7)
        proof.contributions[0].reveal = other
        proof.contributions[0].commitment = other.contribution(table: "T1", shoe: 1, player: "alice", to: proof.commitment)
        var seen = Self.seen(of: proof)
        seen.own = Self.seen().own
        #expect(fault(of: proof, seen) == .list)
        seen.own?.list = proof.list
        #expect(fault(of: proof, seen) == .ownContribution)
        proof.contributions.removeFirst()
        seen = Self.seen(of: proof)
        seen.own = Self.seen().own
        seen.own?.list = proof.list
        #expect(fault(of: proof, seen) == .ownContribution)
    }

    @Test func aContributionLeftOutOfTheMix_isCaught() {
        var proof = Self.proof
        proof.contributions[2].reveal = nil
        #expect(fault(of: proof) == .mixed)
        proof.contributions[0].reveal = nil
        var seen = Self.seen(of: proof)
        seen.own = Self.seen().own
        #expect(fault(of: proof, seen) == .ownContribution)
    }

    @Test func anotherTableShoeOrCommitment_isCaught() {
        var proofs = Array(repeating: Self.proof, count: 3)
        proofs[0].table = "T2"
        proofs[1].shoe = 2
        proofs[2].commitment = SHA256.hash([])
        for proof in proofs { #expect(fault(of: proof) == .anotherShoe) }
    }

    @Test(arguments: [1, 2, 17, 155, 311])
    func anyOtherCard_isCaught_andNamed(place: Int) {
        let other = (Self.codes[place] + 1) % 52
        var seen = Self.seen()
        seen.own = nil
        var tampered = WatchedShoe(table: "T1", shoe: 1, rules: seen.rules, commitment: seen.commitment)
        (tampered.list, tampered.mixed, tampered.orders) = (seen.list, seen.mixed, seen.orders)
        for at in 1..<312 { tampered.note(at == place ? other : Self.codes[at], at: at, ofShoe: 1) }
        #expect(fault(tampered) == .card(shoe: 1, place: place, expected: Self.codes[place], seen: other))
    }

    @Test func aCardAtAnotherPlace_isCaught() {
        var seen = WatchedShoe(table: "T1", shoe: 1, rules: nil, commitment: Self.proof.commitment)
        guard let place = (1..<311).first(where: { Self.codes[$0] != Self.codes[$0 + 1] }) else { return }
        seen.note(Self.codes[place], at: place + 1, ofShoe: 1)
        #expect(
            fault(seen) == .card(shoe: 1, place: place + 1, expected: Self.codes[place + 1], seen: Self.codes[place]))
        seen = WatchedShoe(table: "T1", shoe: 1, rules: nil, commitment: Self.proof.commitment)
        seen.note(3, at: 312, ofShoe: 1)
        #expect(fault(seen) == .card(shoe: 1, place: 312, expected: nil, seen: 3))
    }

    private static var reshuffled: ShoeProof {
        var proof = proof
        proof.segments = [.init(number: 1, first: 312, discards: 0..<200), .init(number: 2, first: 512, discards: 200..<200)]
        return proof
    }

    @Test func segments_areVerified_discardsAndFullPacks() {
        let proof = Self.reshuffled
        #expect(fault(of: proof, Self.seen(of: proof)) == nil)
        #expect(Self.seen(of: proof).total == 824)
    }

    @Test func aWrongSegment_isCaught() {
        let honest = Self.reshuffled
        let seen = Self.seen(of: honest)
        for (number, change): (Int, (inout ShoeProof.Segment) -> Void) in [
            (1, { $0.discards = 0..<199 }), (1, { $0.discards = 1..<200 }), (1, { $0.first = 311 }), (1, { $0.number = 2 }),
            (2, { $0.first = 511 }), (2, { $0.discards = 200..<300 }), (2, { $0.discards = 0..<0 }),
        ] {
            var proof = honest
            change(&proof.segments[number - 1])
            let fault = fault(of: proof, seen)
            #expect(fault == .segment(shoe: 1, number: number), "\(proof.segments)")
        }
        var shorter = honest
        shorter.segments.removeLast()
        #expect(fault(of: shorter, seen) == .segment(shoe: 1, number: 2))
        var digest = seen
        digest.orders[1].digest = SHA256.hash([])
        #expect(fault(of: honest, digest) == .order(shoe: 1, segment: 1))
    }

    /// A proof cannot make the verifier reckon without end.
    @Test func segmentsAreBounded() {
        var proof = Self.proof
        var first = 312
        for number in 1...64 {
            proof.segments.append(.init(number: number, first: first, discards: 0..<0))
            first += 312
        }
        #expect(fault(of: proof, WatchedShoe(table: "T1", shoe: 1, rules: nil, commitment: proof.commitment)) == nil)
    }

    @Test func aContinuousShoe_hasAKeyForEachRound() {
        let form = ShoeRules(decks: 6, isContinuous: true, digest: Self.form.digest)
        var seen = WatchedShoe(table: "T1", shoe: 1, rules: nil, commitment: Self.proof.commitment)
        for round in [0, 1, 31] {
            let key = Self.proof.key.round(round)
            let codes = key.order(decks: 6)
            seen.orders.append(
                .init(
                    shoe: 1 + round, segment: 0, first: 0, count: 312,
                    digest: key.orderDigest(segment: 0, first: 0, codes: codes)))
            seen.note(codes[9], at: 9, ofShoe: 1 + round)
        }
        #expect(throws: Never.self) { try Self.proof.check(against: seen, form) }
        seen.note(0, at: 8, ofShoe: 33)
        #expect(throws: ShoeFault.anotherShoe) { try Self.proof.check(against: seen, form) }
    }

    private static func flipped(_ secret: ShoeSecret, _ bit: Int) -> ShoeSecret {
        var bytes = secret.bytes
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        guard let flipped = ShoeSecret(bytes) else { fatalError("32 bytes") }
        return flipped
    }
}
