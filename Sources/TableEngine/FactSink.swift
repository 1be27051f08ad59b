/// Receives facts. Generic, so that an empty sink costs nothing.
public protocol FactSink {
    mutating func receive(_ fact: Fact)
}

/// Discards facts.
@frozen
public struct NoFacts: FactSink, Sendable {
    @inlinable
    public init() {}
    @inlinable
    public mutating func receive(_ fact: Fact) {}
}

/// Collects facts in order.
public struct FactList: FactSink, Hashable, Sendable {
    public var facts: [Fact] = []
    public init() {}
    public mutating func receive(_ fact: Fact) { facts.append(fact) }
}
