import Measuring
import Sockets

/// The states of a bot, each with the values that exist in it alone.
extension LoadBot {
    enum State {
        /// Before the start, or until the session's next attempt.
        case absent
        case connecting(Connector)
        case connected(Connection, Activity)
        case gone
    }

    enum Activity {
        case loggingIn
        /// Has asked for a seat.
        case sitting
        case playing(Turn)
        /// Has asked to leave its seat.
        case leaving
        /// Between two seats, until its timer fires.
        case away
        /// Has asked to be logged out.
        case ending
    }

    /// The next bet or decision, until it is sent.
    enum Turn {
        case open
        /// Waits for an action of the open model.
        case offered
        /// Waits for its timer: think time, or the rate limit.
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
