import ClientCore
import Rules
import TableModel

/// Turns what the server tells of a change into sentences. Pure: each fact is a sentence, and what is asked is read from the table.
struct Narrator: Sendable {
    /// The name of the reader.
    var me: String
    var wording: Wording
    /// Whether the house gives new chips to a player who has lost all.
    var givesRebuys = true

    /// - Parameters:
    ///   - change: described as a whole where the table was not shown before.
    ///   - now: milliseconds since 1970 on the server's clock; nil to leave out the time that is left.
    func sentences(for change: TableChange, now: Int64?) -> [Sentence] {
        var narration = Narration(change, self, now: now)
        switch (change.origin, change.news) {
        case (.firstShown, _): narration.describe(change.table)
        case (_, .missed): narration.say(.shown, "Some changes were missed. The table now:")
        case (_, .facts(let facts)): for fact in facts { narration.tell(fact) }
        }
        narration.tellState()
        return narration.sentences
    }

    /// The table as it is.
    func description(of snapshot: TableSnapshot, table: String, now: Int64?) -> [Sentence] {
        sentences(for: TableChange(table: table, revision: 0, old: nil, new: snapshot), now: now)
    }

    /// The question to the reader, or the player whose turn it is; the time that is left is not part of it.
    fileprivate func prompt(_ table: TableSnapshot) -> [Sentence] {
        let phase = table.round?.phase ?? .waiting
        for seat in table.seats(of: me) {
            guard let choice = table.choice(seat) else { continue }
            return [
                Sentence(.prompt, wording.situation(choice, at: table, seat: seat)),
                Sentence(.prompt, wording.question(choice, in: phase)),
            ]
        }
        if let active = table.activeHand, let player = table.player(active.seat) {
            return [Sentence(.shown, "It is \(SafeText.player(player.name))'s turn.")]
        }
        guard phase.takesBets, let rules = table.rules else { return [] }
        for seat in table.seats(of: me) {
            let hand = HandIdentifier(seat: seat, number: 1)
            guard let player = table.player(seat), player.presence == .here, table.bet(hand) == nil || table.result(hand) != nil
            else { continue }
            guard player.chips >= rules.minimumBet else {
                let hint: SafeText = givesRebuys ? ": 'sit' gives you new chips." : ", and the house gives no new ones."
                return [Sentence(.prompt, "You are out of chips" + hint)]
            }
            return [Sentence(.prompt, "Your bet, \(wording.limits(rules))?")]
        }
        return []
    }
}

/// The sentences of one change, in the order of its facts.
private struct Narration {
    let old: TableSnapshot
    let new: TableSnapshot
    let narrator: Narrator
    var wording: Wording { narrator.wording }
    let now: Int64?
    private(set) var sentences: [Sentence] = []

    /// The action that leads to the next card: `Ann hits and `.
    private var verb: SafeText?
    /// Whether that action is a double.
    private var isDouble = false
    /// Whether the cards that follow are the first ones of a round, which have no totals yet.
    private var isDeal = false
    /// Whether the dealer's total is still to be told.
    private var isDealersTurn = false

    init(_ change: TableChange, _ narrator: Narrator, now: Int64?) {
        (old, new) = (change.old ?? TableSnapshot(), change.new)
        (self.narrator, self.now) = (narrator, now)
    }

    /// Whether the reader could not bet before.
    private var isBroke: Bool {
        guard let rules = old.rules, let seat = old.seats(of: narrator.me).first, let player = old.player(seat) else {
            return false
        }
        return player.chips < rules.minimumBet && old.bet(HandIdentifier(seat: seat, number: 1)) == nil
    }

    mutating func say(_ kind: Sentence.Kind, _ text: SafeText) { sentences.append(Sentence(kind, text)) }

