import Rules

/// The range of every whole number on the wire, for the decoder, the schema and Protocol.md: server and clients can compute with any of
/// them without overflow.
enum WireRange {
    static var seat: ClosedRange<Int> { 1...7 }
    static var freeSeats: ClosedRange<Int> { 0...7 }
    static var hand: ClosedRange<Int> { 1...4 }
    /// A bet, what an action costs or adds.
    static var chips: ClosedRange<Int> { 0...WireLimits.chips }
    /// Won or lost with one hand.
    static var net: ClosedRange<Int> { -WireLimits.chips...WireLimits.chips }
    /// A player's chips: more than any bet, since they may be won.
    static var bankroll: ClosedRange<Int> { 0...exact }
    /// Chips issued; negative: taken back.
    static var anyChips: ClosedRange<Int> { -exact...exact }
    static var revision: ClosedRange<Int> { 0...exact }
    static var index: ClosedRange<Int> { 0...1000 }
    static var lobbyIndex: ClosedRange<Int> { 0...WireLimits.lobbyTables }
    /// Milliseconds since 1970.
    static var time: ClosedRange<Int> { 0...exact }
    static var version: ClosedRange<Int> { 0...65_535 }
    /// An expected value in 1/10000 of the bet: at most four doubled hands.
    static var value: ClosedRange<Int> { -80_000...80_000 }
    /// Cards of a hand in a chart, where a charlie rule makes their number matter.
    static var chartCards: ClosedRange<Int> { 3...6 }
    /// A number of rounds, shoes, tables or people.
    static var count: ClosedRange<Int> { 0...exact }
    /// A bound that a server tells of.
    static var limit: ClosedRange<Int> { 1...Int(Int32.max) }
    /// Milliseconds, a day at most.
    static var wait: ClosedRange<Int> { 0...86_400_000 }
    static var check: ClosedRange<Int> { 0...Int(UInt32.max) }
    static var decks: ClosedRange<Int> { 1...8 }
    static var cardsInShoe: ClosedRange<Int> { 0...416 }
    /// Seconds; 0, which is for never, stands beside it.
    static var heartbeat: ClosedRange<Int> { WireLimits.heartbeatSeconds }

    /// The largest whole number up to which the JSON of every language is exact.
    private static var exact: Int { 1 << 53 }
}
