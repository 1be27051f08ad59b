/// How frames become bytes: the characters and colours of a terminal.
struct Look: Equatable, Sendable {
    /// False for ASCII-only terminals.
    var isUnicode: Bool
    var palette: Palette

    var hasColors: Bool { palette.depth != .none }

    init(isUnicode: Bool = true, palette: Palette) {
        self.isUnicode = isUnicode
        self.palette = palette
    }

    init(isUnicode: Bool = true, hasColors: Bool = true) {
        self.init(isUnicode: isUnicode, palette: Palette(depth: hasColors ? .basic : .none))
    }

    /// Reads `LC_ALL`, `LC_CTYPE`, `LANG` (the first that is set); for the colours see ``ColorDepth``.
    init(environment: [String: String], settings: ClientSettings = ClientSettings()) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        isUnicode = name.firstRange(of: "utf-8") != nil || name.firstRange(of: "utf8") != nil
        let depth = ColorDepth(settings.color, environment: environment)
        palette = Palette(theme: settings.theme, depth: depth, suits: settings.suits)
    }

    /// True when a terminal of this type can draw a screen.
    static func canDraw(terminal: String?) -> Bool {
        guard let terminal, !terminal.isEmpty else { return false }
        return terminal != "dumb"
    }
}
