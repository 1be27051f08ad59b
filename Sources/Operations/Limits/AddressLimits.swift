/// What one address may do, all of its connections together, and what strangers may do in all.
public struct AddressLimits: Sendable, Hashable {
    /// Blocks without a budget of their own, such as this machine and its proxies. They count in totals.
    public var trusted: [AddressBlock]
    /// New connections.
    public var connecting = RateLimit.perSecond(10, burst: 256)
    /// Logins.
    public var loggingIn = RateLimit.perSecond(10, burst: 256)
    /// Requests, each by its price.
    public var asking = RateLimit.perSecond(1000, burst: 4000)
    /// Lines of chat.
    public var talking = RateLimit.perMinute(120, burst: 40)
    /// Wrong tokens and pass phrases before the first delay. One is forgiven for each ``forgiveness`` without a failure.
    public var freeFailures = 5
    /// The longest delay after a failure, in milliseconds. The first is ``firstDelay``, and each is twice the one before.
    public var longestDelay: Int64 = 60_000
    /// How long an address is kept out that goes on after refusals, in milliseconds; 0 for never.
    public var banMilliseconds: Int64 = 60_000
    /// Requests before a login, of all connections together, each by its price.
    public var strangers = RateLimit.perSecond(10_000, burst: 20_000)

    /// In milliseconds.
    public static let firstDelay: Int64 = 500
    public static let forgiveness: Int64 = 60_000
    /// Refusals of an address that are no reason to keep it out.
    public static let strikes = RateLimit.perSecond(5, burst: 200)
    /// The longest automatic ban, in milliseconds.
    public static let longestBan: Int64 = 60_000

    /// - Parameter trusted: this machine alone unless the host says otherwise.
    public init(trusted: [AddressBlock] = Self.loopback) { self.trusted = trusted }

    /// 127.0.0.0/8 and ::1.
    public static let loopback = [AddressBlock("127.0.0.0/8"), AddressBlock("::1")].compactMap(\.self)

    /// A limit that nothing real reaches, for tests and measurements.
    public static let unreached: Self = {
        var limits = Self()
        limits.connecting = .unreached
        limits.loggingIn = .unreached
        limits.asking = .unreached
        limits.talking = .unreached
        limits.strangers = .unreached
        return limits
    }()
}
