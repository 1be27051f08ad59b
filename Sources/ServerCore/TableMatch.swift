import Records
import TableEngine
import TableModel
import Wire

/// The match of a table's owner, counted by ``Evening/Match/count(_:name:)`` where rounds end (``Shard/count(_:at:)``), as in replay.
extension Shard {
    func play(_ rounds: Int, after round: Int, _ session: Session) throws -> Answer {
        let (owner, table) = try ownTable(session)
        // Due time-outs may end a round.
        tick(table, at: now)
        let answer = { Answer(.applied("match", at: table.describe())) { table.publish() } }
        // The wish for a state: a repeat is heard as long as it stands.
        guard rounds != table.evening.running?.rounds ?? 0 else { return answer() }
        guard round == table.engine.round else { throw Rejection.staleMatch(round, current: table.engine.round) }
        try decide(
            .ownerMatch(table: table.name, owner: owner.id, Evening.Match(rounds: rounds, from: round)), at: table, owner
        ) { _ in }
        var evening = table.evening
        let ended = evening.play(rounds, after: round)
        table.play(evening.match)
        environment.log(.info, "match_set", ["table": table.name, "rounds": rounds])
        if let ended { finish(ended, at: table) }
        return answer()
    }

    /// Adds a match to the careers of those who are in it, and tells the table.
    func finish(_ match: Evening.Match, at table: HostedTable) {
        for score in match.scores {
            if let account = accounts[score.player] {
                account.state.count(match)
            } else if let name = try? PlayerName(score.entry.name) {
                dormant.count(match, score.player, FoldedName(name))
            }
        }
        environment.log(.info, "match_over", ["table": table.name, "rounds": match.played])
        table.notice = HostNotice(HostNotice.match, name: match.scores.first?.entry.name ?? HostNotice.host, time: now)
    }

    /// Of the table where the player is: the match that is on, or the last one.
    func matchStandings(_ session: Session) throws(Rejection) -> Standings {
        let account = try account(session)
        guard let table = account.table ?? session.watching else { throw .notAtTable }
        return table.evening.match?.standings(of: account.id) ?? Standings(over: .match)
    }
}