    /// Says what somebody does with a hand: news to the reader, whose it is or for whom it is big.
    private mutating func say(_ kind: Sentence.Kind, _ subject: Subject, isBig: Bool = false, _ text: SafeText) {
        sentences.append(Sentence(kind, text, isNews: subject.isMe || isBig))
    }

    func subject(_ name: String) -> Subject { Subject(name, me: narrator.me) }

    /// The player at a seat, who may just have left it.
    func subject(_ seat: Int) -> Subject? { (new.player(seat) ?? old.player(seat)).map { subject($0.name) } }

    /// ` on hand 2` for a seat with several hands, else empty.
    func onHand(_ hand: HandIdentifier) -> SafeText {
        new.hands(ofSeat: hand.seat).count > 1 ? " on hand \(hand.number)" : ""
    }

    var phase: RoundPhase { new.round?.phase ?? .waiting }

    /// Whether a hand of the player has no result.
    private func isPlaying(_ name: String) -> Bool {
        new.seats(of: name).flatMap { new.hands(ofSeat: $0) }.contains { new.result($0) == nil }
    }

    // MARK: Facts

    mutating func tell(_ fact: PublicFact) {
        switch fact {
        case .table(let word): tell(word)
        case .player(let name, let word): tell(word, subject(name), new.seats(of: name).first.flatMap { new.player($0) })
        case .sat(let name, let seat) where old.player(seat)?.name == name:
            let (before, chips) = (old.player(seat)?.chips ?? 0, new.player(seat)?.chips ?? 0)
            let subject = subject(name)
            say(
                .table,
                chips > before
                    ? subject.does("gets", "get", " new chips and \(subject.isMe ? "have" : "has") \(chips).")
                    : subject.does("stays", "stay", " at the table."))
        case .sat(let name, let seat):
            say(.table, subject(name).does("takes", "take", " seat \(seat) with \(new.player(seat)?.chips ?? 0) chips."))
        case .hand(let hand, let word): if let subject = subject(hand.seat) { tell(word, hand, subject) }
        case .card(let number, let word): tell(word, .card(number))
        case .other: break
        }
    }

    private mutating func tell(_ word: PublicFact.OfTable) {
        switch word {
        case .shuffled:
            guard let shoe = new.shoe else { return }
            say(.table, "The dealer shuffles: shoe \(shoe.number), \(shoe.decks == 1 ? "1 deck" : "\(shoe.decks) decks").")
        case .reshuffled: say(.table, "The shoe has run out: more cards are shuffled.")
        case .round:
            isDeal = true
            say(.shown, "Round \(new.round?.number ?? 0).")
        case .peeked: say(.shown, "The dealer has no blackjack.")
        case .ended:
            tellDealersTotal()
            if wording.hasKeys { tellEnd() }
            tellSum()
        }
    }

    private mutating func tell(_ word: PublicFact.OfPlayer, _ subject: Subject, _ player: Player?) {
        let playAgain: SafeText = "\(wording.control("o", "in")) deals you back in"
        switch word {
        case .left where subject.isMe && isBroke:
            let offer: SafeText = narrator.givesRebuys ? ": \(wording.control("s", "sit")) takes one with a new stake." : "."
            say(.table, "You were out of chips for too long and lost your seat" + offer)
        case .left: say(.table, subject.does("leaves", "leave", "."))
        case .leaving: say(.table, subject.does("leaves", "leave", " when the hand is over."))
        case .satOut where phase.isInPlay && player.map({ isPlaying($0.name) }) == true:
            say(.table, subject.does("will", "will", " sit out after this hand."))
        case .satOut: say(.table, subject.does("sits", "sit", " out."))
        case .idled where subject.isMe:
            say(.table, "Your time ran out, so you are sitting out: your seat is kept for a while, and \(playAgain).")
        case .idled: say(.table, "\(subject.name) ran out of time and sits out.")
        case .satIn: say(.table, subject.does("plays", "play", " again."))
        case .away: say(.table, subject.does("disconnected", "disconnected", ": the seat is kept."))
        case .back where player?.presence != .sittingOut: say(.table, subject.does("connected", "are connected", "."))
        case .back:
            say(
                .table, subject.does("connected", "are connected", ", but sitting out\(subject.isMe ? ": \(playAgain)" : "").")
            )
        }
    }

