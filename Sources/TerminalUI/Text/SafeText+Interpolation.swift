extension SafeText: ExpressibleByStringInterpolation {
    /// Joins literals with interpolated values: numbers and safe text verbatim, all other text sanitised.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var result = SafeText.empty

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { result += SafeText(stringLiteral: literal) }

        public mutating func appendInterpolation(_ text: SafeText) { result += text }

        public mutating func appendInterpolation(_ number: some BinaryInteger) {
            result += SafeText(stringLiteral: String(number))
        }

        /// Sanitises outside text.
        public mutating func appendInterpolation(_ outside: String) { result += SafeText(outside) }
    }

    public init(stringLiteral literal: String) {
        self.init(trusted: literal, columns: Glyphs.columns(of: literal))
    }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.result }
}

extension SafeText {
    /// With one full stop at the end.
    var stopped: SafeText { text.hasSuffix(".") ? self : self + "." }
}

extension Sequence<SafeText> {
    /// Joins the elements with a separator.
    func joined(_ separator: SafeText = ", ") -> SafeText {
        var result = SafeText.empty
        for (index, text) in enumerated() { result += index == 0 ? text : separator + text }
        return result
    }
}
