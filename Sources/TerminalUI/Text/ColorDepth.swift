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
