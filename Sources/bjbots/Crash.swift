import CommandLineKit
import Dispatch
import Foundation
import LoadGenerator
import Sockets
import Synchronization

/// Options of `bjbots crash`.
struct CrashOptions: Sendable {
    enum Durability: String, CaseIterable, Sendable { case sync, interval, none }

    var server = ""
    var kills = 1000
    var seed: UInt64?
    var tables = 5
    var players = 14
    var durability = Durability.sync
    var folder: String?
    var auditEvery = 0
    var within: Int?
    var entry: Endpoint?
    var members: [Endpoint] = []
    var partitions = 1
    var store: String?
    var lease = 1000
    var disturb: String?

    static let command = Command<CrashOptions, BotsProgram>(
        "crash", "Kills a server repeatedly, and checks that nothing that players were told is lost.",
        defaults: CrashOptions(),
        program: BotsProgram.crash
    ) { command in
        command.discussion(
            """
            Starts the server program on a folder of its own, plays with players that remember every line, ends it with SIGKILL at a \
            random moment, and starts it again, as often as --kills says: in the midst of hands, during recovery, while players log in, and \
            while it stops. After each start every player must find the same name, chips, seats and hand, and the same answers to \
            repeated requests. At the end the server stops in order, and its journal is audited.

            With --store the players play at --entry, behind which a proxy finds the owner among the servers of --member. These are killed, paused, \
            handed over and cut off from their database, at random. A paused or cut-off owner has to end with 75, play has to resume within \
            two seconds of the lease, and within one of a hand-over. Of several partitions, players change tables between them, and the whole \
            store is audited at the end, also while they play.

            SIGKILL keeps what the system has not written to the disk yet: a power cut is another test.
            """)
        command.argument("BJSERVER", \.server, .path, required: true, help: "The path of the server's program.")
        command.option("--kills", \.kills, .int(0...10_000_000), short: "n", help: "How often the server is killed.")
        command.option(
            "--seed", \.seed, .int(), help: "Of the players' moves and the moments; drawn and printed without it.")
        command.option("--tables", \.tables, .int(1...1000), short: "t", help: "Tables, of mixed rules.")
        command.option("--players", \.players, .int(1...5000), short: "p", help: "Players, spread over the tables.")
        command.option("--durability", \.durability, .choice, help: "The server's --durability; 'none' may lose a second.")
        command.option(
            "--data", \.folder, .path, value: "DIR",
            help:
                "A folder for the server's data, made if missing; it stays. A temporary one that stays after a failure without it."
        )
        command.option(
            "--audit-every", \.auditEvery, .int(0...1_000_000), value: "KILLS",
            help: "Stops the server in order and audits its journal after so many kills too; 0: at the end only.")
        command.option(
            "--within", \.within, .milliseconds(1...600_000),
            help: "Fails unless all players are back so soon after each start; with --store beyond the lease (2 s or more).")
        command.option(
            "--store", \.store, .path, value: "URL",
            help: "The --data of several servers; {} stands for the host of each --member.")
        command.option(
            "--member", \.members, .endpoint(),
            help: "With --store: a server's --listen. Its next two ports are for proxies and metrics. Repeatable.")
        command.option("--entry", \.entry, .endpoint(), help: "With --store: the address where players find the owner.")
        command.option(
            "--partitions", \.partitions, .int(1...100), help: "With --store: its partitions; fewer than servers.")
        command.option("--lease", \.lease, .milliseconds(100...60_000), help: "With --store: the servers' --lease.")
        command.option(
            "--disturb", \.disturb, .path, value: "PROGRAM",
            help: "With --store: a program that is called with 'cut HOST', 'freeze HOST', 'heal HOST' and 'restart'.")
        command.example("bjbots crash ./bjserver --kills 100", "a hundred kills")
        command.example("bjbots crash ./bjserver --seed 7 --within 2s", "the same run again, with a bound on recovery")
        command.exitStatus(1, "something that was told is lost or changed")
        command.exitStatus(69, "the server can't be started, or its folder not be made")
    }

    func run() -> Never {
        let seed = seed ?? UInt64.random(in: 0..<1_000_000_000)
        let folder: String
        do {
            folder = try self.folder ?? Self.temporaryFolder()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            Console.fail("bjbots crash", Console.reason(error), status: 69)
        }
        var settings = CrashRun.Options(server: server, folder: folder)
        (settings.kills, settings.seed, settings.tables, settings.players) = (kills, seed, tables, players)
        (settings.durability, settings.auditEvery) = (durability.rawValue, auditEvery)
        settings.resumeLimit = within
        if let store, let entry, let disturb, members.count > partitions {
            settings.cluster = CrashCluster(
                entry: (entry.host, Int(entry.port)), members: members.map { ($0.host, Int($0.port)) }, store: store,
                lease: lease,
                disturb: disturb)
            settings.cluster?.partitions = partitions
        } else if store != nil {
            Console.fail(
                "bjbots crash", "--store needs --entry, --disturb and more --member than --partitions", status: 64)
        }
        let interrupted = Interruption()
        let signals = Signals.observe([SIGINT, SIGTERM]) { _ in interrupted.raise() }
        Console.print("seed \(seed), folder \(folder)")
        // Off the main thread, on which signals are handled.
        DetachedThread.start { [settings, isTemporary = self.folder == nil] in
            do throws(CrashError) {
                let run = CrashRun(settings, isInterrupted: { interrupted.isRaised }) { Console.print($0) }
                let report = try run.run()
                for line in report.lines { Console.print(line) }
                if isTemporary { try? FileManager.default.removeItem(atPath: folder) }
                exit(0)
            } catch {
                Console.print("FAILED \(error)\nfolder \(folder)")
                exit(error.isSetup ? 69 : 1)
            }
        }
        withExtendedLifetime(signals) { dispatchMain() }
    }

    private static func temporaryFolder() throws -> String {
        FileManager.default.temporaryDirectory.appending(path: "bjcrash-\(UUID().uuidString.prefix(8))").path
    }

    /// A one-way flag for all threads.
    private final class Interruption: Sendable {
        private let value = Atomic(false)
        var isRaised: Bool { value.load(ordering: .relaxed) }
        func raise() { value.store(true, ordering: .relaxed) }
    }
}
