import Fairness
import Rules
import TableEngine
import Wire

/// The state of a server as its records give it: what a start restores and a checkpoint keeps.
public struct SavedState: Equatable, Sendable {
    /// The id of the house: 16 hexadecimal digits.
    public package(set) var house: String
    /// The highest account id so far.
    public internal(set) var lastID: UInt64 = 0
    /// Chips of the bank: the negative of everything issued. Wraps around instead of trapping, as the sums of tables do.
    public internal(set) var bank = 0
    public internal(set) var former = FormerTables()
    public internal(set) var accounts: [PlayerID: AccountState] = [:]
    /// Accounts that have left this partition, until their rows have followed.
    public internal(set) var departures: [PlayerID: Departure] = [:]
    /// Chips that came with accounts from their rows, less those that left with accounts. Over the partitions of a house, the rows that have
    /// an account, the departures and the claimed rows whose account has yet to arrive, these sums and chips add up to 0. Wraps around.
    public internal(set) var travelled = 0
    /// Open tables by name.
    public internal(set) var tables: [String: SavedTable] = [:]
    /// Proofs of tables that are closed and forgotten, those closed last at the end.
    package internal(set) var formerProofs: [FormerProofs] = []
    /// Owners and their decisions by the table's name, also of tables that are not open.
    public internal(set) var decisions: [String: OwnerDecisions] = [:]
    /// Banned address blocks with the end of each ban in milliseconds since 1970; nil: for ever.
    public internal(set) var bans: [String: Int64?] = [:]
    /// The latest time of any record, in milliseconds since 1970.
    public internal(set) var time: Int64 = 0
    /// The program version of the last start; empty before the first.
    public internal(set) var version = ""
    /// Whether the last start was followed by a stop: nothing was cut off.
    public internal(set) var isStopped = true

    /// Whether the last start counts careers.
    package var countsCareers = false

    public init(house: String) { self.house = house }

    /// Bank + accounts + chips brought to tables less those taken + the net of former tables. Always 0: chips are conserved.
    ///
    /// Sums over all accounts and tables; ``apply(_:at:)`` checks each table that it touches.
    public var ledger: Int {
        var sum = bank &+ former.houseNet
        for account in accounts.values { sum &+= account.chips }
        for saved in tables.values { sum &+= saved.table.chipsOnTable &+ saved.table.houseNet }
        return sum
    }

    // MARK: Apply

    /// Applies a record.
    /// - Throws: the reason for which it does not fit; the state is then of no further use.
    public mutating func apply(_ record: Record, at place: RecordPlace? = nil) throws(ReplayError) {
        do {
            try perform(record)
        } catch {
            throw ReplayError(place: place, reason: error)
        }
    }

    /// Reads and applies one line.
    /// - Throws: as ``apply(_:at:)``; also for a line that is no record.
    public mutating func apply(line: UnsafeBufferPointer<UInt8>, at place: RecordPlace? = nil) throws(ReplayError) {
        let record: Record
        do {
            record = try Record(line: line)
        } catch {
            throw ReplayError(place: place, reason: .unreadable(error))
        }
        try apply(record, at: place)
    }

