import Operations
import Rules
import ServerCore
import TableEngine

/// Measures a whole casino without its sockets: seven players at a table, each line of theirs from bytes in to diffs out.
final class CasinoMeasurements: Environment {
    private var casino: Casino!
    private var seeds = SeededStream(seed: 1)
    private var sent = 0

    static func run(_ bench: Bench) {
        let house = CasinoMeasurements()
        var configuration = CasinoConfiguration(tables: [.init(name: "main", rules: HouseRules())])
        configuration.settledMilliseconds = 0
        configuration.startingChips = 1_000_000_000
        configuration.requests = .unreached
        house.casino = Casino(configuration: configuration, environment: house)
        for seat in 1...7 {
            house.casino.connected(UInt64(seat), at: 0)
            house.say("{\"type\":\"login\",\"name\":\"p\(seat)\"}", seat)
            house.say("{\"type\":\"sit\",\"seat\":\(seat)}", seat)
        }
        // Seven bets, seven answers in case there is a question, and a stand of each: about a third are refused, as late clicks are.
        let rounds = 200
        bench.measure("casino: a line of one of seven players, diffs to all", runs: 9, calls: 1, per: rounds * 21) {
            for _ in 0..<rounds {
                for kind in lines.indices {
                    for seat in 1...7 { house.say(kind, seat) }
                }
            }
        }
        bench.measure("casino: a line that is refused", runs: 9, calls: 1, per: rounds) {
            for _ in 0..<rounds { house.say(2, 3) }
        }
        consume(house.sent)
    }

    /// What a player says in a round, each under many ids: a server answers a retry of the same id from memory.
    private static let lines = [
        #"{"type":"bet","amount":10,"id":"#, #"{"type":"act","action":"decline","id":"#, #"{"type":"act","action":"stand","id":"#,
    ].enumerated().map { kind, text in (100..<200).map { Array("\(text)\($0 * 3 + kind)}".utf8) } }
    private var said = 0

    private func say(_ kind: Int, _ seat: Int) {
        said += 1
        Self.lines[kind][said % 100].withUnsafeBufferPointer { casino.received($0, from: UInt64(seat), at: 0) }
    }

    private func say(_ line: String, _ seat: Int) {
        var line = line
        line.withUTF8 { casino.received($0, from: UInt64(seat), at: 0) }
    }

    func send(_ bytes: [UInt8], to connection: ConnectionID) { sent += bytes.count }
    func close(_ connection: ConnectionID) {}
    func remind(_ reminder: Reminder, at moment: Int64?) {}
    func randomBytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: seeds.next64() >> 56) } }
    func record(_ facts: [Fact], table: String) {}
    func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> [LogField]) {}
    func isCongested(_ connection: ConnectionID) -> Bool { false }
    func move(_ connection: ConnectionID, to loop: Int, _ passage: Passage) {}
    func spreadLobby() {}
}
