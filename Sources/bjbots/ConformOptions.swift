import CommandLineKit

/// Options of `bjbots conform`.
struct ConformOptions: Sendable {
    var server = Endpoint(host: "127.0.0.1", port: 2121)
    var only: [String] = []
    var kit: String?
    var pass: String?
    var given: [String] = []
    var patience = 30_000
    var list = false
    var json = false
    /// The command that starts a client under test; a server is tested without it.
    var client: String?
    var jobs = 4
    var output = false

    static let command = Command<ConformOptions, BotsProgram>(
        "conform", "Shows whether a server, or a client, keeps the protocol.", defaults: ConformOptions(),
        program: BotsProgram.conform,
        declare: declare)

    private static func declare(_ command: inout Command<ConformOptions, BotsProgram>) {
        command.discussion(
            """
            Plays transcripts against any server, one after the other, under names that nobody else has, at tables where nobody is. Each \
            says what is sent and what has to be answered; the cards may fall as they like. Every line that comes is checked besides: \
            that it is a message, that diffs fit, that check values are right.

            What a server doesn't offer (rules, a second table, short clocks) is skipped, with a reason. A rules file with \
            '"bettingSeconds": 1, "decisionSeconds": 1, "insuranceSeconds": 1' and 'bjserver --settle 20ms' make it quick.

            With --client it plays the server for a client of yours, at tables of its own on this machine, and HOST:PORT is of no use. The \
            client is started anew for each scenario; it has to take a seat and play until it is ended. Between the two stands a proxy that \
            splits, delays and cuts lines, withholds and joins diffs, refuses requests, says what a newer server could say, and goodbye. \
            The client is judged by the bytes that it sends. --list beside --client COMMAND describes the scenarios.
            """)
        command.argument("HOST:PORT", \.server, .endpoint(defaultPort: 2121), help: "The server.")
        command.option(
            "--client", \.client, .text(upTo: 4096), value: "COMMAND", short: "c",
            help: "Tests the client that this shell command starts; {host} and {port} are replaced in it.")
        command.option(
            "--only", \.only, .text(upTo: 100), value: "GLOB", short: "o",
            help: "Plays the transcripts or scenarios of that name only; * stands for any text.")
        command.option(
            "--kit", \.kit, .path, value: "FOLDER", short: "k",
            help: "Plays the .transcript files of a folder instead of the built-in ones.")
        command.option(
            "--pass", \.pass, .text(upTo: 64), value: "PHRASE", help: "The pass phrase of the tables that have one.")
        command.option(
            "--given", \.given, .text(upTo: 20), value: "STATE", short: "g",
            help: """
                Something that only the host can bring about, and that you say is so: full (no connection more), crowd (none from here), \
                ban (of this address), draining, crowded (two may watch a table), limits (of requests), time (for a hundred rounds), \
                history (a journal), no-history, owner (the first player at a table owns it).
                """)
        command.option(
            "--patience", \.patience, .milliseconds(0...86_400_000),
            help: "Skips what has to wait longer than this for clocks; with --client, how long a scenario may take.")
        command.option(
            "--jobs", \.jobs, .int(1...64), short: "j", help: "With --client: how many scenarios are played at a time.")
        command.flag("--output", \.output, help: "With --client: shows the last lines that it prints, also where it passes.")
        command.flag("--list", \.list, help: "Names the transcripts or scenarios and plays none.")
        command.flag("--json", \.json, help: "Prints the results as one JSON object.")
        command.example("bjbots conform 127.0.0.1:2121", "the whole kit")
        command.example("bjbots conform 127.0.0.1:2121 --only login/* --only logout/*", "what is about coming and going")
        command.example("bjbots conform --client 'python3 mybot.py {host} {port}'", "a client of your own")
        command.exitStatus(1, "the server, or the client, did something else than it must")
        command.exitStatus(3, "the server said something that no server may say")
        command.exitStatus(65, "the kit is faulty, or nothing in it has such a name")
        command.exitStatus(69, "the server can't be reached")
        command.exitStatus(130, "with --client: stopped by SIGINT")
        command.exitStatus(143, "the same by SIGTERM")
    }
}
