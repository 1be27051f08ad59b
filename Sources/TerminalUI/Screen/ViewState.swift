import ClientCore
import Rules
import TableModel
import Wire

/// Everything that the screen depends on: what the server has told, and what the keys have done. A value; each change is a pure function.
public struct ViewState: Equatable, Sendable {
    public enum Panel: Equatable, Sendable { case table, rules, help }

    /// What the player can do now.
    public enum Situation: Equatable, Sendable {
        case watching
        /// A decision or an answer is asked of a seat.
        case asked(seat: Int, Choice)
        /// Bets are taken; `bet` is what lies there already.
        case betting(seat: Int, bet: Int?)
        /// Bets are taken, and not enough chips are left for any.
        case broke
        case sittingOut
        /// Others play, or results lie on the table.
        case waiting
        case closed
    }

    /// How many messages are kept.
    static let messageLimit = 60

    public var client = ClientState()
    /// Seconds until the clock that runs is out, as a countdown to ``deadline`` says; nil while none does.
    public var secondsLeft: Int?
    /// What happened, newest last.
    public private(set) var messages: [Sentence] = []
    public var panel = Panel.table
    public var asksToQuit = false
    /// Lines of a panel that were scrolled away; more than there are counts as all but the last page.
    public private(set) var scrolled = 0
    /// The bet of the last round.
    public private(set) var lastBet: Int?
    /// What is being said to everybody at the table; nil while nothing is.
    public private(set) var draft: String?
    /// The players whose chat is left out.
    public private(set) var muted = MuteList()
    /// The amount as edited; nil while it was not touched.
    public private(set) var typed: Int?
    /// The table's revision when a decision was sent that has not shown yet.
    public private(set) var decidedAt: Int?
    /// The round that was over when the player sat down: what still lies at the seat is somebody else's.
    public private(set) var roundBeforeSitting: Int?
    /// Attempts to connect since the connection was lost.
    public private(set) var attempt = 0

    public init() {}

    public var snapshot: TableSnapshot? { client.snapshot }
    public var rules: HouseRules { client.rules ?? HouseRules() }
    /// The last round that was begun.
    public var round: Int? { snapshot?.round?.number }
    public var me: String { client.login?.name ?? "" }
    public var player: Player? { client.seat.flatMap { snapshot?.player($0) } }
    public var presence: Player.Presence? { player?.presence }
    public var isOnline: Bool { client.link == .loggedIn && snapshot != nil }

    /// Whether chips of the player are in a round that is not settled.
    public var isInPlay: Bool {
        guard let snapshot, snapshot.round?.phase.isInPlay == true else { return false }
        return client.seats.contains { seat in snapshot.hands(ofSeat: seat).contains { snapshot.result($0) == nil } }
    }

    public var situation: Situation {
        guard let snapshot, let first = client.seat, let player else { return .watching }
        let phase = snapshot.round?.phase ?? .waiting
        if phase == .closed { return .closed }
        for seat in client.seats {
            if let choice = snapshot.choice(seat) { return decidedAt == nil ? .asked(seat: seat, choice) : .waiting }
        }
        guard phase.takesBets, player.presence == .here else { return player.presence == .sittingOut ? .sittingOut : .waiting }
        let bets = client.seats.map { (seat: $0, bet: openBet($0)) }
        if let open = bets.first(where: { $0.bet == nil }), player.chips >= rules.minimumBet {
            return .betting(seat: open.seat, bet: nil)
        }
        if bets.allSatisfy({ $0.bet == nil }) { return .broke }
        return .betting(seat: first, bet: bets.first?.bet)
    }

    /// The bet on a seat for the next round.
    func openBet(_ seat: Int) -> Int? {
        let hand = HandIdentifier(seat: seat, number: 1)
        guard let snapshot, snapshot.result(hand) == nil else { return nil }
        return snapshot.bet(hand)
    }

    /// What Enter would bet.
    public var betAmount: Int { typed ?? suggestedBet }

