import Fairness
import TableModel
import Wire

/// Takes part in the ceremonies of shoes: what a player commits, reveals, and knows that the server has. A value.
///
/// It draws once for a commitment of the server, and reveals once for it, under one list, which has to hold its own commitment; that stays
/// so over reconnects. The server has a commitment for certain only on the connection on which its `ok` came: behind a lost one another
/// device of the player may have replaced the commitment since. Then the same is committed once more.
struct ShoeContributor: Sendable {
    struct Contribution: Sendable {
        enum Commit: Equatable, Sendable {
            case unsent, asked, confirmed, refused
        }

        enum Reveal: Equatable, Sendable {
            case unsent, asked
            /// The server answered a request that was sent after it on the same connection, so it has handled the reveal.
            case received
            case confirmed, refused
        }

        /// The server's word that the reveal did not come in time, until its answer shows whether that can be.
        struct Naming: Equatable, Sendable {
            /// Milliseconds; `.min` once the connection has ended without an answer.
            var since: Int64
            /// How long the server waits for a reveal, in milliseconds; nil: no order was given up for it.
            var waits: Int64?
        }

        let table: String
        let player: String
        /// The attempt as first shown.
        let next: NextShoe
        let secret: ShoeSecret
        let commitment: Digest
        var commit = Commit.unsent
        /// The one list under which it is revealed.
        var list: Digest?
        /// The player's row in that list.
        var row = 0
        var reveal = Reveal.unsent
        /// When the reveal left last on this connection, in milliseconds; nil: not, or it was refused for now.
        var sentAt: Int64?
        /// Times that the reveal left.
        var sendings = 0
        /// Whether the server refused the reveal before it named the player.
        var isTurnedAway = false
        var naming: Naming?

        /// Whether the server is known to have the reveal.
        var isGiven: Bool { reveal == .received || reveal == .confirmed }
        /// Whether the server may know the secret.
        var isRevealed: Bool { list != nil }
    }

    /// The evidence of an answer about a contribution whose player is named as a withholder.
    enum Consequence {
        case none
        /// The server had the reveal when it named the player.
        case contradiction
        /// The server rejected an order, or may have.
        case rejection
    }

    /// A request that follows a reveal on its connection.
    private struct Witness: Sendable {
        let server: Digest
        let sending: Int
    }

    /// As many as the attempts of 8 shoes.
    private static let most = 8 * NextShoe.attempts
    /// Milliseconds until an unanswered reveal counts as rejected.
    private static let patience: Int64 = 10_000

    /// Newest last.
    private(set) var contributions: [Contribution] = []
    /// Oldest first: requests are answered in order.
    private var witnesses: [Witness] = []

    func contribution(to server: Digest, at table: String) -> Contribution? {
        contributions.last { $0.next.commitment == server && $0.table == table }
    }

    private func index(of server: Digest, at table: String) -> Int? {
        contributions.lastIndex { $0.next.commitment == server && $0.table == table }
    }

    func isRevealed(to server: Digest, at table: String) -> Bool { contribution(to: server, at: table)?.isRevealed ?? false }

    /// The contribution to compare a proof with: nothing that the server may lack, or have from another device.
    func own(for server: Digest, at table: String) -> WatchedShoe.Own? {
        guard let own = contribution(to: server, at: table), own.commit == .confirmed else { return nil }
        return .init(
            name: own.player, contribution: own.secret, commitment: own.commitment, list: own.list,
            isConfirmed: own.reveal == .confirmed)
    }

    /// Draws a contribution, once for each commitment of the server.
    mutating func draw(
        for next: NextShoe, at table: String, as player: String, using generator: inout some RandomNumberGenerator
    ) {
        guard !contributions.contains(where: { $0.next.commitment == next.commitment }) else { return }
        let secret = ShoeSecret(using: &generator)
        if contributions.count == Self.most { contributions.removeFirst() }
        contributions.append(
            Contribution(
                table: table, player: player, next: next, secret: secret,
                commitment: secret.contribution(table: table, shoe: next.shoe, player: player, to: next.commitment)))
    }

    /// Commits or reveals, as far as the stage has it and it was not done.
    /// - Parameter isHonest: whether nothing was found wrong with the shoe: otherwise nothing is given to it.
    /// - Throws: what contradicts a commitment that the server certainly has.
    mutating func act(
        on next: NextShoe, at table: String, isSeated: Bool, isHonest: Bool
    ) throws(ShoeFault) -> ClientMessage? {
        guard let index = index(of: next.commitment, at: table) else { return nil }
        let own = contributions[index]
        switch next.stage {
        case .open:
            guard own.commit == .unsent, isSeated, isHonest, !next.withheld.contains(own.player) else {
                return nil
            }
            contributions[index].commit = .asked
            return .commit(server: next.commitment, contribution: own.commitment)
        case .revealing(let contributors):
            let row = contributors.firstIndex { $0.name == own.player }
            guard let row, contributors[row].commitment == own.commitment else {
                guard own.commit == .confirmed else { return nil }
                if row != nil { throw .ownContribution }
                if isSeated { throw .leftOut }
                return nil
            }
            contributions[index].commit = .confirmed
            let list = contributors.listDigest(server: next.commitment)
            guard own.list ?? list == list else { throw .listChanged }
            guard own.reveal == .unsent, isHonest else { return nil }
            (contributions[index].list, contributions[index].row, contributions[index].reveal) = (list, row, .asked)
            return .reveal(list: list, contribution: own.secret)
        case .mixed(_, let mixed, _):
            // A list of nobody lacks a commitment that the server has, and that nobody gave up. Others show in the proof.
            if own.list == nil, own.commit == .confirmed, isSeated, mixed.flags.isEmpty { throw .leftOut }
            return nil
        }
    }

