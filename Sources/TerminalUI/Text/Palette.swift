/// Colours of styles: a pure function of depth and suits. The table's felt and each meaning beside it have a ground of their own,
/// and a name has a colour that is legible on black and on white: the contrast does not depend on the terminal's ground.
struct Palette: Equatable, Sendable {
    var depth = ColorDepth.basic
    var suits = ClientSettings.SuitColors.two

    /// One colour at each depth.
    struct Paint: Equatable, Sendable {
        /// 0…15.
        let basic: UInt8
        /// 16…255: the fixed part of xterm's palette.
        let indexed: UInt8
        /// `0xRRGGBB`.
        let rgb: UInt32

        init(_ basic: UInt8, _ indexed: UInt8, _ rgb: UInt32) {
            (self.basic, self.indexed, self.rgb) = (basic, indexed, rgb)
        }
    }

    /// A style as the terminal has it. A colour that is nil is the terminal's own.
    struct Ink: Equatable, Sendable {
        var attributes: Style = []
        var text: Paint?
        var ground: Paint?
    }

    /// The colours of a style. A card's face counts before a meaning.
    func colors(_ style: Style) -> Ink {
        guard depth != .none, !style.isDisjoint(with: .colors) else { return Ink() }
        if style.contains(.back) { return Self.back }
        if style.contains(.faded) { return Self.faded }
        let (diamond, club) = suits == .four ? (Self.diamond, Self.club) : (Self.heart, Self.spade)
        let suits: [(Style, Paint)] = [(.spade, Self.spade), (.heart, Self.heart), (.diamond, diamond), (.club, club)]
        if let suit = suits.first(where: { style.contains($0.0) }) { return Ink(text: suit.1, ground: Self.face) }
        if let number = style.nameColor { return Ink(text: Self.names[number]) }
        // The sixteen colours have no green that is dark enough.
        let felt = style.contains(.felt) && !style.contains(.inverse) && depth >= .indexed ? Self.felt : nil
        let meanings: [(Style, Paint)] = [(.red, Self.bad), (.yellow, Self.attention), (.green, Self.good)]
        guard let meaning = meanings.first(where: { style.contains($0.0) })?.1 else { return felt ?? Ink() }
        return felt.map { Ink(text: meaning, ground: $0.ground) } ?? Ink(text: Self.spade, ground: meaning)
    }

    /// The colours, with bold, dim and inverse as far as they go with them.
    func ink(_ style: Style) -> Ink {
        var ink = colors(style)
        ink.attributes = style.subtracting(.colors)
        if let ground = ink.ground, ground != Self.felt.ground { ink.attributes.subtract([.dim, .inverse]) }
        return ink
    }

    /// Parameters of SGR (ECMA-48 8.3.117) that turn one ink into another: only what differs, unless an attribute ends, which takes a reset.
    func parameters(_ ink: Ink, over current: Ink) -> String {
        guard current.attributes.isSubset(of: ink.attributes) else {
            return ink == Ink() ? "0" : "0;" + parameters(ink, over: Ink())
        }
        let added = ink.attributes.subtracting(current.attributes)
        var codes = [(Style.bold, "1"), (.dim, "2"), (.inverse, "7")].compactMap { added.contains($0.0) ? $0.1 : nil }
        if ink.text != current.text { codes.append(ink.text.map { code($0, isGround: false) } ?? "39") }
        if ink.ground != current.ground {
            codes.append(ink.ground.map { code($0, isGround: true) } ?? "49")
        }
        return codes.joined(separator: ";")
    }

    private func code(_ paint: Paint, isGround: Bool) -> String {
        switch depth {
        case .none, .basic: String((paint.basic < 8 ? 30 : 82) + Int(paint.basic) + (isGround ? 10 : 0))
        case .indexed: "\(isGround ? 48 : 38);5;\(paint.indexed)"
        case .truecolor:
            "\(isGround ? 48 : 38);2;\(paint.rgb >> 16);\(paint.rgb >> 8 & 0xFF);\(paint.rgb & 0xFF)"
        }
    }
}

