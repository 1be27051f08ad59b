import Fairness
import Journal
import Records
import Sockets
import Synchronization
import TableEngine
import TableModel
import Wire

/// A question to the registry, for a connection whose line waits for the answer.
public struct RegistryQuestion: Sendable {
    enum Subject: Sendable {
        /// Claims a name's account for this partition, if the secret matches; `isHost`: the host's secret has opened the name.
        case claim(PlayerName, secret: Digest?, isHost: Bool)
        /// Claims an account in transit, by the SHA-256 of its ticket.
        case ticket(Digest)
        case insert(PlayerName, secret: Digest?)
        case lookUp(PlayerName)
        /// Fetches the other servers' tables, one of which may be new.
        case tables
        /// Waits until the row of a departed account is written.
        case departure(PlayerID)

        /// The number of waiting questions at which this one is refused: low for connections without an account. nil: never, since it completes
        /// a move.
        var bound: Int? {
            switch self {
            case .ticket, .insert, .departure: nil
            case .lookUp, .tables, .claim(_, secret: nil, _): RegistryClient.strangers
            case .claim: RegistryClient.capacity
            }
        }
    }

    enum Answer: Sendable {
        /// No account has the name.
        case free
        case inserted(PlayerID)
        case nameInUse
        /// Since the name was found free, another login has inserted it, perhaps with the same secret.
        case insertedMeanwhile
        /// The account that has the name, or one that looks like it.
        case found(PlayerID)
        /// The row is claimed: its account must arrive.
        case arrives(AccountRow)
        case wrongSecret(PlayerName)
        case disabled
        /// In another partition.
        case elsewhere(Int)
        /// In transit from this server, or to it.
        case busy
        /// The row of the departed account is written.
        case departed
        /// The registry does not answer in time.
        case unavailable
    }

    let subject: Subject
    let connection: ConnectionID
    /// Milliseconds after which to ask.
    var delay: Int64 = 0
}

/// The account registry's client: asks the registry (the database) on a background queue, and writes the rows of departed
/// accounts.
///
/// At every instant an account of this partition is in exactly one of four places: `claims` (its row is claimed, and the
/// `arrived` record is not yet written), `here` (the shard has it), the outbox (`departed` is recorded, and the row is not yet
/// written), or the registry. A row and a journal record never share a transaction, so the order makes crashes safe: claim the
/// row, then record `arrived`; record `departed`, wait until it is durable, then write the row. A start completes whichever
/// half is missing (``Reopening/reconcile(with:at:)``).
///
/// A claim is used once, on the loop (``use(_:serial:)``): an answer that arrives late or twice finds no claim and has no
/// effect. An answer that was lost leaves its name in `doubts`, whose rows are checked later.
///
/// All calls to the registry are made under `calls`, on the queue or by an operator; `state` guards everything that the loop
/// and the queue share, and is never held during a call. The queue takes turns between two lanes, urgent work that completes
/// something (deliveries, tickets) and questions that begin something. Each piece changes few rows, so a login waits for at
/// most one delivery, and a ticket for at most one question.
final class RegistryClient: Sendable {
    /// Milliseconds for which a question waits in the queue; a running call has a deadline of its own.
    static let deadline: Int64 = 3000
    /// Milliseconds for which a guest's account may be in transit.
    static let guestMilliseconds: Int64 = 10_000
    /// Maximum waiting questions of strangers, and of all: see ``RegistryQuestion/Subject/bound``. A connection has one at a time.
    static let (strangers, capacity) = (32, 256)
    /// Milliseconds from one exchange with the other servers to the next, and before a delivery is tried again.
    static let interval: Int64 = 1000
    /// Minimum milliseconds between two early exchanges.
    static let pause: Int64 = 100
    /// Maximum number of accounts that one piece of work closes.
    static let atOnce = 8

    typealias Answer = RegistryQuestion.Answer
    private typealias Work = @Sendable () -> Void

    private struct Outgoing {
        let departure: Departure
        /// The frame that must be durable first.
        let position: UInt64
        /// Whether its row is damaged: others go first.
        var isStuck = false
        var done: (@Sendable (Answer) -> Void)?

