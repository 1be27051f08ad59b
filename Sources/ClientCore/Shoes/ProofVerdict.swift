import Fairness

/// The judgement of a proof file, for a person: made without a server.
public struct ProofVerdict: Equatable, Sendable {
    /// Facts, one a line, whatever the file has: no text of it makes a line of its own.
    public private(set) var lines: [String] = []
    /// The first wrong thing; nil for a proof that is right.
    public private(set) var fault: String?
    /// Whether the order was announced to a player, and the cards seen were compared with it.
    public private(set) var isCompared = false

    /// The judgement in a few words.
    public var conclusion: String {
        if fault != nil { return "not honest" }
        return isCompared ? "verified" : "consistent; not compared with an announced order"
    }

    public init(_ file: ProofFile) {
        defer { (lines, fault) = (lines.map(\.inOneLine), fault?.inOneLine) }
        lines = ["table \(file.watched.table), shoe \(file.watched.shoe)"]
        for text in file.watched.statedRules ?? [] { lines.append("rules \(text), SHA-256 \(SHA256.hash(text.utf8).base64)") }
        if file.watched.statedRules != nil { lines.append("committed to \(file.watched.rules?.digest.base64 ?? "no rules")") }
        guard let proof = file.proof, let rules = file.watched.rules else {
            fault = file.fault ?? "it contains no proof"
            return
        }
        // A ceremony that was not honest may end in a proof that is right.
        fault = file.fault
        do throws(ShoeFault) {
            try judge(proof, file.watched, rules)
        } catch {
            fault = error.description
        }
    }

    private mutating func judge(_ proof: ShoeProof, _ seen: WatchedShoe, _ rules: ShoeRules) throws(ShoeFault) {
        lines.append(
            "\(rules.decks) \(rules.decks == 1 ? "deck" : "decks")"
                + (rules.isContinuous ? ", 32 shoes of one ceremony" : ""))
        lines.append("commitment \(proof.commitment.base64)")
        let names = proof.contributions.map { $0.reveal == nil ? "\($0.name) (withheld)" : $0.name }
        lines.append("contributors: " + (names.isEmpty ? "none but the server" : names.joined(separator: ", ")))
        lines.append("list \(proof.list.base64)")
        let isIncluded = try proof.check(against: seen, rules)
        if let order = seen.orders.first {
            lines.append("order \(order.digest.base64)")
        } else if !rules.isContinuous {
            let order = proof.key.orderDigest(segment: 0, first: 0, codes: proof.key.order(decks: rules.decks))
            lines.append("order \(order.base64)")
        }
        if seen.seen > 0 { lines.append(seen.cardsLine(of: proof, rules)) }
        if let own = seen.own { lines.append("\(own.name)'s contribution is \(isIncluded ? "" : "not ")in the order") }
        let missing = seen.missing(for: proof)
        if !missing.isEmpty { lines.append("not compared: " + missing.joined(separator: ", ")) }
        isCompared = seen.isAnnounced
    }
}

/// The verdict on a shoe, and on the cards that are said to come from it, round by round.
struct ShoeVerdict {
    private var text: String
    /// Empty where it does not follow from the proof alone.
    private var order: [UInt8] = []
    /// Of the next round's first card, or before it.
    private var place = 0

    /// - Parameter proof: the text of a proof file.
    init(_ proof: String, _ table: String, _ shoe: Int) {
        do throws(ProofFile.Unreadable) {
            let file = try ProofFile(text: proof)
            let verdict = ProofVerdict(file)
            text = "shoe \(shoe): \(verdict.conclusion)" + (verdict.fault.map { ": \($0)" } ?? "")
            guard (file.watched.table, file.watched.shoe) == (table, shoe) else {
                text = "shoe \(shoe): the proof is another shoe's"
                return
            }
            guard verdict.fault == nil, let rules = file.watched.rules, !rules.isContinuous, let proof = file.proof,
                proof.segments.isEmpty
            else { return }
            order = proof.key.order(decks: rules.decks)
        } catch {
            text = "shoe \(shoe): the proof is unreadable: \(error.description)"
        }
    }

    /// - Parameter cards: of a round, in any order; nil for one that was not shown.
    mutating func words(on cards: [UInt8?]) -> String {
        guard !order.isEmpty else { return text + "; the cards were not compared" }
        let starts = place..<max(place, order.count - cards.count + 1)
        let start = starts.first { [order] start in
            var rest = order[start..<start + cards.count]
            return cards.allSatisfy { card in
                card.map { card in rest.firstIndex(of: card).map { rest.remove(at: $0) } != nil } ?? true
            }
        }
        guard let start else { return text + ", but these cards do not follow in it" }
        place = start + cards.count
        return text + ", these cards included"
    }
}

extension String {
    fileprivate var inOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}

extension WatchedShoe {
    /// Whether an order was announced for each shoe of which there are cards, and for one at least.
    fileprivate var isAnnounced: Bool { !orders.isEmpty && unannounced.isEmpty }

    private var unannounced: [Int] { faces.keys.filter { number in !orders.contains { $0.shoe == number } }.sorted() }

    /// Cards are in their places of an announced order, or of the one computed from the proof alone.
    fileprivate func cardsLine(of proof: ShoeProof, _ rules: ShoeRules) -> String {
        let shoes = Set(faces.keys).union(orders.map(\.shoe))
        let total = shoes.reduce(0) { sum, number in
            proof.segments.filter { $0.round == number - proof.shoe }
                .reduce(sum + rules.decks * 52) { $0 + ($1.discards.isEmpty ? rules.decks * 52 : $1.discards.count) }
        }
        return "\(seen) of \(total) cards seen, each in its place" + (isAnnounced ? "" : " of the proof's order")
    }

    /// The facts of a proof for which this has nothing to compare.
    fileprivate func missing(for proof: ShoeProof) -> [String] {
        var missing: [String] = []
        if orders.isEmpty {
            missing.append("the order's digest")
        } else if !unannounced.isEmpty {
            missing.append("the order's digest of shoe " + unannounced.map { "\($0)" }.joined(separator: ", "))
        }
        let reshuffled = orders.filter { $0.segment > 0 }
        if reshuffled.count < proof.segments.count || reshuffled.contains(where: { $0.discards == nil }) {
            missing.append("reshuffled cards")
        }
        if own == nil { missing.append("your contribution") }
        if list == nil { missing.append("the list") }
        if mixed == nil { missing.append("the mix") }
        if seen == 0 { missing.append("cards") }
        return missing
    }
}
