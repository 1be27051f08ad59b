import Rules
import TableModel

/// What descriptions of tables have in common over time and so share: lists of what a player may do, which take memory to make.
package struct Keepsakes: Sendable {
    /// So many lists are kept, each in the place that follows from what is in it or in one of the next few: two that are asked for in turn must
    /// not drive each other out.
    private static let places = 256
    private static let neighbours = 4

    private var lists: [[Choice.Option]?] = []
    private var scratch: [Choice.Option] = []

    package init() {}

    /// The list of what is told to the function it is given: actions and their costs. Nil when that is nothing.
    mutating func options(_ list: ((Action, Int) -> Void) -> Void) -> [Choice.Option]? {
        scratch.removeAll(keepingCapacity: true)
        var mark: UInt64 = 0
        list { action, cost in
            scratch.append(Choice.Option(action: action, cost: cost))
            mark = (mark ^ UInt64(truncatingIfNeeded: cost &* 16 &+ Int(action.rawValue))) &* 0x9E37_79B9_7F4A_7C15
        }
        guard !scratch.isEmpty else { return nil }
        if lists.isEmpty { lists = Array(repeating: nil, count: Self.places) }
        let place = Int(mark >> 56)
        var free = place
        for near in (place..<place + Self.neighbours).lazy.map({ $0 % Self.places }) {
            guard let known = lists[near] else {
                free = near
                break
            }
            if known == scratch { return known }
        }
        let new = Array(scratch[...])
        lists[free] = new
        return new
    }
}
