import ClientCore
import Rules
import TableModel
import Wire

/// Words for the table's content, shared by the screen and the plain frontend.
struct Wording: Equatable, Sendable {
    /// Whether keys control the session, not words: then cards are `K♥`, not `king of hearts` as a screen reader says it.
    var hasKeys: Bool
    /// Milliseconds by which the player's clock is ahead of UTC; nil: times are in UTC, and say so.
    var utcOffset: Int64?

    /// A key, or the word for it without a screen.
    func control(_ key: SafeText, _ word: SafeText) -> SafeText { hasKeys ? key : "'\(word)'" }

    /// `10♥`, `king of hearts`.
    func card(_ card: Card) -> SafeText {
        guard !hasKeys else { return SafeText(stringLiteral: rank(card) + String(card.suit.symbol)) }
        let hasName = card.rank.isAce || card.rank.rawValue > Rank.ten.rawValue
        return SafeText(stringLiteral: "\(hasName ? "\(card.rank)" : "\(card.rank.points)") of \(card.suit)")
    }

    /// `10`, `K`.
    func rank(_ card: Card) -> String { card.rank == .ten ? "10" : String(card.rank.letter) }

    /// `9♥ 7♦`; a face-down card is `??`.
    func cards(_ cards: [Card?]) -> SafeText {
        hasKeys ? cards.map { $0.map(card) ?? "??" }.joined(" ") : cards.map { $0.map(card) ?? "a hidden card" }.joined()
    }

    /// `9♥ 7♦, 16`.
    func hand(_ cards: [Card?], _ total: Total?) -> SafeText {
        total.map { "\(self.cards(cards))\(hasKeys ? "," : ":") \($0.safeText)" } ?? self.cards(cards)
    }

    /// An option as it is typed: `hit`, `double 10`, `insurance up to 5`.
    func option(_ option: Choice.Option) -> SafeText {
        switch option.action {
        case .double, .split: "\(option.action.typed) \(option.cost)"
        case .insurance: "insurance up to \(option.cost)"
        default: option.action.typed
        }
    }

    /// The cards that a question is about: `Your hand: 9♥ 7♦, 16. The dealer shows 10♣.`
    func situation(_ choice: Choice, at snapshot: TableSnapshot, seat: Int) -> SafeText {
        let hand = HandIdentifier(seat: seat, number: choice.hand)
        let cards = self.hand(snapshot.cards(in: .hand(hand)), snapshot.total(hand))
        let which: SafeText = snapshot.hands(ofSeat: seat).count > 1 ? "hand \(choice.hand)" : "hand"
        let dealer: SafeText = snapshot.upCard.map { "The dealer shows the \(card($0))" } ?? "The dealer has no card yet"
        return "Your \(which): \(cards). \(dealer)\(snapshot.round?.phase == .surrender ? " and has not looked yet" : "")."
    }

    /// The question to a seat: `Your turn: hit, stand, double 10.`
    func question(_ choice: Choice, in phase: RoundPhase?) -> SafeText {
        switch phase {
        case .insurance, .surrender: "Your answer: \(choice.options.map(option).joined(" or "))?"
        default: "Your turn: \(choice.options.map(option).joined())."
        }
    }

    /// `10 to 500 in steps of 5`.
    func limits(_ rules: HouseRules) -> SafeText {
        "\(rules.minimumBet) to \(rules.maximumBet) in steps of \(rules.betStep)"
    }

    /// A table's line in the lobby.
    func summary(_ table: TableSummary) -> SafeText {
        let access: SafeText = table.isLocked ? "with a pass phrase" : "open to all"
        let closing: SafeText = table.isClosing ? ", closing after the current round" : ""
        let edge: SafeText = table.edge.map { ", house edge \($0 > 0 ? "−" : "")\(Self.percent($0))" } ?? ""
        let owner: SafeText = table.owner.map { ", owned by \(SafeText.player($0))" } ?? ""
        let players = players(of: table)
        return """
            Table \(SafeText(table.name, columns: 32)): \(table.freeSeats) of \(table.seats) seats free, bets \(table.rules.minimumBet) to \
            \(table.rules.maximumBet), \(rules(table.rules))\(edge), \(access)\(closing)\(owner), \(table.players.isEmpty && players != "nobody" ? "" : "players: ")\(players).
            """
    }

