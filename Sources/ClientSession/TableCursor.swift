import Wire

/// How far a session has followed its table, and what it has asked for since.
enum TableCursor: Equatable, Sendable {
    case none
    /// A whole table was asked for; none is held.
    case requested
    case following(TablePosition)
    /// `resume` is unanswered. Its reply has all diffs and chat after the position, so that what arrives before is skipped. `heard` is the
    /// `seq` of the last line skipped.
    case resuming(TablePosition, heard: Int)
    /// The table held is wrong, or another one: a whole one was asked for.
    case replacing(TablePosition)

    enum Verdict { case follows, gap, skip }

    var position: TablePosition? {
        switch self {
        case .none, .requested: nil
        case .following(let position), .resuming(let position, _), .replacing(let position): position
        }
    }

    /// A diff arrived.
    mutating func advance(from: Int, to: Int) -> Verdict {
        switch self {
        case .following(var position) where from == position.revision && to > from:
            position.revision = to
            self = .following(position)
            return .follows
        case .none, .following: return .gap
        case .requested, .resuming, .replacing: return .skip
        }
    }

    /// A line of chat arrived.
    mutating func hear(_ sequence: Int) -> Verdict {
        switch self {
        case .none, .requested: return .follows
        case .following(var position):
            guard sequence <= position.chat + 1 else {
                self = .resuming(position, heard: sequence)
                return .gap
            }
            position.chat = max(position.chat, sequence)
            self = .following(position)
            return .follows
        case .resuming(let position, let heard):
            self = .resuming(position, heard: max(heard, sequence))
            return .skip
        case .replacing(var position):
            position.chat = max(position.chat, sequence)
            self = .replacing(position)
            return .follows
        }
    }

    /// `resume` was answered, or refused for good. A refusal leaves the gap: the next diff asks again.
    mutating func resumed(_ missed: Missed) {
        guard case .resuming(var position, let heard) = self else { return }
        position.chat = max(position.chat, heard, missed.chat.last?.sequence ?? 0)
        self = .following(position)
    }

    /// `watch` was refused for good: the next diff asks again.
    mutating func watchRefused() {
        switch self {
        case .requested: self = .none
        case .replacing(let position): self = .following(position)
        case .none, .following, .resuming: break
        }
    }

    /// A new connection: requests of the old one are not answered.
    mutating func reconnected() {
        switch self {
        case .requested: self = .none
        case .resuming(let position, _): self = .following(position)
        case .none, .following, .replacing: break
        }
    }
}
