/// Budgets per address across connections, without a clock.
///
/// An activity is charged to every scope of its address: for IPv6 the /64, /56 and /48 (see ``AddressScope``), for IPv4, also
/// when mapped to IPv6, the address alone. Each scope has its own bounded table of recently used blocks. So a /48
/// that cycles through its 65,536 networks evicts no other /48, and cannot regain spent budget. The widest scope is charged
/// first: a block without budget creates no entries in the narrower tables.
public struct AddressBudgets: Sendable {
    public typealias Verdict = TokenBucket.Verdict

    /// A budgeted activity.
    public enum Activity: Int, CaseIterable, Sendable {
        case connect, logIn, talk
        /// Opens a new account.
        case claim
        /// Requests, weighted by price.
        case ask
    }

    /// The effect of a wrong secret, code or pass phrase.
    public struct Failure: Sendable, Equatable {
        /// Recent failures of the address, including this one.
        public let count: Int
        /// Milliseconds until the next attempt is checked; 0 for at once.
        public let delay: Int64
    }

    private struct Entry: Sendable {
        /// By activity.
        var buckets = InlineArray<5, TokenBucket>(repeating: TokenBucket())
        var failures = 0
        /// Time of the last counted or forgiven failure, in milliseconds.
        var failuresAt: Int64 = 0
        /// Until then attempts are refused unchecked.
        var delayedUntil: Int64 = 0
    }

    /// Limits, effective immediately.
    public var limits: AddressLimits
    /// By scope.
    private var tables: [RecentlyUsed<IPAddress, Entry>]
    /// Requests of strangers. Logins have a bucket of their own, so a flood of requests does not block them.
    private var strangersAsking = TokenBucket()
    private var strangersLoggingIn = TokenBucket()

    /// - Parameter capacity: blocks kept of each scope, 170 bytes each.
    public init(_ limits: AddressLimits, capacity: Int = 32_768) {
        self.limits = limits
        tables = AddressScope.allCases.map { _ in RecentlyUsed(Entry(), capacity: capacity) }
    }

    /// Blocks kept.
    public var count: Int { tables.reduce(0) { $0 + $1.count } }

    /// The budget key of an address; nil for a trusted one.
    public func key(of address: IPAddress) -> IPAddress? {
        limits.trusted.contains { $0.contains(address) } ? nil : address.counted
    }

    /// Charges an activity to an address.
    /// - Parameter key: nil for a trusted address, or a peer without one.
    public mutating func take(_ activity: Activity, _ key: IPAddress?, at now: Int64) -> Verdict {
        if activity == .logIn, case .refused(let wait) = strangersLoggingIn.take(of: limits.strangers, at: now) {
            return .refused(retryAfter: wait)
        }
        guard let key else { return .granted }
        return charge(1, activity, key, at: now)
    }

    /// Charges a line of chat to its player and to the address, or to neither.
    /// - Returns: the longer wait of those that refuse.
    public mutating func talk(
        _ player: inout TokenBucket, of limit: RateLimit, _ key: IPAddress?, at now: Int64
    ) -> Verdict {
        switch (player.take(of: limit, at: now), take(.talk, key, at: now)) {
        case (.granted, .granted): return .granted
        case (.granted, .refused(let wait)):
            player.give(1, of: limit)
            return .refused(retryAfter: wait)
        case (.refused(let wait), .granted):
            if let key { giveBack(1, .talk, key) }
            return .refused(retryAfter: wait)
        case (.refused(let wait), .refused(let addressWait)): return .refused(retryAfter: max(wait, addressWait))
        }
    }

    /// Charges requests in batches, so that most requests skip this table.
    /// - Parameters:
    ///   - price: units due.
    ///   - advance: units to prepay beyond that.
    ///   - isStranger: not logged in: also charged to the strangers' total.
    /// - Returns: the units charged, at least the price, or the refusal.
    public mutating func ask(
        _ key: IPAddress?, price: Int, advance: Int, isStranger: Bool, at now: Int64
    ) -> (paid: Int, verdict: Verdict) {
        var units = price + advance
        if let key {
            // Caps the advance at an eighth: one peer must not drain a small budget.
            let share = advance > 0 ? (available(.ask, key, at: now) - price) / 8 : 0
            units = price + max(0, min(advance, share))
            let verdict = charge(units, .ask, key, at: now)
            guard verdict == .granted else { return (0, verdict) }
        }
        if isStranger, case .refused(let wait) = strangersAsking.take(units, of: limits.strangers, at: now) {
            if let key { giveBack(units, key) }
            return (0, .refused(retryAfter: wait))
        }
        return (units, .granted)
    }

    /// Refunds prepaid units not used.
    public mutating func giveBack(_ units: Int, _ key: IPAddress) { giveBack(units, .ask, key) }

    private mutating func giveBack(_ units: Int, _ activity: Activity, _ key: IPAddress) {
        for scope in AddressScope.all(of: key.family) { giveBack(units, activity, key, scope) }
    }

