import Wire

/// Players whose chat is hidden. A value; lasts as long as the program runs.
struct MuteList: Equatable, Sendable {
    /// A request that cannot be fulfilled, as a sentence.
    struct Misunderstanding: Error, Equatable, Sendable {
        var text: SafeText
    }

    /// Upper bound on names.
    static let capacity = 256

    /// Keyed by the look-alike form: the server admits one name of each, so a muted player cannot return under a look-alike.
    private var looks: Set<String> = []

    /// True when a player's chat is hidden.
    func contains(_ name: String) -> Bool {
        guard !looks.isEmpty, let name = try? PlayerName(name) else { return false }
        return looks.contains(name.skeleton)
    }

    /// Applies a request.
    /// - Returns: the result as a sentence.
    mutating func apply(_ request: Request) -> Result<SafeText, Misunderstanding> {
        guard let name = try? PlayerName(request.name) else {
            return .failure(Misunderstanding(text: "'\(SafeText(request.name, columns: 24))' is not a player's name."))
        }
        let shown = SafeText(name.text, columns: 24)
        switch request {
        case .mute:
            guard looks.count < Self.capacity || looks.contains(name.skeleton) else {
                return .failure(Misunderstanding(text: "\(Self.capacity) players are muted: unmute one first."))
            }
            looks.insert(name.skeleton)
            return .success("\(shown) is muted: their chat is not shown.")
        case .unmute:
            return looks.remove(name.skeleton) == nil
                ? .failure(Misunderstanding(text: "\(shown) is not muted.")) : .success("\(shown) is no longer muted.")
        }
    }
}

extension MuteList {
    enum Request: Equatable, Sendable {
        case mute(String)
        case unmute(String)

        var name: String {
            switch self {
            case .mute(let name), .unmute(let name): name
            }
        }

        /// Parses `mute NAME` or `unmute NAME`; nil for another command or a missing name.
        init?(words: some StringProtocol) {
            let parts = words.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard parts.count == 2 else { return nil }
            let name = parts[1].drop { $0 == " " || $0 == "\t" }
            let end = name.lastIndex { $0 != " " && $0 != "\t" && $0 != "\r" }
            guard let end else { return nil }
            switch parts[0].lowercased() {
            case "mute": self = .mute(String(name[...end]))
            case "unmute": self = .unmute(String(name[...end]))
            default: return nil
            }
        }
    }
}