        /// The order of deliveries. A damaged row does not delay others.
        var rank: (Int, UInt64, UInt64) { (isStuck ? 1 : 0, position, departure.account.id.rawValue) }

        /// Whether the journal has this departure. The closing of an account that was opened here leaves none.
        var isRecorded: Bool { !departure.isClosed || departure.account.serial > 0 }
    }

    private struct State {
        /// Work for the queue.
        var lanes = TurnLanes<Work>()
        /// Serials of claimed and inserted rows whose account is yet to arrive.
        var claims: [PlayerID: UInt64] = [:]
        var here: Set<PlayerID> = []
        var outbox: [PlayerID: Outgoing] = [:]
        /// Names whose rows may have been claimed or inserted: the answer was lost.
        var doubts: Set<String> = []
        var isDelivering = false
        var isStopped = false
        var relay: String?
        /// This server's tables, for the notice.
        var tables: [TableSummary] = []
        var published: PartitionNotice?
        var house = HouseNotice()
        /// Exchanges notices.
        var exchange: (@Sendable () -> Void)?
        var exchangeRequested: Int64 = 0
        /// The partition of each table elsewhere.
        var places: [String: Int] = [:]
        /// A partition with a free seat at a public table.
        var withFreeSeat: Int?
    }

    let registry: any Registry
    private let journal: DurableLog?
    private let queue: BackgroundQueue
    private let calls = Mutex(())
    private let state = Mutex(State())

    /// - Parameters:
    ///   - saved: the state with which a start continues.
    ///   - position: the frame with the last of its departures.
    init(
        _ registry: any Registry, _ journal: DurableLog?, _ saved: SavedState, position: UInt64,
        on system: (any SimulatedSystem)? = nil
    ) {
        (self.registry, self.journal) = (registry, journal)
        queue = BackgroundQueue(label: "bj.registry", on: system)
        let outbox = saved.departures.mapValues { Outgoing(departure: $0, position: position) }
        state.withLock { ($0.here, $0.outbox) = (Set(saved.accounts.keys), outbox) }
        journal?.notify { [weak self] _ in self?.deliverSoon() }
        deliverSoon()
    }

    /// Starts no further work. Returns once a running call has ended.
    func stop() {
        state.withLock { ($0.isStopped, $0.lanes) = (true, TurnLanes()) }
        queue.wait()
    }

    /// Runs work on the queue, alternating between the two lanes.
    private func run(isUrgent: Bool = true, after delay: Int64 = 0, _ work: @escaping Work) {
        guard delay == 0 else {
            return queue.async(afterMilliseconds: delay) { [weak self] in self?.run(isUrgent: isUrgent, work) }
        }
        state.withLock { state in
            guard !state.isStopped else { return }
            state.lanes.append(work, toFirst: isUrgent)
        }
        // Runs the next piece, not necessarily this one.
        queue.async { [self] in state.withLock { $0.lanes.next() }?() }
    }

    private func call<Value: Sendable>(
        _ body: (any Registry) throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
        try calls.withLock { _ throws(JournalError) in try body(registry) }
    }

    // MARK: Questions

    /// - Parameter answer: called on the queue.
    /// - Returns: false if too many wait.
    func ask(_ question: RegistryQuestion, answer: @escaping @Sendable (Answer) -> Void) -> Bool {
        let subject = question.subject
        if case .departure(let id) = subject {
            awaitDelivery(of: id, answer)
            return true
        }
        let bound = question.delay > 0 ? nil : subject.bound
        guard state.withLock({ !$0.isStopped && $0.lanes.second.count < bound ?? .max }) else { return false }
        let due = queue.clock.now + question.delay
        run(isUrgent: subject.bound == nil, after: question.delay) { [self] in
            guard queue.clock.now - due <= Self.deadline else { return answer(.unavailable) }
            if case .tables = subject {
                state.withLock { $0.exchange }?()
                return answer(.free)
            }
            answer((try? call { _ throws(JournalError) in try self.answer(to: subject) }) ?? .unavailable)
        }
        return true
    }

