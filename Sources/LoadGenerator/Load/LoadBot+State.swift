import Measuring
import Sockets

/// The states of a bot, each with the values that exist in it alone.
extension LoadBot {
    enum State {
        /// Before the start, or until the next attempt.
        case absent
        case connecting(Connector)
        case connected(Connection, Activity)
        case gone
    }

    enum Activity {
        case loggingIn
        /// Asks for a seat, as soon as the rate limit allows.
        case sitting
        case playing(Turn)
        /// Asks to leave its seat, as soon as the rate limit allows.
        case leaving
        /// Between two seats.
        case away
        /// Logout is sent.
        case ending
    }

    /// The next bet or decision, until it is sent.
    enum Turn {
        case open
        /// Waits for an action of the open model.
        case offered
        /// Waits for its think time, or for the rate limit.
        case thinking(LatencyBook.Moments)
    }

    /// A bet or a decision that is on its way.
    struct Move {
        var moments: LatencyBook.Moments
        /// Whether the server has said yes.
        var isAnswered = false
    }

    /// Counts since the bot took its seat. A reconnect leaves them as they are.
    struct Stay {
        var rounds = 0
        /// Whether it has bet: earlier results at the seat are its predecessor's.
        var hasPlayed = false
    }

    /// Membership in the company of its table, which decides when it may leave input unread.
    enum Reading {
        case alone
        case attending(TableCompany, seat: Int)
        case resting(TableCompany, seat: Int)
    }
}
