import Dispatch
import Operations
import Sockets
import Synchronization
import TableEngine
import TableModel
import Wire

/// A table as an operator sees it.
public struct TableStatus: Sendable {
    public let name: String
    /// The loop that it is on.
    public let loop: Int
    public let phase: String
    public let seats: Int
    public let taken: Int
    /// Connections that watch it, players' included.
    public let viewers: Int
    public let round: Int
    /// At the table, in front of players and in bets.
    public let chips: Int
    public let minimumBet: Int
    public let maximumBet: Int
    public let isLocked: Bool
    public let isClosing: Bool
}

/// A player as an operator sees him.
public struct PlayerStatus: Sendable {
    public let name: String
    public let isBot: Bool
    /// nil at none.
    public let table: String?
    public let seats: [Int]
    /// In the account and at the table, bets taken off.
    public let chips: Int
    /// nil while he is away.
    public let connection: UInt64?
    public let address: IPAddress?
    /// Milliseconds since a line last came from him; nil while he is away.
    public let idle: Int64?
}

/// What an operator does to a running server, and sees of it. None of this may be called on one of its loops: it waits for them.
extension Server {
    /// Has other bounds hold from now on, on every loop. The list of tables is not looked at: see ``openTable(_:)`` and
    /// ``closeTable(named:)``.
    /// - Parameters:
    ///   - bans: what the configuration bans; nil for what it has banned so far.
    ///   - limits: of every connection, those that are open included; nil for the ones that hold.
    ///   - outboundTotal: the most bytes that may wait for all clients; nil for the one that holds.
    public func reconfigure(
        _ configuration: ShardConfiguration, bans: AddressBlockSet? = nil, limits: ConnectionLimits? = nil,
        outboundTotal: Int? = nil
    ) {
        if let outboundTotal { group.limitOutbound(to: outboundTotal) }
        directory.reconfigure(fitted(configuration))
        if let bans { directory.configure(bans: bans) }
        let configuration = directory.configuration
        for driver in drivers {
            driver.loop.performAndWait {
                driver.shard.reconfigure(configuration)
                if let limits { driver.apply(limits) }
            }
        }
        dismissBanned()
    }

    /// Opens one more table.
    /// - Returns: false if a table has this name, also one that is about to close, or there are as many as there may be.
    @discardableResult
    public func openTable(_ setting: ShardConfiguration.TableSetting) -> Bool {
        operating.withLock { _ in
            guard let index = directory.reserveTable(setting.name) else { return false }
            let driver = drivers[directory.loop(ofTable: index)]
            driver.loop.performAndWait { driver.shard.open(setting, at: index) }
            return true
        }
    }

    /// Has a table close when its round is over.
    /// - Returns: false if there is no such table.
    @discardableResult
    public func closeTable(named name: String, reason: String = "") -> Bool {
        guard let index = directory.index(ofTable: name) else { return false }
        let driver = drivers[directory.loop(ofTable: index)]
        driver.loop.performAndWait { driver.shard.closeTable(index, reason: reason, at: driver.loop.now) }
        return true
    }

    /// Has a table ask newcomers for another pass phrase; nil for none. Those who watch or sit there stay.
    /// - Returns: false if there is no such table.
    @discardableResult
    public func setPass(_ pass: String?, ofTable name: String) -> Bool {
        guard let index = directory.index(ofTable: name) else { return false }
        let driver = drivers[directory.loop(ofTable: index)]
        driver.loop.performAndWait { driver.shard.setPass(pass, ofTable: index) }
        return true
    }

    /// Calls back, on a loop, with the name of each table that has closed for good: another one may be opened under it.
    public func observeClosedTables(_ observer: @escaping @Sendable (_ name: String) -> Void) {
        directory.observeClosedTables(observer)
    }

    /// Sends a player home.
    /// - Returns: false if nobody is called so.
    @discardableResult
    public func kick(_ name: String, reason: String = "") -> Bool {
        guard let name = try? PlayerName(name) else { return false }
        // He may be on the way from one loop to another.
        for _ in 0..<8 {
            guard let home = directory.residence(of: name) else { return false }
            let driver = drivers[home.loop]
            if driver.loop.performAndWait({ driver.shard.kick(home.id, reason: reason, at: driver.loop.now) }) { return true }
        }
        return false
    }

    /// Keeps addresses out for the operator, and closes the connections that they have.
    /// - Parameter seconds: how long, 1 or more; nil for ever.
    /// - Returns: how many connections were closed; nil if the operator bans as many as may be.
    public func ban(_ block: AddressBlock, seconds: Int?) -> Int? {
        let now = group.loops[0].now
        guard directory.ban(block, until: seconds.map { now + Int64($0.clamped(to: AdminRequest.banSeconds)) * 1000 }, at: now)
        else {
            return nil
        }
        return dismissBanned()
    }

    /// Lifts the operator's and the automatic ban of this very block. What the configuration bans stays banned.
    public func unban(_ block: AddressBlock) -> Unbanning { directory.unban(block, at: group.loops[0].now) }

    /// The bans that have not ended, at most so many, and how many others there are.
    public func bans(limit: Int) -> (entries: [BanList.Entry], others: Int) {
        directory.bans(at: group.loops[0].now, limit: limit)
    }

    @discardableResult
    private func dismissBanned() -> Int {
        drivers.reduce(0) { sum, driver in
            // The bans are looked through here: a loop only says who is there, and closes.
            let addresses = driver.loop.performAndWait { driver.shard.addresses }
            let now = group.loops[0].now
            let banned = addresses.filter { directory.isBanned($0, at: now) }
            guard !banned.isEmpty else { return sum }
            return sum + driver.loop.performAndWait { driver.shard.dismiss(from: banned, at: driver.loop.now) }
        }
    }

    /// Every table that is not closed, by loop.
    public var tableStatuses: [TableStatus] {
        drivers.flatMap { driver in
            driver.loop.performAndWait {
                driver.shard.hostedTables.filter { $0.engine.phase != .closed }.map { TableStatus($0, loop: driver.index) }
            }
        }
    }

    /// Every player who is known, by name.
    public var playerStatuses: [PlayerStatus] {
        drivers.flatMap { driver in
            driver.loop.performAndWait {
                let now = driver.loop.now
                return driver.shard.accounts.values.map { PlayerStatus($0, now: now) }
            }
        }.sorted { $0.name < $1.name }
    }
}

extension TableStatus {
    init(_ table: HostedTable, loop: Int) {
        let engine = table.engine
        name = table.name
        self.loop = loop
        phase = engine.phase.name
        seats = engine.rules.seats
        taken = engine.playerViews.reduce(0) { $0 + $1.seats.count }
        viewers = table.viewers.count
        round = engine.round
        chips = engine.chipsOnTable
        minimumBet = engine.rules.minimumBet
        maximumBet = engine.rules.maximumBet
        isLocked = table.pass != nil
        isClosing = engine.isClosing
    }
}

extension PlayerStatus {
    init(_ account: Account, now: Int64) {
        name = account.name.text
        isBot = account.isBot
        table = account.table?.name
        seats = account.table?.engine.seats(of: account.id) ?? []
        chips = account.chips + (account.table?.engine.bankroll(of: account.id) ?? 0)
        connection = account.session?.connection
        address = account.session?.address
        idle = account.session.map { max(0, now - $0.heard) }
    }
}
