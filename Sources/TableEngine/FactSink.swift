/// Where facts go. Generic, so that a sink that does nothing costs nothing.
public protocol FactSink {
    mutating func receive(_ fact: Fact)
}

/// Throws facts away.
@frozen
public struct NoFacts: FactSink, Sendable {
    @inlinable
    public init() {}
    @inlinable
    public mutating func receive(_ fact: Fact) {}
}

/// Keeps facts in order.
public struct FactList: FactSink, Hashable, Sendable {
    public var facts: [Fact] = []
    public init() {}
    public mutating func receive(_ fact: Fact) { facts.append(fact) }
}
