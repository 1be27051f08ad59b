/// Why a server closes a connection of its own accord: the `code` of `bye`. The one list of them, for the server, for Protocol.md and for
/// the schema. A code never changes its meaning.
public enum GoodbyeCode: String, CaseIterable, Sendable {
    case loginTimeout = "login_timeout"
    case idle
    case noPulse = "no_pulse"
    case replaced
    case loggedOut = "logged_out"
    case restart
    case shuttingDown = "shutting_down"
    case tooSlow = "too_slow"
    case rateLimited = "rate_limited"
    case kicked
    case banned

    /// Why it is said, for people who write a client.
    public var explanation: String {
        switch self {
        case .loginTimeout: "nobody logged in within a minute, or whatever the host gives"
        case .idle: "nothing was heard for `idleSeconds`; a `ping` now and then is enough"
        case .noPulse: "the server's `ping` was not answered; only with the option `heartbeat`"
        case .replaced: "the account has logged in on another connection"
        case .loggedOut: "you said `logout`"
        case .restart: "the server restarts and keeps seats, hands and clocks: come back soon, with your secret, and `resume`"
        case .shuttingDown: "the server stops"
        case .rateLimited: "you went on sending too many requests after that was said"
        case .kicked: "the host has sent you away"
        case .banned: "the host does not want your address here"
        case .tooSlow: "you did not read what you were sent: too much was waiting, for too long. What waited is lost"
        }
    }
}