    /// The player's edge in 1/1000000 of the smallest bet, as a sentence.
    static func edge(_ edge: Int) -> String {
        if edge == 0 { return "With basic strategy, neither you nor the house has an edge." }
        return "With basic strategy, \(edge > 0 ? "you gain" : "the house keeps") \(percent(edge)) of a minimum bet on average."
    }

    /// `0.41%`, without a sign.
    private static func percent(_ edge: Int) -> String {
        let hundredths = (edge.magnitude + 50) / 100
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)%"
    }

    /// `+10`, `−5`, `0`.
    static func signed(_ chips: Int) -> SafeText { chips > 0 ? "+\(chips)" : chips < 0 ? "−\(chips.magnitude)" : "0" }

    /// `You lost 10`.
    static func outcome(_ net: Int) -> SafeText {
        net == 0 ? "You broke even" : "You \(net > 0 ? "won" : "lost") \(net.magnitude)"
    }

    /// `won 10`, `lost 5`, `even`.
    static func net(_ chips: Int) -> SafeText { chips == 0 ? "even" : "\(chips > 0 ? "won" : "lost") \(chips.magnitude)" }

    /// `lost 10`, `surrendered, lost 5`. The total says that it is bust, or a blackjack.
    static func result(_ result: HandResult) -> SafeText {
        switch result.outcome {
        case .push: "push"
        case .win, .lose, .bust, .blackjack: net(result.net)
        case .surrender: "surrendered, \(net(result.net))"
        case .evenMoney, .charlie: "\(result.word), \(net(result.net))"
        }
    }

    /// A round that was settled without the player: `Welcome back: round 12 ended while you were away: you won 10, and have 1010 chips.`
    static func welcomeBack(_ round: Int, _ net: Int, chips: Int) -> SafeText {
        let net: SafeText = net == 0 ? "broke even" : self.net(net)
        return "Welcome back: round \(round) ended while you were away: you \(net) and have \(chips) chips."
    }

    /// Reason and time of a table's closing.
    func closing(_ notice: ClosingNotice, now: Int64?) -> SafeText {
        let what: SafeText =
            switch notice.cause {
            case .table: "This table closes after this round"
            case .server: "The server stops after this round"
            }
        var limit: SafeText = ""
        if let now, let deadline = notice.deadline { limit = ", within \(SecondsLeft.of(deadline - now)) seconds" }
        return notice.reason.isEmpty ? "\(what)\(limit)." : "\(what)\(limit): \(SafeText(notice.reason, columns: 400))"
    }

    /// In a pause: bets are taken until the round is over.
    static let nextRoundWaits: SafeText = "The next round waits until the pause ends."

    /// `Ann has paused the table: Pizza.`
    static func paused(_ pause: TablePause) -> SafeText {
        let words = "\(SafeText.player(pause.by)) has paused the table" as SafeText
        return (pause.reason.isEmpty ? words : "\(words): \(SafeText(pause.reason, columns: 400))" as SafeText).stopped
    }

    /// `Match, 5 of 30 rounds: Fay +480, Hank −5.`
    static func match(_ match: TableMatch) -> SafeText {
        guard match.round > 0 else { return "A match begins with the next round: \(match.rounds) in all." }
        let leads = match.leads.map { "\(SafeText.player($0.name)) \(signed($0.net))" as SafeText }
        return "Match, \(match.round) of \(match.rounds) rounds\(leads.isEmpty ? "" : ": \(leads.joined())")."
    }

    /// A match or an evening that is over, made to be pasted into a chat.
    /// - Parameters:
    ///   - best: the best hands that were seen, by the player's name.
    ///   - last: what is known besides.
    func card(_ standings: Standings, of title: SafeText, at time: Int64, best: [String: HandResult], last: SafeText?)
        -> [SafeText]
    {
        let people = standings.people.map { (name: SafeText.player($0.name), net: Self.signed($0.net), best: best[$0.name]) }
        let columns = (people.map(\.name.columns).max() ?? 0, people.map(\.net.columns).max() ?? 0)
        let rows = zip(standings.people.places, people).map { place, row -> SafeText in
            let gap = SafeText.spaces(columns.0 - row.name.columns + columns.1 - row.net.columns)
            let best =
                row.best.map { "   best: \($0.outcome == .blackjack ? "blackjack for " : "" as SafeText)\($0.net)" } ?? ""
                as SafeText
            return "\(place) \(row.name)  \(gap)\(row.net)\(best)"
        }
        let rounds = standings.rounds ?? standings.people.map(\.rounds).max() ?? 0
        let day = SafeText(String(UniversalTime.minutes(time + (utcOffset ?? 0)).prefix(10)))
        return ["★ \(title) · \(rounds == 1 ? "1 round" : "\(rounds) rounds") · \(day) ★"] + rows + [last].compactMap(\.self)
    }

    /// House rules in short: `6 decks, dealer stands on soft 17, blackjack pays 3:2`.
    func rules(_ rules: HouseRules) -> SafeText { ruleWords(rules).joined() }

    /// House rules in short, most important first.
    func ruleWords(_ rules: HouseRules) -> [SafeText] {
        var words: [SafeText] = [rules.decks == 1 ? "1 deck" : "\(rules.decks) decks"]
        words.append(rules.soft17 == .stand ? "dealer stands on soft 17" : "dealer hits soft 17")
        words.append("blackjack pays \(rules.blackjackPays.rawValue)")
        if rules.holeCard != .peek { words.append("no hole card") }
        if rules.surrender != .none { words.append("surrender") }
        return words
    }

    /// Asks whether a secret may go to another address.
    /// - Parameters:
    ///   - server: the address where a player has an account.
    ///   - here: an address that says it is the same house.
    static func asksToAdopt(_ name: String, of server: String, at here: SafeText) -> SafeText {
        """
        Your account \(SafeText(name, columns: 24)) was made at \(SafeText(server, columns: 80)). The server at \(here) says that it is \
        the same house, which any server can say. Send it the secret of this account?
        """
    }

    /// The rules that a table has printed on its felt.
    func felt(_ rules: HouseRules) -> [SafeText] {
        let insurance: [SafeText] = rules.insurance ? ["insurance pays 2:1"] : []
        return (ruleWords(rules) + insurance + ["bets of \(limits(rules))"]).map { SafeText($0.text.uppercased()) }
    }

    // MARK: Lobby

    // Words about the list of tables.

    /// Whether a table can be joined, in one word.
    static func state(of table: TableSummary) -> SafeText {
        if table.isClosing { return "closing" }
        if table.freeSeats == 0 { return "full" }
        return table.isLocked ? "locked" : "open"
    }

    /// The names of the players, or their number.
    func players(of table: TableSummary) -> SafeText {
        if !table.players.isEmpty { return table.players.prefix(7).map { .player($0) }.joined() }
        // A list has no names.
        let people = table.isClosing ? 0 : table.seats - table.freeSeats - table.bots
        let counts = [(people, "player" as SafeText), (table.bots, "bot")].filter { $0.0 > 0 }
        return counts.isEmpty ? "nobody" : counts.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined()
    }

    /// A move that waits: `You move to low when your hand is over.`
    static func moving(to destination: TableMove.Destination, from state: ClientState) -> SafeText {
        let end: SafeText = state.isInPlay ? "your hand is over" : "the round of your bet is over"
        return "You move to \(SafeText(destination.table, columns: 32)) when \(end)."
    }

    /// Why nobody can sit down at a table; nil where there is a seat.
    static func noSeat(_ table: TableSummary) -> SafeText? {
        let name = SafeText(table.name, columns: 32)
        return table.isClosing
            ? "\(name) is closing: no new players." : table.freeSeats == 0 ? "\(name) is full: you can only watch." : nil
    }

    /// The end of a table, for its players: `The table main is closed: maintenance. Your chips are kept.`
    /// - Parameter last: chips of the player's last round there; nil for none.
    func closed(_ table: String, _ notice: ClosingNotice?, last: Int? = nil, keepsChips: Bool) -> SafeText {
        let reason = notice.map { SafeText($0.reason, columns: 200) } ?? ""
        let name = SafeText(table, columns: 32)
        let isStopping = notice?.cause == .server
        // Nothing tells whether a server that stops has a data folder: only one that goes on keeps the chips for sure.
        let kept: SafeText = keepsChips && !isStopping ? " Your chips are kept." : ""
        let words: SafeText = isStopping ? "The server is stopping, and \(name) is closed" : "The table \(name) is closed"
        let result: SafeText = last.map { " \(Self.outcome($0)) in your last round." } ?? ""
        return (reason.isEmpty ? words : "\(words): \(reason)").stopped + result + kept
    }

    /// The legend of a chart's letters, as far as the chart has them.
    /// - Parameter hasKeys: whether surrender's key is named, which is not its letter.
    static func legend(of chart: ValueChart, hasKeys: Bool = false) -> SafeText {
        let plays = Set(chart.rows.flatMap { $0.play ?? [] }.map(\.text))
        let surrender: SafeText = plays.contains { $0.hasPrefix("R") } ? ", R surrender\(hasKeys ? " (u)" : "")" : ""
        let small = plays.filter { $0.count > 1 }
        let otherwise: SafeText =
            small.isEmpty ? "" : small == ["Ds"] ? ". Ds: double, or stand if you can't" : "; small: if you can't"
        return "H hit, S stand, D double, P split" + surrender + otherwise
    }

    /// A line of a chart: a head with the dealer's cards, or a hand's actions.
    struct ChartLine: Equatable, Sendable {
        var label: SafeText
        let cells: [SafeText]
        let isHead: Bool
        /// The cell of the hand that is marked; nil in other lines.
        var marked: Int?

        var text: SafeText { label + .spaces(6 - label.columns) + cells.map { .spaces(3 - $0.columns) + $0 }.joined("") }

        /// A cell has the colour of its action.
        var styled: StyledText {
            cells.enumerated().reduce(StyledText(label, marked == nil ? .plain : .bold).fitted(to: 6)) { line, cell in
                let styles: [Character: Style] = ["H": .green, "S": .red, "D": .yellow, "P": .back, "R": .faded]
                let style: Style =
                    cell.offset == marked ? [.bold, .inverse] : isHead ? .bold : styles[cell.element.text.first ?? " "] ?? .plain
                return line + StyledText(.spaces(3 - cell.element.columns) + cell.element, style)
            }
        }
    }

    /// Blackjack in eight lines, and how the house's bots play.
    func game(_ rules: HouseRules, with players: [String]) -> [SafeText] {
        let draws: SafeText = rules.soft17 == .stand ? "17 or more" : "a hard 17 or more"
        return [
            "Come closer to 21 than the dealer, and not above it.",
            "Cards count their number, J, Q and K ten, an ace 1 or 11.",
            "You bet, and get two cards. The dealer shows one card.",
            "Hit takes a card. Above 21 you are bust and lose at once.",
            "Stand keeps your cards. Then the dealer draws to \(draws).",
            "Double doubles your bet and takes exactly one card.",
            "Split makes two hands of two equal cards, each with your bet.",
            "An ace and a ten at once are a blackjack: it pays \(SafeText(rules.blackjackPays.rawValue)).",
        ] + players.compactMap(HouseBot.init).map { "\(SafeText($0.shown)) \(SafeText($0.manner.words))." }
    }

    /// A chart in blocks: hard totals, soft totals, pairs. Hands that play alike share a row: `9     H  D  D  D  D  H  H  H  H  H`.
    /// - Parameter cell: of the hand that is asked about.
    static func blocks(
        of chart: ValueChart, marking cell: (hand: StrategyChart.Row, upCard: Rank)? = nil
    ) -> [[ChartLine]] {
        let column = cell.map { $0.upCard.isAce ? 9 : $0.upCard.points - 2 }
        var blocks: [[ChartLine]] = []
        // The first of the hands that share the last line.
        var first: (kind: String, name: String, play: [StrategyChart.Play])?
        for row in chart.rows {
            guard row.cards == nil, let play = row.play else { continue }
            let words = row.hand.text.split(separator: " ").map(String.init)
            if first?.kind != words[0] {
                blocks.append([ChartLine(label: SafeText(words[0]), cells: (2...10).map { "\($0)" } + ["A"], isHead: true)])
            }
            var line = ChartLine(label: SafeText(words[1]), cells: play.map { SafeText($0.text) }, isHead: false)
            line.marked = row.hand == cell?.hand ? column : nil
            if let first, first.kind == words[0], first.play == play, let former = blocks[blocks.count - 1].popLast() {
                line.label = "\(first.name)–\(words[1])"
                line.marked = line.marked ?? former.marked
            } else {
                first = (words[0], words[1], play)
            }
            blocks[blocks.count - 1].append(line)
        }
        return blocks
    }

    // MARK: Past

    // A player's history, for the screen and the plain frontend.

    /// The rounds, newest first on a screen, last where lines scroll away.
    func lines(of history: HandHistory) -> [SafeText] {
        let count = history.rounds.count
        guard count > 0 else { return ["You have not finished a round yet."] }
        let cut: SafeText = count == 1 ? "The last round." : "The last \(count) rounds."
        let rest = history.isCut ? cut : "That is all since \(time(history.since))."
        let rounds = hasKeys ? history.rounds : history.rounds.reversed()
        return rounds.flatMap { lines(of: $0) } + [rest]
    }

    /// Hands that the player leaves in play: `You left a hand in play, which stands: 9H 7D, 16, bet 10.`; nil for none.
    func leftHands(of state: ClientState) -> SafeText? {
        guard let snapshot = state.snapshot, !state.handsInPlay.isEmpty else { return nil }
        let hands = state.handsInPlay.map { hand -> SafeText in
            "\(self.hand(snapshot.cards(in: .hand(hand)), snapshot.total(hand))), bet \(snapshot.bet(hand) ?? 0)"
        }
        let what: SafeText = hands.count == 1 ? "a hand in play, which stands" : "\(hands.count) hands in play, which stand"
        return "You left \(what): \(hands.joined("; "))."
    }

    /// Bets for a round that has not begun: `Your bet of 10 is returned.`; nil for none.
    static func leftBets(of state: ClientState) -> SafeText? {
        let bets = state.openBets
        guard let first = bets.first else { return nil }
        return bets.count == 1
            ? "Your bet of \(first) is returned."
            : "Your bets of \(bets.map { "\($0)" as SafeText }.joined(" and ")) are returned."
    }

    /// The ranking, people and bots apart.
    func lines(of standings: Standings) -> [SafeText] {
        func list(_ title: SafeText, _ results: [LeaderboardEntry]) -> [SafeText] {
            results.isEmpty
                ? []
                : [title] + zip(results.places, results).map { "  \($0). \(SafeText.player($1.name)): \(SafeText($1.text))" }
        }
        let isCareer = standings.span == .career
        let shown = (standings.people + standings.bots).map(\.name)
        let own = standings.own.map { own -> [SafeText] in
            let place: SafeText = standings.place.map { "\(Self.ordinal($0)), " } ?? ""
            return shown.contains(own.name) ? [] : ["You: \(place)\(SafeText(own.text))."]
        }
        let title: SafeText = isCareer ? standings.isPartial ? "Careers on this server:" : "Careers:" : "Players:"
        let lines = list(title, standings.people) + list("Bots:", standings.bots) + (own ?? [])
        return lines.isEmpty ? [isCareer ? "No account has played a round yet." : "No round has been played yet."] : lines
    }

    /// `1st`, `12th`, `23rd`.
    static func ordinal(_ place: Int) -> SafeText {
        let ending: SafeText = place % 100 / 10 == 1 ? "th" : [1: "st", 2: "nd", 3: "rd"][place % 10] ?? "th"
        return "\(place)" + ending
    }

    func lines(of round: PastRound) -> [SafeText] {
        let ending: SafeText = round.isVoided ? "voided, bets returned" : Self.net(round.net)
        let title: SafeText = "\(time(round.time)), \(SafeText(round.table, columns: 32)), round \(round.round): \(ending)"
        let seats = round.seats.map { seat -> SafeText in
            var parts = seat.hands.map { hand -> SafeText in
                let doubled: SafeText = hand.bet > seat.bet ? ", doubled" : ""
                return "\(cards(hand.cards)), \(hand.total.safeText)\(doubled), \(Self.result(hand.result))"
            }
            if let insurance = seat.insurance { parts.append("insurance \(Self.net(insurance.net))") }
            return "  \(round.seats.count > 1 ? "seat \(seat.seat), " : "")bet \(seat.bet): \(parts.joined("; "))"
        }
        return [title] + seats + ["  dealer: \(hand(round.dealer, round.dealerTotal))"]
    }

    private func time(_ time: Int64) -> SafeText {
        utcOffset.map { SafeText(UniversalTime.minutes(time + $0)) } ?? "\(SafeText(UniversalTime.minutes(time))) UTC"
    }
}

