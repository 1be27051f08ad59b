import Wire

/// Tests a server: transcripts as data, and a performer that plays them against any server. A transcript reads like a session, with gaps for
/// unknown values; the format is described in ``ServerKit/Transcript``.
///
/// ```
/// == bet-below-the-minimum
/// needs: minimumBet>1
/// seated ann
/// ann> {"type":"bet","amount":$min-1,"round":$ann_round,"id":1}
/// ann< {"type":"error","id":1,"to":"bet","code":"bet_below_minimum",...}
/// ```
public enum ServerKit {
    /// The versions of the protocol that the kit speaks.
    public static let versions = WireLimits.versions
}

extension ServerKit {
    /// The performer's environment: connections and time. It works step by step, so a network and a test both serve.
    public protocol Stage: AnyObject {
        /// Opens a connection under a name that no open one has.
        func connect(_ who: String) throws(Unreachable)
        /// Sends bytes as they are.
        func send(_ bytes: [UInt8], by who: String)
        /// Ends a connection without a word.
        func cut(_ who: String)
        /// The next event on a connection within a time in milliseconds.
        func next(_ who: String, within milliseconds: Int) -> Event
        /// Keeps to a limit that the server has published.
        func keep(requestsPerSecond: Int, burst: Int)
        /// Milliseconds since whenever.
        var now: Int { get }
    }

    /// An event on a connection.
    public enum Event: Equatable, Sendable {
        /// A line, without its end.
        case line([UInt8])
        case closed
        /// Nothing, for the time given.
        case silence
    }

    /// Nobody listens there.
    public struct Unreachable: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String

        public init(_ description: String) { self.description = description }
    }

    /// The result of a transcript.
    public enum Outcome: Equatable, Sendable {
        case passed
        case skipped(String)
        /// The server did something else than the transcript says.
        case failed(String)
        /// The server said something that no server may say: a line that is no message, a diff that doesn't fit, a wrong check value.
        case broken(String)
    }
}
