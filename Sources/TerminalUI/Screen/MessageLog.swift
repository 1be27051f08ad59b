/// The messages so far and the player's position among them. A value.
struct MessageLog: Equatable, Sendable {
    /// Messages kept.
    static let limit = 500

    /// Newest last.
    private(set) var sentences: [Sentence] = []
    /// Messages newer than the last one shown while scrolled back; 0 at the end.
    private(set) var below = 0
    /// The newest messages that arrived since the player last read.
    private(set) var newCount = 0

    /// Whether the newest message is the answer to a key without an effect.
    private var endsWithAnswer = false

    /// Appends the answer to a key without an effect, in place of the one before: a line typed by mistake fills no log.
    mutating func answer(_ sentence: Sentence) {
        if endsWithAnswer, !sentences.isEmpty { sentences[sentences.count - 1] = sentence } else { append(sentence) }
        endsWithAnswer = true
    }

    /// A key that has an effect ends the answers to those before it.
    mutating func forgetAnswer() { endsWithAnswer = false }

    mutating func append(_ sentence: Sentence) {
        endsWithAnswer = false
        sentences.append(sentence)
        if below > 0 { below += 1 }
        newCount += 1
        if sentences.count > Self.limit { sentences.removeFirst(sentences.count - Self.limit) }
        newCount = min(newCount, sentences.count)
        below = min(below, sentences.count - 1)
    }

    /// Scrolls by a number of messages, towards the newest if positive.
    mutating func scroll(_ messages: Int) { below = min(max(0, below - messages), max(0, sentences.count - 1)) }

    mutating func scrollToEnd() { below = 0 }

    mutating func markRead() { newCount = 0 }

    /// Lines of chat that arrived since the player last read, without the newest messages that are on the screen.
    func unreadChat(below shown: Int) -> Int {
        sentences.suffix(newCount).dropLast(shown).count { $0.kind == .chat }
    }
}
