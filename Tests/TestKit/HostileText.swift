/// Text that means harm to a terminal or to a reader of lines.
public enum HostileText {
    private static let pieces: [String] = [
        "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{9B}31m", "\u{85}", "\u{8}", "\r\n", "\n", "\t", "\u{0}", "\u{7F}", "\u{202E}",
        "\u{2066}", "\u{200B}",
        "\u{200D}", "\u{FEFF}", "\u{FE0F}", "\u{2028}", "\u{2029}", "\u{E0001}", "\u{F8FF}", "\u{301}\u{302}\u{303}", "\u{20DD}",
        "👨\u{200D}👩", "🇩", "王",
        "\u{1F3FD}", "ann", " ", "\"", "\\", "{}", "\u{10FFFF}", "\u{FFFE}",
    ]

    /// Up to 60 pieces, or one of them over and over: scalars of all kinds, and bytes that are no UTF-8.
    public static func random(using generator: inout some RandomNumberGenerator) -> String {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            return String(
                repeating: pieces.randomElement(using: &generator) ?? "", count: .random(in: 0...400, using: &generator))
        case 1:
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            return String(decoding: bytes, as: UTF8.self)
        case 2:
            let scalars = (0..<Int.random(in: 0...40, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
            }
            return String(String.UnicodeScalarView(scalars))
        default:
            return (0..<Int.random(in: 0...12, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined()
        }
    }

    /// Whether a line has no control, no change of direction and nothing invisible, but for joiners within an emoji.
    public static func isHarmless(_ line: String) -> Bool {
        line.unicodeScalars.allSatisfy { scalar in
            if scalar.value == 0x200D { return true }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned, .format: return false
            default: return true
            }
        }
    }
}