    // MARK: Scopes

    /// Takes from all scopes, or from none.
    private mutating func charge(_ units: Int, _ activity: Activity, _ key: IPAddress, at now: Int64) -> Verdict {
        let scopes = AddressScope.all(of: key.family)
        for scope in scopes {
            let limit = limits.limit(of: activity, scope)
            let verdict = tables[scope.rawValue][scope.block(of: key)].buckets[activity.rawValue].take(units, of: limit, at: now)
            guard verdict != .granted else { continue }
            for wider in scopes.prefix(while: { $0 != scope }) { giveBack(units, activity, key, wider) }
            return verdict
        }
        return .granted
    }

    private mutating func giveBack(_ units: Int, _ activity: Activity, _ key: IPAddress, _ scope: AddressScope) {
        let block = scope.block(of: key)
        guard tables[scope.rawValue].find(block) != nil else { return }
        tables[scope.rawValue][block].buckets[activity.rawValue].give(units, of: limits.limit(of: activity, scope))
    }

    /// Whole units available in every scope.
    private mutating func available(_ activity: Activity, _ key: IPAddress, at now: Int64) -> Int {
        var fewest = Int.max
        for scope in AddressScope.all(of: key.family) {
            let limit = limits.limit(of: activity, scope)
            fewest = min(
                fewest, tables[scope.rawValue][scope.block(of: key)].buckets[activity.rawValue].available(limit, at: now))
        }
        return fewest
    }

    // MARK: Wrong secrets

    /// Milliseconds until the address's next secret is checked; nil for at once.
    public func delay(_ key: IPAddress?, at now: Int64) -> Int64? {
        guard let key else { return nil }
        var end = now
        for scope in AddressScope.all(of: key.family) {
            if let entry = tables[scope.rawValue].find(scope.block(of: key)) { end = max(end, entry.delayedUntil) }
        }
        return end > now ? end - now : nil
    }

    /// Whether nothing around the address was wrong within the last hour; false for a trusted one, behind which there may be anybody.
    public func hasNoFailure(_ key: IPAddress?, at now: Int64) -> Bool {
        guard let key else { return false }
        return AddressScope.all(of: key.family).allSatisfy { scope in
            guard let entry = tables[scope.rawValue].find(scope.block(of: key)) else { return true }
            return entry.failures == 0 || now - entry.failuresAt >= 3_600_000
        }
    }

    /// Counts a wrong secret, code or pass phrase.
    /// - Returns: the failures of the narrowest scope, and the longest delay of any.
    public mutating func fail(_ key: IPAddress?, at now: Int64) -> Failure {
        guard let key else { return Failure(count: 1, delay: 0) }
        var (count, longest) = (1, Int64(0))
        for scope in AddressScope.all(of: key.family) {
            let failure = fail(&tables[scope.rawValue][scope.block(of: key)], scope.share, at: now)
            (count, longest) = (failure.count, max(longest, failure.delay))
        }
        return Failure(count: count, delay: longest)
    }

    /// - Parameter share: the scope's multiple of an address's budget: multiplies free failures and the rate of forgiving.
    private func fail(_ entry: inout Entry, _ share: Int, at now: Int64) -> Failure {
        let forgiven = max(0, now - entry.failuresAt) / (AddressLimits.forgiveness / Int64(share))
        let count = max(0, entry.failures - Int(clamping: forgiven)) + 1
        let free = limits.freeFailures * share
        entry.failures = count
        entry.failuresAt = now
        guard count > free else { return Failure(count: count, delay: 0) }
        let doublings = min(count - free - 1, 20)
        let delay = min(AddressLimits.firstDelay << Int64(doublings), limits.longestDelay)
        // Stops counting at the longest delay.
        if delay == limits.longestDelay { entry.failures = min(count, free + 20) }
        entry.delayedUntil = max(entry.delayedUntil, now + delay)
        return Failure(count: count, delay: delay)
    }
}

extension AddressLimits {
    /// The limit of an activity in a scope.
    fileprivate func limit(of activity: AddressBudgets.Activity, _ scope: AddressScope) -> RateLimit {
        switch activity {
        case .connect: connecting.times(scope)
        case .logIn: loggingIn.times(scope)
        case .talk: talking.times(scope)
        case .claim: claiming.times(scope)
        // Bounded, so that a /48 cannot use up the strangers' total.
        case .ask: asking.times(scope, total: strangers)
        }
    }
}

/// Limits of one address across its connections, and of all strangers together. An IPv6 /64 counts as an address; its /56 and /48 have
/// 4 and 16 times the limits.
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
}

/// Open connections per address; of IPv6 per /64, /56 and /48: see ``AddressScope``.
public struct AddressTable: Sendable {
    /// Why a connection is refused.
    public enum Refusal: Error, Sendable, Equatable {
        /// The total limit is reached.
        case full
        /// The limit of the address, or of its network, is reached.
        case tooManyFromAddress
        /// New connections from this address arrive too fast.
        case tooFast(retryAfter: Int64)
        /// The address is banned: see ``BanList``.
        case banned
    }

