import Rules
import TableEngine

@testable import ServerCore

/// Several shards that share a server, with connections that move between them; peers, clock and chance are played by the test.
final class VirtualLoops: VirtualPeers {
    /// One loop's environment.
    final class ShardDriver: VirtualEnvironment {
        unowned let loops: VirtualLoops
        let index: Int
        var shard: Shard!
        var timers: [TimerID: Int64] = [:]
        /// Records of the current tick.
        private var records: [UInt8] = []

        init(_ loops: VirtualLoops, _ index: Int) {
            self.loops = loops
            self.index = index
        }

        func sender(for connection: ConnectionID) -> any LineSender {
            ScriptedSender { [unowned loops] bytes in
                for line in bytes.split(separator: 10) {
                    loops.said[connection, default: []].append(String(decoding: line, as: UTF8.self))
                }
            } close: { [unowned loops] in
                loops.closed.append(connection)
            }
        }

        func move(_ connection: ConnectionID, to loop: Int, _ transfer: Transfer) {
            loops.journeys.append((connection, loop, transfer))
            loops.place[connection] = nil
        }

        func evict(_ player: PlayerID, on loop: Int) {
            handOver()
            loops.drivers[loop].shard.evict(player, at: loops.now)
            loops.drivers[loop].handOver()
        }

        func ownerChanged(ofTable index: Int, on loop: Int) {
            handOver()
            loops.drivers[loop].shard.ownerChanged(ofTable: index, at: loops.now)
            loops.drivers[loop].handOver()
        }

        func spreadLobby() {
            handOver()
            for other in loops.drivers where other !== self { other.shard.timerFired(.lobby, at: loops.now) }
        }

        var entropy: SeededStream {
            get { loops.entropy }
            set { loops.entropy = newValue }
        }

        func record(_ write: (inout [UInt8]) -> Void) {
            if case .facts(let table, _, let facts) = record(write, into: &records) { loops.onFacts?(facts, table) }
        }

        /// A tick's records, or a part of them: their order among the loops is that of the calls.
        func handOver() {
            loops.records += records
            records.removeAll(keepingCapacity: true)
        }
    }

    private(set) var drivers: [ShardDriver] = []
    let directory: Directory
    var now: Int64 = 1_000_000
    var said: [ConnectionID: [String]] = [:]
    var closed: [ConnectionID] = []
    /// Where each connection is; none while it is on its way.
    var place: [ConnectionID: Int] = [:]
    var journeys: [(connection: ConnectionID, loop: Int, transfer: Transfer)] = []
    var entropy: SeededStream
    /// Everything recorded, as lines, in the order of the journal.
    var records: [UInt8] = []
    /// Called with everything that happens at the tables.
    var onFacts: ((_ facts: [Fact], _ table: String) -> Void)?

    init(
        tables: Int, loops: Int, rules: HouseRules = HouseRules(), chips: Int = 1000, sitOut: Int = 600_000, seed: UInt64 = 1,
        _ change: (inout ShardConfiguration) -> Void = { _ in }
    ) {
        entropy = SeededStream(seed: seed)
        var configuration = ShardConfiguration(tables: (0..<tables).map { .init(name: "t\($0)", rules: rules) })
        configuration.startingChips = chips
        configuration.sitOutMilliseconds = sitOut
        configuration.settledMilliseconds = 1000
        configuration.requests = .unreached
        change(&configuration)
        directory = Directory(configuration: configuration, loops: loops)
        drivers = (0..<loops).map { ShardDriver(self, $0) }
        for driver in drivers {
            driver.shard = Shard(directory: directory, loop: driver.index, environment: driver)
            driver.handOver()
        }
    }

    var ledger: Ledger { drivers.reduce(directory.ledger) { $0 + $1.shard.ledger } }

    func connect(_ connection: ConnectionID) {
        place[connection] = 0
        drivers[0].shard.connected(connection, at: now)
    }

    func receive(_ line: String, from connection: ConnectionID) { receive(line, from: connection, arriving: true) }

    /// False when the connection is on its way: the line waits in the kernel then.
    @discardableResult
    func receive(_ line: String, from connection: ConnectionID, arriving: Bool) -> Bool {
        guard let index = place[connection] else { return false }
        let line = drivers[index].shard.filled(line, from: connection)
        _ = Array(line.utf8).withUnsafeBufferPointer { drivers[index].shard.received($0, from: connection, at: now) }
        drivers[index].handOver()
        while arriving, !journeys.isEmpty { arrive() }
        return true
    }

    /// Lets the connection that left first arrive.
    func arrive() {
        guard !journeys.isEmpty else { return }
        let (connection, loop, transfer) = journeys.removeFirst()
        place[connection] = loop
        drivers[loop].shard.arrived(transfer, at: now)
        drivers[loop].handOver()
    }

    func cut(_ connection: ConnectionID) {
        if let index = place.removeValue(forKey: connection) {
            drivers[index].shard.disconnected(connection, at: now)
            return drivers[index].handOver()
        }
        guard let index = journeys.firstIndex(where: { $0.connection == connection }) else { return }
        let journey = journeys.remove(at: index)
        let from = drivers.firstIndex { $0.index != journey.loop } ?? 0
        drivers[from].shard.returned(journey.transfer, at: now)
        drivers[from].handOver()
    }

    func advance(_ milliseconds: Int64) {
        let end = now + milliseconds
        while let (driver, timer, moment) = earliest, moment <= end {
            now = max(now, moment)
            driver.timers[timer] = nil
            driver.shard.timerFired(timer, at: now)
            driver.handOver()
        }
        now = end
    }

    private var earliest: (ShardDriver, TimerID, Int64)? {
        drivers.flatMap { driver in driver.timers.map { (driver, $0.key, $0.value) } }
            .min { ($0.2, "\($0.1)", $0.0.index) < ($1.2, "\($1.1)", $1.0.index) }
    }

    func take(_ connection: ConnectionID) -> [String] {
        defer { said[connection] = [] }
        return said[connection] ?? []
    }
}
