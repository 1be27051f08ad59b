import TableModel
import Wire

/// The table that a client holds, how far it has followed it, and what it has asked for since. Position and table are one value: a diff that
/// cannot be applied changes neither.
enum TableCursor: Sendable {
    case none
    /// A whole table was asked for; none is held.
    case requested
    case following(HeldTable)
    /// A `watch` with the position is unanswered. Behind its reply come all changes and chat since, so that what arrives before is skipped.
    /// `heard` is the `seq` of the last line skipped.
    case resuming(HeldTable, heard: Int)
    /// The table held is wrong, or another one: a whole one was asked for.
    case replacing(HeldTable)

    struct HeldTable: Sendable {
        var position: TablePosition
        var snapshot: TableSnapshot
        /// Whether the last change said that others were missed.
        var isInGap = false
    }

    enum Verdict {
        case follows
        /// Of a diff that follows.
        case changes(TableChange)
        case gap
        /// The table after a diff has another check value: the whole table is to be asked for.
        case wrong
        /// The table after a diff has too much that is unknown.
        case excessive
        case skip
    }

    var held: HeldTable? {
        switch self {
        case .none, .requested: nil
        case .following(let held), .resuming(let held, _), .replacing(let held): held
        }
    }

    var position: TablePosition? { held?.position }

    /// Whether a question for the table is unanswered.
    var isAsked: Bool {
        switch self {
        case .none, .following: false
        case .requested, .resuming, .replacing: true
        }
    }

    /// A whole table arrived.
    mutating func show(_ new: TableSnapshot, at position: TablePosition) -> TableChange {
        let isKnown = (self.position?.table, self.position?.epoch) == (position.table, position.epoch)
        let old = isKnown ? held?.snapshot : nil
        self = .following(HeldTable(position: position, snapshot: new))
        return TableChange(table: position.table, revision: position.revision, old: old, new: new)
    }

    /// A diff arrived.
    mutating func advance(
        from: Int, to: Int, check: UInt32?, _ difference: TableDifference, _ news: TableNews
    ) -> Verdict {
        switch self {
        case .following(var held):
            guard from == held.position.revision, to > from, let new = try? held.snapshot.applying(difference) else {
                return .gap
            }
            guard !new.isExcessive else { return .excessive }
            guard check == nil || check == new.check else {
                self = .replacing(held)
                return .wrong
            }
            // Diffs after a `watch` are many and one gap.
            let told = held.isInGap && news == .missed ? .none : news
            let change = TableChange(
                table: held.position.table, revision: to, from: held.snapshot, by: difference, to: new, news: told)
            (held.position.revision, held.snapshot, held.isInGap) = (to, new, news == .missed)
            self = .following(held)
            return .changes(change)
        case .none: return .gap
        case .requested, .resuming, .replacing: return .skip
        }
    }

    /// A line of chat arrived.
    mutating func hear(_ sequence: Int) -> Verdict {
        switch self {
        case .none, .requested: return .follows
        case .following(var held):
            guard sequence <= held.position.chat + 1 else {
                self = .resuming(held, heard: sequence)
                return .gap
            }
            held.position.chat = max(held.position.chat, sequence)
            self = .following(held)
            return .follows
        case .resuming(let held, let heard):
            self = .resuming(held, heard: max(heard, sequence))
            return .skip
        case .replacing(var held):
            held.position.chat = max(held.position.chat, sequence)
            self = .replacing(held)
            return .follows
        }
    }

    /// A `watch` with the position was answered.
    /// - Parameter chat: the `seq` of the last line in the reply.
    mutating func caughtUp(chat: Int) {
        guard case .resuming(var held, let heard) = self else { return }
        held.position.chat = max(held.position.chat, heard, chat)
        self = .following(held)
    }

    /// `watch` was refused for good: the next diff asks again.
    mutating func watchRefused() {
        switch self {
        case .requested: self = .none
        case .replacing(let held): self = .following(held)
        case .resuming: caughtUp(chat: 0)
        case .none, .following: break
        }
    }

    /// A new connection: requests of the old one are not answered.
    mutating func reconnected() {
        switch self {
        case .requested: self = .none
        case .resuming(let held, _): self = .following(held)
        case .none, .following, .replacing: break
        }
    }
}

extension TableSnapshot {
    /// Whether unknown items and rules exceed their bounds: they have to be kept, since they are in the check value.
    var isExcessive: Bool {
        var (count, bytes) = (0, 0)
        func add(_ content: String) { (count, bytes) = (count + 1, bytes + content.utf8.count) }
        for entry in entries(in: .table) {
            if case .other(_, let content) = entry { add(content) }
            if case .rules(let rules) = entry { for rule in rules.others { add(rule.value) } }
        }
        return count > WireLimits.unknownItems || bytes > WireLimits.unknownBytes
    }
}
