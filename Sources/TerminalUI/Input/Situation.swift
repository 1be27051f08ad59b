import ClientCore
import Rules
import TableModel
import Wire

// Keys and their hints, the question in words, lines of a pipe and refusals follow from this part: the player's possibilities now.
extension PlayerSession {
    enum Situation: Equatable, Sendable {
        case watching
        /// A seat is asked for a decision.
        case asked(seat: Int, Choice)
        /// Bets are open; `bet` is the current one.
        case betting(seat: Int, bet: Int?)
        /// The chips do not cover the minimum bet, and none is on the table.
        case broke
        case sittingOut
        /// Others play, results are shown, or the server does not answer.
        case waiting
        case closed
    }

    var rules: HouseRules { state.rules ?? HouseRules() }
    var me: String { state.login?.name ?? "" }
    var player: Player? { state.player }
    /// Whether the house gives new chips to a player who has lost all.
    var givesRebuys: Bool { state.hello?.givesRebuys ?? true }
    /// True when a request would be answered: keys of the game are offered.
    var canAsk: Bool { state.canAsk }

    var situation: Situation {
        guard let snapshot = state.snapshot, let first = state.seat, let player else { return .watching }
        let phase = snapshot.round?.phase ?? .waiting
        if phase == .closed { return .closed }
        if !canAsk { return .waiting }
        for seat in state.seats {
            if let choice = snapshot.choice(seat) { return decidedAt == nil ? .asked(seat: seat, choice) : .waiting }
        }
        if state.isBroke { return .broke }
        guard phase.takesBets, decidedAt == nil, player.presence == .here else {
            return player.presence == .sittingOut ? .sittingOut : .waiting
        }
        let bets = state.seats.map { (seat: $0, bet: state.openBet($0)) }
        if let open = bets.first(where: { $0.bet == nil }), player.chips >= rules.minimumBet {
            return .betting(seat: open.seat, bet: nil)
        }
        return .betting(seat: first, bet: bets.first?.bet)
    }

    /// Whether the others wait for the player.
    var isAwaited: Bool {
        if case .betting(_, nil) = situation { return state.snapshot?.round?.phase == .betting }
        return if case .asked = situation { true } else { false }
    }

    // MARK: Time

    /// End of the running clock, in milliseconds of the local clock; nil without one that matters, and while the server does not answer.
    var deadline: Int64? {
        guard canAsk, replay == nil, let deadline = state.snapshot?.deadline(at: now + state.clockOffset) else { return nil }
        return deadline - state.clockOffset
    }

    /// Seconds until ``deadline``.
    var secondsLeft: Int? { deadline.map { SecondsLeft.of($0 - now) } }

    /// Seconds since a silent server was last heard; nil while it answers.
    var silentSeconds: Int? { state.silentSince.map { Int(max(0, now - $0) / 1000) } }

    /// When the seconds change that the screen shows.
    var nextSecond: Int64? {
        if let since = state.silentSince { return now + 1000 - max(0, now - since) % 1000 }
        guard let left = deadline.map({ $0 - now - SecondsLeft.slack }), left > 0 else { return nil }
        return now + (left - 1) % 1000 + 1
    }

    /// Why the server can't be asked; nil where it answers.
    var outage: SafeText? {
        if let silentSeconds {
            return state.hello == nil ? "No answer for \(silentSeconds) s." : "No answer: last heard \(silentSeconds) s ago."
        }
        return switch state.link {
        case .ended(let reason): ("The connection ended: \(reason)" as SafeText).stopped
        case .lost where serverGone != nil: serverGone
        case .lost where isStopped, .connecting where isStopped: "The server has stopped: waiting for it to come back."
        case .connecting where state.hello == nil: "connecting ..."
        case .connecting(let attempt): "reconnecting, attempt \(attempt) ..."
        case .lost: "reconnecting ..."
        case .connected: "logging in ..."
        case .loggedIn: nil
        }
    }

    // MARK: Bets

    /// The bet of the last round at this table.
    var lastBet: Int? { autoBet.last(at: state.table) }

    /// Whether a pause keeps bets closed.
    var waitsForPause: Bool { state.snapshot?.pause != nil && state.snapshot?.round?.phase == .settled }

    /// The amount that Enter bets: the one on the table until another is typed, else the last bet as far as the chips allow. Without a last
    /// bet it is the minimum.
    var betAmount: Int {
        if let typed = screen.typed { return typed }
        if case .betting(_, let bet?) = situation { return bet }
        return max(rules.minimumBet, min(lastBet ?? rules.minimumBet, state.mostBet))
    }

    /// Why a bet of so many chips is not possible; nil for one that is.
    func validationError(ofBet amount: Int) -> SafeText? {
        let (least, step) = (rules.minimumBet, rules.betStep)
        if amount < least { return "The minimum bet is \(least)." }
        if amount > state.mostBet { return "You can bet at most \(state.mostBet)." }
        let below = amount / step * step
        return below == amount ? nil : "Bets go in steps of \(step): \(max(least, below)) or \(below + step)."
    }

    /// The bet some steps further, clamped to the table's limits.
    func stepped(_ steps: Int) -> Int {
        let onStep = betAmount / rules.betStep * rules.betStep
        return max(rules.minimumBet, min(onStep + steps * rules.betStep, state.mostBet))
    }

    // MARK: Commands

    /// Names at the table, in the order of their seats.
    var players: [String] { state.snapshot.map { table in table.seats.compactMap { table.player($0)?.name } } ?? [] }

    /// Whether somebody of that name, also a bot's as it is shown, may be at the table: those who watch have no names here.
    private func mayBeHere(_ name: String) -> Bool {
        let isWatched = state.lobby.first { $0.name == state.table }.map { $0.watchers > 0 } ?? true
        return isWatched || players.contains { [$0, HouseBot($0)?.name].contains { $0?.lowercased() == name.lowercased() } }
    }

    /// Why a command is not carried out, where the server need not be asked.
    func refusal(of command: PlayerCommand) -> SafeText? {
        switch command {
        case .go: nil
        case .sit(nil) where state.isBroke && !givesRebuys: "You are out of chips, and the house gives no new ones."
        case _ where isInLobby && command.word.need.isOfATable:
            "You are not at a table: use 'sit TABLE' or 'watch TABLE'; 'lobby' lists the tables."
        case .sit where !state.seats.isEmpty && state.furtherSeat == nil && !state.isBroke && player?.presence != .leaving:
            "You already have seat \(state.seat ?? 0)."
        case .kick(let name) where name.lowercased() == me.lowercased(): "You can't kick yourself."
        case .kick(let name) where !mayBeHere(name): "Nobody named \(SafeText(name, columns: 24)) is here."
        case .bet where waitsForPause: Wording.nextRoundWaits
        case .act where state.question == nil: "There is nothing to decide right now."
        case _ where controls != .keys && state.link != .loggedIn && command.message(in: state) != nil:
            "No connection: try again shortly."
        default: nil
        }
    }
}
