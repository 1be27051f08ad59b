import Testing

@testable import Wire

/// Whole numbers are written digit by digit, by code of our own: everywhere that it could go wrong, it writes what Swift does.
struct NumberWritingTests {
    @Test func numbers_areWrittenAsSwiftWritesThem_aroundEachPowerOfTen() {
        var numbers = [Int.min, .min + 1, .max - 1, .max]
        var power = 1
        for _ in 0..<19 {
            numbers += [power - 1, power, power + 1, power &* 5, power &* 9 &+ 9, -power]
            power = power &* 10
        }
        for bit in 0..<63 { numbers += [1 << bit, (1 << bit) - 1, -(1 << bit)] }
        for number in numbers {
            var bytes: [UInt8] = []
            JSONWriter.append(to: &bytes) { $0.integer(number) }
            #expect(String(decoding: bytes, as: UTF8.self) == String(number))
        }
    }
}
