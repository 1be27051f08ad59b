import Wire

/// Players whose chat is hidden. A value; lasts as long as the program runs.
struct MuteList: Equatable, Sendable {
    /// Keyed by the look-alike form: the server admits one name of each, so a muted player cannot return under a look-alike.
    private var looks: Set<String> = []

    private static func look(_ name: String) -> String { (try? PlayerName(name))?.skeleton ?? name }

    /// True when a player's chat is hidden.
    func contains(_ name: String) -> Bool { !looks.isEmpty && looks.contains(Self.look(name)) }

    /// Hides a player's chat.
    /// - Returns: the result as a sentence.
    mutating func mute(_ name: String) -> SafeText {
        looks.insert(Self.look(name))
        return "\(SafeText.player(name)) is muted: their chat is not shown."
    }

    /// Shows a player's chat again.
    mutating func unmute(_ name: String) -> SafeText {
        looks.remove(Self.look(name)) == nil
            ? "\(SafeText.player(name)) is not muted." : "\(SafeText.player(name)) is no longer muted."
    }
}