    private var suggestedBet: Int {
        let most = min(rules.maximumBet, (player?.chips ?? 0) / rules.betStep * rules.betStep)
        return max(rules.minimumBet, min(lastBet ?? rules.minimumBet, most))
    }

    /// When the clock that runs is out, in milliseconds of this machine's clock; nil while none does.
    public var deadline: Int64? {
        guard isOnline, let deadline = snapshot?.clock?.deadline else { return nil }
        return deadline - client.clockOffset
    }
}

extension ViewState {
    /// After an update of the client.
    /// - Parameter sentences: what it was about.
    public mutating func take(_ update: ClientUpdate, _ sentences: [Sentence]) {
        client = update.state
        if deadline == nil { secondsLeft = nil }
        for sentence in sentences { say(sentence) }
        switch update.event {
        case .table(let change):
            if let decidedAt, change.revision > decidedAt { self.decidedAt = nil }
            for seat in change.new.seats(of: me) {
                let hand = HandIdentifier(seat: seat, number: 1)
                // The bet that completes the betting is seen with the cards; later it may have been doubled.
                let isFresh = change.new.cards(in: .hand(hand)).isEmpty || change.new.round?.number != change.old?.round?.number
                if isFresh, let bet = change.new.bet(hand), change.new.result(hand) == nil { lastBet = bet }
            }
            if change.new.round != change.old?.round { typed = nil }
            noteSitting(change)
            if !isInPlay { asksToQuit = false }
        case .link:
            decidedAt = nil
            if case .connecting(let attempt) = client.link { self.attempt = attempt }
        case .refused, .outOfSync, .isWrong: decidedAt = nil
        case .reply(_, .login): attempt = 0
        case .reply, .goodbye, .lobby, .lobbyOutOfSync, .chat, .notice, .note, .pinged, .skipped: break
        }
    }

    private mutating func noteSitting(_ change: TableChange) {
        let hasSat = change.new.seats(of: me).contains { change.old?.player($0)?.name != me }
        guard hasSat, change.new.round?.phase.isInPlay == false else { return }
        roundBeforeSitting = change.new.round?.number
    }

    public mutating func say(_ sentence: Sentence) {
        messages.append(sentence)
        if messages.count > Self.messageLimit { messages.removeFirst(messages.count - Self.messageLimit) }
    }

    /// After a key's intent, as far as it concerns the screen.
    public mutating func take(_ intent: Intent) {
        switch intent {
        case .send(.bet): typed = nil
        case .talk: draft = ""
        case .write(let scalar): write(scalar)
        case .rub: draft = draft.map { String($0.dropLast()) }
        case .hush, .send(.chat): draft = nil
        case .mute(let request):
            draft = nil
            switch muted.apply(request) {
            case .success(let text): say(Sentence(.answer, text))
            case .failure(let misunderstanding): say(Sentence(.refusal, misunderstanding.text))
            }
        case .decide: decidedAt = client.revision
        case .type(let digit): typed = min((typed ?? 0) * 10 + digit, rules.maximumBet * 10)
        case .erase: typed = (typed ?? betAmount) / 10
        case .step(let steps): typed = stepped(steps)
        case .askToQuit: asksToQuit = true
        case .scroll(let lines): scrolled = max(0, scrolled + lines)
        case .show(let panel):
            self.panel = panel
            scrolled = 0
            asksToQuit = false
        case .send, .newStake, .quit, .redraw: break
        }
    }

    /// What would not be said is not written down either.
    private mutating func write(_ scalar: Unicode.Scalar) {
        guard var text = draft else { return }
        text.unicodeScalars.append(scalar)
        if scalar == " " || (try? ChatText(text)) != nil { draft = text }
    }

    /// The amount some steps further, within what may be bet.
    private func stepped(_ steps: Int) -> Int {
        let onStep = betAmount / rules.betStep * rules.betStep
        let most = min(rules.maximumBet, ((player?.chips ?? 0) + (client.seat.flatMap(openBet) ?? 0)))
        return max(rules.minimumBet, min(onStep + steps * rules.betStep, most / rules.betStep * rules.betStep))
    }
}