    private mutating func perform(_ record: Record) throws(ReplayError.Reason) {
        switch record {
        case .facts(let table, let time, let facts): try apply(facts, table, time)
        case .started(let time, let version, let careers):
            if time < self.time { try setBack(to: time) }
            if !careers, countsCareers { forgetCareers() }
            countsCareers = careers
            advance(to: time)
            self.version = version
            isStopped = false
        case .stopped(let time):
            advance(to: time)
            isStopped = true
        case .opened(let name, let rules, let pace, let pass, let time):
            guard tables[name] == nil else { throw .tableExists(name) }
            advance(to: time)
            tables[name] = SavedTable(
                table: Table(rules: rules, pace: pace), pass: pass, opened: time, time: time)
        case .paced(let name, let pace, let time):
            guard let index = tables.index(forKey: name) else { throw .unknownTable(name) }
            advance(to: time)
            tables.values[index].table.change(to: pace, at: Timestamp(milliseconds: time))
        case .pass(let name, let pass):
            guard tables[name] != nil || decisions[name]?.phrase != nil else { throw .unknownTable(name) }
            tables[name]?.pass = pass
            decisions.overrulePhrase(of: name)
        case .owned(let name, let owner, let code):
            guard accounts[owner]?.secret != nil else { throw .unknownAccount(owner) }
            guard decisions[name]?.code != code else { throw .codeUsed }
            let former = decisions.own(name, owner, code)
            if let former { tables[name]?.pass = former.configured }
            try accounts.values[accountIndex(of: owner)].apply(record)
        case .ownerPass(let name, let owner, let pass, let configured):
            decisions.decide(name, owner) { $0.phrase = OwnerPhrase(pass: pass, configured: configured) }
            tables[name]?.pass = pass
        case .sentAway(let name, let owner, let player, let until):
            // Also reserves the id of a player without an account.
            lastID = max(lastID, player.rawValue)
            decisions.decide(name, owner) { $0.sentAway.insert(player, until: until) }
        case .ownerPause(let name, let owner, let until, let reason, let time):
            guard tables[name] != nil else { throw .unknownTable(name) }
            advance(to: time)
            decisions.decide(name, owner) {
                $0.evening.pause = until.map { Evening.Pause(since: time, until: $0, reason: reason) }
            }
        case .ownerMatch(let name, let owner, let match):
            guard tables[name] != nil else { throw .unknownTable(name) }
            var ended: Evening.Match?
            decisions.decide(name, owner) { ended = $0.evening.play(match.rounds, after: match.from) }
            if let ended { finish(ended) }
        case .gone(let name, let time):
            guard let table = tables[name]?.table else { throw .unknownTable(name) }
            guard table.chipsOnTable == 0, table.playerViews.isEmpty else { throw .tableInUse(name) }
            advance(to: time)
            former.tables &+= 1
            former.rounds &+= table.round
            former.houseNet &+= table.houseNet
            formerProofs.keep(table.proofsLeft, of: name, isLocked: tables[name]?.pass != nil)
            tables[name] = nil
            decisions[name]?.evening = Evening()
        case .banned(let block, let until): bans.updateValue(until, forKey: block)
        case .unbanned(let block): bans[block] = nil
        case .account(let id, let name, let isBot, let secret, _, let time):
            bank &-= record.issuedChips
            guard id.rawValue > 0, accounts[id] == nil, departures[id] == nil else { throw .accountExists(id) }
            var account = AccountState(id: id, name: name, isBot: isBot, secret: secret)
            try account.apply(record)
            accounts[id] = account
            lastID = max(lastID, id.rawValue)
            advance(to: time)
        case .closed(let id, let time):
            let account = try remove(id)
            if !account.isGuest { decisions.forget(id) }
            // A row without an account, that of one which was opened here, is removed without a trace in the journal.
            if account.serial > 0 { departures[id] = Departure(closed: account, at: time) }
            advance(to: time)
        case .issued(let id, _, _, let time):
            bank &-= record.issuedChips
            try accounts.values[accountIndex(of: id)].apply(record)
            advance(to: time)
        case .renamed(let id, _), .disabled(let id, _), .secret(let id, _):
            try accounts.values[accountIndex(of: id)].apply(record)
            guard case .renamed = record, let name = accounts[id]?.playerName.text else { return }
            for table in decisions.keys { decisions[table]?.evening.match?.rename(id, to: name) }
        // Accounts that come from their rows in a registry, and go there.
        case .arrived(let account, let time):
            let id = account.id
            guard accounts[id] == nil, account.isArrivable, account.serial > 0,
                // The row was written after an earlier departure: otherwise it could not have been claimed again.
                departures[id].map({ $0.account.serial < account.serial }) ?? true
            else { throw .accountExists(id) }
            bank &-= account.chips
            travelled &+= account.chips
            departures[id] = nil
            accounts[id] = account
            lastID = max(lastID, id.rawValue)
            advance(to: time)
        case .departed(let id, let ticket, let time):
            let account = try remove(id)
            travelled &-= account.chips
            departures[id] = Departure(account, ticket: ticket, at: time)
            advance(to: time)
        case .delivered(let id, let serial, let time):
            guard departures[id]?.account.serial == serial else { throw .unknownAccount(id) }
            departures[id] = nil
            advance(to: time)
        }
    }