    /// Connections in all. A lower value keeps open connections.
    public var capacity: Int
    /// Connections per address. A network has several times as many, and at most a quarter of all.
    public var capacityPerAddress: Int
    /// Open connections.
    public private(set) var count = 0
    private var counts = AddressCounts()

    public init(capacity: Int, capacityPerAddress: Int) {
        self.capacity = capacity
        self.capacityPerAddress = capacityPerAddress
    }

    /// Counts a connection in, or refuses it. Balance each success with ``release(_:)``.
    /// - Parameter address: nil for a peer without an address, such as a Unix-domain socket: counts to the total only.
    public mutating func admit(_ address: IPAddress?) throws(Refusal) {
        guard count < capacity else { throw .full }
        if let address {
            guard counts.hasRoom(for: address, limit: capacityPerAddress, total: capacity) else { throw .tooManyFromAddress }
            counts.add(1, for: address)
        }
        count += 1
    }

    /// Counts an admitted connection out.
    public mutating func release(_ address: IPAddress?) {
        count -= 1
        if let address { counts.add(-1, for: address) }
    }
}

/// The blocks that are counted: an IPv4 address, or the IPv6 /64, /56 and /48 around an address, since providers assign any of these to
/// one customer. A wider block has a small multiple of a narrower block's limit, not the sum over all its narrower blocks.
package enum AddressScope: Int, CaseIterable, Sendable {
    case network48, network56, network64, address

    /// The scopes of a family, widest first.
    package static func all(of family: IPAddress.Family) -> ArraySlice<Self> { family == .v6 ? version6 : version4 }

    private static let version6 = allCases[..<3]
    private static let version4 = allCases[3...]

    /// Multiple of what the narrowest scope has.
    var share: Int {
        switch self {
        case .network48: 16
        case .network56: 4
        case .network64, .address: 1
        }
    }

    /// Bits of IPv6 behind the prefix.
    private var hostBits: UInt128 {
        switch self {
        case .network48: 80
        case .network56: 72
        case .network64, .address: 64
        }
    }

    /// The first address of the block.
    package func block(of address: IPAddress) -> IPAddress {
        address.family == .v4 ? address : IPAddress(family: .v6, bits: (address.bits >> hostBits) << hostBits)
    }

    /// The block's part of a limit, of which the narrowest has all. A wider one has several times that, and at most a quarter of the total.
    package func part(of limit: Int, total: Int) -> Int { limit < total / 4 ? min(limit * share, total / 4) : limit }
}

extension IPAddress {
    /// The narrowest unit of counting: an IPv4 address, or an IPv6 /64.
    package var counted: IPAddress { AddressScope.network64.block(of: self) }

    /// The widest unit of counting: an IPv4 address, or an IPv6 /48.
    package var network: IPAddress { AddressScope.network48.block(of: self) }
}

/// Counts per scope of each address. Has one entry per counted block, so a bound on the counted things bounds its size.
package struct AddressCounts: Sendable {
    private var counts = [[IPAddress: Int]](repeating: [:], count: AddressScope.allCases.count)

    package init() {}

    package mutating func add(_ step: Int, for address: IPAddress) {
        for scope in AddressScope.all(of: address.family) {
            let block = scope.block(of: address)
            let count = (counts[scope.rawValue][block] ?? 0) + step
            counts[scope.rawValue][block] = count == 0 ? nil : count
        }
    }

    /// Whether one more fits in every scope.
    package func hasRoom(for address: IPAddress, limit: Int, total: Int) -> Bool {
        AddressScope.all(of: address.family).allSatisfy {
            counts[$0.rawValue][$0.block(of: address)] ?? 0 < $0.part(of: limit, total: total)
        }
    }
}

/// Values by key: of at least the last `capacity / 2` keys used, and at most `capacity`. Of two generations the young one, once full, takes the
/// place of the old one: no list of uses is kept, and a full table allocates nothing.
struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let generation: Int
    private let blank: Value
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// - Parameter blank: the value of a new key.
    init(_ blank: Value, capacity: Int) { (self.blank, generation) = (blank, max(1, capacity / 2)) }

    var count: Int { young.count + old.count }

    /// The value of a key; does not count as a use.
    func find(_ key: Key) -> Value? { young[key] ?? old[key] }

    /// The value of a key, which is used.
    subscript(key: Key) -> Value {
        mutating get {
            use(key)
            return young[key] ?? blank
        }
        _modify {
            use(key)
            let blank = blank
            yield &young[key, default: blank]
        }
    }

    private mutating func use(_ key: Key) {
        guard young.index(forKey: key) == nil else { return }
        let known = old.removeValue(forKey: key)
        if young.count >= generation {
            swap(&young, &old)
            young.removeAll(keepingCapacity: true)
        }
        young[key] = known ?? blank
    }
}
