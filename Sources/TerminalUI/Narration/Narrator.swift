import ClientCore
import Rules
import TableModel

/// Turns a change of a table into sentences. Pure. Several events in one change are all reported.
struct Narrator: Sendable {
    /// The name of the reader.
    var me: String
    var wording: Wording
    /// Whether the house gives new chips to a player who has lost all.
    var givesRebuys = true
    /// Seats of the reader for which the server has just decided.
    var timeOuts: [Int] = []
    /// Whether the reader sits out because their time ran out.
    var isSatOut = false

    /// - Parameters:
    ///   - change: described as a whole where the table was not shown before.
    ///   - now: milliseconds since 1970 on the server's clock; nil to leave out the time that is left.
    func sentences(for change: TableChange, now: Int64?) -> [Sentence] {
        var narration = Narration(change, me: me, wording: wording, givesRebuys: givesRebuys, now: now)
        (narration.timeOuts, narration.isSatOut) = (timeOuts, isSatOut)
        switch change.origin {
        case .firstShown: narration.describe(change.table)
        case .changed: narration.tellEverything()
        }
        return narration.sentences
    }

    /// The table as it is.
    func description(of snapshot: TableSnapshot, table: String, now: Int64?) -> [Sentence] {
        sentences(for: TableChange(table: table, revision: 0, old: nil, new: snapshot), now: now)
    }
}

/// The sentences of one diff, in order of play.
struct Narration {
    let old: TableSnapshot
    let new: TableSnapshot
    let me: String
    let wording: Wording
    let givesRebuys: Bool
    let now: Int64?
    var timeOuts: [Int] = []
    var isSatOut = false
    private(set) var sentences: [Sentence] = []

    /// The things that came with this change.
    private let inserted: Set<TableItem>
    /// Whether a round has begun.
    let isNewRound: Bool

    init(_ change: TableChange, me: String, wording: Wording, givesRebuys: Bool, now: Int64?) {
        switch change.origin {
        case .firstShown: (old, inserted) = (TableSnapshot(), [])
        case .changed(let old, let difference): (self.old, inserted) = (old, Set(difference.insertions.map(\.item)))
        }
        new = change.new
        self.me = me
        self.wording = wording
        self.givesRebuys = givesRebuys
        self.now = now
        isNewRound = (new.round?.number ?? 0) > (old.round?.number ?? 0)
    }

    /// Whether a card was not on the table before. Cards of two rounds may have the same identifiers.
    func isNew(_ card: TableItem) -> Bool { isNewRound || inserted.contains(card) }

    mutating func say(_ kind: Sentence.Kind, _ text: SafeText) { sentences.append(Sentence(kind, text)) }

    mutating func tellEverything() {
        tellArrivals()
        tellBets()
        tellShoe()
        if isNewRound, let round = new.round { say(.table, "Round \(round.number).") }
        tellAnswers()
        tellDeal()
        tellPeek()
        if !isNewRound { tellPlay() }
        tellDealer()
        tellResults()
        tellDepartures()
        tellTurn()
        tellClosing()
    }

    /// The player at a seat.
    func subject(_ seat: Int) -> Subject? {
        (new.player(seat) ?? old.player(seat)).map { Subject($0.name, me: me) }
    }

    /// ` on hand 2` for a seat with several hands, else empty.
    func onHand(_ hand: HandIdentifier) -> SafeText {
        new.hands(ofSeat: hand.seat).count > 1 ? " on hand \(hand.number)" : ""
    }

    var phase: RoundPhase { new.round?.phase ?? .waiting }
    var oldPhase: RoundPhase { old.round?.phase ?? .waiting }

    /// `15 seconds` while a clock runs, else nil.
    var timeLeft: SafeText? {
        guard let now, let deadline = new.clock?.deadline else { return nil }
        let seconds = SecondsLeft.of(deadline - now)
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }

    private mutating func tellClosing() {
        // A table that closes at once has no last round: only the host's reason is news.
        if let notice = new.closing, notice != old.closing, phase != .closed || !notice.reason.isEmpty {
            say(.closing, wording.closing(notice, now: now))
        }
        if phase == .closed, oldPhase != .closed { say(.closing, "The table is closed.") }
    }

    // MARK: Ending

    // The dealer, results, and whose turn it is.

    private var isOver: Bool { !phase.isInPlay && !new.cards(in: .dealer).isEmpty }
    private var wasOver: Bool { !isNewRound && !oldPhase.isInPlay }