    private mutating func advance(to time: Int64) { self.time = max(self.time, time) }

    /// A server of 1.0 goes on: it keeps no careers.
    private mutating func forgetCareers() {
        for id in accounts.keys { accounts[id]?.career = Career() }
        for id in departures.keys { departures[id]?.account.career = Career() }
    }

    /// The clock was set back: clamps past times and shifts future deadlines, so that one start in 2030 does not delay all later ones.
    private mutating func setBack(to time: Int64) throws(ReplayError.Reason) {
        let distance = time - self.time
        self.time = time
        for id in accounts.keys { accounts[id]?.setBack(to: time) }
        for id in departures.keys { departures[id]?.setBack(to: time) }
        for (name, saved) in tables {
            tables[name]?.time = min(saved.time, time)
            guard saved.table.phase != .closed else { continue }
            do { try tables[name]?.table.replay(.postponed(milliseconds: Int(distance))) } catch {
                throw .invalidFact(table: name, fact: 1, error)
            }
        }
        for (name, decided) in decisions {
            decisions[name]?.sentAway = decided.sentAway.moved(by: distance)
            decisions[name]?.evening.move(by: distance)
        }
        bans = bans.mapValues { $0.map { max(0, $0 + distance) } }
    }
}

/// The totals of tables that are closed and forgotten.
public struct FormerTables: Hashable, Sendable {
    public var tables = 0
    public var rounds = 0
    /// In chips; negative: the house lost.
    public var houseNet = 0

    public init() {}
}

/// An open table as records give it.
public struct SavedTable: Equatable, Sendable {
    public internal(set) var table: Table
    /// The pass phrase; nil: everybody may sit.
    public internal(set) var pass: String?
    /// In milliseconds since 1970.
    public let opened: Int64
    /// The time of the last facts, in milliseconds since 1970.
    public internal(set) var time: Int64

    public var rules: HouseRules { table.rules }
    public var pace: Pace { table.pace }
}

/// Accounts.
extension SavedState {
    private func accountIndex(of id: PlayerID) throws(ReplayError.Reason) -> Dictionary<PlayerID, AccountState>.Index {
        guard let index = accounts.index(forKey: id) else { throw .unknownAccount(id) }
        return index
    }

    /// Removes an account without a seat, and takes its chips from the bank's debt.
    private mutating func remove(_ id: PlayerID) throws(ReplayError.Reason) -> AccountState {
        let account = try accounts.values[accountIndex(of: id)]
        if let table = account.table { throw .accountAtTable(id, table: table) }
        bank &+= account.chips
        accounts[id] = nil
        return account
    }
}

/// An account that has left a partition, until its row in the registry has followed.
public struct Departure: Equatable, Sendable {
    /// As it left; of a closed one the id and the serial alone.
    public internal(set) var account: AccountState
    public let ticket: Digest?
    /// Whether the account is closed: the row goes.
    public let isClosed: Bool
    /// In milliseconds since 1970.
    public internal(set) var time: Int64

    package init(_ account: AccountState, ticket: Digest?, at time: Int64) {
        (self.account, self.ticket, self.time, isClosed) = (account, ticket, time, false)
    }

    package init(closed account: AccountState, at time: Int64) {
        self.account = AccountState(id: account.id, name: "", isBot: false, secret: nil)
        self.account.serial = account.serial
        (ticket, self.time, isClosed) = (nil, time, true)
    }

    /// The account as its row keeps it.
    package var bytes: [UInt8] { isClosed ? [] : Record.arrived(account, time: time).encoded() }

    fileprivate mutating func setBack(to time: Int64) {
        self.time = min(self.time, time)
        account.setBack(to: time)
    }
}

/// The line of a checkpoint.
extension Departure: FieldObject {
    static var blank: Self { Self(.blank, ticket: nil, at: 0) }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        let time = try visitor.required("departed", time, as: RecordTime.self)
        let isClosed = try visitor.flag("closed", isClosed)
        let ticket = try visitor.optional("ticket", ticket)
        try account.visit(&visitor)
        self = isClosed ? Self(closed: account, at: time) : Self(account, ticket: ticket, at: time)
    }
}