    private func answer(to subject: RegistryQuestion.Subject) throws(JournalError) -> Answer {
        switch subject {
        case .lookUp(let name): return try registry.row(named: name).map { .found($0.id) } ?? .free
        case .insert(let name, let secret):
            let inserted = try doubting(name) { registry throws(JournalError) in try registry.insert(name, secret: secret) }
            guard let id = inserted else { return .insertedMeanwhile }
            state.withLock { $0.claims[id] = 0 }
            return .inserted(id)
        case .ticket(let ticket):
            guard let row = try registry.row(ticket: ticket), row.place == 0 else { return .busy }
            return try claim(row).map(Answer.arrives) ?? .busy
        case .claim(let name, let secret, let isHost):
            guard let row = try registry.row(named: name) else { return .free }
            return try claim(row, secret, isHost: isHost)
        case .departure, .tables: return .busy
        }
    }

    private func claim(_ row: AccountRow, _ secret: Digest?, isHost: Bool) throws(JournalError) -> Answer {
        // An account in transit names its secret even if its row does not: the player may log in on another connection.
        guard let secret, let digest = row.secret ?? row.state?.secret else { return .nameInUse }
        let here = registry.partition
        guard row.place == here || row.place == 0 else { return .elsewhere(row.place) }
        guard !isHere(row.id) else { return .busy }
        guard isHost || secret.isSame(as: digest) else { return .wrongSecret(row.name) }
        guard row.place == here else {
            if row.isDisabled { return .disabled }
            return try claim(row).map(Answer.arrives) ?? .busy
        }
        // The answer to an insertion, or to an earlier claim, was lost.
        guard !row.account.isEmpty else {
            _ = try registry.remove(row.id, serial: row.serial)
            return .free
        }
        guard row.state != nil else { return .busy }
        state.withLock { $0.claims[row.id] = row.serial }
        return .arrives(row)
    }

    /// Whether this server has the account, or has claimed it.
    private func isHere(_ id: PlayerID) -> Bool {
        state.withLock { $0.claims[id] != nil || $0.here.contains(id) || $0.outbox[id] != nil }
    }

    /// - Returns: nil for a row that has changed, or that this version cannot read.
    private func claim(_ row: AccountRow) throws(JournalError) -> AccountRow? {
        var claimed = row
        (claimed.place, claimed.serial, claimed.ticket, claimed.end) = (registry.partition, row.serial + 1, nil, nil)
        guard let account = claimed.state else { return nil }
        // With the secret in the row, other servers can relay the player back to a seat here.
        claimed.secret = account.secret
        let isClaimed = try doubting(row.name) { registry throws(JournalError) in
            try registry.replace(claimed, serial: row.serial)
        }
        guard isClaimed else { return nil }
        state.withLock { $0.claims[row.id] = claimed.serial }
        return claimed
    }

    private func doubting<Value>(
        _ name: PlayerName, _ change: (any Registry) throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
        do throws(JournalError) { return try change(registry) } catch {
            state.withLock { if $0.doubts.count < Self.capacity { $0.doubts.insert(name.text) } }
            throw error
        }
    }

    /// Returns rows whose claim got no answer, unless their players have logged in again.
    private func settleDoubts() {
        for text in state.withLock({ $0.doubts.sorted() }).prefix(Self.atOnce) {
            guard let name = try? PlayerName(text) else { continue }
            do throws(JournalError) {
                try call { registry throws(JournalError) in try settle(name, registry) }
            } catch {
                // A damaged row is reported; it belongs to no server.
                guard error.isLost else { return }
            }
            state.withLock { _ = $0.doubts.remove(text) }
        }
    }

    private func settle(_ name: PlayerName, _ registry: any Registry) throws(JournalError) {
        guard var row = try registry.row(named: name), row.place == registry.partition, !isHere(row.id) else { return }
        row.place = 0
        row.serial += 1
        if row.account.isEmpty {
            _ = try registry.remove(row.id, serial: row.serial - 1)
        } else {
            // Undoes the claim, which named the secret of an account that does not last.
            if let account = row.state, !account.lasts { row.secret = nil }
            row.end = row.state?.rowEnd(after: queue.clock.now)
            _ = try registry.replace(row, serial: row.serial - 1)
        }
    }

