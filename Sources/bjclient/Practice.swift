import Bots
import ClientCore
import CommandLineKit
import Dispatch
import Foundation
import Journal
import Rules
import ServerCore
import Sockets
import TerminalUI
import Wire

/// An in-process server with one table and house bots, without an address. A house like any other: its folder has chips and hands.
final class Practice {
    let listener: LocalListener
    /// The player's accounts at this house; nil where nothing is kept.
    let accounts: AccountFile?
    /// Why nothing is kept, in a sentence; nil where it is, and for a seed, whose game is the same each time.
    let notice: String?
    private let server: Server
    private let crew: LoopConfined<BotCrew>?

    /// Exits when the rules are invalid.
    init(_ options: ClientProgram.PracticeOptions, _ environment: [String: String]) {
        var shards = Self.shards(options)
        // The bots are the house's, and called as at a host's table.
        var generator = SystemRandomNumberGenerator()
        shards.hostSecret = AccountSecret(using: &generator)
        var settings = Server.Options()
        settings.seed = options.seed
        if options.isKept { settings.edgeDelay = 0 }
        settings.drill = options.drill.map {
            Drill(
                $0.deals(environment), rules: shards.tables[0].rules,
                hands: min(1 + options.botCount, shards.tables[0].rules.seats))
        }
        let folder = PrivateFile.stateFolder(environment).map { "\($0)/practice" }
        let (recovery, reason) = options.isKept ? Self.open(folder, shards) : (nil, nil)
        (notice, accounts) = (reason, recovery.map { AccountFile(folder: $0.location) })
        if let recovery { shards.tables = recovery.tables }
        server = Server(shards: shards, options: settings, recovery: recovery)
        listener = server.startInside()
        crew = options.botCount > 0 ? Self.seat(options, at: listener, in: shards) : nil
    }

    private static func shards(_ options: ClientProgram.PracticeOptions) -> ShardConfiguration {
        // Long clocks: one player has no others who wait.
        let month = HouseRules.secondsRange.upperBound
        let clocks = ["bettingSeconds", "decisionSeconds", "insuranceSeconds"].map { ($0, RuleValue.integer(month)) }
        let shuffles = options.drill == nil ? [] : [("continuousShuffle", RuleValue.flag(true))]
        guard let rules = try? Self.rules(options.rules).with(clocks + shuffles + [("assist", .flag(true))]) else {
            preconditionFailure("the range has its end")
        }
        var shards = ShardConfiguration(tables: [.init(name: "practice", rules: rules)])
        shards.tables[0].hasCeremonies = options.isKept
        (shards.bankMilliseconds, shards.sitOutMilliseconds) = (month * 1000, month * 1000)
        // The hand of a player or a bot that does not come back stands.
        (shards.awayMilliseconds, shards.absentLeave) = (10_000, true)
        // The cards lie until the player's next bet.
        shards.settledMilliseconds = 0
        return shards
    }

    /// - Returns: the house in the folder, or why it can't be used.
    private static func open(_ folder: String?, _ shards: ShardConfiguration) -> (Recovery?, String?) {
        guard let folder else { return (nil, "This practice is not saved: HOME is not set.") }
        var options = Recovery.Options()
        options.version = Release.version
        options.journal.durability = .interval
        // The hand at a table that a former version opened without help goes on there.
        options.tables = { [table = shards.tables[0]] open in
            let saved = open.first { $0.name == table.name }
            let isSaved = (try? saved?.rules.with([("assist", .flag(true))])) == table.rules
            return [isSaved ? saved ?? table : table]
        }
        do throws(JournalError) {
            let found = try Recovery.open(
                folder: folder, configuration: shards, options: options, wallClock: Int64(Date().timeIntervalSince1970 * 1000),
                callbacks: .init { Console.fail("bjclient", $0, status: 74) })
            return (found, nil)
        } catch {
            let reason = if case .locked = error { "another one is running" } else { "\(error)" }
            return (nil, "This practice is not saved: \(reason).")
        }
    }

