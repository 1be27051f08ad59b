import Fairness
import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine

/// A table whose shoes are made in ceremonies, with a host that supplies secrets and players that contribute.
struct CeremonyGame {
    var table: Table
    var now = Timestamp(milliseconds: 0)
    /// Every fact so far.
    var facts: [Fact] = []
    /// Builds itself from the facts alone.
    private var replay: Table
    var random: SeededStream
    /// Contributions by player, for the commitment they were made for.
    private var contributions: [PlayerID: (server: Digest, bytes: ShoeSecret)] = [:]

    /// - Parameter seed: another one takes another course: at some the cut card comes last in its round.
    init(_ rules: HouseRules = HouseRules(), pace: Pace = Pace(settledMilliseconds: 0), seed: UInt64 = 20_261_121) {
        table = Table(rules: rules, pace: pace)
        replay = table
        random = SeededStream(seed: seed)
        _ = try? perform(.beginCeremonies(table: "main"))
    }

    /// Performs a command as a host does: a secret that is needed is supplied at once.
    /// - Returns: the facts.
    @discardableResult
    mutating func perform(_ command: Command) throws(Rejection) -> [Fact] {
        var sink = FactList()
        var refusal: Rejection?
        do { try table.perform(command, at: now, into: &sink) } catch { refusal = error }
        while table.needsSecret {
            let secret = secret()
            do { try table.perform(.supplySecret(secret), at: now, into: &sink) } catch {
                Issue.record("a secret that is needed is taken: \(error)")
                break
            }
        }
        for fact in sink.facts {
            do { try replay.replay(fact) } catch { Issue.record("\(fact) does not fit: \(error)") }
        }
        facts += sink.facts
        if replay != table { Issue.record("the facts do not rebuild the table after \(command)") }
        if let refusal { throw refusal }
        return sink.facts
    }

    mutating func secret() -> ShoeSecret {
        guard let secret = ShoeSecret((0..<32).map { _ in UInt8(truncatingIfNeeded: random.next64()) }) else {
            preconditionFailure("a secret has 32 bytes")
        }
        return secret
    }

    mutating func sit(_ number: Int, contributes: Bool = true) throws {
        let profile = PlayerProfile(name: "p\(number)", contributes: contributes)
        try perform(.sit(player: PlayerID(number), profile: profile, seat: nil, chips: 100_000))
    }

    /// Commits with fresh bytes, which ``reveal(_:)`` reveals.
    mutating func commit(_ number: Int) throws {
        guard let next = table.nextShoe else { return }
        let (id, bytes) = (PlayerID(number), secret())
        let commitment = bytes.contribution(table: "main", shoe: next.shoe, player: "p\(number)", to: next.commitment)
        try perform(.commit(player: id, name: "p\(number)", server: next.commitment, contribution: commitment))
        contributions[id] = (next.commitment, bytes)
    }

    mutating func reveal(_ number: Int) throws {
        guard let list = table.closedList, let mine = contributions[PlayerID(number)] else { throw Rejection.noCeremony }
        try perform(.reveal(player: PlayerID(number), list: list, contribution: mine.bytes))
    }

    /// Each commits, then each reveals.
    mutating func contribute(_ numbers: Int...) throws {
        for number in numbers { try commit(number) }
        for number in numbers { try reveal(number) }
    }

    mutating func bet(_ number: Int) throws {
        try perform(.bet(player: PlayerID(number), seat: nil, amount: 10))
    }

    mutating func wait(_ milliseconds: Int) throws {
        now = now.adding(milliseconds: milliseconds)
        try perform(.tick)
    }

    /// Stands and declines until the round is over.
    mutating func finishRound() throws {
        for _ in 0..<200 {
            guard let seat = (1...table.rules.seats).first(where: { !table.legalActions(seat: $0).isEmpty }),
                let player = table.player(seat: seat)
            else { return }
            let action: Action = table.decision == nil ? .decline : .stand
            try perform(.act(player: player, action: action, seat: seat, hand: nil, amount: nil))
        }
    }

    /// Plays rounds of these players until the cut card has come.
    mutating func playToTheCut(_ numbers: [Int]) throws {
        while !table.state.core.shoe.cutReached {
            for number in numbers { try bet(number) }
            try finishRound()
        }
    }

    var next: NextShoe.Stage? { table.nextShoe?.stage }
}