extension Palette {
    private static let good = Paint(10, 114, 0x7AD184)
    private static let bad = Paint(9, 217, 0xFF9A9A)
    private static let attention = Paint(11, 221, 0xF5C842)
    private static let face = Paint(7, 255, 0xF5F3EC)
    private static let spade = Paint(0, 16, 0x18181B)
    private static let heart = Paint(1, 124, 0xB01325)
    private static let diamond = Paint(4, 19, 0x0B4FB3)
    private static let club = Paint(2, 22, 0x0B6B2E)
    private static let back = Ink(text: .init(7, 189, 0xC3D0F0), ground: .init(4, 18, 0x264A8C))
    private static let faded = Ink(text: .init(7, 249, 0xB6BAB4), ground: .init(8, 238, 0x3D4540))
    private static let felt = Ink(text: .init(15, 255, 0xEEF2EC), ground: .init(2, 22, 0x0C3A22))
    /// The entries of xterm's cube whose contrast is 4.5 on black and on white.
    static let names = [
        Paint(6, 29, 0x00875F), Paint(5, 98, 0x875FD7), Paint(4, 63, 0x5F5FFF), Paint(1, 131, 0xAF5F5F), Paint(13, 163, 0xD700AF),
    ]
}

/// The colours of a terminal.
enum ColorDepth: CaseIterable, Comparable, Sendable {
    case none
    /// The 16 colours of ECMA-48 and aixterm.
    case basic
    /// xterm's 256.
    case indexed
    /// 24 bits.
    case truecolor

    /// A depth that was chosen, else the one of the environment.
    init(_ choice: ClientSettings.ColorChoice, environment: [String: String]) {
        self =
            switch choice {
            case .auto: Self(environment: environment)
            case .always: max(.basic, Self(terminal: environment))
            case .never: .none
            case .basic: .basic
            case .indexed: .indexed
            case .truecolor: .truecolor
            }
    }

    /// `FORCE_COLOR` before `NO_COLOR` before the terminal; empty variables count as unset.
    ///
    /// Sources: force-color.org, no-color.org. The values 0, 2 and 3 mean what they mean to Node.js: none, 256 colours, 24 bits.
    init(environment: [String: String]) {
        let terminal = Self(terminal: environment)
        switch environment["FORCE_COLOR"] ?? "" {
        case "": self = (environment["NO_COLOR"] ?? "").isEmpty ? terminal : .none
        case "0", "false": self = .none
        case "2": self = max(.indexed, terminal)
        case "3": self = .truecolor
        default: self = max(.basic, terminal)
        }
    }

    /// By `COLORTERM` and `TERM`.
    private init(terminal environment: [String: String]) {
        let terminal = (environment["TERM"] ?? "").lowercased()
        let color = (environment["COLORTERM"] ?? "").lowercased()
        let named = Self(name: terminal)
        if color == "truecolor" || color == "24bit" {
            // GNU screen passes the variable on, but not the colours.
            self = terminal.hasPrefix("screen") ? .indexed : .truecolor
        } else {
            self = color.isEmpty ? named : max(.basic, named)
        }
    }

    private init(name: String) {
        let families = ["xterm-kitty", "alacritty", "foot", "wezterm", "xterm-ghostty", "iterm2"]
        let monochrome = ["vt50", "vt52", "vt100", "vt102", "vt220", "vt320", "vt420", "ansi-m", "unknown", "dumb"]
        if name.isEmpty || monochrome.contains(name) || name.hasSuffix("-mono") || name.hasSuffix("-m") {
            self = .none
        } else if name.hasSuffix("-direct") || name.firstRange(of: "truecolor") != nil || families.contains(where: name.hasPrefix)
        {
            self = .truecolor
        } else {
            self = name.firstRange(of: "256") != nil ? .indexed : .basic
        }
    }
}