    private static func seat(
        _ options: ClientProgram.PracticeOptions, at listener: LocalListener, in shards: ShardConfiguration
    ) -> LoopConfined<BotCrew> {
        BasicStrategies.prepare(for: shards.tables[0].rules)
        let loop = Loop(label: "bj.bots")
        let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
        var bots = BotCrew.Options(host: "", port: 0, bots: options.botCount)
        (bots.client.local, bots.namePrefix, bots.secret) = (listener, "house", shards.hostSecret)
        // The player takes the first free seat.
        (bots.firstSeat, bots.betsFirst) = (2, false)
        let seated = DispatchSemaphore(value: 0)
        crew.perform { [bots] in
            $0.onSeated = { seated.signal() }
            $0.start(bots)
        }
        // Everybody is there for the first round: the same seed plays the same game. Bounds the wait for more bots than the table has seats for.
        _ = seated.wait(timeout: .now() + .seconds(3))
        return crew
    }

    /// Exits when the rules are invalid.
    static func rules(_ name: String) -> HouseRules {
        if name == "default" { return HouseRules() }
        return Console.orFail("bjclient", status: 65) {
            try RulesSource.load(name) { try RegularFile.read($0, upTo: RulesSource.limit) }
        }
    }
}

extension Practice {
    /// The hands that the rounds of a drill begin with.
    enum DrillKind: String, CaseIterable, Sendable {
        case pairs, soft, hard, mistakes

        /// Exits where the player has made no mistakes.
        fileprivate func deals(_ environment: [String: String]) -> [Drill.Deal] {
            let deals =
                switch self {
                case .pairs: (1...10).compactMap { Drill.Deal(.pair($0)) }
                case .soft: (13...20).compactMap { Drill.Deal(.soft($0)) }
                case .hard: (8...17).compactMap { Drill.Deal(.hard($0)) }
                case .mistakes: MistakeFile(environment)?.deals ?? []
                }
            guard !deals.isEmpty else { Console.fail("bjclient", "no mistakes are kept yet: play some hands first", status: 65) }
            return deals
        }

        fileprivate var greeting: String {
            let hand =
                switch self {
                case .pairs: "a pair"
                case .soft: "a soft hand"
                case .hard: "a hard hand of 8 to 17"
                case .mistakes: "a hand that you have played wrong"
                }
            return "Each round begins with \(hand). These shoes are chosen: they prove nothing."
        }
    }
}

extension ClientProgram.PracticeOptions {
    /// Whether chips and hands are those of the folder, and the shoes provable.
    var isKept: Bool { seed == nil && drill == nil }
    var botCount: Int { bots ?? (drill == nil ? 2 : 0) }

    func run(_ environment: [String: String], _ finish: @escaping @Sendable (TableSession.Ending) -> Void) -> Never {
        let practice = Practice(self, environment)
        let session = TableSession.start(session(environment, at: practice)) { [hasAccounts = practice.accounts != nil] ending in
            if hasAccounts { Visit.keep(.practice, ending, environment) }
            finish(ending)
        }
        withExtendedLifetime((session, practice)) { dispatchMain() }
    }

    private func session(_ environment: [String: String], at practice: Practice) -> TableSession.Options {
        let name = name ?? practice.accounts?.lastName()
        var session = TableSession.Options(
            host: "", port: 0,
            name: name.map { .assumed($0) }
                ?? .asked(suggestion: AccountFile(environment: environment)?.lastName() ?? userName(environment)))
        (session.client.local, session.client.accounts) = (practice.listener, practice.accounts)
        session.client.accountServer = "practice"
        session.show(display, environment)
        session.title = "practice"
        session.greeting = practice.notice ?? drill?.greeting
        session.initialPlacement = .sit(table: nil, seat: nil)
        return session
    }
}
