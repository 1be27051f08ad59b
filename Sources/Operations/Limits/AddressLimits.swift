/// Limits of one address across its connections, and of all strangers together. They are those of an IPv6 /64; its /56 and /48 have 4
/// and 16 times as much.
public struct AddressLimits: Sendable, Hashable {
    /// Blocks exempt from per-address budgets, such as loopback and proxies. Totals include them.
    public var trusted: [AddressBlock]
    /// New connections.
    public var connecting = RateLimit.perSecond(10, burst: 256)
    /// Logins.
    public var loggingIn = RateLimit.perSecond(10, burst: 256)
    /// Requests, weighted by price.
    public var asking = RateLimit.perSecond(1000, burst: 4000)
    /// Chat lines.
    public var talking = RateLimit.perMinute(120, burst: 40)
    /// New accounts.
    public var claiming = RateLimit.perMinute(10, burst: 256)
    /// Wrong secrets, codes and pass phrases before the first delay. Each ``forgiveness`` without a failure forgives one.
    public var freeFailures = 5
    /// The longest delay after a failure, in milliseconds. Delays double from ``firstDelay``.
    public var longestDelay: Int64 = 60_000
    /// Requests before login, all connections together, weighted by price.
    public var strangers = RateLimit.perSecond(10_000, burst: 20_000)

    /// Milliseconds.
    static let firstDelay: Int64 = 500
    static let forgiveness: Int64 = 60_000

    /// - Parameter trusted: loopback only by default.
    public init(trusted: [AddressBlock] = Self.loopback) { self.trusted = trusted }

    /// 127.0.0.0/8 and ::1.
    public static let loopback = [AddressBlock("127.0.0.0/8"), AddressBlock("::1")].compactMap(\.self)

    /// A limit beyond real load, for tests and measurements.
    public static let unreached: Self = {
        var limits = Self()
        limits.connecting = .unreached
        limits.loggingIn = .unreached
        limits.asking = .unreached
        limits.talking = .unreached
        limits.claiming = .unreached
        limits.strangers = .unreached
        return limits
    }()
}