    // MARK: Connections and seats

    /// Another device can log in until the next table is shown here: it can replace a commitment until its list is closed, or get up,
    /// which voids it.
    mutating func connectionLost() {
        for index in contributions.indices {
            if contributions[index].list == nil, contributions[index].commit != .refused { contributions[index].commit = .unsent }
            (contributions[index].sentAt, contributions[index].isTurnedAway) = (nil, false)
            if contributions[index].reveal == .received { contributions[index].reveal = .asked }
            if let naming = contributions[index].naming {
                contributions[index].naming = naming.waits.map { .init(since: .min, waits: $0) }
            }
        }
    }

    /// The seat is lost, or another one taken: commitments to lists that are not closed may be void, and each is sent again.
    mutating func seatLost() {
        for index in contributions.indices where contributions[index].list == nil && contributions[index].commit != .asked {
            contributions[index].commit = .unsent
        }
    }

    /// - Parameter others: commitments of shoes that are not over, though a later table of the name may count from 1 again.
    mutating func forget(upTo shoe: WatchedShoe, but others: [Digest]) {
        contributions.removeAll { own in
            own.table == shoe.table && own.next.shoe <= shoe.shoe
                && (own.next.commitment == shoe.commitment || !others.contains(own.next.commitment))
        }
    }

    // MARK: Answers

    mutating func committed(_ answer: Result<Reply, Refusal>, to server: Digest) {
        guard let index = contributions.lastIndex(where: { $0.next.commitment == server }) else { return }
        // A list that was seen has decided.
        guard contributions[index].list == nil else { return }
        switch answer {
        case .success: contributions[index].commit = .confirmed
        // Without a connection nobody has refused: the same is asked on the next one.
        case .failure(let refusal): contributions[index].commit = refusal.isForNow ? .unsent : .refused
        }
    }

    /// - Returns: the contribution that the answer is about, as it was, and the consequence.
    mutating func revealed(_ answer: Result<Reply, Refusal>, under list: Digest, at now: Int64) -> (Contribution, Consequence)? {
        guard let index = contributions.lastIndex(where: { $0.list == list }) else { return nil }
        let own = contributions[index]
        switch answer {
        case .success:
            contributions[index].reveal = .confirmed
            return (own, settleNaming(index))
        case .failure(let refusal):
            contributions[index].reveal = refusal.isForNow ? .unsent : .refused
            return (own, refusal.isForNow ? .none : turnedAway(index, at: now))
        }
    }

    /// A request has left for the server.
    /// - Returns: the request that has to follow it: the server answers in order.
    mutating func sent(_ request: ClientMessage, at now: Int64) -> ClientMessage? {
        guard case .reveal(let list, _) = request, let index = contributions.lastIndex(where: { $0.list == list }),
            witnesses.count < Self.most
        else { return nil }
        contributions[index].sendings += 1
        contributions[index].sentAt = now
        witnesses.append(Witness(server: contributions[index].next.commitment, sending: contributions[index].sendings))
        return .ping
    }

    /// The server refused a reveal for now: it is sent again.
    mutating func postponed(_ request: ClientMessage, at now: Int64) -> (Contribution, Consequence)? {
        guard case .reveal(let list, _) = request, let index = contributions.lastIndex(where: { $0.list == list }) else {
            return nil
        }
        let own = contributions[index]
        let consequence = turnedAway(index, at: now)
        contributions[index].sentAt = nil
        return (own, consequence)
    }

    mutating func witnessed(_ answer: Result<Reply, Refusal>) -> (Contribution, Consequence)? {
        guard !witnesses.isEmpty else { return nil }
        let witness = witnesses.removeFirst()
        guard case .success = answer, let index = contributions.lastIndex(where: { $0.next.commitment == witness.server }) else {
            return nil
        }
        let own = contributions[index]
        guard own.sendings == witness.sending, own.sentAt != nil, own.reveal == .asked else { return nil }
        contributions[index].reveal = .received
        return (own, settleNaming(index))
    }

    // MARK: Names

    /// The server names the player as a withholder under a commitment, and is not known to have the reveal.
    mutating func named(to server: Digest, at table: String, waits: Int64?, at now: Int64) -> Consequence {
        guard let index = index(of: server, at: table) else { return .none }
        if contributions[index].isTurnedAway { return .rejection }
        if contributions[index].reveal == .asked, contributions[index].sentAt != nil {
            contributions[index].naming = .init(since: now, waits: waits)
        }
        return .none
    }

    private mutating func settleNaming(_ index: Int) -> Consequence {
        defer { contributions[index].naming = nil }
        return contributions[index].naming == nil ? .none : .contradiction
    }

    /// A refusal that took longer than the server waits is that of a slow connection.
    private mutating func turnedAway(_ index: Int, at now: Int64) -> Consequence {
        let own = contributions[index]
        guard let naming = own.naming else {
            contributions[index].isTurnedAway = true
            return .none
        }
        contributions[index].naming = nil
        guard let waits = naming.waits, let sent = own.sentAt else { return .none }
        return now - sent > waits ? .none : .rejection
    }

    /// - Returns: contributions whose reveal stays unanswered though the player was named for it, each once.
    mutating func unanswered(at now: Int64) -> [Contribution] {
        var found: [Contribution] = []
        for index in contributions.indices {
            guard let naming = contributions[index].naming, naming.waits != nil else { continue }
            guard naming.since == .min || now - naming.since >= Self.patience else { continue }
            contributions[index].naming = nil
            found.append(contributions[index])
        }
        return found
    }
}

extension Refusal {
    /// Whether the same request can succeed later.
    fileprivate var isForNow: Bool { isLocal || kind == .again }
}
