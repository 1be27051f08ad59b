import Rules
import ServerCore
import Sockets
import TableEngine

/// Measures a shard without sockets: seven players per table, from bytes in to diffs out.
final class ShardMeasurements: Environment {
    private var shard: Shard!
    private var seeds = SeededStream(seed: 1)
    private var buffers: [ConnectionID: SendBuffer] = [:]
    private var holders: [SendBuffer] = []

    /// A connection's send buffer, emptied now and then.
    private final class SendBuffer: LineSender {
        private var bytes: [UInt8] = []
        private var held: [UInt8] = []
        private(set) var count = 0
        private unowned let owner: ShardMeasurements

        init(_ owner: ShardMeasurements) { self.owner = owner }

        func send(_ line: [UInt8]) {
            if bytes.count > 4096 { bytes.removeAll(keepingCapacity: true) }
            bytes.append(contentsOf: line)
            count += line.count
        }

        func sendAhead(_ line: [UInt8]) { send(line) }

        /// Keeps the line, as a connection does until it is sent.
        func offer(_ line: [UInt8]) -> Bool {
            held = line
            count += line.count
            owner.holders.append(self)
            return true
        }

        func letGo() { held = [] }

        var isCongested: Bool { false }
        func close() {}
    }

    func sender(for connection: ConnectionID) -> any LineSender {
        let buffer = buffers[connection] ?? SendBuffer(self)
        buffers[connection] = buffer
        return buffer
    }

    /// Seven players at each table, or so many players in all.
    private init(tables: Int, players: Int? = nil) {
        var configuration = ShardConfiguration(tables: (0..<tables).map { .init(name: "t\($0)", rules: HouseRules()) })
        configuration.settledMilliseconds = 0
        configuration.startingChips = 1_000_000_000
        configuration.requests = .unreached
        for limit in [\AddressLimits.connecting, \.loggingIn, \.asking, \.talking, \.claiming, \.strangers] {
            configuration.addresses[keyPath: limit] = .unreached
        }
        configuration.maximumPlayers = 7 * tables
        shard = Shard(configuration: configuration, environment: self)
        for player in 1...(players ?? 7 * tables) {
            shard.connected(UInt64(player), at: 0)
            say("{\"type\":\"login\",\"name\":\"p\(player)\"}", player)
            say("{\"type\":\"sit\",\"table\":\"t\((player - 1) / 7)\",\"seat\":\((player - 1) % 7 + 1)}", player)
        }
    }

    static func run(_ bench: Bench) {
        runAtOneTable(bench)
        runAtMany(bench)
        runQuestions(bench)
    }

    /// Questions that strangers and players may ask, by the number of tables: the last one by name.
    private static func runQuestions(_ bench: Bench) {
        for tables in [10, 1000, 10_000] {
            let requests = [
                #"{"type":"rules","table":"t\#(tables - 1)"}"#, #"{"type":"watch","table":"t\#(tables - 1)"}"#,
                #"{"type":"lobby"}"#,
            ]
            for request in requests {
                let name = "shard: \(request.prefix { $0 != "," && $0 != "}" })} at \(tables) tables"
                guard bench.mayMeasure(name) else { continue }
                let owner = ShardMeasurements(tables: tables, players: 1)
                owner.shard.connected(2, at: 0)
                owner.say(#"{"type":"login","name":"stranger"}"#, 2)
                bench.measure(name, runs: 101, calls: 1, per: 10) {
                    for _ in 0..<10 {
                        // Refills the connection's budget.
                        owner.now += 10_000
                        owner.say(request, 2)
                    }
                }
                consume(owner.buffers.values.reduce(0) { $0 + $1.count })
            }
        }
    }

    private static func runAtOneTable(_ bench: Bench) {
        let owner = ShardMeasurements(tables: 1)
        // Per round: seven bets, seven answers in case of an offer, a stand each. About a third are refused, as late clicks are.
        let rounds = 4
        // Many short runs: on a busy machine only short ones go undisturbed.
        bench.measure("shard: a line of one of seven players, diffs to all", runs: 2_001, calls: 1, per: rounds * 21) {
            for _ in 0..<rounds {
                for kind in beginnings.indices {
                    for seat in 1...7 { owner.say(kind, seat) }
                }
            }
        }
        bench.measure("shard: a line that is refused", runs: 501, calls: 1, per: rounds) {
            for _ in 0..<rounds { owner.say(2, 3) }
        }
        consume(owner.buffers.values.reduce(0) { $0 + $1.count })
    }

    /// Interleaves tables and evicts caches between lines, as in a server whose kernel work separates two lines of one table.
    private static func runAtMany(_ bench: Bench) {
        let name = "shard: the same at 100 tables in turn, with 64 KiB of other memory read in between"
        guard bench.mayMeasure(name) else { return }
        let owner = ShardMeasurements(tables: 100)
        var other = OtherMemory()
        // The first round fills the per-player memory.
        let rounds = 9
        bench.measureParts(name, runs: 7, per: rounds * 2100) { clock in
            for turn in 0..<rounds * 2100 {
                other.lookAt(65_536)
                clock.measure { owner.say(turn / 700 % 3, 7 * (turn % 100) + turn / 100 % 7 + 1) }
            }
        }
        consume(other.sum)
        consume(owner.buffers.values.reduce(0) { $0 + $1.count })
    }

    /// Memory larger than the caches; reading it evicts them.
    private struct OtherMemory {
        private var bytes = [UInt8](repeating: 1, count: 16 << 20)
        private var place = 0
        private(set) var sum = 0

        mutating func lookAt(_ count: Int) {
            for _ in 0..<count / 64 {
                place = (place + 64) & (bytes.count - 1)
                sum &+= Int(bytes[place])
            }
        }
    }

    private static let beginnings = [
        #"{"type":"bet","amount":10,"round":"#, #"{"type":"act","action":"decline","turn":"#,
        #"{"type":"act","action":"stand","turn":"#,
    ]
    /// Room for the number of the round or of the question.
    private static let blanks = 9
    /// A player's lines of a round.
    private var lines = beginnings.map { Array($0.utf8) + [UInt8](repeating: 32, count: blanks) + Array(",\"id\":300}".utf8) }

    private func say(_ kind: Int, _ seat: Int) {
        let guards = shard.guards(ofTable: (seat - 1) / 7)
        var rest = kind == 0 ? guards.round : guards.turn
        let start = Self.beginnings[kind].utf8.count
        lines[kind].withUnsafeMutableBufferPointer { line in
            for index in (start..<start + Self.blanks).reversed() {
                line[index] = rest > 0 || index == start + Self.blanks - 1 ? UInt8(48 + rest % 10) : 32
                rest /= 10
            }
        }
        _ = lines[kind].withUnsafeBufferPointer { shard.received($0, from: UInt64(seat), at: 0) }
        for buffer in holders { buffer.letGo() }
        holders.removeAll(keepingCapacity: true)
    }

    private var now: Int64 = 0

    private func say(_ line: String, _ seat: Int) {
        var line = line
        _ = line.withUTF8 { shard.received($0, from: UInt64(seat), at: now) }
    }

    func setTimer(_ timer: TimerID, at deadline: Int64?) {}
    func randomBytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: seeds.next64() >> 56) } }
    var isRecording: Bool { false }
    func record(_ write: (inout [UInt8]) -> Void) {}
    func handOver() {}
    func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> LogFields) {}
}
