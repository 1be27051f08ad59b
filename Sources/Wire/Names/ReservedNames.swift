/// Names that would pass for the host's: only the host's own bots may have one. Refused if the first word is a reserved one, or all words run
/// together are: `admin`, `Dealer 2`, `h0use`, `a.d.m.i.n`. Words that look alike are the same, also with a digit for a letter.
public struct ReservedNames: Sendable, Equatable {
    /// The default list.
    public static let standard: [String] = [
        "admin", "administrator", "bank", "casino", "croupier", "dealer", "host", "house", "moderator", "operator", "root",
        "server", "thedealer", "thehost", "thehouse", "theserver", "you",
        "staff", "support", "system",
    ]

    /// The words as the host wrote them.
    public let words: [String]
    private let forms: Set<[UInt8]>

    public init(_ words: [String] = Self.standard) {
        self.words = words
        forms = Set(words.map { Self.form(LookAlikes.skeleton(of: $0)) }.filter { !$0.isEmpty })
    }

    /// Whether a name is kept for the host.
    public func contains(_ name: PlayerName) -> Bool {
        // Nearly every name ends here: the rest takes 30 µs.
        let compact = Self.form(name.skeleton)
        guard forms.contains(where: { compact.starts(with: $0) }) else { return false }
        let words = name.text.split { !($0.isLetter || $0.isNumber) }
        guard let first = words.first else { return false }
        return isReserved(first) || words.count > 1 && isReserved(words.joined()[...])
    }

    /// With and without digits at its end: `house2` is one house of many, `h0use` a disguise.
    private func isReserved(_ word: Substring) -> Bool {
        var stem = word
        while stem.last?.isNumber == true { stem.removeLast() }
        return forms.contains(Self.form(LookAlikes.skeleton(of: String(stem))))
            || forms.contains(Self.form(LookAlikes.skeleton(of: String(word))))
    }

    /// The same for words that a glance takes for each other, whatever stands between their letters.
    private static func form(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        for byte in text.utf8 where !PlayerName.separators.contains(byte) { LookAlikes.append(byte, to: &bytes) }
        for index in bytes.indices { bytes[index] = disguised(bytes[index]) }
        return bytes
    }

    /// The letter that a digit or another letter stands for in a disguise.
    private static func disguised(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "i"): UInt8(ascii: "l")
        case UInt8(ascii: "3"): UInt8(ascii: "e")
        case UInt8(ascii: "4"): UInt8(ascii: "a")
        case UInt8(ascii: "5"): UInt8(ascii: "s")
        case UInt8(ascii: "7"): UInt8(ascii: "t")
        default: byte
        }
    }
}
