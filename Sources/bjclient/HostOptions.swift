import ClientCore
import CommandLineKit
import Dispatch
import Foundation
import Rules
import ServerCore
import Sockets
import TerminalUI
import Wire

/// `bjclient host`: a `bjserver` on this machine that outlives this program, and a seat at its table as the owner.
struct HostOptions: DisplayedOptions {
    var name: String?
    var table: String?
    var pass: String?
    var bots: Int?
    var match: Int?
    var assist = false
    var isNew = false
    var door = true
    var display = ClientSettings()

    private static let ownTableName = ValueFormat<String>(
        "NAME", expected: "a name with letters a-z or digits, such as 'Friday night'",
        parse: { tableName($0).isEmpty ? nil : $0 }, print: { $0 })

    /// The name of a table as people write it: `friday-night`; empty where nothing is left.
    static func tableName(_ text: String) -> String {
        guard !ShardConfiguration.isTableName(text) else { return text }
        let words = text.lowercased().split { !ShardConfiguration.isTableName(String($0)) || $0 == "-" }
        let name = words.joined(separator: "-").prefix(32)
        return String(name.hasSuffix("-") ? name.dropLast() : name)
    }

    static let command = Command<HostOptions, ClientProgram>(
        "host", "Opens a table for friends on this machine, and seats you as its owner.", defaults: HostOptions(),
        program: ClientProgram.host
    ) { host in
        host.discussion(
            """
            Starts the bjserver beside this program, or in PATH, seats you as the owner of its table, and prints a command for your \
            friends. The command works in your network; for friends elsewhere, see 'Friends elsewhere' in Operating.md.

            The server does not depend on this terminal: the table stays open when you close the window, and 'bjclient host' returns to \
            it. After a crash the server is started again, with the same hands: three times in ten minutes, then by 'bjclient host'. Leaving \
            the screen asks whether to close the table: hands are then played out, and everyone sees the standings. The next \
            'bjclient host' opens it again, with the same name, phrase, rules and bots; --new has another phrase, the default rules and no \
            bots. Options and variables that are given win.

            One port above the server's, a door lets people join by 'nc' who have no client; see 'bjclient door'.

            Accounts and chips are kept for the next time in $XDG_STATE_HOME/bjserver/2121, else in ~/.local/state/bjserver/2121. \
            Beside it are host.log and host.json, which has the pass phrase. The server listens on port 2121 of all addresses; to \
            change that or the rules, set the server's variables, such as BJ_LISTEN and BJ_RULES ('bjserver --manual').
            """)
        host.option(
            "--name", \.name, ClientProgram.playerName, short: "n",
            help: "Your name. Default: the table's owner; the first time, the screen asks.")
        host.option(
            "--table", \.table, ownTableName, short: "t",
            help: "The table's name, such as 'Friday night'. Default: the last table's, else friends.")
        host.option(
            "--pass", \.pass, .text(upTo: WireLimits.passBytes), value: "PHRASE", environment: "BJ_PASS",
            help:
                "The table's pass phrase. Default: the last table's, else a new one. The command for friends contains it."
        )
        host.option(
            "--bots", \.bots, .int(0...6), short: "b",
            help: "Number of house bots. Default: the last table's, else none.")
        host.option(
            "--match", \.match, .int(1...1000), value: "ROUNDS", help: "Begins with a match: a ranking over so many rounds.")
        host.flag(
            "--new", \.isNew, help: "Begins with a new phrase, the default rules and no bots; keeps the name and all accounts.")
        host.flag(
            "--assist", \.assist,
            help: "Helps those who count: the table shows which cards have been seen, and the coach counts with them.")
        host.flag("--door", \.door, negatable: true, help: "Opens a door for people without a client; --no-door opens none.")
        host.displayOptions()
        host.example("bjclient host --bots 2", "a table for friends, and two bots")
        host.example("bjclient host", "the same table next Friday")
        host.exitStatus(69, "bjserver is missing or does not start, or the session was ended.")
        host.exitStatus(73, "The server's files cannot be created.")
    }
}

extension HostOptions {
    /// The settings that a server was started with, as `bjserver --config` reads them.
    struct Settings: Codable {
        struct Table: Codable { var name, pass: String }
        var tables: [Table]
        var bots: Int
        var listen: String
        var rules: String?
        /// The socket for the door; absent without one.
        var proxyListen: String?
    }