    /// Uses a claim: the account enters the shard.
    /// - Returns: false if it was used.
    func use(_ id: PlayerID, serial: UInt64) -> Bool {
        let (isClaimed, former) = state.withLock { state in
            guard state.claims[id] == serial else { return (false, Outgoing?.none) }
            state.claims[id] = nil
            state.here.insert(id)
            // If it is still in the outbox, the answer to its delivery was lost: the arrival proves the delivery.
            return (true, state.outbox.removeValue(forKey: id))
        }
        former?.done?(.unavailable)
        return isClaimed
    }

    /// Frees the name of an inserted row whose account is not opened.
    func discard(_ id: PlayerID) {
        guard use(id, serial: 0) else { return }
        depart(Departure(closed: AccountState(id: id, name: "", isBot: false, secret: nil), at: 0))
    }

    // MARK: Outbox

    /// Adds an account that has departed and whose records are handed over. Called before its name is free.
    func depart(_ departure: Departure) {
        state.withLock { state in
            state.here.remove(departure.account.id)
            state.outbox[departure.account.id] = Outgoing(departure: departure, position: journal?.appended ?? 0)
        }
        deliverSoon()
    }

    private func awaitDelivery(of id: PlayerID, _ answer: @escaping @Sendable (Answer) -> Void) {
        let serial = state.withLock { state in
            state.outbox[id]?.done = answer
            return state.outbox[id]?.departure.account.serial
        }
        guard let serial else { return run { answer(.departed) } }
        run(after: Self.deadline) { [self] in
            let late = state.withLock { state -> (@Sendable (Answer) -> Void)? in
                // Ignores a later departure of the account.
                guard state.outbox[id]?.departure.account.serial == serial else { return nil }
                defer { state.outbox[id]?.done = nil }
                return state.outbox[id]?.done
            }
            late?(.unavailable)
        }
    }

    private func deliverSoon() {
        let begins = state.withLock { state in
            guard !state.outbox.isEmpty, !state.isDelivering, !state.isStopped else { return false }
            state.isDelivering = true
            return true
        }
        if begins { run { [self] in deliver() } }
    }

    private func deliver() {
        // A closed journal may have refused the record of a departure. The next start reconciles.
        guard journal?.isOpen ?? true else { return }
        let durable = journal?.durable ?? .max
        let (first, hasMore) = state.withLock { state in
            state.isDelivering = false
            // One pass and no copy: at a start all accounts without a seat may be here.
            let ready = state.outbox.values.lazy.filter { $0.position <= durable }
            let first = state.isStopped ? nil : ready.min { $0.rank < $1.rank }
            return (first, ready.count { !$0.isStuck } > 1)
        }
        guard let first else { return }
        do throws(JournalError) {
            try call { _ throws(JournalError) in try follow(first) }
            finish(first.departure)
        } catch {
            guard error.isLost else { return run(after: Self.interval) { [weak self] in self?.deliverSoon() } }
            state.withLock { $0.outbox[first.departure.account.id]?.isStuck = true }
        }
        if hasMore { deliverSoon() }
    }

    private func follow(_ outgoing: Outgoing) throws(JournalError) {
        let (departure, account) = (outgoing.departure, outgoing.departure.account)
        guard !departure.isClosed else {
            _ = try registry.remove(account.id, serial: account.serial)
            return
        }
        // Otherwise the row was written and the answer was lost: another server may have the account.
        guard var row = try registry.row(of: account.id), row.serial == account.serial else { return }
        // Keeps the row's name, which is unique.
        (row.place, row.serial, row.secret) = (0, account.serial + 1, account.lasts ? account.secret : nil)
        (row.isDisabled, row.ticket, row.account) = (account.isDisabled, departure.ticket, departure.bytes)
        row.end = account.rowEnd(after: departure.time + Self.guestMilliseconds)
        _ = try registry.replace(row, serial: account.serial)
    }

    private func finish(_ departure: Departure) {
        let (id, serial) = (departure.account.id, departure.account.serial)
        let done = state.withLock { state -> (@Sendable (Answer) -> Void)? in
            guard let outgoing = state.outbox[id], outgoing.departure.account.serial == serial else { return nil }
            // Under the lock: an arrival that removes the entry is recorded after this.
            if outgoing.isRecorded {
                _ = journal?.append(Record.delivered(id, serial: serial, time: max(queue.clock.now, departure.time)).encoded())
            }
            state.outbox[id] = nil
            return outgoing.done
        }
        done?(.departed)
    }