    private mutating func tell(_ word: PublicFact.OfHand, _ hand: HandIdentifier, _ subject: Subject) {
        let total: SafeText = new.total(hand).map { " on \($0.safeText)" } ?? ""
        let bet = new.bet(hand) ?? 0
        let insurance = new.insurance(hand.seat) ?? 0
        switch word {
        case .bet: say(.shown, subject.does("bets", "bet", " \(bet)."))
        case .betReturned: say(.shown, subject.does("takes", "take", " the bet back."))
        case .hit: verb = subject.does("hits", "hit", " and ")
        case .doubled: (verb, isDouble) = (subject.does("doubles", "double", " (bet \(bet)) and "), true)
        case .split:
            let other = HandIdentifier(seat: hand.seat, number: new.hands(ofSeat: hand.seat).count)
            isDeal = false
            let pair = [hand, other].compactMap { new.cards(in: .hand($0)).first ?? nil }.map(wording.card)
            say(.shown, subject, isBig: true, subject.does("splits", "split", " the \(pair.joined(" and the "))."))
        case .stood: say(.shown, subject, subject.does("stands", "stand", "\(total)\(onHand(hand))."))
        case .surrendered: say(.shown, subject, subject.does("surrenders", "surrender", "."))
        case .insured: say(.shown, subject, subject.does("takes", "take", " insurance for \(insurance)."))
        case .declined: say(.shown, subject.does("declines", "decline", " insurance."))
        case .playedOn: say(.shown, subject.does("plays", "play", " on."))
        case .timedOut: say(.table, "\(subject.owns("time")) is up.")
        case .insuranceWon, .insuranceLost:
            tellDealersTotal()
            let ending =
                word == .insuranceWon
                ? subject.does("wins", "win", " \(new.insuranceNet(hand.seat) ?? 0) from insurance.")
                : "\(subject.owns("insurance")) of \(insurance) is lost."
            say(subject.isMe ? .sum : .result, ending)
        case .settled:
            tellDealersTotal()
            if let result = new.result(hand) {
                let words = subject.ended(result, total: new.total(hand), hand: onHand(hand))
                let isSum = subject.isMe && new.seats(of: narrator.me).flatMap { new.hands(ofSeat: $0) }.count == 1
                if isSum { say(.result, words) } else { say(.result, subject, isBig: result.outcome == .blackjack, words) }
            }
        }
    }

    private mutating func tell(_ word: PublicFact.OfCard, _ item: TableItem) {
        guard case .card(_, let section, let card)? = new[item] else { return }
        guard case .hand(let hand) = section else {
            let first = new.entries(in: .dealer).first { if case .card = $0 { true } else { false } }
            return tellDealers(card, word, isFirst: first?.item == item)
        }
        guard let subject = subject(hand.seat), let card else { return }
        let isDealt = isDeal && verb == nil
        let total: SafeText = isDealt ? "" : new.total(hand).map { ": \($0.safeText)" } ?? ""
        let gets: SafeText = verb == nil ? subject.isMe ? "get" : "gets" : subject.isMe ? "draw" : "draws"
        let what: SafeText = " the \(wording.card(card))\(onHand(hand))\(total)."
        let bet = new.bet(hand) ?? 0
        let isHeavy = new.total(hand)?.isBust == true && bet >= min(100, 10 * (new.rules?.minimumBet ?? 10))
        let sentence = (verb ?? (subject.isMe ? "You " : subject.name + " ")) + gets + what
        if isDealt { say(.shown, sentence) } else { say(.shown, subject, isBig: isDouble || isHeavy, sentence) }
        (verb, isDouble) = (nil, false)
    }