    mutating func tellDealer() {
        let now = new.entries(in: .dealer)
        if !isNewRound {
            for entry in now {
                guard case .card(_, let card?) = entry else { continue }
                if old[entry.item] == nil, !old.cards(in: .dealer).isEmpty {
                    say(.dealer, "Dealer draws \(wording.card(card)).")
                } else if case .card(_, nil) = old[entry.item] {
                    say(.dealer, "Dealer turns \(wording.card(card)).")
                }
            }
        }
        guard isOver, !wasOver, let total = new.dealerTotal, now.count > 2 else { return }
        switch total {
        case .blackjack: say(.dealer, "Dealer has blackjack.")
        case _ where total.isBust: say(.dealer, "Dealer busts with \(total.points).")
        default: say(.dealer, "Dealer has \(total.points).")
        }
    }

    mutating func tellResults() {
        tellInsurance()
        var net = 0
        var isMineOver = false
        for hand in new.hands {
            guard let result = new.result(hand), let subject = subject(hand.seat) else { continue }
            let isNew = isNewRound || old.result(hand) == nil
            // Skips results already reported in the order of play.
            if isNew, isNewRound || !isOnlyMine(result) {
                say(.result, subject.ended(result, total: new.total(hand), hand: onHand(hand)))
            }
            if subject.isMe {
                net += result.net
                isMineOver = true
            }
        }
        guard isOver, !wasOver, isMineOver, let seat = new.seats(of: me).first, let chips = new.player(seat)?.chips else {
            return
        }
        for seat in new.seats(of: me) { net += insuranceNet(seat) }
        say(.result, "The round brings you \(wording.signed(net)): you have \(chips) chips.")
    }

    private func insuranceNet(_ seat: Int) -> Int {
        guard let chips = new.insurance(seat) else { return 0 }
        return new.dealerTotal == .blackjack ? 2 * chips : -chips
    }

    /// Insurance open until the dealer's second card: pays 2:1 on a blackjack.
    private mutating func tellInsurance() {
        guard isOver, !wasOver else { return }
        for seat in new.seats {
            guard let chips = new.insurance(seat), let subject = subject(seat) else { continue }
            if new.dealerTotal == .blackjack {
                say(.result, subject.does("wins", "win", " \(2 * chips) by the insurance."))
            } else if new.rules?.holeCard != .peek {
                say(.result, subject.does("loses", "lose", " the insurance of \(chips)."))
            }
        }
    }

    mutating func tellTurn() {
        let time: SafeText = timeLeft.map { " \($0)." } ?? ""
        for seat in new.seats(of: me) {
            guard let choice = new.choice(seat) else { continue }
            let hand = TableSection.hand(HandIdentifier(seat: seat, number: choice.hand))
            let isSame = old.choice(seat) == choice && old.cards(in: hand) == new.cards(in: hand) && phase == oldPhase
            guard !isSame || isNewRound else { continue }
            say(.prompt, wording.situation(choice, at: new, seat: seat))
            return say(.prompt, wording.question(choice, in: phase) + time)
        }
        if let active = new.activeHand, isNewRound || old.activeHand?.seat != active.seat, let subject = subject(active.seat),
            !subject.isMe
        {
            say(.turn, "It is \(subject.name)'s turn.")
        }
        tellBetting()
    }

    /// Prompts when bets open, and again when the clock starts.
    private mutating func tellBetting() {
        guard phase.takesBets, let rules = new.rules else { return }
        for seat in new.seats(of: me) {
            guard let player = new.player(seat), player.presence == .here, !hasBet(seat) else { continue }
            let opened = !oldPhase.takesBets || old.player(seat)?.name != player.name || old.player(seat)?.presence != .here
            guard opened else {
                if old.clock == nil, let timeLeft { return say(.prompt, "Bets close in \(timeLeft).") }
                continue
            }
            if player.chips < rules.minimumBet {
                return say(
                    .prompt,
                    givesRebuys
                        ? "You are out of chips: 'sit' takes a new stake."
                        : "You are out of chips, and the house gives no new ones.")
            }
            return say(
                .prompt, "Your bet, \(wording.limits(rules))? You have \(player.chips) chips.\(timeLeft.map { " \($0)." } ?? "")")
        }
    }

    private func hasBet(_ seat: Int) -> Bool {
        let hand = HandIdentifier(seat: seat, number: 1)
        return new.bet(hand) != nil && new.result(hand) == nil
    }

    // MARK: Play

    // Cards and decisions.

    /// Card identifiers of a section, in table order.
    private func cards(_ table: TableSnapshot, _ section: TableSection) -> [TableItem] {
        table.entries(in: section).compactMap { if case .card = $0 { $0.item } else { nil } }
    }

