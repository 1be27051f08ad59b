/// A system of counting cards: the tags of the cards seen add up to the running count.
public struct CountingSystem: Hashable, Sendable {
    public let name: String
    /// By rank, the ace first: 13 numbers.
    public let tags: [Int]

    private init(_ name: String, ace: Int, _ twoToNine: [Int], ten: Int) {
        (self.name, tags) = (name, [ace] + twoToNine + Array(repeating: ten, count: 4))
    }

    /// Every system, by the book that published it.
    public static let all = [
        // Wong, Professional Blackjack.
        CountingSystem("hi-lo", ace: -1, [1, 1, 1, 1, 1, 0, 0, 0], ten: -1),
        // Humble and Cooper, The World's Greatest Blackjack Book; the second level is Humble's.
        CountingSystem("hi-opt-1", ace: 0, [0, 1, 1, 1, 1, 0, 0, 0], ten: -1),
        CountingSystem("hi-opt-2", ace: 0, [1, 1, 2, 2, 1, 1, 0, 0], ten: -2),
        // Carlson, Blackjack for Blood.
        CountingSystem("omega-2", ace: 0, [1, 1, 2, 2, 2, 1, 0, -1], ten: -2),
        // Snyder, Blackbelt in Blackjack.
        CountingSystem("zen", ace: -1, [1, 1, 2, 2, 2, 1, 0, 0], ten: -2),
        // Vancura and Fuchs, Knock-Out Blackjack.
        CountingSystem("ko", ace: -1, [1, 1, 1, 1, 1, 1, 0, 0], ten: -1),
    ]

    /// nil: there is no such system.
    public init?(name: String) {
        guard let known = Self.all.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Whether the tags of a pack add up to 0: the running count, divided by the decks left, is then a true count.
    public var isBalanced: Bool { tags.reduce(0, +) == 0 }

    /// - Parameter seen: cards seen by rank, the ace first: 13 numbers.
    public func runningCount(of seen: [Int]) -> Int { zip(tags, seen).reduce(0) { $0 + $1.0 * $1.1 } }
}
