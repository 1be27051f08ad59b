import Wire

/// Players whose chat is hidden. A value; lasts as long as the program runs.
struct MuteList: Equatable, Sendable {
    /// Upper bound on names.
    static let capacity = 256

    /// Keyed by the look-alike form: the server admits one name of each, so a muted player cannot return under a look-alike.
    private var looks: Set<String> = []

    /// True when a player's chat is hidden.
    func contains(_ name: String) -> Bool {
        guard !looks.isEmpty, let name = try? PlayerName(name) else { return false }
        return looks.contains(name.skeleton)
    }

    /// Hides a player's chat.
    /// - Returns: the result as a sentence.
    mutating func mute(_ name: String) throws(PlayerCommand.Misunderstanding) -> SafeText {
        guard let look = (try? PlayerName(name))?.skeleton, looks.count < Self.capacity || looks.contains(look) else {
            throw PlayerCommand.Misunderstanding(text: "\(Self.capacity) players are muted: unmute one first.")
        }
        looks.insert(look)
        return "\(SafeText(name, columns: 24)) is muted: their chat is not shown."
    }

    /// Shows a player's chat again.
    mutating func unmute(_ name: String) throws(PlayerCommand.Misunderstanding) -> SafeText {
        guard let look = (try? PlayerName(name))?.skeleton, looks.remove(look) != nil else {
            throw PlayerCommand.Misunderstanding(text: "\(SafeText(name, columns: 24)) is not muted.")
        }
        return "\(SafeText(name, columns: 24)) is no longer muted."
    }
}