extension AccountState {
    /// Whether an account of a row or a checkpoint can be one without a seat.
    var isArrivable: Bool {
        id.rawValue > 0 && id.rawValue < 1 << 53 && table == nil && (0...Self.mostChips).contains(chips) && serial < UInt32.max
            && (0...1 << 53).contains(lastRebuy ?? 0)
    }
}

extension Record {
    /// The arrival of an account from its row.
    /// - Parameters:
    ///   - bytes: the row's; see ``Departure/bytes``.
    ///   - serial: the row's, once it is claimed.
    /// - Returns: nil unless the bytes have this account.
    package static func arrival(of id: PlayerID, _ bytes: [UInt8], serial: UInt64, at time: Int64) -> Record? {
        guard case .arrived(var account, _) = try? Record(line: bytes), account.id == id else { return nil }
        account.serial = serial
        // The clock of the server that it comes from may be ahead.
        account.setBack(to: time)
        return account.isArrivable ? .arrived(account, time: time) : nil
    }
}

/// Tables.
extension SavedState {
    private mutating func apply(_ facts: [Fact], _ name: String, _ time: Int64) throws(ReplayError.Reason) {
        guard let index = tables.index(forKey: name) else { throw .unknownTable(name) }
        var isDealt = false
        var match = decisions[name]?.evening.running
        // Kept for a match alone.
        var results: [PlayerRound] = []
        for (number, fact) in facts.enumerated() {
            switch fact {
            case .roundStarted: isDealt = true
            case .sat(let id, _, _, _), .left(let id, _):
                try accounts.values[accountIndex(of: id)].apply(fact, at: name)
            // Changes the table alone.
            default: break
            }
            do {
                try tables.values[index].table.replay(fact)
            } catch {
                throw .invalidFact(table: name, fact: number + 1, error)
            }
            guard case .roundEnded = fact else { continue }
            tables.values[index].table.forEachResult {
                if countsCareers { accounts[$0.player]?.count($0, at: time) }
                if match != nil { results.append($0) }
            }
        }
        let surplus = tables.values[index].table.surplus
        guard surplus == 0 else { throw .imbalance(table: name, chips: surplus) }
        tables.values[index].time = time
        if !decisions.isEmpty { decisions[name]?.evening.follow(facts, at: time) }
        if !results.isEmpty, let isOver = match?.count(results, name: { accounts[$0]?.personName }) {
            decisions[name]?.evening.match = match
            if isOver, let match { finish(match) }
        }
        advance(to: time)
        guard isDealt else { return }
        for owner in tables.values[index].table.owners { accounts[owner]?.play(at: time) }
    }

    private mutating func finish(_ match: Evening.Match) {
        for score in match.scores where countsCareers { accounts[score.player]?.count(match) }
    }
}

/// A table's owner and their decisions, by the table's name: they outlive the table, crashes and stops.
public struct OwnerDecisions: Equatable, Sendable {
    public let owner: PlayerID
    /// SHA-256 of the code that made the account the owner: a login that repeats it is no second use.
    public var code: Digest?
    /// nil: the configuration's phrase counts.
    public var phrase: OwnerPhrase?
    public var sentAway = SentAway()
    /// At an open table.
    public var evening = Evening()

    public init(owner: PlayerID) { self.owner = owner }
}

/// By the table's name: one rule for a running server and for replayed records.
extension [String: OwnerDecisions] {
    /// Gives a table to an account.
    /// - Returns: the former owner's phrase, which is over; nil for an account that owns the table already.
    package mutating func own(_ table: String, _ owner: PlayerID, _ code: Digest) -> OwnerPhrase? {
        let former = self[table]?.owner == owner ? nil : self[table]?.phrase
        decide(table, owner) { $0.code = code }
        return former
    }

    /// Changes the decisions of a table's owner; another owner's are over.
    package mutating func decide(_ table: String, _ owner: PlayerID, _ body: (inout OwnerDecisions) -> Void) {
        var decided = self[table] ?? OwnerDecisions(owner: owner)
        if decided.owner != owner { decided = OwnerDecisions(owner: owner) }
        body(&decided)
        // An owner who has decided nothing leaves no line in a checkpoint, and so nothing here.
        self[table] = decided == OwnerDecisions(owner: owner) ? nil : decided
    }

