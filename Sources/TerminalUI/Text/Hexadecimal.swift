extension BinaryInteger {
    /// Lower-case hexadecimal digits, with leading zeros: `000a`.
    func hexadecimal(digits: Int) -> String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
