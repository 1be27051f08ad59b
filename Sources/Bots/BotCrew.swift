import ClientCore
import Dispatch
import Sockets
import Wire

/// Several bots that play together against one server. Confined to its loop: other threads hold a `LoopConfined<BotCrew>`.
public final class BotCrew {
    public struct Options: Sendable {
        /// Of every bot; the start adds name, secret and place.
        public var client: GameClient.Options
        public var bots: Int
        /// Rounds for each bot; `Int.max` for as long as the server lives.
        public var rounds: Int
        /// The table; nil for any.
        public var table: String?
        /// The seat of the first bot; the others sit behind it. nil: any.
        public var firstSeat: Int?
        /// Whether the bots bet by themselves. Otherwise they bet once somebody else has, and rest while nobody else plays.
        public var betsFirst = true
        /// Chips for each round; brought into the table's limits.
        public var bet = 0
        /// Prefix of the bots' names.
        public var namePrefix = "bot"
        /// Number of the first bot's name, and the distance to the next.
        public var numbers = (first: 1, step: 1)
        /// Milliseconds within which the server has to greet the first bot; the run ends when it does not, or can't be reached at once. nil:
        /// each bot tries again, as it does when it loses a connection.
        public var greetingTimeout: Int64?
        /// The secret of every bot, for names that a server keeps for its own bots; nil for secrets that follow from the names.
        public var secret: AccountSecret?

        public init(host: String, port: Int, bots: Int, rounds: Int = .max) {
            client = GameClient.Options(host: host, port: port, name: nil)
            client.isBot = true
            // A server, or its database, may be away for long. The end comes by rounds or by time.
            client.retries = .max
            self.bots = bots
            self.rounds = rounds
        }
    }

    /// Sums over all bots.
    public struct Report: Equatable, Sendable, Encodable {
        private enum CodingKeys: String, CodingKey { case bots, rounds, hands, net, shoes, errors }

        /// Whether no bot has ever reached the server.
        public var isUnreachable = false
        public var bots = 0
        /// Rounds, added up over the bots.
        public var rounds = 0
        public var hands = 0
        /// Chips won (positive) or lost.
        public var net = 0
        public var shoes = ShoeCounts()
        /// Things that must not happen, in words.
        public var errors: [String] = []
    }

    private let loop: Loop
    private var bots: [Bot] = []
    private var completion: ((Report) -> Void)?
    private var greetingTimer: LoopTimer?
    private var isReached = false
    /// Called when the server greets the first bot. Set before the start.
    public var onReached: (() -> Void)?
    /// Called when every bot has its first seat. Set before the start.
    public var onSeated: (() -> Void)?
    private var seated = 0

    public init(loop: Loop) { self.loop = loop }

    /// - Parameter completion: called once, when every bot has played its rounds or failed.
    public func start(_ options: Options, completion: @escaping (Report) -> Void = { _ in }) {
        self.completion = completion
        let here = LoopConfined(WeakReference(self), on: loop)
        let strategies = BasicStrategies { here.perform { for bot in $0.object?.bots ?? [] { bot.reconsider() } } }
        for number in 1...max(1, options.bots) {
            var settings = options.client
            let name = "\(options.namePrefix)-\(options.numbers.first + (number - 1) * options.numbers.step)"
            settings.name = name
            settings.credential = .secret(options.secret ?? Self.secret(of: name))
            settings.initialPlacement = .sit(table: options.table, seat: options.firstSeat.map { $0 + number - 1 })
            let bot = Bot(
                client: GameClient(options: settings, loop: loop),
                mind: BotMind(
                    bet: options.bet, manner: HouseBot(name)?.manner ?? .book, strategies: strategies),
                maximumRounds: options.rounds)
            bot.onProgress = { [weak self] _ in self?.check() }
            bot.onLink = { [weak self] in self?.changed($0, isFinal: options.greetingTimeout != nil) }
            if !options.betsFirst {
                bot.isColleague = { [weak self] name in self?.bots.contains { $0.client.state.login?.name == name } ?? true }
            }
            bot.onSeat = { [weak self] in self?.hasSat() }
            bots.append(bot)
        }
        if let time = options.greetingTimeout { startGreetingTimer(time, with: "\(options.client.host):\(options.client.port)") }
        for bot in bots { bot.start() }
    }

    /// Hangs up; the completion is not called.
    public func stop() {
        completion = nil
        for bot in bots { bot.finish() }
    }

    private func hasSat() {
        seated += 1
        if seated == bots.count { onSeated?() }
    }

    /// The secret of a bot: the same name has the same account at every start. The generator starts at FNV-1a of the name.
    private static func secret(of name: String) -> AccountSecret {
        var random = SeededEntropy(seed: name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        return AccountSecret(using: &random)
    }

    /// The sums so far.
    public var report: Report {
        bots.reduce(into: Report(bots: bots.count)) { report, bot in
            report.rounds += bot.tally.rounds
            report.hands += bot.tally.hands
            report.net += bot.tally.net
            let shoes = bot.client.state.shoes
            report.shoes.verified += shoes.verified
            report.shoes.failed += shoes.contradicted
            report.shoes.unproven += shoes.notVerified
            report.errors += bot.tally.errors.map { "\(bot.client.state.login?.name ?? "a bot"): \($0)" }
        }
    }

    /// Ends the run; the reason counts as an error, and the completion is not called.
    /// - Returns: the sums so far.
    public func breakOff(because reason: String) -> Report {
        var report = report
        report.errors.append(reason)
        completion = nil
        return report
    }

    /// Breaks the run off after a time, in milliseconds.
    public func startTimeout(milliseconds: Int64, completion: @escaping (Report) -> Void) {
        // The loop keeps an armed timer.
        loop.makeTimer { [weak self] in
            guard let self, self.completion != nil else { return }
            completion(breakOff(because: "the bots did not finish in time"))
        }.arm(at: loop.now + milliseconds)
    }

    private func changed(_ link: LinkState, isFinal: Bool) {
        guard !isReached else { return }
        switch link {
        case .connected, .loggedIn:
            isReached = true
            greetingTimer?.disarm()
            onReached?()
        case .lost(let failure) where isFinal: giveUp(failure.description)
        case .lost, .connecting, .ended: break
        }
    }

    private func startGreetingTimer(_ milliseconds: Int64, with server: String) {
        let timer = loop.makeTimer { [weak self] in
            guard let self, !isReached else { return }
            giveUp("\(server) accepts connections but is not a blackjack server")
        }
        timer.arm(at: loop.now + milliseconds)
        greetingTimer = timer
    }

    private func giveUp(_ reason: String) {
        guard let completion else { return }
        // One reason for all of them.
        var report = Report(isUnreachable: true, bots: bots.count)
        report.errors = [reason]
        self.completion = nil
        completion(report)
    }

    private func check() {
        guard bots.allSatisfy(\.hasEnded), let completion else { return }
        self.completion = nil
        completion(report)
    }
}

/// Shoes by the result of their proofs; each bot judges its own.
public struct ShoeCounts: Equatable, Sendable, Encodable {
    public var verified = 0
    /// Not as committed to, or of a ceremony that was not honest.
    public var failed = 0
    /// Without a proof.
    public var unproven = 0

    package init() {}

    package mutating func merge(_ other: ShoeCounts) {
        verified += other.verified
        failed += other.failed
        unproven += other.unproven
    }
}
