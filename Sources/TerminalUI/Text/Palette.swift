/// Colours of styles: a pure function of theme, depth and suits.
struct Palette: Equatable, Sendable {
    var theme = ClientSettings.Theme.dark
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

    /// nil: the terminal's own.
    struct Pair: Equatable, Sendable {
        var text: Paint?
        var ground: Paint?
    }

    /// The colours of a style. A card's face counts before a meaning.
    func colors(_ style: Style) -> Pair {
        guard depth != .none, !style.isDisjoint(with: .colors) else { return Pair() }
        let colors = theme.colors
        if style.contains(.back) { return colors.back }
        if style.contains(.faded) { return colors.faded }
        let (diamond, club) = suits == .four ? (colors.diamond, colors.club) : (colors.heart, colors.spade)
        let suits: [(Style, Paint)] = [(.spade, colors.spade), (.heart, colors.heart), (.diamond, diamond), (.club, club)]
        if let suit = suits.first(where: { style.contains($0.0) }) { return Pair(text: suit.1, ground: colors.face) }
        if let number = style.nameColor { return Pair(text: colors.names.isEmpty ? nil : colors.names[number]) }
        var pair =
            style.contains(.red)
            ? colors.bad : style.contains(.yellow) ? colors.attention : style.contains(.green) ? colors.good : Pair()
        // The sixteen colours have no green that is dark enough.
        if style.contains(.felt), !style.contains(.inverse), pair.ground == nil, depth >= .indexed, let felt = colors.felt {
            pair = Pair(text: pair.text ?? felt.text, ground: felt.ground)
        }
        return pair
    }

    /// Bold, dim and inverse as far as they go with the colours.
    func attributes(_ style: Style) -> Style {
        var attributes = style.subtracting(.colors)
        if theme == .highContrast, depth != .none { attributes.remove(.dim) }
        if let ground = colors(style).ground, ground != theme.colors.felt?.ground { attributes.subtract([.dim, .inverse]) }
        return attributes
    }

    /// Parameters of SGR (ECMA-48 8.3.117), beginning with a reset.
    func parameters(_ style: Style) -> String {
        let (attributes, colors) = (attributes(style), colors(style))
        var codes = "0"
        if attributes.contains(.bold) { codes += ";1" }
        if attributes.contains(.dim) { codes += ";2" }
        if attributes.contains(.inverse) { codes += ";7" }
        if let text = colors.text { codes += ";" + code(text, isGround: false) }
        if let ground = colors.ground { codes += ";" + code(ground, isGround: true) }
        return codes
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

/// The colours of a theme.
struct ThemeColors: Sendable {
    /// The terminal's own colours, as far as the theme expects them.
    let text, ground: UInt32
    let good, bad, attention: Palette.Pair
    let face: Palette.Paint
    let spade, heart, diamond, club: Palette.Paint
    let back, faded: Palette.Pair
    /// nil: the table has the terminal's ground.
    let felt: Palette.Pair?
    /// Seven, or none.
    let names: [Palette.Paint]
}

extension ClientSettings.Theme {
    var colors: ThemeColors {
        switch self {
        case .dark: .dark
        case .light: .light
        case .highContrast: .highContrast
        }
    }
}

extension ThemeColors {
    fileprivate static let dark = ThemeColors(
        text: 0xDCDFE4, ground: 0x16181D,
        good: .init(text: .init(2, 114, 0x7AD184)), bad: .init(text: .init(1, 217, 0xFF9A9A)),
        attention: .init(text: .init(3, 221, 0xF5C842)),
        face: .init(7, 255, 0xF5F3EC), spade: .init(0, 16, 0x18181B), heart: .init(1, 124, 0xB01325),
        diamond: .init(4, 19, 0x0B4FB3), club: .init(2, 22, 0x0B6B2E),
        back: .init(text: .init(7, 189, 0xC3D0F0), ground: .init(4, 18, 0x264A8C)),
        faded: .init(text: .init(7, 249, 0xB6BAB4), ground: .init(8, 238, 0x3D4540)),
        felt: .init(text: .init(15, 255, 0xEEF2EC), ground: .init(2, 22, 0x0C3A22)),
        names: [
            .init(6, 80, 0x5FD7D7), .init(5, 177, 0xD787FF), .init(12, 111, 0x87AFFF), .init(14, 123, 0x87FFFF),
            .init(13, 219, 0xFFAFFF), .init(10, 151, 0xAFD7AF), .init(11, 186, 0xD7D787),
        ])

    fileprivate static let light = ThemeColors(
        text: 0x24262B, ground: 0xFFFFFF,
        good: .init(text: .init(2, 22, 0x0B6B2E)), bad: .init(text: .init(1, 124, 0xB01325)),
        attention: .init(text: .init(4, 94, 0x8A4B00)),
        face: .init(7, 254, 0xEFEBDD), spade: .init(0, 16, 0x18181B), heart: .init(1, 124, 0xB01325),
        diamond: .init(4, 19, 0x0B4FB3), club: .init(2, 22, 0x0B6B2E),
        back: .init(text: .init(7, 189, 0xC3D0F0), ground: .init(4, 18, 0x264A8C)),
        faded: .init(text: .init(8, 240, 0x55585A), ground: .init(7, 252, 0xDADAD4)),
        felt: .init(text: .init(0, 234, 0x1C2620), ground: .init(15, 194, 0xDDEFE0)),
        names: [
            .init(6, 23, 0x005F5F), .init(5, 90, 0x870087), .init(4, 25, 0x005FAF), .init(2, 58, 0x5F5F00),
            .init(13, 53, 0x5F005F), .init(12, 18, 0x000087), .init(8, 59, 0x5F5F5F),
        ])

    /// Each meaning has a ground of its own, so that it does not depend on the terminal's.
    fileprivate static let highContrast = ThemeColors(
        text: 0xFFFFFF, ground: 0x000000,
        good: .init(text: .init(0, 16, 0x000000), ground: .init(10, 46, 0x00FF00)),
        bad: .init(text: .init(15, 231, 0xFFFFFF), ground: .init(1, 88, 0x8B0000)),
        attention: .init(text: .init(0, 16, 0x000000), ground: .init(11, 226, 0xFFFF00)),
        face: .init(15, 231, 0xFFFFFF), spade: .init(0, 16, 0x000000), heart: .init(1, 88, 0x8B0000),
        diamond: .init(4, 18, 0x000087), club: .init(2, 22, 0x005000),
        back: .init(text: .init(15, 231, 0xFFFFFF), ground: .init(4, 18, 0x000087)),
        faded: .init(text: .init(0, 16, 0x000000), ground: .init(7, 250, 0xC0C0C0)), felt: nil, names: [])
}

/// The colours of a terminal.
enum ColorDepth: Int, CaseIterable, Comparable, Sendable {
    case none
    /// The 16 colours of ECMA-48 and aixterm.
    case basic
    /// xterm's 256.
    case indexed
    /// 24 bits.
    case truecolor

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

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
