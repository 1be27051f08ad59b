import Fairness
import Foundation

/// The judgement of a proof file, for a person: made without a server.
public struct ProofVerdict: Equatable, Sendable {
    /// Facts, one a line.
    public private(set) var lines: [String] = []
    /// The first wrong thing; nil for a proof that is right.
    public private(set) var fault: String?

    public init(_ file: ProofFile) {
        guard let proof = file.proof else {
            if let shoe = file.watched { lines = ["table \(shoe.table), shoe \(shoe.shoe)"] }
            fault = file.fault ?? "there is no proof in it"
            return
        }
        do throws(ShoeFault) {
            try judge(proof, file.watched)
        } catch {
            fault = error.description
        }
        // A ceremony that was not honest may end in a proof that is right.
        if fault == nil { fault = file.fault }
    }

    private mutating func judge(_ proof: ShoeProof, _ watched: WatchedShoe?) throws(ShoeFault) {
        lines.append("table \(proof.table), shoe \(proof.shoe)")
        guard let rules = ShoeRules(text: proof.rules) else { throw .rules }
        lines.append(
            "\(rules.decks) \(rules.decks == 1 ? "deck" : "decks")"
                + (rules.isContinuous ? ", 32 shoes of one ceremony" : ""))
        lines.append("commitment \(proof.commitment.base64)")
        let names = proof.contributions.map { $0.reveal == nil ? "\($0.name) (withheld)" : $0.name }
        lines.append("contributors: " + (names.isEmpty ? "none but the server" : names.joined(separator: ", ")))
        lines.append("list \(proof.list.base64)")
        guard let watched else {
            let nothing = WatchedShoe(table: proof.table, shoe: proof.shoe, rules: nil, commitment: proof.commitment)
            try proof.check(against: nothing, rules)
            if !rules.isContinuous {
                let order = proof.key.orderDigest(segment: 0, first: 0, codes: proof.key.order(decks: rules.decks))
                lines.append("order \(order.base64)")
            }
            lines.append("not compared, for want of what a player saw: announcements, contributions of your own, cards")
            return
        }
        let isIncluded = try proof.check(against: watched, rules)
        for order in watched.orders.prefix(1) { lines.append("order \(order.digest.base64)") }
        lines.append("\(watched.seen) of \(watched.total) cards seen, each in its place")
        if let own = watched.own { lines.append("\(own.name)'s contribution is \(isIncluded ? "" : "not ")in the order") }
    }
}

extension ShoeRules {
    private struct Members: Decodable {
        var decks: Int
        var continuousShuffle: Bool
    }

    /// The part of a table's rules that determines the cards.
    /// - Parameter text: all rules as JSON; nil without valid ones.
    public init?(text: String) {
        guard let members = try? JSONDecoder().decode(Members.self, from: Data(text.utf8)), (1...8).contains(members.decks)
        else { return nil }
        self.init(decks: members.decks, isContinuous: members.continuousShuffle)
    }
}
