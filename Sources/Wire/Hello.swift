/// What a server says of itself.
public struct Hello: Equatable, Sendable {
    /// What a server may be able to do beyond the least, by names that clients can look for.
    public static let features = ["chat", "check", "heartbeat", "lobby", "pedantic", "resume", "retry", "verbose"]

    /// Program and version.
    public var server: String
    /// The versions of the protocol that it speaks.
    public var versions: ClosedRange<Int>
    /// Milliseconds since 1970 on the server's clock, which deadlines are on.
    public var time: Int64
    /// How long a connection may say nothing before it is closed, in seconds.
    public var idleSeconds: Int
    public var limits: Limits
    public var features: [String]
    /// Whether the server is about to stop: nobody gets a new seat.
    public var isDraining: Bool

    public init(
        server: String, versions: ClosedRange<Int> = WireLimits.versions, time: Int64, idleSeconds: Int,
        limits: Limits = Limits(), features: [String] = Hello.features, isDraining: Bool = false
    ) {
        self.server = server
        self.versions = versions
        self.time = time
        self.idleSeconds = idleSeconds
        self.limits = limits
        self.features = features
        self.isDraining = isDraining
    }

    /// The bounds that a client has to keep.
    public struct Limits: Equatable, Sendable {
        /// The longest line, in bytes without its end.
        public var line = WireLimits.requestBytes
        /// Objects and arrays inside each other.
        public var depth = WireLimits.depth
        /// Members of an object.
        public var members = WireLimits.members
        /// The longest `id`, in bytes.
        public var id = RequestID.maximumBytes
        /// The longest name, in bytes.
        public var name = PlayerName.maximumBytes
        /// The longest text of a chat, in bytes.
        public var chat = ChatText.maximumBytes
        /// How many requests back a retry of the same `id` gets the first result.
        public var retries = WireLimits.retries
        /// Requests a second that a connection may send in the long run.
        public var requestsPerSecond: Int
        /// Requests that it may send at once.
        public var burst: Int

        public init(requestsPerSecond: Int = 20, burst: Int = 60) {
            self.requestsPerSecond = requestsPerSecond
            self.burst = burst
        }
    }
}
