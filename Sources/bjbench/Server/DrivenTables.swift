import Rules
import Sockets
import TableModel
import Wire

/// Seven players in real rounds on a real server: hit below 12 and on soft totals below 18, else stand. One parses the table;
/// for the others only bytes count.
final class PlayedTable: DrivenTable {
    private let name: String
    private let number: Int
    private unowned let driver: Driver
    private var seats: [Int: DriverSeat] = [:]
    private var framer = LineFramer(limit: WireLimits.eventBytes)
    private var snapshot = TableSnapshot()
    /// True when the effect of the last line has arrived.
    private var isAnswered = true
    private var requests = 0
    /// Called with the time from a player's line to its diff at the reading player.
    var onAnswer: ((Duration) -> Void)?
    var onChange: (() -> Void)?
    private var asked = ContinuousClock.now

    init(_ name: String, number: Int, driver: Driver, port: Int) {
        self.name = name
        self.number = number
        self.driver = driver
        for seat in 1...7 {
            driver.connect(to: port) { [unowned self] in sit($0, seat) }
        }
    }

    private func sit(_ connection: Connection, _ seat: Int) {
        seats[seat] = DriverSeat(connection, driver, read: seat == 1 ? { [unowned self] in read($0) } : nil)
        let secret = String(repeating: "5a", count: 32)
        connection.send(Array("{\"type\":\"login\",\"name\":\"p\(number).\(seat)\",\"secret\":\"\(secret)\"}\n".utf8))
        connection.send(Array("{\"type\":\"sit\",\"table\":\"\(name)\",\"seat\":\(seat)}\n".utf8))
    }

    var isReady: Bool { snapshot.seats.count == 7 && snapshot.seats.allSatisfy { snapshot.player($0) != nil } }

    func act() -> Bool {
        guard isAnswered else { return false }
        switch snapshot.phase {
        case .waiting, .betting:
            guard let seat = (1...7).first(where: { !hasBet($0) }) else { return false }
            return say("{\"type\":\"bet\",\"amount\":10", seat)
        case .insurance, .surrender, .playing:
            guard let seat = (1...7).first(where: { snapshot.isAsked($0) }), let choice = snapshot.choice(seat) else {
                return false
            }
            return say("{\"type\":\"act\",\"action\":\"\(answer(to: choice, seat))\"", seat)
        case .settled, .closed, nil: return false
        }
    }

    /// Bets of the last round stay with their results until the next bet.
    private func hasBet(_ seat: Int) -> Bool {
        let hand = HandIdentifier(seat: seat, number: 1)
        return snapshot.bet(hand) != nil && snapshot.result(hand) == nil
    }

    private func answer(to choice: Choice, _ seat: Int) -> String {
        guard snapshot.phase == .playing else { return "decline" }
        switch snapshot.total(HandIdentifier(seat: seat, number: choice.hand)) {
        case .hard(let points): return points < 12 ? "hit" : "stand"
        case .soft(let points): return points < 18 ? "hit" : "stand"
        case .blackjack, nil: return "stand"
        }
    }

    private func say(_ beginning: String, _ seat: Int) -> Bool {
        guard let connection = seats[seat]?.connection else { return false }
        requests += 1
        isAnswered = false
        if onAnswer != nil { asked = .now }
        connection.send(Array("\(beginning),\"id\":\(requests)}\n".utf8))
        return true
    }

    private func read(_ bytes: UnsafeRawBufferPointer) {
        framer.append(bytes) { line in
            switch try? ServerMessage(line: line) {
            case .snapshot(_, _, _, let snapshot, _): self.snapshot = snapshot
            case .diff(_, _, _, let difference):
                if let next = try? snapshot.applying(difference) { snapshot = next }
                if !isAnswered { onAnswer?(.now - asked) }
                isAnswered = true
            default: break
            }
            return true
        }
        if isAnswered { onChange?() }
    }
}

/// Seven connections to the floor that send lines in turn.
final class FloorTable: DrivenTable {
    private unowned let driver: Driver
    private var seats: [DriverSeat] = []
    private var ready = 0
    private var requests = 0
    var onChange: (() -> Void)?

    init(number: Int, driver: Driver, port: Int) {
        self.driver = driver
        for _ in 1...7 {
            driver.connect(to: port) { [unowned self] connection in
                var isNew = true
                let reads = seats.isEmpty
                seats.append(
                    DriverSeat(connection, driver) { [unowned self] _ in
                        if isNew { ready += 1 } else if reads { onChange?() }
                        isNew = false
                    })
                connection.send(Array("\(number)\n".utf8))
            }
        }
    }

    var isReady: Bool { ready == 7 }

    func act() -> Bool {
        requests += 1
        seats[requests % 7].connection.send(Array("{\"type\":\"act\",\"action\":\"stand\",\"id\":\(requests)}\n".utf8))
        return true
    }
}
