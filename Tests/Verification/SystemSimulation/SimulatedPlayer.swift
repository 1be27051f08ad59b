import ClientCore
import CrashRuns
import LoadGenerator
import RecoveryJudge
import Sockets
import TableModel
import Wire

/// A player: the real client around a scripted mind, on the virtual network. All that it sends and is told goes to the referee.
///
/// It contributes to shoes and verifies each, across restarts of the server: a commitment goes on, and a proof is right.
final class SimulatedPlayer: NetworkClient {
    let index: Int
    let host: String
    let home: String
    /// Watches one table after the other, and never sits down.
    let isSpectator: Bool
    private(set) var machine: ClientMachine
    private var mind: CrashPlayer
    private var random: SeededRandom
    private(set) var link: VirtualLink?
    private var isDeaf = false
    private(set) weak var world: SystemWorld?
    private let seed: UInt64
    private var outbound: [UInt8] = []
    private var alarm = 0
    /// Whether it has logged in, and was not shown a table yet.
    private var isBack = false
    private var ownsTable = false
    /// Whom it has sent away from its table.
    private var sentAway: String?
    private var lastID = 0
    private var repeated = RepeatedRequests()
    /// The last lines, for a failure.
    private(set) var transcript: [String] = []
    private static let kept = 30
    /// Milliseconds between two moves, at most.
    private static let pace = 240

    var name: String { mind.name }

    init(index: Int, home: String, isSpectator: Bool, seed: UInt64, world: SystemWorld) {
        self.index = index
        self.home = home
        self.isSpectator = isSpectator
        self.world = world
        self.seed = seed ^ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
        host = "127.0.0.\(2 + index % 200)"
        mind = CrashPlayer(number: index, home: home, seed: seed)
        random = SeededRandom(seed: seed, stream: 100_000 + UInt64(index))
        machine = Self.machine(of: mind, home: home, isSpectator: isSpectator, seed: self.seed, after: 0)
    }

    /// - Parameter last: the last id that was used.
    private static func machine(
        of mind: CrashPlayer, home: String, isSpectator: Bool, seed: UInt64, after last: Int, owner: String? = nil
    ) -> ClientMachine {
        var options = mind.options(after: last)
        options.owner = owner
        if !isSpectator { options.initialPlacement = .sit(table: home, seat: nil) }
        options.contributes = !isSpectator
        options.facts = isSpectator
        options.firstPause = 20
        options.longestPause = 1500
        options.pingInterval = 5000
        options.silence = 12_000
        return ClientMachine(options: options, contributions: SeededEntropy(seed: seed &+ UInt64(last)))
    }

    var now: Int64 { world?.machine.monotonic ?? 0 }

    func start() {
        perform(machine.start(at: now))
        scheduleMove()
    }

    // MARK: The network

    func connected() {}

    func writable() {
        guard let link, let world, !outbound.isEmpty else { return }
        outbound.removeFirst(world.machine.network.send(from: link, outbound[...]))
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        // The session may have closed it behind any line.
        for line in machine.lines(in: bytes) where link != nil { take(line) }
    }

    func ended() {
        guard link != nil, let world else { return }
        note("-- the connection ended")
        link = nil
        world.referee.disconnected(index)
        perform(machine.connectionLost(.connection("lost"), at: now))
    }

    /// The device is switched off, or its network is gone.
    func vanish() {
        guard let link, let world else { return }
        world.machine.network.vanish(link)
        ended()
    }

    private func take(_ line: [UInt8]) {
        guard let world else { return }
        note("< " + String(decoding: line.prefix(400), as: UTF8.self))
        line.withUnsafeBufferPointer { line in
            guard let message = try? ServerMessage(line: line) else { return world.referee.received(line, by: index) }
            if let fault = LineFault(line, message) { world.violations.append("\(name) got \(fault)") }
            take(message, world)
        }
    }

    private func take(_ message: ServerMessage, _ world: SystemWorld) {
        world.referee.now = now
        world.referee.received(message, by: index)
        world.noteTable(of: index)
        if repeated.take(message) { return }
        switch message {
        case .error(let refusal) where refusal.code == ErrorCode.wrongOwner.rawValue:
            hangUp(for: 0)
            return beginAgain()
        case .ok(_, .login): isBack = true
        // Another epoch is shown first, whose rounds may start from 0.
        case .ok(_, .watch(_, let known)) where known.epoch != machine.state.position?.epoch: break
        case .snapshot where isBack, .ok(_, .watch) where isBack:
            isBack = false
            repeatRequests(world)
        // Neither brings the player back nor ends the connection.
        default: break
        }
        perform(machine.receive(message, at: now))
    }

