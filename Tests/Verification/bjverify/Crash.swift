import CommandLineKit
import CrashRuns
import Dispatch
import Foundation
import Sockets
import Synchronization

/// Options of `bjverify crash`.
struct CrashOptions: Sendable {
    var settings = CrashRun.Options(server: "", folder: "")
    var seed: UInt64?
    var folder: String?
    var entry: Endpoint?
    var members: [Endpoint] = []
    var partitions = 1
    var store: String?
    var lease = 1000
    var disturb: String?

    static let command = Command<CrashOptions, VerifyProgram>(
        "crash", "Kills a server repeatedly and checks that nothing is lost.",
        defaults: CrashOptions(),
        program: VerifyProgram.crash
    ) { command in
        command.discussion(
            """
            Starts the server on its own folder, plays with bots that remember every line, ends it with \
            SIGKILL at a random moment and restarts it, --kills times: mid-hand, during recovery, during logins, and while \
            it stops. After each start every player must find the same name, chips, seats and hand, and get the same replies to \
            repeated requests. At the end the server is stopped with SIGTERM, and its journal is audited.

            With --store the players connect to --entry, a proxy that finds the owner among the servers of --member. These are \
            killed, paused, handed over and cut off from the database. A paused or cut-off owner must exit with 75, and \
            play must resume within --within after the lease, or half of it after a hand-over with one partition. With several partitions, players \
            move between their tables, and the store is audited during play and at the end.

            SIGKILL does not lose data that the system has yet to write to disk, so this does not test power cuts.
            """)
        command.argument("BJSERVER", \.settings.server, .path, required: true, help: "Path of the server program.")
        command.option("--kills", \.settings.kills, .int(0...10_000_000), short: "n", help: "Number of kills.")
        command.option(
            "--seed", \.seed, .int(), help: "Seed of moves and kills. Default: random (printed).")
        command.option("--tables", \.settings.tables, .int(1...1000), short: "t", help: "Number of tables, with mixed rules.")
        command.option("--players", \.settings.players, .int(1...5000), short: "p", help: "Number of players.")
        command.option(
            "--durability", \.settings.durability, .choice, help: "The server's --durability. 'none' may lose a second.")
        command.option(
            "--data", \.folder, .path, value: "DIR",
            help:
                "The server's data folder. Default: a temporary one, kept after a failure."
        )
        command.option(
            "--audit-every", \.settings.auditEvery, .int(0...1_000_000), value: "KILLS",
            help: "Also audits the journal after every N kills. 0: only at the end.")
        command.option(
            "--within", \.settings.resumeLimit, .milliseconds(1...600_000),
            help:
                "Maximum time until all players are back after a start or, with --store, after the lease (by default 2 s or more)."
        )
        command.option(
            "--store", \.store, .path, value: "URL",
            help: "The --data of several servers, in which {} stands for the host of each --member.")
        command.option(
            "--member", \.members, .endpoint(),
            help: "With --store: a server's --listen. Its next two ports are for proxies and metrics.")
        command.option("--entry", \.entry, .endpoint(), help: "With --store: the address for players.")
        command.option(
            "--partitions", \.partitions, .int(1...100), help: "With --store: its partitions, fewer than servers.")
        command.option("--lease", \.lease, .milliseconds(100...60_000), help: "With --store: the servers' --lease.")
        command.option(
            "--disturb", \.disturb, .path, value: "PROGRAM",
            help: "With --store: a program that takes 'cut HOST', 'freeze HOST', 'heal HOST' and 'restart'.")
        command.example("bjverify crash ./bjserver --kills 100", "a hundred kills")
        command.example("bjverify crash ./bjserver --seed 7 --within 2s", "repeat a run, with a limit on recovery time")
        command.exitStatus(1, "Something that a player had seen was lost or changed.")
        command.exitStatus(69, "The server cannot be started, or its folder cannot be created.")
    }

    private static let isInterrupted = Atomic(false)

    func run() -> Never {
        let seed = seed ?? UInt64.random(in: 0..<1_000_000_000)
        let folder: String
        do {
            folder = try self.folder ?? Self.temporaryFolder()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            Console.fail("bjverify crash", Console.reason(error), status: 69)
        }
        var settings = settings
        (settings.folder, settings.seed) = (folder, seed)
        if let store, let entry, let disturb, members.count > partitions {
            settings.cluster = CrashCluster(
                entry: (entry.host, Int(entry.port)), members: members.map { ($0.host, Int($0.port)) }, store: store,
                lease: lease,
                disturb: disturb)
            settings.cluster?.partitions = partitions
        } else if store != nil {
            Console.fail(
                "bjverify crash", "--store needs --entry, --disturb and more --member than --partitions", status: 64)
        }
        let signals = Signals.observe([SIGINT, SIGTERM]) { _ in Self.isInterrupted.store(true, ordering: .relaxed) }
        Console.print("seed \(seed), folder \(folder)")
        // Off the main thread, on which signals are handled.
        DispatchQueue(label: "bj.crash").async { [settings, isTemporary = self.folder == nil] in
            do throws(CrashError) {
                let run = CrashRun(settings, isInterrupted: { Self.isInterrupted.load(ordering: .relaxed) }) { Console.print($0) }
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
}
