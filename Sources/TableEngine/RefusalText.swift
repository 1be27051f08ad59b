import Rules

/// An English sentence stored inline, so that a refusal allocates nothing. Written as an interpolated string; cut off after
/// ``capacity`` bytes.
public struct RefusalText: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The longest sentence, in bytes of UTF-8.
    public static let capacity = 192

    private var bytes = InlineArray<192, UInt8>(repeating: 0)
    private var count = 0

    public init(stringLiteral words: StaticString) {
        words.withUTF8Buffer { append($0) }
    }

    public init(stringInterpolation words: StringInterpolation) { self = words.sentence }

    private init() {}

    public var description: String { withUTF8 { String(decoding: $0, as: UTF8.self) } }

    /// Passes the bytes of the sentence without a copy.
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.span.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
    }

    private mutating func append(_ words: UnsafeBufferPointer<UInt8>) {
        for byte in words { append(byte) }
    }

    private mutating func append(_ byte: UInt8) {
        guard count < Self.capacity else { return }
        bytes[count] = byte
        count += 1
    }

    private mutating func append(_ number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var divisor: UInt = 1
        while number.magnitude / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number.magnitude / divisor % 10))
            divisor /= 10
        }
    }

    /// Builds the sentence.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sentence = RefusalText()

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ words: StaticString) { words.withUTF8Buffer { sentence.append($0) } }

        public mutating func appendInterpolation(_ number: Int) { sentence.append(number) }

        public mutating func appendInterpolation(_ name: String) {
            var name = name
            name.withUTF8 { sentence.append($0) }
        }

        /// `hit, stand, double`; `none` when empty.
        public mutating func appendInterpolation(_ actions: ActionSet) {
            guard !actions.isEmpty else { return appendLiteral("none") }
            var isFirst = true
            for number in UInt8(0)..<8 {
                guard let action = Action(rawValue: number), actions.allows(action) else { continue }
                if !isFirst { appendLiteral(", ") }
                isFirst = false
                appendInterpolation(action.name)
            }
        }
    }
}