    /// Sends half of the requests that were answered again: behind a lost connection, before the session sends what was not, or late.
    private func repeatRequests(_ world: SystemWorld, isLate: Bool = false) {
        let table = machine.state.position?.table
        for request in world.referee.fulfilled(by: index) where random.below(2) == 0 {
            if isLate, case .success(let message) = request.message, message.effect == .play, request.type != "act" { continue }
            // The session takes no other table than that which it follows.
            if case .success(.sit(let wanted, _, _, _)) = request.message, let table, table != wanted { continue }
            world.referee.sent(request, by: index)
            repeated.add(request)
            send(request)
        }
    }

    private func send(_ request: Request) {
        guard let link, let world else { return }
        let line = request.encoded()
        note("> " + String(decoding: line.dropLast(), as: UTF8.self))
        outbound += line
        outbound.removeFirst(world.machine.network.send(from: link, outbound[...]))
    }

    private func note(_ line: String) {
        guard world?.keepsTranscripts == true else { return }
        transcript.append("\(now) \(line)")
        if transcript.count > Self.kept { transcript.removeFirst() }
    }

    // MARK: The session

    private func perform(_ actions: [ClientAction]) {
        guard let world else { return }
        for action in actions {
            switch action {
            case .connect:
                (outbound, repeated) = ([], RepeatedRequests())
                note("-- connects")
                link = world.machine.network.connect(self, from: host)
            case .close:
                guard let link else { continue }
                self.link = nil
                note("-- closes")
                world.machine.network.close(link, withReset: random.below(2) == 0)
                world.referee.disconnected(index)
            case .send(let request):
                world.referee.now = now
                world.referee.sent(request, by: index)
                if case .number(let id) = request.id { lastID = max(lastID, id) }
                send(request)
            case .arm(let time): arm(at: time)
            case .publish(.shoe(.verified)): world.verifiedShoes += 1
            case .publish(.shoe(.contradicted(let shoe, let fault))):
                world.referee.accuseShoe(index, "shoe \(shoe.shoe) of \(shoe.table): \(fault)")
            case .publish, .findSecret, .makeSecret, .answer: break
            }
        }
        if case .ended = machine.link { beginAgain() }
    }

    /// A player who has logged out comes back, as a program does that is started again.
    private func beginAgain(owner: String? = nil) {
        machine = Self.machine(of: mind, home: home, isSpectator: isSpectator, seed: seed, after: lastID, owner: owner)
        alarm += 1
        world?.machine.after(Int64(1 + random.below(400)) * 1000) { [weak self] in
            guard let self else { return }
            perform(machine.start(at: now))
        }
    }

    private func arm(at time: Int64) {
        alarm += 1
        let number = alarm
        world?.machine.after((time - now) * 1000) { [weak self] in
            guard let self, alarm == number else { return }
            perform(machine.tick(at: now))
        }
    }

    private func submit(_ message: ClientMessage) { perform(machine.submit(message, at: now).actions) }

    // MARK: The mind

    private func scheduleMove() {
        world?.machine.after(Int64(1 + random.below(Self.pace)) * 1000) { [weak self] in
            self?.move()
            self?.scheduleMove()
        }
    }

    private func move() {
        guard let world, link != nil, !isDeaf, machine.link == .loggedIn, world.referee.isAnswered(index) else { return }
        guard !world.referee.awaitsSnapshot(index) else { return }
        guard !isSpectator else { return wander() }
        if random.below(4) == 0 { repeatRequests(world, isLate: true) }
        if ownsTable, random.below(8) == 0, let decision = decision(world) { submit(decision) }
        switch mind.move(at: world.referee.shown(to: index), seats: world.referee.seats(of: index).sorted()) {
        case .rest: break
        case .send(let messages):
            for message in messages { submit(message) }
            // Of another partition: the connection is relayed while its last answer waits for the disk.
            if messages == [.leave], random.below(2) == 0 { watchAny() }
        case .hangUp(let pause): hangUp(for: pause)
        }
    }

    /// Pauses the table that it owns, or lets its clocks run again; begins a match there or ends one; sends somebody away from there, or lets them come back.
    private func decision(_ world: SystemWorld) -> ClientMessage? {
        let isPaused = world.referee.shown(to: index)?.pause != nil
        if random.below(isPaused ? 2 : 4) == 0 { return .pause(!isPaused, reason: isPaused ? nil : "Pizza.") }
        if random.below(3) == 0, let round = world.referee.shown(to: index)?.round?.number {
            return .match(rounds: random.below(5) * 2, round: round)
        }
        if let name = sentAway {
            sentAway = nil
            return .kick(player: name, minutes: 0)
        }
        guard let table = world.referee.shown(to: index) else { return nil }
        let others = table.seats.compactMap { table.player($0)?.name }.filter { $0 != name }
        sentAway = others.randomElement(using: &random)
        return sentAway.map { .kick(player: $0) }
    }

