import ClientCore
import CommandLineKit
import Dispatch
import Foundation
import ServerCore
import TerminalUI
import Wire

/// `bjclient host`: a `bjserver` on this machine that outlives this program, and a seat at its table as the owner.
struct HostOptions: DisplayedOptions {
    var name: String?
    var table = "friends"
    var pass: String?
    var bots: Int?
    var isPlain = false
    var display = ClientSettings()

    static let command = Command<HostOptions, ClientProgram>(
        "host", "Opens a table on this machine for friends, and plays at it as its owner.", defaults: HostOptions(),
        program: ClientProgram.host
    ) { host in
        host.discussion(
            """
            Starts the bjserver that lies beside this program, or in PATH, and prints the line that friends paste into their terminals. \
            The server is no part of this terminal: it goes on while this program is stopped or its window closed, and 'bjclient host' \
            comes back to it. Leaving asks whether the evening ends: then hands are played to their end. Until then a server that starts \
            again has the phrase and the bots that it had.

            Accounts and chips stay from one evening to the next, in $XDG_STATE_HOME/bjserver/2121, else in \
            ~/.local/state/bjserver/2121; beside it host.log and host.json, which has the pass phrase. The server listens on port 2121 of \
            all addresses; variables of bjserver change that: BJ_LISTEN, BJ_RULES ('bjserver --manual').
            """)
        host.option(
            "--name", \.name, ClientProgram.playerName, short: "n",
            help: "Your name. Default: the one last used; without any, asked for on the screen.")
        host.option("--table", \.table, ClientProgram.tableName, short: "t", help: "The table's name.")
        host.option(
            "--pass", \.pass, .text(upTo: WireLimits.passBytes), value: "PHRASE", environment: "BJ_PASS",
            help: "The table's pass phrase. Default: a new one each evening, in the line for friends.")
        host.option(
            "--bots", \.bots, .int(0...6), short: "b",
            help: "Number of house bots. Default: as before in this evening, else none.")
        host.displayOptions()
        host.example("bjclient host --bots 2", "a table for friends, and two bots")
        host.exitStatus(69, "there is no bjserver, it does not start, or the session was ended")
        host.exitStatus(73, "the files of the server can't be made")
    }
}

extension HostOptions {
    /// The settings that a server was started with, as `bjserver --config` reads them.
    fileprivate struct Settings: Codable {
        struct Table: Codable { var name, pass: String }
        var tables: [Table]
        var bots: Int
    }

    /// Has a server run, and joins it.
    func run(_ environment: [String: String]) -> Never {
        let server = LocalServer(environment)
        let runs = server.ownerLine(of: table)
        let line = runs ?? start(server)
        // bjclient HOST:PORT --table NAME --pass PHRASE --owner CODE
        guard let code = line.firstRange(of: " --owner "), line.split(separator: " ").count > 2,
            let address = ValueFormat.endpoint(defaultPort: 2121).parse(String(line.split(separator: " ")[1]))
        else { Console.fail("bjclient", "\(server.program) is of another version", status: 69) }
        if runs != nil, pass != nil || bots != nil {
            Console.printError("bjclient: the server runs already: --pass and --bots are for one that starts")
        }
        // An account is opened at one address, and the machine's may be another tomorrow.
        let isOnAll = environment["BJ_LISTEN"]?.hasPrefix(":") != false
        let words = line[..<code.lowerBound]
        Console.print("Friends paste this line into a terminal:\n  \(words)")
        let own = isOnAll ? Endpoint(host: "127.0.0.1", port: address.port) : address
        var join = ClientProgram.JoinOptions(server: own, name: name, table: table, owner: String(line[code.upperBound...]))
        let accounts = join.accounts(environment)
        // A hand may wait.
        if name == nil { join.name = accounts?.lastName(server: AccountFile.address(host: own.host, port: Int(own.port))) }
        (join.isPlain, join.display) = (isPlain, display)
        var options = join.session(environment, accounts)
        options.invitation = String(words)
        let session = TableSession.start(options) { ending in
            ClientProgram.show(ending)
            if [0, 65].contains(ending.status) { server.part(asks: !isPlain) }
            exit(ending.status)
        }
        withExtendedLifetime(session) { dispatchMain() }
    }