    /// Has a server run, and joins it.
    func run(_ environment: [String: String]) -> Never {
        let server = LocalServer(environment)
        // One start at a time: the settings in the file are those of the server that answers.
        let (table, line, isOpen, last) = server.exclusively {
            let table = self.table.map(Self.tableName) ?? server.settings?.tables.first?.name ?? "friends"
            if let typed = self.table, typed != table { Console.print("The table is called \(table).") }
            let line = server.ownerLine(of: table)
            let last = line == nil ? server.lastResults : nil
            return (table, line ?? self.start(server, table, environment), line != nil, last)
        }
        // bjclient HOST:PORT --table NAME --pass PHRASE --owner CODE
        guard let code = line.firstRange(of: " --owner "), line.split(separator: " ").count > 2,
            let address = ValueFormat.endpoint(defaultPort: 2121).parse(String(line.split(separator: " ")[1]))
        else { Console.fail("bjclient", "\(server.program) has another version than bjclient", status: 69) }
        if isOpen, pass != nil || bots != nil || assist || isNew {
            Console.printError("bjclient: the table is already open: --pass, --bots, --assist and --new are ignored")
        }
        if let last { Console.print(last) }
        // An account is opened at one address, and the machine's may be another tomorrow.
        let isOnAll = server.settings?.listen.hasPrefix(":") != false
        let words = line[..<code.lowerBound]
        let isLocal = address.host.hasPrefix("127.")
        let reach = isLocal ? nil : "Friends in your network can join; for others, see 'Friends elsewhere' in Operating.md."
        let players = isLocal ? "Players on this machine" : "Friends"
        Console.print("\(players) paste this line into a terminal:\n  \(words)")
        let door = server.door(at: address.host, waits: !isOpen)
        if let door { Console.print(door) }
        let own = isOnAll ? Endpoint(host: "127.0.0.1", port: address.port) : address
        var join = ClientProgram.JoinOptions(server: own, table: table, owner: String(line[code.upperBound...]))
        let accounts = join.accounts(environment)
        // No form: a hand may wait.
        let owned = ((try? accounts?.accounts()) ?? []).filter { [owner = server.owner(of: table)] in $0.name == owner }
        // Also of an evening at another address: the house is the same.
        let account = owned.first { $0.server == "\(own)" } ?? owned.last
        (join.name, join.display) = (name ?? account?.name, display)
        var options = join.session(environment, accounts)
        options.client.accountServer = account?.server
        (options.invitation, options.match, options.door) = (String(words), match, door)
        let notes = [last, door, reach].compactMap(\.self).joined(separator: "\n")
        options.greeting = notes.isEmpty ? nil : notes
        let start = words[..<(words.firstRange(of: " --pass")?.lowerBound ?? words.endIndex)]
        options.invite = { start + Console.passOption($0) }
        let session = TableSession.start(options) { ending in
            ClientProgram.show(ending)
            Visit.keep(.host, ending, environment)
            if [0, 65].contains(ending.status) {
                server.part(from: table, asks: !display.isPlain, invitation: String(words), door: door)
            }
            exit(ending.status)
        }
        withExtendedLifetime(session) { dispatchMain() }
    }

    /// - Returns: the line for the owner.
    private func start(_ server: LocalServer, _ table: String, _ environment: [String: String]) -> String {
        let (kept, former) = (server.settings, isNew ? nil : server.settings)
        // A file's path would be relative to that of the settings.
        var rules =
            environment["BJ_RULES"].map { name in name.contains { $0 == "/" || $0 == "." } ? URL(filePath: name).path : name }
            ?? former?.rules
        if assist {
            rules = server.assisted(Practice.rules(rules ?? "default"))
            // The server inherits it, and would prefer it to its settings.
            unsetenv("BJ_RULES")
        }
        let phrase = pass ?? former?.tables.first { $0.name == table }?.pass ?? Self.phrase()
        let process = server.start(
            Settings(
                tables: [.init(name: table, pass: phrase)], bots: bots ?? former?.bots ?? 0,
                listen: environment["BJ_LISTEN"] ?? kept?.listen ?? ":2121", rules: rules,
                proxyListen: door ? server.doorSocket : nil))
        // A journal of a million hands takes its time.
        var (end, complaint) = (ContinuousClock.now + .seconds(60), String?.none)
        while ContinuousClock.now < end {
            if let line = server.ownerLine(of: table) { return line }
            if complaint == nil, process.poll() != nil {
                // A setting that lets no server start would fail the next start, too.
                server.keep(kept)
                let log = (try? Console.text(of: server.log)) ?? ""
                complaint = log.split(separator: "\n").last { $0.hasPrefix("bjserver: ") }.map(String.init) ?? ""
                // A 'bjclient host' that was killed may have started another server, which answers soon.
                end = ContinuousClock.now + .seconds(complaint?.firstRange(of: "in use by another server") != nil ? 10 : 0)
            }
            usleep(50_000)
        }
        let reason = complaint.flatMap { $0.isEmpty ? nil : $0 } ?? "bjserver: no answer; see \(server.log)"
        let advice = reason.firstRange(of: "already in use") == nil ? "" : "; to use another port: BJ_LISTEN=:2122 bjclient host"
        Console.fail("bjclient", "\(reason)\(advice)", status: 69)
    }

