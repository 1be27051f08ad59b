/// A free seat of some table that a player is on the way to: nobody else is sent to it. It is given back when the claim ends, whether the
/// player got the seat (which the table says itself), was refused, or has gone.
final class SeatClaim: Sendable {
    let table: Int
    private let directory: Directory

    /// - Parameter table: counted as claimed already.
    init(table: Int, of directory: Directory) {
        self.table = table
        self.directory = directory
    }

    deinit { directory.giveBackSeat(ofTable: table) }
}