    /// - Returns: the line for the owner.
    private func start(_ server: LocalServer) -> String {
        let former = server.settings
        let phrase = pass ?? former?.tables.first { $0.name == table }?.pass ?? Self.phrase()
        let process = server.start(Settings(tables: [.init(name: table, pass: phrase)], bots: bots ?? former?.bots ?? 0))
        // A journal of a million hands takes its time.
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if let line = server.ownerLine(of: table) { return line }
            guard process.poll() == nil else { break }
            usleep(50_000)
        }
        let log = (try? Console.text(of: server.log)) ?? ""
        let reason = log.split(separator: "\n").last { $0.hasPrefix("bjserver: ") } ?? "bjserver: no answer; see \(server.log)"
        Console.fail("bjclient", reason, status: 69)
    }

    /// Four syllables: some 26 bits, of which the server lets nobody guess many.
    private static func phrase() -> String {
        let (consonants, vowels) = (Array("bdfghjklmnprstvwz"), Array("aeiou"))
        func syllable() -> String { String([consonants.randomElement() ?? "b", vowels.randomElement() ?? "a"]) }
        return syllable() + syllable() + "-" + syllable() + syllable()
    }
}

/// The server of this user, and its admin socket.
private struct LocalServer: Sendable {
    let program: String
    private let folder: String

    /// Exits if there is no program or no folder.
    init(_ environment: [String: String]) {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let places =
            [own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")]
            + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        guard let place = places.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/bjserver") }) else {
            let advice = "'swift build -c release' makes both, and so does the package"
            Console.fail("bjclient", "bjserver is neither beside bjclient nor in PATH: \(advice)", status: 69)
        }
        guard let folder = PrivateFile.stateFolder(environment, of: "bjserver") else {
            Console.fail("bjclient", "neither XDG_STATE_HOME nor HOME is a folder", status: 73)
        }
        (program, self.folder) = ("\(place)/bjserver", folder)
    }

    var log: String { "\(folder)/host.log" }
    private var data: String { "\(folder)/2121" }
    private var file: PrivateFile { PrivateFile(folder: folder, name: "host", byteLimit: 1 << 16) }

    fileprivate var settings: HostOptions.Settings? {
        (try? file.read()).flatMap { PrivateFile.value(HostOptions.Settings.self, $0) }
    }

    /// nil if no server runs.
    private func ask(_ words: String...) -> AdminReply? {
        try? AdminClient.ask(words, path: "\(data)/admin.sock", milliseconds: 10_000)
    }

    /// The line for friends with a fresh code, which makes an owner of the table; nil if no server runs. Exits if it has no such table.
    func ownerLine(of table: String) -> String? {
        switch ask("owner", table) {
        case .done(let line, _)?: line
        case .refused(_, let message)?: Console.fail("bjclient", "the server runs already. \(message)", status: 69)
        case .table?, nil: nil
        }
    }

    /// Starts it in a group of its own, which no key of this terminal stops.
    func start(_ settings: HostOptions.Settings) -> SpawnedProcess {
        do throws(PrivateFile.Failure) {
            try file.change { () throws(PrivateFile.Failure) in try file.write(PrivateFile.json(settings)) }
        } catch {
            Console.fail("bjclient", error, status: 73)
        }
        unlink(log)
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { Console.fail("bjclient", "\(log): \(String(cString: strerror(errno)))", status: 73) }
        defer { close(descriptor) }
        setenv("BJ_LISTEN", ":2121", 0)
        // A program that waits until this one has closed them would wait for the server.
        for inherited in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? [] {
            if let descriptor = Int32(inherited), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
        let words = ["--data", data, "--create", "--config", file.path]
        guard let process = SpawnedProcess(program, words, output: descriptor, errors: descriptor, leadsGroup: true) else {
            Console.fail("bjclient", "\(program): \(String(cString: strerror(errno)))", status: 69)
        }
        return process
    }

    /// Ends the evening, if the host says so within a minute.
    /// - Parameter asks: only where no thread of the session reads the answer.
    func part(asks: Bool) {
        guard let standings = ask("standings") else { return }
        var answer = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        if asks, isatty(0) == 1, isatty(1) == 1 {
            Console.printText("The table is still open. End the evening, after the hands in play? [y/N] ")
            if poll(&answer, 1, 60_000) > 0, readLine()?.lowercased().hasPrefix("y") == true {
                var last = standings
                if case .done(let sentence, _)? = ask("drain") { Console.print(sentence) }
                unlink(file.path)
                // The hands in play count, too; Ctrl-C waits for none.
                while let now = ask("standings") {
                    last = now
                    usleep(200_000)
                }
                if case .table(let ranking) = last { Console.printText(ranking.text) }
                return
            }
        }
        Console.print("The table stays open: 'bjclient host' comes back to it, 'bjserver ctl drain' ends the evening.")
    }
}
