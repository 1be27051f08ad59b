/// The first message of a server: its version, limits and features.
public struct Hello: Equatable, Sendable {
    /// The names in ``meanings``.
    public static let features = meanings.map(\.name)

    /// The optional features of this server.
    package static let meanings: [(name: String, meaning: String)] = [
        ("chart", "`chart`: what each action is worth"),
        ("chat", "`chat`, as a request and as a message"),
        ("check", "the option `check`, and check values in diffs that settle hands"),
        ("fair", "`fair` in `login`, `commit`, `reveal` and `proof`; a table with the item `next` has the ceremonies"),
        ("heartbeat", "the option `heartbeat`"),
        ("history", "`history` and `statement`; refused with `no_history` where the host keeps no journal"),
        ("lobby", "`follow` in `lobby`, and the message `lobby`"),
        ("owner", "tables of players: `owner` in the lobby, `kick` and `pass`"),
        ("pedantic", "the option `pedantic`"),
        ("resume", "`resume`"),
        ("retry", "a request that is sent again under its `id` is carried out once, on any connection"),
        ("verbose", "the option `verbose`, and the message `note`"),
    ]

    /// The house of a server that has drawn no identity.
    public static let unnamedHouse = "0000000000000000"

    /// Program and version.
    public var server: String
    /// Identifies the server, at any address: 16 lower-case hexadecimal digits. Accounts belong to a house.
    public var house: String
    /// Supported versions of the protocol.
    public var versions: ClosedRange<Int>
    /// Milliseconds since 1970 on the server's clock; deadlines are on the same clock.
    public var time: Int64
    /// Seconds without a line after which the server closes the connection.
    public var idleSeconds: Int
    public var limits: Limits
    public var features: [String]
    /// Whether the server drains: it gives no new seats.
    public var isDraining: Bool
    /// Whether the house gives new chips to a player who has lost all.
    public var givesRebuys: Bool

    public init(
        server: String, house: String = Hello.unnamedHouse, versions: ClosedRange<Int> = WireLimits.versions, time: Int64,
        idleSeconds: Int,
        limits: Limits = Limits(), features: [String] = Hello.features, isDraining: Bool = false, givesRebuys: Bool = true
    ) {
        self.server = server
        self.house = house
        self.versions = versions
        self.time = time
        self.idleSeconds = idleSeconds
        self.limits = limits
        self.features = features
        self.isDraining = isDraining
        self.givesRebuys = givesRebuys
    }

    /// The bounds of a client's lines and requests.
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
        /// Number of latest requests whose retry, by the same `id`, gets the first reply.
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

extension Hello: WireObject {
    static var blank: Self { Self(server: "", time: 0, idleSeconds: 1) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("server", &server, .any, "program and version")
        try visitor.required("house", &house, .house, "the server's identity, at any address: accounts belong to a house")
        try visitor.required("versions", &versions, "the versions of the protocol that are spoken")
        try visitor.required("time", &time, .time, "the server's time")
        try visitor.required(
            "idleSeconds", &idleSeconds, .limit, "how long a connection may say nothing before it is closed")
        try visitor.required("limits", &limits, "the bounds that a client has to keep")
        try visitor.required("features", &features, .of(.any), "what a client can look for")
        try visitor.optional(
            "draining", &isDraining, absent: false, "whether the server is about to stop: nobody gets a new seat")
        try visitor.optional(
            "rebuy", &givesRebuys, absent: true,
            "whether the house fills up the chips of a player who cannot make the smallest bet, see `sit`; so without it")
    }
}

extension Hello.Limits: WireObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("line", &line, .limit, "bytes of a line from a client, its end not counted")
        try visitor.required("depth", &depth, .limit, "objects and arrays inside each other")
        try visitor.required("members", &members, .limit, "members of an object")
        try visitor.required("id", &id, .limit, "bytes of an `id`")
        try visitor.required("name", &name, .limit, "bytes of a player's name")
        try visitor.required("chat", &chat, .limit, "bytes of a chat's text")
        try visitor.required("retries", &retries, .limit, "requests of a player whose first answers are remembered")
        try visitor.required(
            "requestsPerSecond", &requestsPerSecond, .limit, "requests a second that a connection may send in the long run")
        try visitor.required("burst", &burst, .limit, "requests that it may send at once after a pause")
    }
}
