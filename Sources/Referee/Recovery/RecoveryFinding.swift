/// A promise about restarts that a server broke.
package struct RecoveryFinding: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Promise: String, CaseIterable, Sendable {
        /// A login finds the same name, table, seats and chips.
        case account
        /// The table goes on: same shoe, round, cards, bets.
        case table
        /// A repeated request gets its first answer.
        case answers
        /// A repeated request has no second effect.
        case effects
        /// Chips follow from results.
        case chips
        /// A law of the game, as for any server.
        case game
        /// Lines are messages, revisions fit.
        case lines
    }

    package var promise: Promise
    package var player: String
    /// The last state or answer that the player was told.
    package var told: String
    package var came: String

    package init(_ promise: Promise, _ player: String, told: String, came: String) {
        (self.promise, self.player, self.told, self.came) = (promise, player, told, came)
    }

    package var description: String { "\(promise.rawValue), \(player): told \(told); came \(came)" }
}