    /// Logs in with an owner code, like a restarted program.
    func own(_ code: String) {
        if link != nil { hangUp(for: 0) }
        ownsTable = true
        beginAgain(owner: code)
    }

    /// A move to a table of another partition takes the connection there.
    private func wander() {
        switch random.below(10) {
        case 0: hangUp(for: Int64(random.below(60)))
        case 1...6: watchAny()
        default: break
        }
    }

    private func watchAny() {
        guard let world else { return }
        submit(.watch(table: world.tableName(random.below(1 << 16)), pass: CrashTables.pass))
    }

    // MARK: Deafness

    /// Reads nothing, and asks for nothing, until ``leaveAndRead()``.
    func stopReading() {
        guard let link, let world else { return }
        isDeaf = true
        world.machine.network.setReading(false, link)
    }

    /// Leaves for another table with the last bytes unread, and reads on.
    func leaveAndRead() {
        isDeaf = false
        guard let link, let world else { return }
        if machine.link == .loggedIn, !isSpectator, !world.referee.seats(of: index).isEmpty {
            submit(.leave)
            watchAny()
        }
        world.machine.after(Int64(2000 + random.below(10_000))) { [weak world, weak link] in
            if let link { world?.machine.network.setReading(true, link) }
        }
    }

    /// Closes the connection; the session comes back by itself.
    private func hangUp(for milliseconds: Int64) {
        guard let link, let world else { return }
        world.machine.network.close(link, withReset: milliseconds % 2 == 0)
        ended()
    }
}

/// A guest who sits down at any table that needs no pass phrase, gets up by hanging up, and comes again.
///
/// Each one comes to the first loop, and the table may be on another: the seat is claimed for the way.
final class SimulatedGuest: NetworkClient {
    private weak var world: SystemWorld?
    private let number: Int
    private var random: SeededRandom
    private var link: VirtualLink?
    private var framer = LineFramer(limit: 1 << 20)
    private var visits = 0
    /// Milliseconds of a visit and of the pause after it, at most.
    private static let stay = 500

    init(number: Int, seed: UInt64, world: SystemWorld) {
        self.number = number
        self.world = world
        random = SeededRandom(seed: seed, stream: 200_000 + UInt64(number))
    }

    func come() {
        guard let world else { return }
        visits += 1
        framer = LineFramer(limit: 1 << 20)
        link = world.machine.network.connect(self, from: "127.0.1.\(1 + number)")
        let visit = visits
        later { [weak self] in self?.go(visit) }
    }

    private func later(_ action: @escaping () -> Void) {
        world?.machine.after(Int64(100 + random.below(Self.stay)) * 1000, action)
    }

    private func go(_ visit: Int) {
        guard let link, let world, visit == visits else { return }
        world.machine.network.close(link, withReset: random.below(2) == 0)
        ended()
    }

    // MARK: The network

    func connected() {
        guard let link, let world else { return }
        let requests = [
            Request(
                id: .number(1),
                .login(name: "guest\(number)-\(visits)", secret: nil, isBot: true, version: WireLimits.version)),
            Request(id: .number(2), .sit(table: nil, seat: nil)),
        ]
        let bytes = requests.flatMap { $0.encoded() }
        // Fewer bytes than the smallest buffer.
        _ = world.machine.network.send(from: link, bytes[...])
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        let connection = link
        _ = framer.append(bytes) { line in
            guard let message = try? ServerMessage(line: line) else {
                world?.violations.append("a guest got \(String(decoding: line, as: UTF8.self))")
                return false
            }
            if let fault = LineFault(line, message) { world?.violations.append("a guest got \(fault)") }
            switch message {
            case .ok(.number(2), _): world?.noteSeat(refusal: nil)
            // Without a login, as while draining, the login's refusal says why.
            case .error(let refusal) where refusal.code != ErrorCode.notLoggedIn.rawValue: world?.noteSeat(refusal: refusal)
            // About no seat.
            default: break
            }
            return link === connection
        }
    }

    func writable() {}

    func ended() {
        guard link != nil else { return }
        link = nil
        later { [weak self] in self?.come() }
    }
}