/// Past rounds as the client tells them, for programs without a session.
public enum PastRounds {
    public static func sentences(of round: PastRound) -> [String] { Wording(hasKeys: true).lines(of: round).map(\.text) }
}

enum SecondsLeft {
    /// Milliseconds of clock difference that do not count as a further second.
    static let slack: Int64 = 100

    /// Milliseconds rounded up to seconds.
    static func of(_ milliseconds: Int64) -> Int { Int(max(0, milliseconds - slack + 999) / 1000) }
}

extension SafeText {
    /// A player's name; a bot of the house by its own: `Carla¤`.
    static func player(_ name: String, columns: Int = 24) -> SafeText {
        SafeText(HouseBot(name)?.shown ?? name, columns: columns)
    }
}

extension Reaction {
    /// Two columns wide.
    var picture: String {
        switch self {
        case .nice: "👏"
        case .ouch: "😬"
        case .wow: "😮"
        case .gg: "🤝"
        case .haha: "😂"
        case .unlucky: "🍀"
        }
    }
}

extension Total {
    /// `20`, `soft 17`, `blackjack`, `bust 24`; `11` for an ace alone, the only soft total that no other card makes.
    var safeText: SafeText { self == .soft(11) ? "11" : "\(text)" }
}

extension RoundPhase {
    /// The phase in words.
    var word: SafeText {
        switch self {
        case .waiting: "waiting for bets"
        case .settled: "results"
        default: SafeText(rawValue)
        }
    }

