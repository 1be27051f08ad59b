/// A player's decision about a hand.
@frozen
public enum Action: UInt8, CaseIterable, Sendable {
    case hit, stand, double, split, surrender
    /// A side bet, up to half the bet, that the dealer has a blackjack.
    case insurance
    /// Refuses insurance or early surrender.
    case decline
    /// Pays a blackjack 1:1 at once while the dealer shows an ace.
    case evenMoney

    /// The name on the wire: `hit`, `evenMoney`…
    public var name: String { key.description }

    /// ``name``, to be written and compared without a string.
    @inlinable
    package var key: StaticString {
        switch self {
        case .hit: "hit"
        case .stand: "stand"
        case .double: "double"
        case .split: "split"
        case .surrender: "surrender"
        case .insurance: "insurance"
        case .decline: "decline"
        case .evenMoney: "evenMoney"
        }
    }
}

/// A set of actions in one byte.
@frozen
public struct ActionSet: OptionSet, Hashable, Sendable, BitwiseCopyable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable
    public init(_ action: Action) { rawValue = 1 &<< action.rawValue }

    @inlinable public static var hit: ActionSet { ActionSet(.hit) }
    @inlinable public static var stand: ActionSet { ActionSet(.stand) }
    @inlinable public static var double: ActionSet { ActionSet(.double) }
    @inlinable public static var split: ActionSet { ActionSet(.split) }
    @inlinable public static var surrender: ActionSet { ActionSet(.surrender) }
    @inlinable public static var insurance: ActionSet { ActionSet(.insurance) }
    @inlinable public static var decline: ActionSet { ActionSet(.decline) }
    @inlinable public static var evenMoney: ActionSet { ActionSet(.evenMoney) }

    @inlinable
    public func allows(_ action: Action) -> Bool { rawValue & (1 &<< action.rawValue) != 0 }

    /// The members in the order of `Action`'s cases.
    public var actions: [Action] { Action.allCases.filter(allows) }
}

extension ActionSet: CustomStringConvertible {
    /// `hit, stand, double`; `none` when empty.
    public var description: String {
        isEmpty ? "none" : actions.map(\.name).joined(separator: ", ")
    }
}
