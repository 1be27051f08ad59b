/// Budgets per address across connections, without a clock: keeps the most recently used up to a capacity, in O(1), and when full without
/// allocating. Keys: an IPv6 /64; an IPv4 address, also when mapped to IPv6.
public struct AddressBudgets: Sendable {
    /// A budgeted activity.
    public enum Activity: Sendable {
        case connect, logIn, talk
        /// Opens a new account.
        case claim
    }

    public enum Verdict: Sendable, Equatable {
        case granted
        /// Over the rate; may succeed after `retryAfter` milliseconds.
        case refused(retryAfter: Int64)
        /// Banned for `retryAfter` milliseconds after too many refusals.
        case banned(retryAfter: Int64)
    }

    /// The effect of a wrong secret, code or pass phrase.
    public struct Failure: Sendable, Equatable {
        /// Recent failures of the address, including this one.
        public let count: Int
        /// Milliseconds until the next attempt is checked; 0 for at once.
        public let delay: Int64
    }

    private struct Entry: Sendable {
        var key: IPAddress
        var connecting = TokenBucket()
        var loggingIn = TokenBucket()
        var asking = TokenBucket()
        var talking = TokenBucket()
        var claiming = TokenBucket()
        var strikes = TokenBucket()
        var failures = 0
        /// Time of the last counted or forgiven failure, in milliseconds.
        var failuresAt: Int64 = 0
        /// Until then attempts are refused unchecked.
        var delayedUntil: Int64 = 0
        var bannedUntil: Int64 = 0
        /// Links of the LRU list; -1 for none.
        var newer: Int32 = -1
        var older: Int32 = -1
    }

    /// Limits, effective immediately.
    public var limits: AddressLimits
    private let capacity: Int
    private var entries: [Entry] = []
    private var places: [IPAddress: Int32] = [:]
    private var newest: Int32 = -1
    private var oldest: Int32 = -1
    /// Logins have a bucket of their own: a flood of requests does not block logins.
    private var strangersAsking = TokenBucket()
    private var strangersLoggingIn = TokenBucket()

    /// - Parameter capacity: addresses kept, 220 bytes each.
    public init(_ limits: AddressLimits, capacity: Int = 32_768) {
        self.limits = limits
        self.capacity = max(1, capacity)
    }