    /// True while hands are in play.
    var isInPlay: Bool { self == .playing || self == .insurance || self == .surrender }

    /// True while bets are open.
    var takesBets: Bool { self == .waiting || self == .betting }
}

/// The subject of a sentence: a player by name, or the reader.
struct Subject {
    let name: SafeText
    let isMe: Bool

    init(_ name: String, me: String) {
        self.name = .player(name)
        isMe = name == me
    }

    /// `Ann bets 10`, `You bet 10`.
    func does(_ third: SafeText, _ second: SafeText, _ rest: SafeText = "") -> SafeText {
        isMe ? "You \(second)\(rest)" : "\(name) \(third)\(rest)"
    }

    /// `Ann's hand 2`, `Your hand 2`.
    func owns(_ thing: SafeText) -> SafeText { isMe ? "Your \(thing)" : "\(name)'s \(thing)" }
}

extension Subject {
    /// The result of a hand: `Ann wins 10 chips with 20.`
    /// - Parameter hand: ` on hand 2`, or empty for a single hand.
    func ended(_ result: HandResult, total: Total?, hand: SafeText) -> SafeText {
        let chips = abs(result.net)
        let with: SafeText = total.map { " with \($0.points)" } ?? ""
        switch result.outcome {
        case .blackjack: return does("has", "have", " blackjack and \(isMe ? "win" : "wins") \(chips) chips\(hand).")
        case .win: return does("wins", "win", " \(chips) chips\(with)\(hand).")
        case .push where total == .blackjack: return does("pushes", "push", " with blackjack\(hand).")
        case .push: return does("pushes", "push", "\(with)\(hand).")
        case .lose: return does("loses", "lose", " \(chips) chips\(with)\(hand).")
        // The last card's sentence says that it is bust.
        case .bust: return does("loses", "lose", " \(chips) chips\(hand).")
        case .surrender: return does("loses", "lose", " \(chips) chips by surrender\(hand).")
        case .evenMoney: return does("takes", "take", " even money and \(isMe ? "win" : "wins") \(chips) chips\(hand).")
        case .charlie: return does("wins", "win", " \(chips) chips with a charlie\(hand).")
        }
    }
}

extension HandResult {
    /// The result as one word: `win`, `blackjack`…
    var word: SafeText { outcome == .evenMoney ? "even money" : SafeText(outcome.name) }

    var style: Style { net > 0 ? .green : net < 0 ? .red : .yellow }
}

extension ClientState {
    /// House rules as sentences, after the edge where the lobby has it; a rule unknown to this client under its wire name.
    var ruleSentences: [String] {
        let edge = lobby.first { $0.name == table }?.edge.map { [Wording.edge($0)] } ?? []
        return edge + (rules ?? HouseRules()).sentences
            + otherRules.map { "Not known to this client: \($0.key) is \($0.value)." }
    }
}
