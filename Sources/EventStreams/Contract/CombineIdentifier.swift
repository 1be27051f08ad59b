import Synchronization

/// Identity of a subscriber or a subscription.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
    private enum Value: Hashable {
        case number(UInt64)
        case object(ObjectIdentifier)
    }

    private static let numbers = Atomic<UInt64>(0)

    private let value: Value

    /// Unique within the process.
    public init() {
        value = .number(Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Equal for the same object during its lifetime.
    public init(_ object: AnyObject) {
        value = .object(ObjectIdentifier(object))
    }

    public var description: String {
        switch value {
        case .number(let number): "\(number)"
        case .object(let object): "0x" + String(UInt(bitPattern: object), radix: 16)
        }
    }
}

public protocol CustomCombineIdentifierConvertible {
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