    // MARK: Other servers

    /// Announces the address at which relays reach this server.
    func announce(_ relay: String?) {
        state.withLock { $0.relay = relay }
        exchangeSoon()
    }

    /// Whether an exchange with the other servers has succeeded.
    var knowsHouse: Bool { state.withLock { $0.published != nil } }

    /// The partition of a table elsewhere.
    func partition(ofTable name: String) -> Int? { state.withLock { $0.places[name] } }

    /// The other partition that has issued an owner code: see ``Server/ownerCodePrefix``.
    func partition(ofOwnerCode code: String) -> Int? {
        guard let dash = code.firstIndex(of: "-"), let partition = Int(code[..<dash]) else { return nil }
        return state.withLock { $0.house.partitions[partition] == nil ? nil : partition }
    }

    /// A partition whose tables have a free seat for everybody.
    var partitionWithFreeSeat: Int? { state.withLock { $0.withFreeSeat } }

    /// The address for relays of a partition's owner; nil if none is known.
    func relay(of partition: Int) -> String? { state.withLock { $0.house.partitions[partition]?.relay } }

    /// The refusal of an operator's request for an account in another partition.
    func elsewhere(_ name: String, _ partition: Int) -> AccountRefusal {
        .elsewhere(name, server: relay(of: partition) ?? "partition \(partition)")
    }

    /// Accounts with a secret in the whole house.
    var accounts: Int { state.withLock { $0.house.accounts } }

    /// Changes this server's tables in its notice.
    func publish(_ tables: [TableSummary]) { state.withLock { $0.tables = tables } }

    /// Exchanges notices with the other servers, now and each second.
    /// - Parameters:
    ///   - maximumAccounts: of the house.
    ///   - changed: called on the queue with the old and the new notices.
    func follow(maximumAccounts: Int, changed: @escaping @Sendable (_ old: HouseNotice, _ new: HouseNotice) -> Void) {
        state.withLock { $0.exchange = { [weak self] in self?.exchange(maximumAccounts, changed) } }
        run { [weak self] in self?.poll() }
    }

    private func poll() {
        guard let exchange = state.withLock({ $0.isStopped ? nil : $0.exchange }) else { return }
        exchange()
        run(after: Self.interval) { [weak self] in self?.poll() }
    }

    /// Exchanges notices early: this server has a new address for relays, or another server is unreachable and may have a successor.
    func exchangeSoon() {
        let exchange = state.withLock { state -> (@Sendable () -> Void)? in
            let now = queue.clock.now
            guard now - state.exchangeRequested >= Self.pause else { return nil }
            state.exchangeRequested = now
            return state.exchange
        }
        if let exchange { run(exchange) }
    }

    private func exchange(_ maximumAccounts: Int, _ changed: @escaping @Sendable (HouseNotice, HouseNotice) -> Void) {
        guard !state.withLock({ $0.isStopped }) else { return }
        let (notice, published) = state.withLock { (PartitionNotice(relay: $0.relay, tables: $0.tables), $0.published) }
        if let house = try? call({ registry throws(JournalError) in try registry.exchange(notice == published ? nil : notice) }) {
            let old = state.withLock { state in
                defer { state.house = house }
                state.published = notice
                state.places = [:]
                for (partition, notice) in house.partitions {
                    for table in notice.tables { state.places[table.name] = partition }
                }
                state.withFreeSeat =
                    house.partitions.filter { partition in
                        partition.value.relay != nil
                            && partition.value.tables.contains { !$0.isLocked && !$0.isClosing && $0.freeSeats > 0 }
                    }.keys.min()
                return state.house
            }
            if old != house { changed(old, house) }
        }
        endAccounts(before: queue.clock.now)
        let surplus = accounts - maximumAccounts
        if surplus >= 0 { endAccounts(before: .max, limit: min(Self.atOnce, surplus + 1)) }
        settleDoubts()
        deliverSoon()
    }

