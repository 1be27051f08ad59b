/// A free seat reserved for a player who moves to its table's loop. Released with the object, whether the player gets the seat
/// (the table then counts it) or not.
final class SeatClaim: Sendable {
    let table: Int
    private let directory: Directory

    /// - Parameter table: already counted as claimed.
    init(table: Int, of directory: Directory) {
        self.table = table
        self.directory = directory
    }

    deinit { directory.releaseSeat(ofTable: table) }
}
