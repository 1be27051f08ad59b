import Wire

/// What a name is found by. Folded and hashed before the directory's lock is taken, since a name of twenty letters with marks takes 5 µs to hash.
struct FoldedName: Sendable {
    struct Key: Hashable, Sendable {
        let text: String
        private let digest: Int

        init(_ text: String) {
            self.text = text
            digest = text.hashValue
        }

        static func == (a: Self, b: Self) -> Bool { a.digest == b.digest && a.text == b.text }
        func hash(into hasher: inout Hasher) { hasher.combine(digest) }
    }

    let key: Key
    let look: Key

    init(_ name: PlayerName) {
        key = Key(name.key)
        look = Key(name.skeleton)
    }
}
