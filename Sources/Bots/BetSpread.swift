/// The bet for the next round in chips, before it is brought into the table's limits, steps and the bot's chips.
public enum BetSpread: Sendable, Equatable {
    /// Always the same.
    case flat(Int)
    /// Doubles after a loss, back to the base after a win; never more than `most`.
    case martingale(base: Int, most: Int)
    /// By the Hi-Lo count of the shoe (Dubner, 1963): the base, plus one more base for each point of the true count above one; never more
    /// than `most`.
    case hiLo(base: Int, most: Int)

    /// A bot's memory between rounds.
    struct Memory: Sendable, Equatable {
        /// Rounds lost in a row; a push changes nothing.
        var losses = 0

        mutating func note(net: Int) {
            if net < 0 { losses += 1 } else if net > 0 { losses = 0 }
        }
    }

    /// - Parameter trueCount: Hi-Lo count per deck left.
    /// - Returns: chips.
    func amount(_ memory: Memory, trueCount: Int) -> Int {
        switch self {
        case .flat(let amount): amount
        case .martingale(let base, let most):
            // A base has 30 bits: the shift can't overflow, and thirty losses in a row are beyond every limit anyway.
            min(most, base << min(memory.losses, 30))
        case .hiLo(let base, let most):
            // The count comes from a server's cards.
            min(most, base * min(max(1, trueCount), 1_000_000_000))
        }
    }
}

extension BetSpread: LosslessStringConvertible {
    /// Completes an error message: "… is not".
    public static let expected = "a number of chips such as 10, or martingale:10-160, hi-lo:10-100 (the base and the most)"

    /// Reads `10`, `flat:10`, `martingale:10-160` or `hi-lo:10-100`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let bounds = (parts.last ?? "").split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let range = 0...1_000_000_000
        guard let first = bounds[0], range.contains(first) else { return nil }
        if parts.count == 1 || parts[0] == "flat" {
            guard bounds.count == 1 else { return nil }
            self = .flat(first)
            return
        }
        guard bounds.count == 2, let most = bounds[1], range.contains(most), most >= first else { return nil }
        switch parts[0] {
        case "martingale": self = .martingale(base: first, most: most)
        case "hi-lo": self = .hiLo(base: first, most: most)
        default: return nil
        }
    }

    public var description: String {
        switch self {
        case .flat(let amount): "\(amount)"
        case .martingale(let base, let most): "martingale:\(base)-\(most)"
        case .hiLo(let base, let most): "hi-lo:\(base)-\(most)"
        }
    }
}