    /// The host's phrase counts for a table.
    package mutating func overrulePhrase(of table: String) { self[table]?.phrase = nil }

    /// An account is deleted.
    package mutating func forget(_ owner: PlayerID) { self = filter { $0.value.owner != owner } }
}

/// A pass phrase that a table's owner has set.
public struct OwnerPhrase: Equatable, Sendable {
    /// nil: the table is open to all.
    public let pass: String?
    /// The configuration's phrase at that time. The owner's phrase counts until the configuration names another one.
    public let configured: String?

    public init(pass: String?, configured: String?) { (self.pass, self.configured) = (pass, configured) }
}

/// Players whom a table's owner has sent away, with the end of the time for which each may not sit there.
public struct SentAway: Equatable, Sendable {
    /// Milliseconds for which a player may not sit there.
    public static let milliseconds: Int64 = 600_000
    /// Players at most; the one whose time ends first makes room.
    public static let capacity = 64

    private var ends: [PlayerID: Int64] = [:]

    public init() {}

    public var isEmpty: Bool { ends.isEmpty }

    /// - Parameter end: in milliseconds since 1970, ``milliseconds`` from now; 0: the player may sit.
    public mutating func insert(_ player: PlayerID, until end: Int64) {
        guard end > 0 else {
            ends[player] = nil
            return
        }
        ends = ends.filter { $0.value > end - Self.milliseconds }
        if ends.count >= Self.capacity, ends[player] == nil, let first = ends.min(by: Self.isBefore) { ends[first.key] = nil }
        ends[player] = end
    }

    func moved(by milliseconds: Int64) -> SentAway {
        var moved = self
        moved.ends = ends.mapValues { max(0, $0 + milliseconds) }
        return moved
    }

    /// Milliseconds that are left; nil for a player who may sit.
    public func wait(of player: PlayerID, at now: Int64) -> Int64? { ends[player].flatMap { $0 > now ? $0 - now : nil } }

    /// Players whose time has not ended, the first to end first.
    func entries(at now: Int64) -> [(player: PlayerID, end: Int64)] {
        ends.filter { $0.value > now }.sorted(by: Self.isBefore).map { ($0.key, $0.value) }
    }

    /// By the end, then by the account: the same order at every start.
    private static func isBefore(_ a: (key: PlayerID, value: Int64), _ b: (key: PlayerID, value: Int64)) -> Bool {
        (a.value, a.key.rawValue) < (b.value, b.key.rawValue)
    }
}

/// The proofs that closed tables of one name have left.
package struct FormerProofs: Equatable, Sendable {
    /// Tables whose proofs are kept.
    package static let mostTables = 16
    /// Proofs of a name: as many as one table leaves, its last shoes and the coming one.
    static let mostProofs = 9

    package internal(set) var table = ""
    /// Whether one of these tables had a pass phrase: their proofs are for contributors only.
    package internal(set) var isLocked = false
    /// In the order in which the tables closed; see `Table.proofsLeft`.
    package internal(set) var proofs: [ProvenShoe] = []
}

extension [FormerProofs] {
    /// Keeps the proofs of a table that closes, behind those of tables of the same name.
    package mutating func keep(_ proofs: [ProvenShoe], of table: String, isLocked: Bool) {
        guard !proofs.isEmpty else { return }
        let index = firstIndex { $0.table == table }
        var kept = index.map { remove(at: $0) } ?? FormerProofs(table: table)
        // Proofs of a table with a pass phrase stay locked under a table without.
        kept.isLocked = kept.isLocked || isLocked
        kept.proofs = (kept.proofs + proofs).suffix(FormerProofs.mostProofs)
        if count == FormerProofs.mostTables { removeFirst() }
        append(kept)
    }
}

extension FormerProofs: FieldObject {
    static var blank: Self { Self() }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("former", &table)
        try visitor.flag("locked", &isLocked)
        try visitor.list("proofs", &proofs)
    }
}
