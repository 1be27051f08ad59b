/// Numbers where arithmetic breaks, for a fuzzer to put in the place of others.
enum ExtremeNumbers {
    /// The edges of integers, of what JSON keeps exact, and of the ranges of the protocol; and what is no whole number.
    static let texts: [StaticString] = [
        "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "4294967295", "4294967296", "-2147483648", "2147483647", "9007199254740992", "9007199254740993",
        "1000000000000", "1000000000001", "-1000000000000", "999999999999999999", "1000000000000000000", "-1", "-0", "0", "1",
        "8",
        "1e400", "-1e400", "1.5", "1e308", "65535", "65536", "86400000",
    ]

    /// Puts an extreme number in the place of one of the numbers of some bytes, inside of a string or not.
    /// - Parameters:
    ///   - bytes: `count` of them, with room for as many as the buffer has.
    ///   - seed: chooses the number and its replacement.
    /// - Returns: how many bytes there are now; nil when there is no number, or no room for another.
    static func replaceOne(in bytes: UnsafeMutableBufferPointer<UInt8>, count: Int, seed: UInt32) -> Int? {
        guard let number = number(in: UnsafeBufferPointer(rebasing: bytes[..<count]), Int(seed & 0xFFFF)) else { return nil }
        let text = texts[Int(seed >> 16) % texts.count]
        let grown = count - number.count + text.utf8CodeUnitCount
        guard grown <= bytes.count else { return nil }
        let rest = Array(bytes[number.upperBound..<count])
        for index in 0..<text.utf8CodeUnitCount { bytes[number.lowerBound + index] = text.utf8Start[index] }
        for (index, byte) in rest.enumerated() { bytes[number.lowerBound + text.utf8CodeUnitCount + index] = byte }
        return grown
    }

    /// Where a number stands: the one of that index, counted around.
    private static func number(in bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Range<Int>? {
        var places: [Range<Int>] = []
        var place = 0
        while place < bytes.count {
            let start = place
            while place < bytes.count, isOfANumber(bytes[place]) { place += 1 }
            if place > start { places.append(start..<place) }
            place += 1
        }
        return places.isEmpty ? nil : places[index % places.count]
    }

    private static func isOfANumber(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
