import Fairness
import Foundation
import Testing

/// The vectors of bj1, each step compared with the one that an independent implementation has computed.
struct VectorTests {
    struct Vectors: Decodable {
        struct Client: Decodable {
            var id: String
            var r: String
        }
        struct Shoe: Decodable {
            var table: String
            var shoe: Int
            var rulesDigest: String
            var serverSecret: String
            var clients: [Client]
            var decks: Int
            var serverCommit: String
            var clientCommits: [String]
            var listHash: String
            var mix: String
            var shoeKey: String
            var orderDigest: String
            var cards: String
        }
        struct Segment: Decodable {
            var key: String
            var decks: Int
            var n: Int
            var discardsFrom: Int
            /// Of the last discard.
            var discardsTo: Int
            var first: Int
            var cards: String
            var orderDigest: String
        }
        struct Stream: Decodable {
            var key: String
            var firstWords: [UInt32]
        }
        struct Below: Decodable {
            var key: String
            var n: [Int]
            var values: [Int]
        }
        var shoe: Shoe
        var segment: Segment
        var stream: Stream
        var below: Below
    }

    let vectors: Vectors

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/bj1.json")
        vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    }

    private func proof() throws -> ShoeProof {
        let shoe = vectors.shoe
        let server = try #require(Digest(bytes: bytes(shoe.serverCommit)))
        return ShoeProof(
            table: shoe.table, shoe: shoe.shoe, commitment: server, secret: try secret(shoe.serverSecret),
            contributions: try zip(shoe.clients, shoe.clientCommits).map { client, commitment in
                ShoeProof.Contribution(
                    name: client.id, commitment: try #require(Digest(bytes: bytes(commitment))), reveal: try secret(client.r))
            })
    }

    @Test func theServersCommitment_isTheVectors() throws {
        let shoe = vectors.shoe
        let digest = try #require(Digest(hex: shoe.rulesDigest))
        let commitment = try secret(shoe.serverSecret).serverCommitment(table: shoe.table, shoe: shoe.shoe, rules: digest)
        #expect(commitment.hex == shoe.serverCommit)
    }

    @Test func eachContributorsCommitment_isTheVectors() throws {
        let shoe = vectors.shoe
        let server = try #require(Digest(bytes: bytes(shoe.serverCommit)))
        #expect(shoe.clients.count == 3)
        for (client, expected) in zip(shoe.clients, shoe.clientCommits) {
            let commitment = try secret(client.r)
                .contribution(table: shoe.table, shoe: shoe.shoe, player: client.id, to: server)
            #expect(commitment.hex == expected)
        }
    }

    @Test func list_mixAndKey_areTheVectors() throws {
        let proof = try proof()
        #expect(proof.list.hex == vectors.shoe.listHash)
        #expect(proof.list.mix(proof.contributions.map(\.reveal)).hex == vectors.shoe.mix)
        #expect(proof.key.bytes.hex == vectors.shoe.shoeKey)
        #expect(proof.key.round(1).bytes.hex == "5a98ff3f6b74e98c9e0f1c9d1229d8ac920bbfc5670b8a7b7889f37c51b803a3")
    }

    /// The vectors have no withheld contribution: these two are of another implementation, in Python.
    @Test func theMix_hasAZeroForAWithheldContribution() throws {
        let proof = try proof()
        let reveals = proof.contributions.map(\.reveal)
        #expect(
            proof.list.mix([reveals[0], nil, reveals[2]]).hex
                == "af317b28d35d66834fdae2e3f7e5d3db0d1a5f2f36f6b7a6d01f0e39d6ab595c")
        #expect(
            proof.list.mix([nil, nil, nil] as [ShoeSecret?]).hex
                == "e061e833765cdff48bf0a26bb3dbcbf4af95feccc245a90526bdb41ea39e234e")
    }

    @Test func theShoesOrder_andItsDigest_areTheVectors() throws {
        let shoe = vectors.shoe
        let key = try #require(ShoeKey(bytes(shoe.shoeKey)))
        let codes = shuffled((0..<52 * shoe.decks).map { UInt8($0 % 52) }, key)
        #expect(names(codes) == shoe.cards)
        #expect(key.orderDigest(segment: 0, first: 0, codes: codes).hex == shoe.orderDigest)
    }

    @Test func aSegmentsOrder_andItsDigest_areTheVectors() throws {
        let segment = vectors.segment
        let shoe = try #require(ShoeKey(bytes(segment.key)))
        let order = shuffled((0..<52 * segment.decks).map { UInt8($0 % 52) }, shoe)
        let key = shoe.segment(segment.n)
        let codes = shuffled(Array(order[segment.discardsFrom...segment.discardsTo]), key)
        #expect(names(codes) == segment.cards)
        #expect(key.orderDigest(segment: segment.n, first: segment.first, codes: codes).hex == segment.orderDigest)
    }

    @Test func theStream_isTheVectors() throws {
        var stream = ShoeStream(try #require(ShoeKey(bytes(vectors.stream.key))))
        #expect(vectors.stream.firstWords.map { _ in stream.next() } == vectors.stream.firstWords)
    }

    @Test func boundedDraws_areTheVectors() throws {
        var stream = ShoeStream(try #require(ShoeKey(bytes(vectors.below.key))))
        #expect(vectors.below.n.map { stream.below($0) } == vectors.below.values)
    }

    private func secret(_ hex: String) throws -> ShoeSecret { try #require(ShoeSecret(bytes(hex))) }

    private func shuffled(_ codes: [UInt8], _ key: ShoeKey) -> [UInt8] {
        var (codes, stream) = (codes, ShoeStream(key))
        stream.shuffle(&codes)
        return codes
    }

    private func names(_ codes: [UInt8]) -> String {
        let (ranks, suits) = (Array("A23456789TJQK"), Array("SHDC"))
        return codes.map { "\(ranks[Int($0 % 13)])\(suits[Int($0 / 13)])" }.joined(separator: " ")
    }
}
