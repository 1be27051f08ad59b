/// A free seat of some table that a player is on the way to: nobody else is sent to it. It is given back when the claim ends, whether the
/// player got the seat (which the table says itself), was refused, or has gone.
final class SeatClaim: Sendable {
    let table: Int
    private let house: House

    /// - Parameter table: counted as claimed already.
    init(table: Int, of house: House) {
        self.table = table
        self.house = house
    }

    deinit { house.giveBackSeat(ofTable: table) }
}
