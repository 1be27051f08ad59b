/// Capabilities of a terminal, derived from its environment.
struct Look: Equatable, Sendable {
    /// False for ASCII-only terminals.
    var isUnicode: Bool
    var hasColors: Bool

    init(isUnicode: Bool = true, hasColors: Bool = true) {
        self.isUnicode = isUnicode
        self.hasColors = hasColors
    }

    /// Reads `LC_ALL`, `LC_CTYPE`, `LANG` (the first that is set) and `NO_COLOR` (any value: no-color.org).
    init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        isUnicode = name.firstRange(of: "utf-8") != nil || name.firstRange(of: "utf8") != nil
        hasColors = (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// True when a terminal of this type can draw a screen.
    static func canDraw(terminal: String?) -> Bool {
        guard let terminal, !terminal.isEmpty else { return false }
        return terminal != "dumb"
    }
}