    /// Four syllables: some 26 bits, of which the server lets nobody guess many.
    private static func phrase() -> String {
        let (consonants, vowels) = (Array("bdfghjklmnprstvwz"), Array("aeiou"))
        func syllable() -> String { String([consonants.randomElement() ?? "b", vowels.randomElement() ?? "a"]) }
        return syllable() + syllable() + "-" + syllable() + syllable()
    }
}

/// The server of this user, and its admin socket.
struct LocalServer: Sendable {
    let program: String
    private let folder: String

    /// Exits if there is no program or no folder.
    init(_ environment: [String: String]) {
        let places =
            [Self.ownProgram.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")]
            + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        guard let place = places.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/bjserver") }) else {
            let advice = "build both with 'swift build -c release --product programs', or install the package"
            Console.fail("bjclient", "bjserver was not found beside bjclient or in PATH: \(advice)", status: 69)
        }
        guard let folder = PrivateFile.stateFolder(environment, of: "bjserver") else {
            Console.fail("bjclient", "neither XDG_STATE_HOME nor HOME is a folder", status: 73)
        }
        (program, self.folder) = ("\(place)/bjserver", folder)
    }

    static var ownProgram: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    var log: String { "\(folder)/host.log" }
    /// nil where the folder's path is too long for a socket.
    var doorSocket: String? { (try? SocketAddress(unixPath: "\(folder)/door.sock")).map { _ in "\(folder)/door.sock" } }
    private var data: String { "\(folder)/2121" }
    private var file: PrivateFile { Self.file(folder) }
    private static func file(_ folder: String) -> PrivateFile { PrivateFile(folder: folder, name: "host", byteLimit: 1 << 16) }

    var settings: HostOptions.Settings? { Self.settings(in: folder) }

    /// Of the last evening; nil before the first.
    static func settings(in folder: String) -> HostOptions.Settings? {
        file(folder).kept(HostOptions.Settings.self)
    }