    private func face(_ item: TableItem) -> Card? {
        if case .card(_, let card) = new[item] { card } else { nil }
    }

    /// True when this diff brings the first cards of a round.
    private var isDealt: Bool { isNewRound && !cards(new, .dealer).isEmpty }

    /// The first two cards of each hand, in dealing order (ascending identifiers). Later cards of the same diff follow in play
    /// order.
    mutating func tellDeal() {
        guard isDealt else { return }
        var dealt: [(order: Int, kind: Sentence.Kind, text: SafeText)] = []
        for hand in new.hands {
            guard let subject = subject(hand.seat) else { continue }
            for item in cards(new, .hand(hand)) {
                guard case .card(let order) = item, let card = face(item) else { continue }
                dealt.append((order, .card, subject.does("gets", "get", " \(wording.card(card))\(onHand(hand)).")))
            }
        }
        for (index, item) in cards(new, .dealer).enumerated() {
            guard case .card(let order) = item else { continue }
            guard let card = face(item) else {
                dealt.append((order, .card, "Dealer takes a card face down."))
                continue
            }
            dealt.append((order, .card, "Dealer \(index == 0 ? "shows" : "gets") \(wording.card(card))."))
        }
        for (_, kind, text) in dealt.sorted(by: { $0.order < $1.order }) { say(kind, text) }
    }

    /// Answers to offers made to all players at once: insurance, early surrender.
    mutating func tellAnswers() {
        for seat in new.seats {
            guard let subject = subject(seat) else { continue }
            let outcome = new.result(HandIdentifier(seat: seat, number: 1))?.outcome
            if let chips = new.insurance(seat), isNewRound || old.insurance(seat) != chips {
                say(.play, subject.does("takes", "take", " insurance for \(chips)."))
            } else if !isNewRound, oldPhase == .insurance || oldPhase == .surrender, old.choice(seat) != nil,
                new.choice(seat) == nil || phase != oldPhase, outcome != .surrender, outcome != .evenMoney
            {
                // Of other players nothing tells a no from a time-out: the words fit both.
                switch (timeOuts.contains(seat), oldPhase == .insurance) {
                case (true, true): say(.play, "Your time is up: no insurance.")
                case (true, false): say(.play, "Your time is up: you play on.")
                case (false, true): say(.play, subject.does("takes", "take", " no insurance."))
                case (false, false): say(.play, subject.does("plays", "play", " on."))
                }
            }
        }
    }

    /// The result of the dealer's peek under an ace or a ten.
    mutating func tellPeek() {
        guard phase == .playing, isNewRound || oldPhase != .playing, new.rules?.holeCard == .peek,
            let up = new.upCard, up.rank.canMakeBlackjack
        else { return }
        say(.dealer, "The dealer has no blackjack.")
        for seat in new.seats {
            guard let chips = new.insurance(seat), let subject = subject(seat) else { continue }
            say(.result, subject.does("loses", "lose", " the insurance of \(chips)."))
        }
    }

    /// The players' actions, in order of play.
    mutating func tellPlay() {
        for hand in new.hands where !cards(new, .hand(hand)).isEmpty {
            guard let subject = subject(hand.seat) else { continue }
            tellSplits(hand, subject)
            tellNewCards(hand, subject)
            tellStand(hand, subject)
            if let result = new.result(hand), old.result(hand) == nil, isOnlyMine(result) {
                say(.result, subject.ended(result, total: new.total(hand), hand: onHand(hand)))
            }
        }
    }

    /// True for a result independent of the dealer's cards.
    func isOnlyMine(_ result: HandResult) -> Bool {
        switch result.outcome {
        case .bust, .surrender, .evenMoney, .charlie: true
        case .blackjack: phase.isInPlay
        case .win, .lose, .push: false
        }
    }

    private mutating func tellSplits(_ hand: HandIdentifier, _ subject: Subject) {
        let before = cards(old, .hand(hand))
        guard let kept = before.first.flatMap(face) else { return }
        let remaining = Set(cards(new, .hand(hand)))
        for moved in before where !remaining.contains(moved) {
            guard let card = face(moved) else { continue }
            say(.play, subject.does("splits", "split", " \(wording.card(kept)) and \(wording.card(card))."))
        }
    }

