/// Budgets per address across connections, without a clock. Of an IPv6 address the /64, the /56 and the /48 pay (see ``AddressScope``); an
/// IPv4 address pays also when mapped to IPv6. Each scope has a bounded table of its own, of the blocks used most recently: a /48 that
/// goes through its 65,536 networks evicts no other /48, and what it has spent stays spent. The widest scope pays first, so that one without a
/// budget makes no entries in the narrower tables.
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
    /// Logins have a bucket of their own: a flood of requests does not block logins.
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
    public mutating func giveBack(_ units: Int, _ key: IPAddress) {
        for scope in AddressScope.all(of: key.family) { giveBack(units, .ask, key, scope) }
    }

    // MARK: Scopes

    /// Takes from all scopes, or from none.
    private mutating func charge(_ units: Int, _ activity: Activity, _ key: IPAddress, at now: Int64) -> Verdict {
        let scopes = AddressScope.all(of: key.family)
        for scope in scopes {
            let slot = tables[scope.rawValue].use(scope.block(of: key))
            let limit = limits.limit(of: activity, scope)
            let verdict = tables[scope.rawValue][slot].buckets[activity.rawValue].take(units, of: limit, at: now)
            guard verdict != .granted else { continue }
            for wider in scopes.prefix(while: { $0 != scope }) { giveBack(units, activity, key, wider) }
            return verdict
        }
        return .granted
    }

    private mutating func giveBack(_ units: Int, _ activity: Activity, _ key: IPAddress, _ scope: AddressScope) {
        guard let slot = tables[scope.rawValue].find(scope.block(of: key)) else { return }
        tables[scope.rawValue][slot].buckets[activity.rawValue].give(units, of: limits.limit(of: activity, scope))
    }

    /// Whole units that every scope has.
    private mutating func available(_ activity: Activity, _ key: IPAddress, at now: Int64) -> Int {
        var fewest = Int.max
        for scope in AddressScope.all(of: key.family) {
            let slot = tables[scope.rawValue].use(scope.block(of: key))
            let limit = limits.limit(of: activity, scope)
            fewest = min(fewest, tables[scope.rawValue][slot].buckets[activity.rawValue].available(limit, at: now))
        }
        return fewest
    }

    // MARK: Wrong secrets

    /// Milliseconds until the address's next secret is checked; nil for at once.
    public func delay(_ key: IPAddress?, at now: Int64) -> Int64? {
        guard let key else { return nil }
        var end = now
        for scope in AddressScope.all(of: key.family) {
            let table = tables[scope.rawValue]
            if let slot = table.find(scope.block(of: key)) { end = max(end, table[slot].delayedUntil) }
        }
        return end > now ? end - now : nil
    }

    /// Counts a wrong secret, code or pass phrase.
    /// - Returns: the failures of the narrowest scope, and the longest delay of any.
    public mutating func fail(_ key: IPAddress?, at now: Int64) -> Failure {
        guard let key else { return Failure(count: 1, delay: 0) }
        var (count, longest) = (1, Int64(0))
        for scope in AddressScope.all(of: key.family) {
            let slot = tables[scope.rawValue].use(scope.block(of: key))
            let failure = fail(&tables[scope.rawValue][slot], scope.share, at: now)
            (count, longest) = (failure.count, max(longest, failure.delay))
        }
        return Failure(count: count, delay: longest)
    }

    /// - Parameter share: a block with several times the budget has so many free failures, and forgives so much faster.
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
        case .connect: connecting.times(scope.share)
        case .logIn: loggingIn.times(scope.share)
        case .talk: talking.times(scope.share)
        case .claim: claiming.times(scope.share)
        // A /48 leaves others some of the strangers' total.
        case .ask: asking.times(scope, total: strangers)
        }
    }
}
