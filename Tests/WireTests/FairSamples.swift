import Fairness
import TableModel
import TestKit

@testable import Wire

/// Samples of the ceremonies of shoes.
extension Samples {
    static func digest(_ number: UInt8) -> Digest { SHA256.hash([number]) }

    static func shoeSecret(_ number: UInt8) -> ShoeSecret {
        guard let secret = ShoeSecret(Array(repeating: number, count: ShoeSecret.length)) else { fatalError("32 bytes") }
        return secret
    }

    static let proof = ShoeProof(
        table: "main", shoe: 1 << 53, rules: #"{"betStep":5,"decks":6}"#, commitment: digest(1), secret: shoeSecret(2),
        contributions: [
            ShoeProof.Contribution(name: "Ann", commitment: digest(3), reveal: shoeSecret(4)),
            ShoeProof.Contribution(name: awkward, commitment: digest(5), reveal: nil),
        ],
        segments: [
            ShoeProof.Segment(number: 1, first: 312, discards: 0..<200),
            ShoeProof.Segment(number: 2, first: 512, discards: 200..<200),
        ])
}

extension RandomTable {
    static func fairShoe(_ generator: inout SeededGenerator) -> FairShoe {
        FairShoe(
            shoe: generator.below(9), commitment: digest(&generator), list: digest(&generator), mixed: mixed(&generator),
            order: digest(&generator),
            segment: generator.below(2) == 0
                ? nil : .init(number: 1 + generator.below(3), first: 312, count: generator.below(313)))
    }

    static func nextShoe(_ generator: inout SeededGenerator) -> NextShoe {
        let contributors = ["Ann", "\u{738B}"].prefix(generator.below(3)).map {
            Contributor(name: $0, commitment: digest(&generator))
        }
        let stages: [NextShoe.Stage] = [
            .open, .revealing(contributors),
            .mixed(list: digest(&generator), mixed(&generator), order: digest(&generator)),
        ]
        return NextShoe(
            shoe: generator.below(9), attempt: 1 + generator.below(4), commitment: digest(&generator),
            withheld: generator.below(2) == 0 ? [] : ["J. R."], stage: stages[generator.below(3)],
            until: generator.below(2) == 0 ? nil : Int64(generator.below(9_999_999)))
    }

    private static func digest(_ generator: inout SeededGenerator) -> Digest {
        Samples.digest(UInt8(truncatingIfNeeded: generator.below(256)))
    }

    private static func mixed(_ generator: inout SeededGenerator) -> MixedContributions {
        MixedContributions((0..<generator.below(8)).map { _ in generator.below(2) == 0 })
    }
}
