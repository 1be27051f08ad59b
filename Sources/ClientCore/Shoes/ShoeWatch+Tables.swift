import Rules
import TableModel

/// A table that another one replaced, for its return: within an epoch its ceremony goes on.
struct KeptTable: Sendable {
    let table: String
    var epoch: String
    var revision: Int
    var ceremony: Ceremony?
    var lastRound: LastRound?
    var hasSaidNone: Bool
    var shownAt: Int64
    /// As in ``ShoeWatch/wasCut``.
    var wasCut: Bool
    /// As in ``ShoeWatch/shortestSeen``.
    var shortestSeen: Int64?
}

/// The last round that a table showed, with the number of its shoe.
struct LastRound: Equatable, Sendable {
    let number: Int
    let shoe: Int?
}

/// Several tables, and what can pass at one of them between two views.
extension ShoeWatch {
    /// Tables that are remembered besides the one shown.
    static let mostTables = 8

    mutating func changeTable(to name: String) {
        leaveShoe(at: now)
        if let table {
            if kept.count == Self.mostTables { kept.removeFirst() }
            kept.append(
                KeptTable(
                    table: table, epoch: epoch, revision: revision, ceremony: ceremony, lastRound: lastRound,
                    hasSaidNone: hasSaidNone, shownAt: shownAt, wasCut: wasCut, shortestSeen: shortestSeen))
        }
        table = name
        (isSeated, shortestSeen) = (false, nil)
        guard let index = kept.firstIndex(where: { $0.table == name }) else {
            (epoch, revision, ceremony, lastRound, hasSaidNone) = ("", 0, nil, nil, false)
            return
        }
        let before = kept.remove(at: index)
        (epoch, revision, ceremony) = (before.epoch, before.revision, before.ceremony)
        (lastRound, hasSaidNone, shownAt, wasCut) = (before.lastRound, before.hasSaidNone, before.shownAt, before.wasCut)
        shortestSeen = before.shortestSeen
    }

    /// Checks a view before which changes were missed. Numbers go up, a round takes a revision or more, and a shoe takes a round or more.
    /// - Parameter revisions: passed since the last view; nil: of another epoch.
    mutating func checkCounters(_ step: Step, revisions: Int?) {
        guard step.isGap, !step.isSingle else { return }
        if let revisions, revisions < 0 { return accuse(.wentBack) }
        guard let lastRound, let round = step.new.round?.number else { return }
        let rounds = round - lastRound.number
        let shoes = (step.new.shoe?.number ?? 0) - (lastRound.shoe ?? 0)
        if rounds < 0 || shoes < 0 { return accuse(.wentBack) }
        if shoes > rounds || rounds > revisions ?? .max { accuse(.shoesWithoutRounds) }
    }

    mutating func noteRound(_ table: TableSnapshot) {
        lastRound = table.round.map { LastRound(number: $0.number, shoe: table.shoe?.number) }
    }

    /// Notes who has played the shoe in play, seat by seat.
    mutating func notePlayers(_ step: Step, isFresh: Bool) {
        guard var players = shoe?.players, var satOut = shoe?.satOut, let phase = step.new.phase else { return }
        if step.isGap {
            (players, satOut) = ([:], Set(1...7))
        } else if step.old?.round != step.new.round {
            satOut = []
        }
        for seat in 1...7 where step.new.player(seat)?.presence == .sittingOut { satOut.insert(seat) }
        players = players.filter { step.new.player($0.key)?.name == $0.value && !satOut.contains($0.key) }
        // A hand stays after the settlement, while its seat can get another player.
        let isPlaying = [.surrender, .insurance, .playing].contains(phase) || isFresh && step.isSingle && phase == .settled
        if isPlaying {
            for hand in step.new.hands where !satOut.contains(hand.seat) { players[hand.seat] = step.new.player(hand.seat)?.name }
        }
        shoe?.players = players
        shoe?.satOut = satOut
    }

    /// Whether a table's round is the first with a shoe: the round before it was shown, and had another one.
    func isFirstRound(of shoe: Int, in table: TableSnapshot) -> Bool {
        guard let lastRound, let round = table.round else { return false }
        return round.number == lastRound.number + 1 && lastRound.shoe != shoe
    }
}