    private mutating func tellNewCards(_ hand: HandIdentifier, _ subject: Subject) {
        let all = cards(new, .hand(hand))
        let added = all.filter(isNew)
        let bet = new.bet(hand) ?? 0
        let isDoubled = (old.bet(hand).map { bet > $0 } ?? false) && !cards(old, .hand(hand)).isEmpty
        var held = all.count - added.count
        for (index, item) in added.enumerated() {
            guard let card = face(item) else { continue }
            let isLast = index == added.count - 1
            let total: SafeText = isLast ? new.total(hand).map { ": \($0.safeText)" } ?? "" : ""
            let gets: SafeText = "\(subject.isMe ? "get" : "gets") \(wording.card(card))\(onHand(hand))\(total)."
            if isLast, isDoubled {
                say(.play, subject.does("doubles", "double", " to \(bet) and \(gets)"))
            } else if held < 2 {
                // A split hand gets its second card without an action.
                say(.card, subject.isMe ? "You \(gets)" : "\(subject.name) \(gets)")
            } else {
                say(.play, subject.does("hits", "hit", " and \(gets)"))
            }
            held += 1
        }
    }

    /// True when the hand had the turn within this diff.
    private func hasPassed(_ hand: HandIdentifier) -> Bool {
        let order = new.hands
        guard let active = old.activeHand, let from = order.firstIndex(of: active), let place = order.firstIndex(of: hand) else {
            return false
        }
        let to = new.activeHand.flatMap { order.firstIndex(of: $0) } ?? order.count
        return (from..<max(from, to)).contains(place) && old.result(hand) == nil && old.total(hand) != .blackjack
    }

    /// Reports a stand: the hand lost the turn unchanged.
    private mutating func tellStand(_ hand: HandIdentifier, _ subject: Subject) {
        guard hasPassed(hand) else { return }
        let isUnchanged = cards(old, .hand(hand)) == cards(new, .hand(hand)) && old.bet(hand) == new.bet(hand)
        guard isUnchanged, let total = new.total(hand), new.result(hand)?.outcome != .surrender else { return }
        // Without a peek a late surrender shows only with the dealer's cards.
        let mayHaveSurrendered = new.rules.map { $0.surrender == .late && $0.holeCard != .peek } ?? false
        let verb = mayHaveSurrendered ? subject.does("ends", "end", " the turn with") : subject.does("stands", "stand", " on")
        let isLate = timeOuts.contains(hand.seat) && old.activeHand == hand
        say(
            .play,
            isLate
                ? "Your time is up: you stand on \(total.safeText)\(onHand(hand))." : "\(verb) \(total.safeText)\(onHand(hand)).")
    }

    // MARK: Seats

    // Seats, bets and the shoe.

    mutating func tellArrivals() {
        for seat in new.seats {
            guard let player = new.player(seat), let subject = subject(seat) else { continue }
            guard let before = old.player(seat), before.name == player.name else {
                say(.seat, subject.does("takes", "take", " seat \(seat) with \(player.chips) chips."))
                continue
            }
            if before.presence != player.presence { tellPresence(player, before.presence, subject) }
        }
    }

    private mutating func tellPresence(_ player: Player, _ before: Player.Presence, _ subject: Subject) {
        switch player.presence {
        case .away: say(.seat, subject.does("is", "are", " away: the connection is lost, the seat is kept."))
        case .leaving: say(.seat, subject.does("leaves", "leave", " when the hand is over."))
        case .sittingOut where before == .away && subject.isMe: say(.seat, "You are back, but sit out: \(playAgain).")
        case .sittingOut where before == .away: say(.seat, "\(subject.name) is back, but sits out.")
        case .sittingOut where subject.isMe && isSatOut:
            say(.seat, "Your time ran out, so you sit out: your seat is kept for a while, and \(playAgain).")
        case .sittingOut: say(.seat, subject.does("sits", "sit", " out."))
        case .here where before == .away: say(.seat, subject.does("is", "are", " back."))
        case .here: say(.seat, subject.does("plays", "play", " again."))
        }
    }

    private var playAgain: SafeText { "\(wording.control("o", "in")) plays again" }

    mutating func tellDepartures() {
        for seat in old.seats {
            guard let before = old.player(seat), new.player(seat)?.name != before.name else { continue }
            say(.seat, Subject(before.name, me: me).does("leaves", "leave", " seat \(seat)."))
        }
    }

    /// A bet for a round that has not begun.
    private func openBet(_ table: TableSnapshot, _ seat: Int) -> Int? {
        let hand = HandIdentifier(seat: seat, number: 1)
        return table.cards(in: .hand(hand)).isEmpty ? table.bet(hand) : nil
    }

