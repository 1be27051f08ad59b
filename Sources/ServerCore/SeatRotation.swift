import Operations
import TableEngine

/// Addresses that lately got no seat for want of a free one: the last two, so that one differs from any other.
struct RefusedSits: Sendable {
    private static let milliseconds: Int64 = 60_000

    private var last: [(address: IPAddress?, time: Int64)] = []

    mutating func note(_ address: IPAddress?, at now: Int64) {
        last.removeAll { $0.address == address }
        last = last.suffix(1) + [(address, now)]
    }

    /// Whether another address was refused within the last minute.
    func hasOther(than address: IPAddress, at now: Int64) -> Bool {
        last.contains { $0.address != address && now - $0.time < Self.milliseconds }
    }
}

/// Addresses whose players lost a seat of a table by sitting out. While others wait, each lets a round pass before it takes a seat there:
/// else one address can hold seats for ever with connections that take turns.
struct LostSeats {
    private static let most = 64

    /// Players who sit out.
    private var sittingOut: Set<PlayerID>
    private var rounds: [IPAddress: Int] = [:]

    init(_ table: Table) { sittingOut = Set(table.playerViews.lazy.filter(\.isSittingOut).map(\.id)) }

    mutating func sitsOut(_ player: PlayerID) { sittingOut.insert(player) }

    mutating func sitsIn(_ player: PlayerID) { sittingOut.remove(player) }

    /// - Parameters:
    ///   - address: nil for a trusted one.
    ///   - round: of the table.
    mutating func left(_ player: PlayerID, from address: IPAddress?, inRound round: Int) {
        guard sittingOut.remove(player) != nil, let address else { return }
        rounds = rounds.filter { $0.value == round }
        if rounds.count < Self.most { rounds[address] = round }
    }

    func mustWait(_ address: IPAddress, inRound round: Int) -> Bool { rounds[address] == round }
}
