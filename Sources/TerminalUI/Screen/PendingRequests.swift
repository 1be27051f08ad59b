import TableModel
import Wire

/// The player's requests without an answer. A value.
struct PendingRequests: Equatable, Sendable {
    private struct Entry: Equatable {
        let number: Int
        /// nil for a line of chat.
        let words: SafeText?
        /// True once the answer takes noticeably long: a quick answer is not worth a redraw.
        var isLate = false
    }

    private var entries: [Entry] = []
    private var lastNumber = 0

    /// - Returns: the number for ``answered(_:)``.
    mutating func sent(_ message: ClientMessage) -> Int {
        let words: SafeText? =
            switch message {
            case .bet(let amount, _, _): amount == 0 ? "take the bet back" : "bet \(amount)"
            case .act(let action, _, _, _, _): "\(action.name)"
            case .sit: "take a seat"
            case .sitOut: "sit out"
            case .sitIn: "play again"
            case .chat: nil
            default: "a question"
            }
        lastNumber += 1
        entries.append(Entry(number: lastNumber, words: words))
        return lastNumber
    }

    mutating func answered(_ number: Int) { entries.removeAll { $0.number == number } }

    /// Marks all requests without an answer as late.
    mutating func becomeLate() { for index in entries.indices { entries[index].isLate = true } }

    /// `pending: bet 25, 2 lines of chat`; nil without a late request.
    var words: SafeText? {
        let late = entries.filter(\.isLate)
        guard !late.isEmpty else { return nil }
        let lines = late.count { $0.words == nil }
        let chat: [SafeText] = lines == 0 ? [] : [lines == 1 ? "1 line of chat" : "\(lines) lines of chat"]
        return "pending: \((late.compactMap(\.words) + chat).joined())"
    }
}
