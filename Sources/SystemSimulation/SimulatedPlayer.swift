import ClientCore
import LoadGenerator
import Referee
import Sockets
import TableModel
import Wire

/// A player: the real client session around a scripted mind, on the virtual network. All that it sends and is told goes to the referee.
final class SimulatedPlayer: NetworkClient {
    let index: Int
    let host: String
    let home: String
    /// Watches one table after the other, and never sits down.
    let isSpectator: Bool
    private(set) var session: ClientMachine
    private var mind: CrashPlayer
    private var random: SeededRandom
    private(set) var link: VirtualLink?
    private var isDeaf = false
    private(set) weak var world: SystemWorld?
    /// Contributes to shoes and verifies them, across restarts.
    var shoes: ShoeSession
    var contributions: SeededContributions
    /// Requests of ``shoes`` without an answer, by id.
    var shoeRequests: [Int: ClientMessage] = [:]
    /// The part of the table that ``shoes`` saw last.
    var shownShoes: ShownShoes?
    private var framer = LineFramer(limit: 1 << 20)
    private var outbound: [UInt8] = []
    private var alarm = 0
    private var lastID = 0
    /// Ids of requests that were sent again although they were answered: the session does not know of them.
    private var repeated: [RequestID?] = []
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
        host = "127.0.0.\(2 + index % 200)"
        mind = CrashPlayer(number: index, home: home, seed: seed)
        random = SeededRandom(seed: seed, stream: 100_000 + UInt64(index))
        shoes = ShoeSession(contributes: !isSpectator)
        contributions = SeededContributions(seed: seed ^ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15)
        session = Self.session(of: mind, home: home, isSpectator: isSpectator, after: 0)
    }

    /// - Parameter last: the last id that was used: the server remembers ids.
    private static func session(of mind: CrashPlayer, home: String, isSpectator: Bool, after last: Int) -> ClientMachine {
        var options = SessionOptions(name: mind.name)
        options.firstID = last
        options.credential = .secret(mind.secret)
        options.isBot = true
        options.wish = isSpectator ? .watch(table: home) : .sit(table: home, seat: nil)
        options.contributes = !isSpectator
        options.facts = isSpectator
        options.pass = CrashTables.pass
        options.retries = .max
        options.firstPause = 20
        options.longestPause = 1500
        options.pingInterval = 5000
        options.silence = 12_000
        return ClientMachine(options: options)
    }

    var now: Int64 { world?.machine.monotonic ?? 0 }

    func start() {
        perform(session.start(at: now))
        scheduleMove()
    }

    // MARK: The network

    func connected() {}

    func writable() {
        guard let link, let world, !outbound.isEmpty else { return }
        outbound.removeFirst(world.machine.network.send(from: link, outbound[...]))
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        let connection = link
        // Taken out: a line may open another connection, with a framer of its own.
        var framer = LineFramer(limit: 1 << 20)
        swap(&framer, &self.framer)
        defer { if link === connection { self.framer = framer } }
        _ = framer.append(bytes) { line in
            take(line)
            // The session may have closed it.
            return link === connection
        }
    }

    func ended() {
        guard link != nil, let world else { return }
        note("-- the connection ended")
        link = nil
        shoes.connectionLost()
        world.referee.disconnected(index)
        perform(session.connectionLost(.connection("lost"), at: now))
    }

    /// The device is switched off, or its network is gone.
    func vanish() {
        guard let link, let world else { return }
        world.machine.network.vanish(link)
        ended()
    }

    private func take(_ line: UnsafeBufferPointer<UInt8>) {
        guard let world else { return }
        note("< " + String(decoding: line.prefix(400), as: UTF8.self))
        let message: ServerMessage
        do {
            message = try ServerMessage(line: line)
        } catch {
            return world.referee.received(line, by: index)
        }
        if let fault = LineFault(line, message) { world.violations.append("\(name) got \(fault)") }
        world.referee.received(message, by: index)
        world.noteTable(of: index)
        if case .ok(let id, _) = message, take(repeatedAnswer: id) { return }
        if case .error(let refusal) = message, refusal.id != nil, take(repeatedAnswer: refusal.id) { return }
        perform(session.receive(message, at: now))
        if case .ok(_, .login(let login)) = message {
            loggedIn()
            shoes.loggedIn(login)
        }
        watchShoes(after: message)
    }

    private func take(repeatedAnswer id: RequestID?) -> Bool {
        guard let place = repeated.firstIndex(of: id) else { return false }
        repeated.remove(at: place)
        return true
    }

    /// Asks for check values, and sends the last answered requests again: the answers must be the first ones.
    private func loggedIn() {
        guard let world else { return }
        submit(.options(ConnectionOptions(check: true)))
        for request in world.referee.answered(by: index).suffix(random.below(3)) {
            guard link != nil, world.referee.remembers(request, by: index) else { continue }
            world.referee.repeated(request, by: index)
            repeated.append(request.id)
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
                framer = LineFramer(limit: 1 << 20)
                (outbound, repeated) = ([], [])
                note("-- connects")
                link = world.machine.network.connect(self, from: host)
            case .close:
                guard let link else { continue }
                self.link = nil
                shoes.connectionLost()
                note("-- closes")
                world.machine.network.close(link, withReset: random.below(2) == 0)
                world.referee.disconnected(index)
            case .send(let request):
                // The server answers each, but for the one that is an answer.
                if request.type != "pong" { world.referee.sent(request, by: index) }
                if case .number(let id) = request.id { lastID = max(lastID, id) }
                send(request)
                noteSent(request)
            case .arm(let time): arm(at: time)
            case .answer(let id, let result): answered(id, result)
            case .publish(.postponed(let refusal)): notePostponed(refusal)
            case .publish, .findSecret, .makeSecret: break
            }
        }
        if case .ended = session.status.link { beginAgain() }
    }

    /// A player who has logged out comes back, as a program does that is started again.
    private func beginAgain() {
        session = Self.session(of: mind, home: home, isSpectator: isSpectator, after: lastID)
        alarm += 1
        world?.machine.after(Int64(1 + random.below(400)) * 1000) { [weak self] in
            guard let self else { return }
            perform(session.start(at: now))
        }
    }

    private func arm(at time: Int64) {
        alarm += 1
        let number = alarm
        world?.machine.after((time - now) * 1000) { [weak self] in
            guard let self, alarm == number else { return }
            perform(session.tick(at: now))
        }
    }

    /// - Parameter isOfShoes: whether the answer is for ``shoes``.
    func submit(_ message: ClientMessage, isOfShoes: Bool = false) {
        let (id, actions) = session.submit(message, at: now)
        // Known before its answer, which may be a refusal at once.
        if isOfShoes { shoeRequests[id] = message }
        perform(actions)
    }

    // MARK: The mind

    private func scheduleMove() {
        world?.machine.after(Int64(1 + random.below(Self.pace)) * 1000) { [weak self] in
            self?.move()
            self?.scheduleMove()
        }
    }

    private func move() {
        guard let world, link != nil, !isDeaf, session.status.link == .loggedIn, world.referee.isAnswered(index) else { return }
        guard !world.referee.awaitsSnapshot(index) else { return }
        guard !isSpectator else { return wander() }
        switch mind.move(at: world.referee.shown(to: index), seats: world.referee.seats(of: index).sorted()) {
        case .rest: break
        case .send(let messages):
            for message in messages { submit(message) }
            // The connection goes to another loop with an answer that waits for the disk.
            if messages == [.leave], random.below(2) == 0 { watchAny() }
        case .hangUp(let pause): hangUp(for: pause)
        }
    }

    /// A move to a table of another loop takes the connection there, with bytes that wait for the disk.
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
        if session.status.link == .loggedIn, !isSpectator, !world.referee.seats(of: index).isEmpty {
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

    // MARK: Shoes

    // Players contribute to shoes, and verify each: a commitment goes on across a restart, and a proof is right.

    /// Shows ``shoes`` the table where its ceremony has changed or a round is settled.
    func watchShoes(after message: ServerMessage) {
        switch message {
        case .ok(_, .sit):
            shoes.satDown()
            shownShoes = nil
            return
        case .ok(_, .resume): return perform(shoes.resume(at: now))
        case .snapshot, .diff: break
        default: return
        }
        guard let world, session.status.link == .loggedIn, let place = world.referee.place(of: index),
            let table = world.referee.shown(to: index)
        else { return }
        let shown = ShownShoes(table, epoch: place.epoch)
        guard shown != shownShoes else { return }
        shownShoes = shown
        let change = TableChange(table: place.table, revision: place.revision, old: nil, new: table)
        perform(shoes.take(change, epoch: place.epoch, player: name, at: now, using: &contributions))
    }

    /// The answer to a request of the session's caller.
    func answered(_ id: Int, _ result: Result<Reply, Refusal>) {
        guard let request = shoeRequests.removeValue(forKey: id) else { return }
        perform(shoes.take(result, to: request, at: now))
    }

    /// A request of the session has left for the server.
    func noteSent(_ request: Request) {
        guard case .number(let id) = request.id, let message = shoeRequests[id] else { return }
        perform(shoes.sent(message, at: now))
    }

    /// The server refused a request for now.
    func notePostponed(_ refusal: Refusal) {
        guard case .number(let id) = refusal.id, let message = shoeRequests[id] else { return }
        shoes.postponed(message, at: now)
    }

    private func perform(_ actions: [ShoeSession.Action]) {
        for action in actions {
            switch action {
            case .request(let message):
                // Without a connection it is asked again on the next one.
                if link != nil, session.status.link == .loggedIn { submit(message, isOfShoes: true) }
            case .found(.verified): world?.verifiedShoes += 1
            case .found(.contradicted(let shoe, let fault)):
                world?.referee.accuseShoe(index, "shoe \(shoe.shoe) of \(shoe.table): \(fault)")
            case .found: break
            }
        }
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