    /// Addresses kept.
    public var count: Int { entries.count }

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
        let place = use(key)
        if activity == .connect || activity == .logIn, let wait = ban(at: place, now) { return .banned(retryAfter: wait) }
        let verdict =
            switch activity {
            case .connect: entries[place].connecting.take(of: limits.connecting, at: now)
            case .logIn: entries[place].loggingIn.take(of: limits.loggingIn, at: now)
            case .talk: entries[place].talking.take(of: limits.talking, at: now)
            case .claim: entries[place].claiming.take(of: limits.claiming, at: now)
            }
        guard case .refused(let wait) = verdict else { return .granted }
        strike(place, at: now)
        return .refused(retryAfter: wait)
    }

    /// Charges requests in batches, so that most requests skip this table.
    /// - Parameters:
    ///   - price: units due.
    ///   - advance: units to prepay beyond that.
    ///   - isStranger: not logged in: also charged to the strangers' total, and refused while the address is banned.
    /// - Returns: the units charged, at least the price, or the refusal.
    public mutating func ask(
        _ key: IPAddress?, price: Int, advance: Int, isStranger: Bool, at now: Int64
    ) -> (paid: Int, verdict: Verdict) {
        var units = price + advance
        let place = key.map { use($0) }
        if let place {
            if isStranger, let wait = ban(at: place, now) { return (0, .banned(retryAfter: wait)) }
            // Caps the advance at an eighth: one peer must not drain a small budget.
            let share = (entries[place].asking.available(limits.asking, at: now) - price) / 8
            units = price + max(0, min(advance, share))
            if case .refused(let wait) = entries[place].asking.take(units, of: limits.asking, at: now) {
                if isStranger { strike(place, at: now) }
                return (0, .refused(retryAfter: wait))
            }
        }
        if isStranger, case .refused(let wait) = strangersAsking.take(units, of: limits.strangers, at: now) {
            if let place { entries[place].asking.give(units, of: limits.asking) }
            return (0, .refused(retryAfter: wait))
        }
        return (units, .granted)
    }

    /// Refunds prepaid units not used.
    public mutating func giveBack(_ units: Int, _ key: IPAddress) {
        if let place = places[key] { entries[Int(place)].asking.give(units, of: limits.asking) }
    }

    /// Milliseconds until the address's next secret is checked; nil for at once. A call within the delay counts as a refusal.
    public mutating func delay(_ key: IPAddress?, at now: Int64) -> Int64? {
        guard let key else { return nil }
        let place = use(key)
        guard entries[place].delayedUntil > now else { return nil }
        strike(place, at: now)
        return entries[place].delayedUntil - now
    }

    /// Counts a wrong secret, code or pass phrase.
    public mutating func fail(_ key: IPAddress?, at now: Int64) -> Failure {
        guard let key else { return Failure(count: 1, delay: 0) }
        let place = use(key)
        let forgiven = max(0, now - entries[place].failuresAt) / AddressLimits.forgiveness
        let count = max(0, entries[place].failures - Int(clamping: forgiven)) + 1
        entries[place].failures = count
        entries[place].failuresAt = now
        guard count > limits.freeFailures else { return Failure(count: count, delay: 0) }
        let doublings = min(count - limits.freeFailures - 1, 20)
        let delay = min(AddressLimits.firstDelay << Int64(doublings), limits.longestDelay)
        // Stops counting at the longest delay.
        if delay == limits.longestDelay { entries[place].failures = min(count, limits.freeFailures + 20) }
        entries[place].delayedUntil = now + delay
        return Failure(count: count, delay: delay)
    }

    // MARK: Bans

    /// The automatic bans that have not ended, in the order of addresses.
    public func bans(at now: Int64) -> [BanList.Entry] {
        let banned = entries.filter { $0.bannedUntil > now }
        return banned.sorted { ($0.key.family == .v6 ? 1 : 0, $0.key.bits) < ($1.key.family == .v6 ? 1 : 0, $1.key.bits) }
            .compactMap { entry in
                AddressBlock(entry.key, prefix: entry.key.family == .v6 ? 64 : 32).map {
                    BanList.Entry(block: $0, source: .automatic, until: entry.bannedUntil)
                }
            }
    }

    /// Lifts the automatic ban of this very block, and forgets its refusals.
    /// - Returns: the ban that was lifted, if it had not ended.
    public mutating func unban(_ block: AddressBlock, at now: Int64) -> BanList.Entry? {
        guard let place = places[block.base], let ban = ban(of: block, at: now) else { return nil }
        (entries[Int(place)].bannedUntil, entries[Int(place)].strikes) = (0, TokenBucket())
        return ban
    }

    /// The automatic ban of this very block, if it has not ended.
    public func ban(of block: AddressBlock, at now: Int64) -> BanList.Entry? {
        guard let place = places[block.base], block.prefix == (block.base.family == .v6 ? 64 : 32) else { return nil }
        let until = entries[Int(place)].bannedUntil
        return until > now ? BanList.Entry(block: block, source: .automatic, until: until) : nil
    }

    private func ban(at place: Int, _ now: Int64) -> Int64? {
        entries[place].bannedUntil > now ? entries[place].bannedUntil - now : nil
    }

    /// Counts a refusal; too many ban the address for a while.
    private mutating func strike(_ place: Int, at now: Int64) {
        guard case .refused = entries[place].strikes.take(of: AddressLimits.strikes, at: now), limits.banMilliseconds > 0,
            entries[place].bannedUntil <= now
        else { return }
        entries[place].bannedUntil = now + min(limits.banMilliseconds, AddressLimits.longestBan)
        hasBanned = (entries[place].key, entries[place].bannedUntil - now)
    }

    private var hasBanned: (key: IPAddress, milliseconds: Int64)?

    /// The address banned since the last call, if any, for the log.
    public mutating func takeNewBan() -> (key: IPAddress, milliseconds: Int64)? {
        defer { hasBanned = nil }
        return hasBanned
    }

    // MARK: Order of use

    /// Moves an address to the front of the LRU list, evicting the last one if full, and returns its slot.
    private mutating func use(_ key: IPAddress) -> Int {
        if let place = places[key] {
            guard place != newest else { return Int(place) }
            unlink(place)
            link(place)
            return Int(place)
        }
        let place: Int32
        if entries.count < capacity {
            place = Int32(entries.count)
            entries.append(Entry(key: key))
        } else {
            place = oldest
            unlink(place)
            places[entries[Int(place)].key] = nil
            entries[Int(place)] = Entry(key: key)
        }
        places[key] = place
        link(place)
        return Int(place)
    }

    private mutating func link(_ place: Int32) {
        entries[Int(place)].older = newest
        entries[Int(place)].newer = -1
        if newest >= 0 { entries[Int(newest)].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int32) {
        let (newer, older) = (entries[Int(place)].newer, entries[Int(place)].older)
        if newer >= 0 { entries[Int(newer)].older = older } else { newest = older }
        if older >= 0 { entries[Int(older)].newer = newer } else { oldest = newer }
    }
}