    /// The results with which the server has closed the last evening: `Last time: Fay +480, Hank −5.`; nil where its log has none.
    var lastResults: String? {
        let lines = ((try? Console.text(of: log)) ?? "").split(separator: "\n").suffix(100)
        let results = lines.compactMap { line -> String? in
            let pattern = /time=\S+ level=info event=leaderboard place=\d+ name=(?:"(.*)"|(\S+)) bot=no rounds=\d+ net=(-?\d+) .*/
            guard let match = line.wholeMatch(of: pattern), let net = Int(match.3) else { return nil }
            let name = (match.1 ?? match.2 ?? "").replacing(/\\u\{([0-9a-f]+)\}/) { code in
                UInt32(code.1, radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
            }
            return (try? PlayerName(String(name))).map { "\($0.text) \(net > 0 ? "+" : net < 0 ? "−" : "")\(net.magnitude)" }
        }
        return results.isEmpty ? nil : "Last time: \(results.prefix(8).joined(separator: ", "))."
    }

    /// nil if no server runs.
    private func ask(_ words: String...) -> AdminReply? {
        try? AdminClient.ask(words, path: "\(data)/admin.sock", milliseconds: 10_000)
    }

    /// The line for friends with a fresh code, which makes an owner of the table; nil if no server runs. Exits if it has no such table.
    func ownerLine(of table: String) -> String? {
        switch ask("owner", table) {
        case .done(let line, _)?: line
        case .refused?: Console.fail("bjclient", "another table is already open; 'bjserver ctl drain' closes it", status: 69)
        case .table?, nil: nil
        }
    }

    /// Its owner, and whether it is closing; nil where there is no such table.
    private func notes(on table: String) -> [Substring]? {
        guard case .table(let tables)? = ask("tables") else { return nil }
        return tables.rows.first { $0.first?.text == table }?.last?.text.split(separator: ", ")
    }

    /// The name of a table's owner; nil for none.
    func owner(of table: String) -> String? {
        notes(on: table)?.first { $0.hasPrefix("owner ") }.map { String($0.dropFirst("owner ".count)) }
    }

    /// Runs a body that no other 'bjclient host' runs meanwhile.
    func exclusively<Result>(_ body: () -> Result) -> Result {
        Console.orFail("bjclient", status: 73) { try file.change(body) }
    }

    /// Writes the settings; nil removes them. Exclusively.
    func keep(_ settings: HostOptions.Settings?) {
        guard let settings else {
            unlink(file.path)
            return
        }
        Console.orFail("bjclient", status: 73) { try file.write(Console.json(settings, isPretty: true)) }
    }

    /// Writes a file with these rules, which then help those who count.
    /// - Returns: its path.
    func assisted(_ rules: HouseRules) -> String {
        let file = PrivateFile(folder: folder, name: "host-rules", byteLimit: 1 << 16)
        guard let rules = try? rules.with([("assist", .flag(true))]) else { preconditionFailure("it agrees with all rules") }
        Console.orFail("bjclient", status: 73) { try file.write(rules.canonicalText) }
        return file.path
    }

    /// The line for friends without a client, or why there is none, as the door has said; nil where nobody started one.
    /// - Parameter waits: whether it was started just now.
    func door(at host: String, waits: Bool) -> String? {
        guard settings?.proxyListen != nil else { return nil }
        let end = ContinuousClock.now + .seconds(waits ? 5 : 0)
        repeat {
            let lines = ((try? Console.text(of: log)) ?? "").split(separator: "\n")
            switch lines.last(where: { $0.hasPrefix("door on ") || $0.hasPrefix("bjclient: cannot listen") }) {
            case let line? where line.hasPrefix("door"):
                return "Without bjclient: nc \(host) \(line.split(separator: ":").last ?? "")"
            case let line?: return "No door for nc: \(line.dropFirst("bjclient: ".count))."
            case nil: usleep(50_000)
            }
        } while ContinuousClock.now < end
        return nil
    }

    /// Starts it, and a keeper that restarts it.
    func start(_ settings: HostOptions.Settings) -> SpawnedProcess {
        keep(settings)
        // A crash is in the log of the start before.
        rename(log, "\(log).1")
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { Console.fail("bjclient", "\(log): \(String(cString: strerror(errno)))", status: 73) }
        defer { close(descriptor) }
        // A program that waits until this one has closed them would wait for the server.
        for inherited in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? [] {
            if let descriptor = Int32(inherited), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
        let words = [program, "--data", data, "--create", "--config", file.path]
        let door = settings.proxyListen.flatMap { socket in
            Endpoint(settings.listen, defaultPort: 2121).map { game in
                let listen = Endpoint(host: game.host, port: game.port == 0 ? 0 : game.port &+ 1)
                return ["--listen=\(listen)", "--proxy=\(socket)", "\(game)"]
            }
        }
        guard let process = Keeper.start(Self.ownProgram, log: descriptor, server: words, door: door) else {
            Console.fail("bjclient", "\(Self.ownProgram): \(String(cString: strerror(errno)))", status: 69)
        }
        return process
    }

    /// Ends the evening, if the host says so within a minute.
    /// - Parameters:
    ///   - asks: only where no thread of the session reads the answer.
    ///   - invitation: the line for friends that the terminal shows, and behind it the one for those without a client.
    func part(from table: String, asks: Bool, invitation: String, door: String?) {
        guard let notes = notes(on: table), let standings = ask("standings") else { return }
        // By 'bjserver ctl drain', from elsewhere.
        guard !notes.contains("closing") else { return Console.print("The table is closing.") }
        // The session has stopped listening to them.
        let sources = Signals.observe([SIGINT, SIGTERM, SIGHUP], on: .global()) { _ in
            Console.print("")
            exit(0)
        }
        defer { for source in sources { source.cancel() } }
        // Its pass phrase may have changed.
        let line = ownerLine(of: table).flatMap { line in line.firstRange(of: " --owner ").map { String(line[..<$0.lowerBound]) }
        }
        if let line, line != invitation { Console.print("The line for friends has changed:\n  \(line)") }
        var answer = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        if asks, isatty(0) == 1, isatty(1) == 1 {
            Console.printText("The table is still open. Close it after the hands in play? [y/N] ")
            if poll(&answer, 1, 60_000) > 0, readLine()?.lowercased().hasPrefix("y") == true {
                var last = standings
                guard case .done? = ask("drain") else {
                    return Console.print("The server has stopped: 'bjclient host' restarts it, with the hands in play.")
                }
                Console.print("The table closes after the hands in play.")
                // The hands in play count, too; Ctrl-C waits for none.
                while let now = ask("standings") {
                    last = now
                    usleep(200_000)
                }
                if case .table(let ranking) = last, !ranking.rows.isEmpty { Console.printText(ranking.text) }
                return
            }
        }
        Console.print("The table stays open: 'bjclient host' returns to it, 'bjserver ctl drain' closes it.")
        if line == invitation { Console.print("Friends can paste this line into a terminal:\n  \(invitation)") }
        if let door { Console.print(door) }
    }
}
