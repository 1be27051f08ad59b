/// Up to 21 cards, stored in place; how many they are is in the hand's value.
///
/// A hand below 21 holds at most twenty cards (each counts at least 1), and one more ends it, so 21 always suffice.
struct CardStack: Sendable {
    private var ids = InlineArray<21, CardID>(repeating: CardID(rawValue: 0))

    @inline(always)
    subscript(index: Int) -> CardID {
        get { ids[index] }
        set { ids[index] = newValue }
    }

    func prefix(_ count: Int) -> [CardID] { (0..<count).map { ids[$0] } }
}
