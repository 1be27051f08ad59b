/// The scripts of a name, and whether they go together: "highly restrictive" of Unicode's UTS #39, §5.2, since a Cyrillic `а` in a Latin name
/// is a forgery. Latin may stand beside Chinese, Japanese and Korean; `0` to `9` go with each script; digits are of one kind.
struct ScriptMix {
    /// Scripts that may stand together, each as a bit.
    private static let companies: [UInt8] = [
        bits(ScriptRanges.latin, ScriptRanges.cjk, ScriptRanges.hiragana, ScriptRanges.katakana),
        bits(ScriptRanges.latin, ScriptRanges.cjk, ScriptRanges.bopomofo),
        bits(ScriptRanges.latin, ScriptRanges.cjk, ScriptRanges.hangul),
    ]

    private static func bits(_ scripts: UInt8...) -> UInt8 { scripts.reduce(0) { $0 | 1 << $1 } }

    /// Scripts that may be mixed.
    private var sociable: UInt8 = 0
    /// The script that may not; a second one is a fault.
    private var solitary: UInt8?
    private var hasSeveral = false
    /// The zero of the kind of digits.
    private var zero: UInt32?
    private var hasSeveralZeros = false

    mutating func insert(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "a"..."z", "A"..."Z": sociable |= 1 << ScriptRanges.latin
        case "0"..."9": insert(zero: 0x30)
        default:
            guard !scalar.isASCII else { return }
            insert(script: ScriptRanges.script(of: scalar))
            // The digits of a kind stand in a row, as the standard promises.
            if scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue {
                insert(zero: scalar.value - UInt32(value))
            }
        }
    }

    private mutating func insert(script: UInt8) {
        guard script != ScriptRanges.common else { return }
        if script <= ScriptRanges.hangul {
            sociable |= 1 << script
        } else {
            hasSeveral = hasSeveral || solitary.map { $0 != script } ?? false
            solitary = script
        }
    }

    private mutating func insert(zero: UInt32) {
        hasSeveralZeros = hasSeveralZeros || self.zero.map { $0 != zero } ?? false
        self.zero = zero
    }

    /// The fault of the mixture in a sentence; nil for none.
    var fault: String? {
        guard !hasSeveralZeros else { return "A name has digits of one kind." }
        let isOne = !hasSeveral && (solitary == nil || sociable == 0)
        let isCompany = sociable.nonzeroBitCount <= 1 || Self.companies.contains { $0 & sociable == sociable }
        guard !isOne || !isCompany else { return nil }
        return "The letters of a name are of one script; Latin ones may stand beside Chinese, Japanese or Korean ones."
    }
}