    /// Closes accounts whose row has expired: accounts in transit that do not last.
    /// - Parameter end: the greatest time in a full house, where replaceable accounts make room as well.
    private func endAccounts(before end: Int64, limit: Int = atOnce) {
        let now = queue.clock.now
        var ended = 0
        try? call { registry throws(JournalError) in
            // An account in transit is not removed to make room.
            for row in try registry.endedRows(at: end, limit: limit) where row.ticket == nil || row.end ?? .max <= now {
                if try self.end(row) { ended += 1 }
            }
        }
        // Corrects the count until the next exchange, so that no more accounts are removed than needed.
        if end == .max { state.withLock { $0.house.accounts -= ended } }
        // The limit was reached: more rows may have expired.
        if ended == Self.atOnce, end < .max { run(isUrgent: false) { [weak self] in self?.endAccounts(before: end) } }
    }

    /// Closes the account of a row.
    /// - Returns: false if it has changed.
    private func end(_ row: AccountRow) throws(JournalError) -> Bool {
        let now = queue.clock.now
        guard let arrival = Record.arrival(of: row.id, row.account, serial: row.serial + 1, at: now),
            case .arrived(let account, _) = arrival, try claim(row) != nil
        else { return false }
        // In one frame: the account arrives, and its chips return to the bank.
        _ = journal?.append(arrival.encoded() + Record.closed(row.id, time: now).encoded())
        depart(Departure(closed: account, at: now))
        state.withLock { $0.claims[row.id] = nil }
        return true
    }

    /// Closes the account of a guest in transit whose connection has ended.
    func endGuest(_ id: PlayerID) {
        run(isUrgent: false) { [self] in
            _ = try? call { registry throws(JournalError) in
                guard let row = try registry.row(of: id), row.place == 0, row.secret == nil else { return }
                _ = try end(row)
            }
        }
    }

    func ban(_ block: AddressBlock, until end: Int64?) -> Bool {
        (try? call { registry throws(JournalError) in try registry.ban(block, until: end) }) != nil
    }

    // MARK: Operators

    /// Finds an account by name for an operator. Blocks: not on a loop.
    /// - Parameter isTaken: whether to claim it.
    func row(named name: PlayerName, isTaken: Bool) throws(JournalError) -> (row: AccountRow, isBusy: Bool)? {
        try call { registry throws(JournalError) in
            guard let row = try registry.row(named: name), row.name.key == name.key else { return nil }
            if isHere(row.id) { return (row, true) }
            guard isTaken, row.place == 0, !row.account.isEmpty else { return (row, false) }
            return try claim(row).map { ($0, false) } ?? (row, true)
        }
    }

    /// ``row(named:isTaken:)`` with the error for the operator.
    func row(of text: String, _ name: PlayerName, isTaken: Bool) throws(AccountRefusal) -> (row: AccountRow, isBusy: Bool)? {
        do throws(JournalError) { return try row(named: name, isTaken: isTaken) } catch { throw .unknown(text) }
    }

    /// Changes the name in the row of an account that this server has. Blocks: not on a loop.
    /// - Returns: false if the new name is in use.
    func rename(_ id: PlayerID, to name: PlayerName) throws(JournalError) -> Bool {
        try call { registry throws(JournalError) in
            guard var row = try registry.row(of: id), row.place == registry.partition else { return false }
            row.name = name
            return try registry.replace(row, serial: row.serial)
        }
    }
}

/// Two lanes of work that take turns: neither waits for more than one piece of the other's.
struct TurnLanes<Work> {
    private(set) var (first, second): ([Work], [Work]) = ([], [])
    private var isSecondNext = false

    mutating func append(_ work: Work, toFirst isFirst: Bool) { if isFirst { first.append(work) } else { second.append(work) } }

    /// The next piece; nil if both lanes are empty.
    mutating func next() -> Work? {
        let isSecond = first.isEmpty || isSecondNext && !second.isEmpty
        isSecondNext = !isSecond
        if isSecond { return second.isEmpty ? nil : second.removeFirst() }
        return first.removeFirst()
    }
}

extension AccountState {
    /// ``AccountRow/end`` of this account in its row.
    /// - Parameter end: the deadline for its arrival elsewhere.
    fileprivate func rowEnd(after end: Int64) -> Int64? { lasts && !isReplaceable ? nil : end }
}

extension Digest {
    /// Compares in constant time.
    func isSame(as other: Digest) -> Bool { zip(bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 }
}