    private mutating func tellDealers(_ card: Card?, _ word: PublicFact.OfCard, isFirst: Bool) {
        guard word != .dealtFaceDown, let card else { return say(.shown, "The dealer takes a card face down.") }
        guard !isFirst else { return say(.shown, "The dealer shows the \(wording.card(card)).") }
        say(.shown, "The dealer \(word == .turned ? "turns" : "draws") the \(wording.card(card)).")
        isDealersTurn = true
    }

    /// After the dealer's last card.
    private mutating func tellDealersTotal() {
        guard isDealersTurn, let total = new.dealerTotal else { return }
        isDealersTurn = false
        switch total {
        case .blackjack: say(.shown, "The dealer has blackjack.")
        case _ where total.isBust: say(.shown, "The dealer busts with \(total.points).")
        default: say(.shown, "The dealer has \(total.points).")
        }
    }

    /// `Dealer 6, 10, 9: bust 25. Everybody wins.`
    private mutating func tellEnd() {
        let cards = new.cards(in: .dealer).compactMap { $0.map { SafeText(wording.rank($0)) } }
        let nets = new.seats.compactMap { seat -> (name: SafeText, net: Int)? in
            guard let name = new.player(seat)?.name, new.seats(of: name).first == seat else { return nil }
            let nets = new.seats(of: name).flatMap { new.hands(ofSeat: $0) }.compactMap { new.result($0)?.net }
            return nets.isEmpty ? nil : (name == narrator.me ? "you" : .player(name), nets.reduce(0, +))
        }
        guard let total = new.dealerTotal, cards.count > 1, !nets.isEmpty else { return }
        let winners = nets.filter { $0.net > 0 }.map(\.name)
        let ending: SafeText =
            switch winners.count {
            case _ where nets.count == 1: ""
            case nets.count: " Everybody wins."
            case 0: nets.contains { $0.net == 0 } ? " Nobody wins." : " Everybody loses."
            case 1: winners == ["you"] ? " Only you win." : " Only \(winners[0]) wins."
            case 2: " \(winners[0] == "you" ? winners.listed.capitalized : winners.listed) win."
            default: " \(winners.count) of \(nets.count) win."
            }
        sentences.append(Sentence(.shown, "Dealer \(cards.joined()): \(total.safeText).\(ending)", isNews: true))
    }

    /// The chips that the round brought the reader.
    private mutating func tellSum() {
        let mine = new.seats(of: narrator.me)
        let hands = mine.flatMap { new.hands(ofSeat: $0) }
        let results = hands.compactMap { new.result($0)?.net } + mine.compactMap(new.insuranceNet)
        guard !results.isEmpty, let seat = mine.first, let chips = new.player(seat)?.chips else { return }
        let net = results.reduce(0, +)
        // A single result has just been said.
        let start: SafeText =
            wording.hasKeys
            ? "Round \(new.round?.number ?? 0): \(Wording.net(net)),"
            : results.count == 1 ? "You have" : "\(Wording.outcome(net)) this round, and have"
        say(.sum, start + " \(chips) chips.")
    }

    // MARK: State

    /// The closing of the table, and the question that is open now.
    mutating func tellState() {
        // A table that closes at once has no last round: only the host's reason is news.
        if let notice = new.closing, notice != old.closing, phase != .closed || !notice.reason.isEmpty {
            say(.closing, wording.closing(notice, now: now))
        }
        if let pause = new.pause, pause != old.pause {
            let open: SafeText = phase.takesBets ? "this round can be bet and played" : "who is asked may answer"
            say(.host, "\(Wording.paused(pause)) No clock runs: \(open). \(Wording.nextRoundWaits)")
        } else if new.pause == nil, old.pause != nil {
            say(.host, "The pause is over: clocks run again.")
        }
        if let match = new.match, match != old.match { say(.host, Wording.match(match)) }
        if phase == .closed, old.phase != .closed { say(.closing, "The table is closed.") }
        let prompt = narrator.prompt(new)
        guard let question = prompt.last else { return }
        if prompt != narrator.prompt(old) {
            sentences += prompt.dropLast()
            say(question.kind, question.text + (question.kind == .prompt ? timeLeft.map { " \($0)." } ?? "" : ""))
        } else if phase.takesBets, old.clock == nil, let timeLeft {
            say(.prompt, "Bets close in \(timeLeft).")
        }
    }

