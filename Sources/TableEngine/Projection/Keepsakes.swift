import Rules
import TableModel

/// What descriptions of a table have in common over time and so share: what takes memory to make, and was made before.
struct Keepsakes: Sendable {
    /// Lists kept. There are a handful at a table at a time: what a hand may do, at what each seat has bet.
    private static let maximumLists = 32

    /// The house rules, which never change.
    let rules: TableEntry
    private var lists: [[Choice.Option]] = []
    /// Which list gives way to a new one, once there are as many as are kept.
    private var oldest = 0
    private var scratch: [Choice.Option] = []

    init(rules: HouseRules) { self.rules = .rules(rules) }

    /// The list of what is told to the function it is given: actions and their costs. Nil when that is nothing.
    mutating func options(_ list: ((Action, Int) -> Void) -> Void) -> [Choice.Option]? {
        scratch.removeAll(keepingCapacity: true)
        list { scratch.append(Choice.Option(action: $0, cost: $1)) }
        guard !scratch.isEmpty else { return nil }
        for known in lists where known == scratch { return known }
        let new = Array(scratch[...])
        if lists.count < Self.maximumLists {
            lists.append(new)
        } else {
            lists[oldest] = new
            oldest = (oldest + 1) % Self.maximumLists
        }
        return new
    }
}
