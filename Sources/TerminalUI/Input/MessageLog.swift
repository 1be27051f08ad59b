import ClientCore
import Rules
import TableModel
import Wire

extension String {
    /// Characters that a line of chat still has room for.
    var chatRoom: Int { max(0, min(ChatText.maximumCharacters - count, ChatText.maximumBytes - utf8.count)) }
}

/// The messages so far and the player's position among them. A value.
struct MessageLog: Equatable, Sendable {
    /// Messages kept: half of them are for lines of chat, which the log of many rounds does not push out.
    static let limit = 500

    /// Newest last.
    private(set) var sentences: [Sentence] = []
    /// Messages newer than the last one shown while scrolled back; 0 at the end.
    private(set) var below = 0
    /// The newest messages that arrived since the player last read.
    private(set) var newCount = 0

    mutating func append(_ sentence: Sentence) {
        sentences.append(sentence)
        if below > 0 { below += 1 }
        newCount += 1
        if sentences.count > Self.limit {
            let isChatty = sentences.count(where: \.isChat) > Self.limit / 2
            if let oldest = sentences.firstIndex(where: { $0.isChat == isChatty }) { sentences.remove(at: oldest) }
        }
        newCount = min(newCount, sentences.count)
        below = min(below, sentences.count - 1)
    }

    /// Scrolls by a number of messages, towards the newest if positive.
    mutating func scroll(_ messages: Int) { below = min(max(0, below - messages), max(0, sentences.count - 1)) }

    mutating func scrollToEnd() { below = 0 }

    mutating func markRead() { newCount = 0 }

    /// Lines of chat that arrived since the player last read, without those that are on the screen.
    func unreadChat(below shown: Int) -> Int { max(0, sentences.suffix(newCount).count { $0.kind == .chat } - shown) }
}

/// The player's requests without an answer. A value.
struct PendingRequests: Equatable, Sendable {
    /// By their numbers, in words.
    private var requests: [Int: SafeText] = [:]
    /// Numbers of those whose connection was lost.
    private var doubtful: Set<Int> = []
    private var lastNumber = 0
    /// When requests without an answer become late; nil while none waits for that.
    private(set) var lateAt: Int64?
    /// Requests up to this number take noticeably long: a quick answer is not worth a redraw.
    private var lastLate = 0

    /// - Returns: the number for ``answered(_:)``.
    mutating func sent(_ command: PlayerCommand, at now: Int64) -> Int {
        lastNumber += 1
        lateAt = lateAt ?? now + 300
        requests[lastNumber] = if case .bet = command { command.typed } else { command.word.label }
        return lastNumber
    }

    /// - Returns: whether the connection was lost since it was sent.
    @discardableResult mutating func answered(_ number: Int) -> Bool {
        requests[number] = nil
        return doubtful.remove(number) != nil
    }

    mutating func connectionLost() { doubtful.formUnion(requests.keys) }

    /// Marks all requests without an answer as late, once it is time.
    mutating func tick(at now: Int64) { if let time = lateAt, time <= now { (lastLate, lateAt) = (lastNumber, nil) } }

    /// `pending: bet 25, talk`; nil without a late request.
    var words: SafeText? {
        let late = requests.filter { $0.key <= lastLate }.sorted { $0.key < $1.key }.map(\.value)
        return late.isEmpty ? nil : "pending: \(late.joined())"
    }
}

extension ClientState {
    /// True when a table is shown and the server answers.
    var canAsk: Bool { link == .loggedIn && snapshot != nil && silentSince == nil }

    /// The player in the first of ``seats``.
    var player: Player? { seat.flatMap { snapshot?.player($0) } }

    /// True while a hand of the player is in play; a bet for the next round is not.
    var isInPlay: Bool { !handsInPlay.isEmpty }

    /// The player's hands without a result, in a round that has begun.
    var handsInPlay: [HandIdentifier] {
        guard let snapshot, snapshot.round?.phase.isInPlay == true else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.filter { snapshot.result($0) == nil }
    }

    /// Cards in the player's hands.
    var cardCount: Int {
        seats.flatMap { snapshot?.hands(ofSeat: $0) ?? [] }.reduce(0) { $0 + (snapshot?.cards(in: .hand($1)).count ?? 0) }
    }

    /// True when the player has chips in a bet or a hand.
    var hasStake: Bool { !stakes.isEmpty }

    /// The player's bets on hands without a result, and on those that are not dealt.
    var stakes: [Int] {
        guard let snapshot else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.compactMap { snapshot.result($0) == nil ? snapshot.bet($0) : nil }
    }

    /// The player's bets for the round that has not begun.
    var openBets: [Int] { snapshot?.round?.phase.takesBets == true ? stakes : [] }

    /// A seat's bet for the next round.
    func openBet(_ seat: Int) -> Int? {
        let hand = HandIdentifier(seat: seat, number: 1)
        return snapshot?.result(hand) == nil ? snapshot?.bet(hand) : nil
    }

    /// Number of the last round begun.
    var round: Int { snapshot?.round?.number ?? 0 }

    /// Number of the question on the table, to the player or to another; nil when nothing is asked. All asked at once share one.
    var question: Int? { snapshot?.seats.lazy.compactMap { snapshot?.choice($0)?.turn }.first }

    /// The highest bet that chips and limits allow; the least one where there is no table or no seat.
    var mostBet: Int {
        let rules = rules ?? HouseRules()
        let chips = (player?.chips ?? 0) + (seat.flatMap(openBet) ?? 0)
        return max(rules.minimumBet, min(rules.maximumBet, chips) / rules.betStep * rules.betStep)
    }

    /// A free seat for a player who has one already and may have more; nil for others.
    var furtherSeat: Int? {
        guard !isBroke, !seats.isEmpty, seats.count < rules?.seatsPerPlayer ?? 1 else { return nil }
        return snapshot?.seats.first { snapshot?.player($0) == nil }
    }

    /// Whether the player's chips do not cover a bet, and none is on the table.
    var isBroke: Bool { (player?.chips ?? .max) < (rules?.minimumBet ?? 0) && !hasStake }
}
