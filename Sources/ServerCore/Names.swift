import TableEngine
import Wire

/// Lookup keys of a player name. Hashed once: hashing 20 letters with marks takes 5 µs.
struct FoldedName: Sendable {
    struct Key: Hashable, Sendable {
        let text: String
        let digest: Int

        init(_ text: String) {
            self.text = text
            digest = text.hashValue
        }

        static func == (a: Self, b: Self) -> Bool { a.digest == b.digest && a.text == b.text }
        func hash(into hasher: inout Hasher) { hasher.combine(digest) }
    }

    let key: Key
    let skeleton: Key

    init(_ name: PlayerName) {
        key = Key(name.key)
        skeleton = Key(name.skeleton)
    }
}

/// The names of residents.
struct ResidentNames {
    private var players: [FoldedName.Key: PlayerID] = [:]
    /// Name keys by the name's skeleton, which look-alikes share.
    private var keys: [FoldedName.Key: FoldedName.Key] = [:]

    /// Number of name keys and skeletons.
    var count: Int { players.count + keys.count }

    /// The player with a name, case-insensitively.
    subscript(name: FoldedName) -> PlayerID? { players[name.key] }

    /// The player with a name, or with one that looks like it.
    func player(like name: FoldedName) -> PlayerID? { players[name.key] ?? keys[name.skeleton].flatMap { players[$0] } }

    mutating func insert(_ id: PlayerID, _ name: FoldedName) {
        players[name.key] = id
        keys[name.skeleton] = name.key
    }

    /// Frees a name, unless another player has it.
    mutating func remove(_ id: PlayerID, _ name: FoldedName) {
        guard players[name.key] == id else { return }
        players[name.key] = nil
        keys[name.skeleton] = nil
    }
}
