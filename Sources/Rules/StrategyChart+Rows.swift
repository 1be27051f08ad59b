extension StrategyChart.Row {
    /// The label in a chart: `hard 12`, `soft 18`, `pair A`.
    public var text: String {
        switch self {
        case .hard(let total): "hard \(total)"
        case .soft(let total): "soft \(total)"
        case .pair(1): "pair A"
        case .pair(let points): "pair \(points)"
        }
    }

    /// Parses ``text``, in any case; also `T` for 10. nil for any other text.
    public init?(text: String) {
        let words = text.lowercased().split { $0 == " " || $0 == "\t" }
        guard words.count == 2 else { return nil }
        let spelled = words[1] == "t" ? "10" : words[1].uppercased()
        let wanted = "\(words[0]) \(spelled)"
        guard let row = Self.all.first(where: { $0.text == wanted }) else { return nil }
        self = row
    }
}