    /// `15 seconds` while a clock runs, else nil.
    private var timeLeft: SafeText? {
        guard let now, let deadline = new.deadline(at: now) else { return nil }
        let seconds = SecondsLeft.of(deadline - now)
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }

    /// Describes the table on first sight.
    mutating func describe(_ name: String) {
        let round = new.round?.number ?? 0
        say(
            .table,
            "Table \(SafeText(name, columns: 32)), \(round == 0 ? "before the first round" : "round \(round)"), \(phase.word).")
        if let rules = new.rules { say(.table, "\(wording.rules(rules)), bets \(wording.limits(rules)).") }
        for seat in new.seats {
            guard let player = new.player(seat), let subject = subject(seat) else { continue }
            say(.table, subject.does("has", "have", " seat \(seat) and \(player.chips) chips\(player.presence.remark)."))
            for hand in new.hands(ofSeat: seat) { describe(hand, subject) }
        }
        let dealer = phase.isInPlay ? new.cards(in: .dealer) : []
        if !dealer.isEmpty { say(.shown, "The dealer's hand: \(wording.hand(dealer, new.dealerTotal)).") }
    }

    private mutating func describe(_ hand: HandIdentifier, _ subject: Subject) {
        let cards = new.cards(in: .hand(hand))
        if cards.isEmpty {
            if let bet = new.bet(hand) { say(.shown, subject.does("has", "have", " bet \(bet).")) }
        } else if phase.isInPlay {
            // Hands of a finished round may belong to the seat's previous player.
            let thing: SafeText = new.hands(ofSeat: hand.seat).count > 1 ? "hand \(hand.number)" : "hand"
            say(.shown, "\(subject.owns(thing)): \(wording.hand(cards, new.total(hand))).")
        }
        if phase.isInPlay, let result = new.result(hand) {
            say(.result, subject.ended(result, total: new.total(hand), hand: onHand(hand)))
        }
    }
}

extension TableSnapshot {
    /// The end of the running clock; nil without one, and for one that nobody notices.
    func deadline(at now: Int64) -> Int64? {
        clock.flatMap { $0.deadline - now > 1000 * Int64(HouseRules.noticedSeconds) ? nil : $0.deadline }
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
        /// On the screen, the table or a panel shows it: a card, a bet, a decision, the player's history.
        case shown
        case result
        /// The chips that a round brought the reader.
        case sum
        /// A player comes, leaves, or is away; the shoe.
        case table
        /// The table or the server closes.
        case closing
        /// The host speaks.
        case host
        /// A question to the reader.
        case prompt
        /// The connection.
        case link
        /// A refusal by the server, or an unknown command.
        case refusal
        /// A chat line.
        case chat
        /// A chat line of the reader.
        case ownChat
        /// The answer to a query.
        case answer
        /// The shuffle is not honest.
        case alarm
    }

    /// U+0007: a terminal rings.
    static let bell = "\u{7}"

    var kind: Kind
    var text: SafeText
    /// Whether the screen's log has it, although the table has shown it: what the reader did, and the great moments of others.
    var isNews = false
    /// The name that the text begins with, behind `<`, of a line of chat.
    var speaker: SafeText?

    init(_ kind: Kind, _ text: SafeText, speaker: String? = nil, isNews: Bool = false) {
        (self.kind, self.text, self.isNews) = (kind, text, isNews)
        self.speaker = speaker.map { SafeText.player($0) }
    }
}
