/// Up to 21 cards, stored inline; the hand's value holds the count.
///
/// A hand below 21 holds at most 20 cards, since each counts at least 1, and one more ends it: 21 suffice.
struct CardStack: Sendable {
    private var ids = InlineArray<21, CardID>(repeating: CardID(rawValue: 0))

    subscript(index: Int) -> CardID {
        get { ids[index] }
        set { ids[index] = newValue }
    }

    func prefix(_ count: Int) -> [CardID] { (0..<count).map { ids[$0] } }
}