    mutating func tellBets() {
        for seat in new.seats {
            guard let subject = subject(seat) else { continue }
            let hand = HandIdentifier(seat: seat, number: 1)
            let before = openBet(old, seat)
            let after = isNewRound ? new.bet(hand) : openBet(new, seat)
            // A double within the same diff is reported with the play.
            if before == after || (isNewRound && before != nil && new.cards(in: .hand(hand)).count > 2) { continue }
            switch (before, after) {
            case (nil, let chips?): say(.bet, subject.does("bets", "bet", " \(chips)."))
            case (_?, let chips?): say(.bet, subject.does("bets", "bet", " \(chips) instead."))
            case (_?, nil) where new.player(seat) != nil:
                say(.bet, subject.does("takes", "take", " the bet back."))
            default: break
            }
        }
    }

    mutating func tellShoe() {
        guard let shoe = new.shoe else { return }
        if shoe.number > (old.shoe?.number ?? 0) {
            let decks: SafeText = shoe.decks == 1 ? "1 deck" : "\(shoe.decks) decks"
            say(.table, "The dealer shuffles: shoe \(shoe.number), \(decks).")
        } else if let left = new.cardsLeft, let before = old.cardsLeft, left > before {
            say(.table, "The shoe has run out: the discards are shuffled.")
        }
    }

    /// Describes the table on first sight.
    mutating func describe(_ name: String) {
        let round = new.round?.number ?? 0
        say(
            .table,
            "Table \(SafeText(name, columns: 32)), \(round == 0 ? "before the first round" : "round \(round)"), \(phase.word).")
        if let rules = new.rules { say(.table, wording.welcome(rules)) }
        if let notice = new.closing { say(.table, wording.closing(notice, now: now)) }
        for seat in new.seats {
            guard let player = new.player(seat), let subject = subject(seat) else { continue }
            say(.seat, subject.does("has", "have", " seat \(seat) and \(player.chips) chips\(player.presence.remark)."))
            for hand in new.hands(ofSeat: seat) { describe(hand, subject) }
        }
        let dealer = phase.isInPlay ? new.cards(in: .dealer) : []
        if !dealer.isEmpty { say(.dealer, "Dealer: \(wording.hand(dealer, new.dealerTotal)).") }
        tellTurn()
    }

    private mutating func describe(_ hand: HandIdentifier, _ subject: Subject) {
        let cards = new.cards(in: .hand(hand))
        if cards.isEmpty {
            if let bet = new.bet(hand) { say(.bet, subject.does("has", "have", " bet \(bet).")) }
        } else if phase.isInPlay {
            // Hands of a finished round may belong to the seat's previous player.
            let thing: SafeText = new.hands(ofSeat: hand.seat).count > 1 ? "hand \(hand.number)" : "hand"
            say(.card, "\(subject.owns(thing)): \(wording.hand(cards, new.total(hand))).")
        }
        if phase.isInPlay, let result = new.result(hand) {
            say(.result, subject.ended(result, total: new.total(hand), hand: onHand(hand)))
        }
    }
}

extension Player.Presence {
    /// ` (away)`, or empty for an active player.
    var remark: SafeText {
        switch self {
        case .here: ""
        case .sittingOut: " (sitting out)"
        case .away: " (away)"
        case .leaving: " (leaving)"
        }
    }
}

/// One event as text.
struct Sentence: Equatable, Sendable {
    /// The subject of a sentence, for filtering.
    enum Kind: Sendable {
        case card
        case bet
        /// A player's decision.
        case play
        case dealer
        case result
        /// A player comes, leaves, or is away.
        case seat
        /// Round and shoe.
        case table
        /// The table or the server closes.
        case closing
        /// The host speaks.
        case host
        /// The turn moves to a player.
        case turn
        /// A question to the reader.
        case prompt
        /// The connection.
        case link
        /// A failed attempt to reconnect.
        case attempt
        /// A refusal by the server, or an unknown command.
        case refusal
        /// A chat line.
        case chat
        /// A chat line of the reader.
        case ownChat
        /// The answer to a query.
        case answer
        /// A line of the player's history or statement: on the screen, a panel shows it.
        case record
        /// The shuffle is not honest.
        case alarm
    }

    /// U+0007: a terminal rings.
    static let bell = "\u{7}"

    var kind: Kind
    var text: SafeText
    /// The name that the text begins with, of a line of chat.
    var speaker: SafeText?

    init(_ kind: Kind, _ text: SafeText, speaker: String? = nil) {
        self.kind = kind
        self.text = text
        self.speaker = speaker.map { SafeText($0, columns: 24) }
    }
}
