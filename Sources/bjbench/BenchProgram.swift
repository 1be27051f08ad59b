import CommandLineKit

/// The commands of `bjbench`.
enum BenchProgram: Sendable {
    case libraries(filter: String)
    case server(ServerComparison.Options)
    case connections(ConnectionMeasurement.Options)
    case timers(TimerMeasurement.Options)
    case start(StartMeasurement.Options)
    case stalled(StallMeasurement.Options)

    struct LibraryOptions: Sendable {
        var filter = ""
    }

    static let command = Command<LibraryOptions, BenchProgram>(
        "bjbench", "Measures the libraries, in nanoseconds, and the server.", defaults: LibraryOptions(),
        program: { .libraries(filter: $0.filter) },
        declare: { command in
            command.version("0.1.0")
            command.discussion(
                """
                Each figure is the median of several runs, and in brackets the least of them. Compare ratios within one run: machines are \
                noisy. Build with -c release.
                """)
            command.argument("FILTER", \.filter, .text(upTo: 100), help: "Measures only what has this in its name.")
            command.example("bjbench table", "only tables")
            command.exitStatus(69, "what is to be measured can't be started here")
            command.exitStatus(141, "whoever read standard output has closed it")
            command.subcommand(server)
            command.subcommand(connections)
            command.subcommand(timers)
            command.subcommand(start)
            command.subcommand(stalled)
        })

    private static let server = Command<ServerComparison.Options, BenchProgram>(
        "server", "Measures what a player's action costs bjserver, beside a floor.", defaults: ServerComparison.Options(),
        program: { .server($0) },
        declare: { command in
            command.discussion(
                """
                Compares the processor time (user and system) that a server uses for one action of a player at a table of seven, which is \
                a line that bets or plays. The server is the bjserver beside this program, with no options but its tables and a settling \
                time of zero; real rounds are played. The floor is a program in C with one epoll loop, which knows no game: for each line \
                it writes a reply to the sender and a line to each of the seven, as long as bjserver's were on average in the round before, \
                and nothing else; so neither what a table is nor its clocks cost it anything.

                Both run on processor 0, one after the other, in turn, and are driven from processor 1 over loopback by the same code at \
                the same pace: each table says a line at a fixed interval, the tables spread evenly. The ratio is the median of the rounds' \
                ratios. Server and floor batch what arrives together, so compare at one pace only.

                With --busy each table says its next line as soon as the last one was answered, which is as fast as server and driver can.
                """)
            command.option("--tables", \.tables, tableCounts, help: "How many tables: one measurement for each number.")
            command.option("--seconds", \.seconds, .int(1...3600), help: "How long each round measures.")
            command.option("--rounds", \.rounds, .int(1...100), help: "How often server and floor are measured.")
            command.option(
                "--rate", \.rate, .int(1...100_000),
                help: "Actions a second at all tables together; otherwise 100 a table, 10,000 at most.")
            command.flag("--busy", \.isBusy, help: "Lines as fast as they are answered, instead of at a pace.")
            command.example("bjbench server --tables 10,1000 --seconds 10", "two sizes")
            command.exitStatus(69, "there is no Linux with two processors, or no bjserver beside this program")
        })

    private static let connections = Command<ConnectionMeasurement.Options, BenchProgram>(
        "connections", "Measures what an idle connection costs.", defaults: ConnectionMeasurement.Options(),
        program: { .connections($0) },
        declare: { command in
            command.discussion(
                """
                Accepts connections from a second process, each of which says a line and gets one, and then nothing more. Tells how much \
                resident memory each of them takes in the library Sockets, and what they cost while nothing happens.
                """)
            command.option("--count", \.count, .int(100...1_000_000), help: "How many connections.")
            command.option("--seconds", \.seconds, .int(1...3600), help: "How long nothing happens.")
            command.exitStatus(69, "this process may not have so many descriptors")
        })

    private static let timers = Command<TimerMeasurement.Options, BenchProgram>(
        "timers", "Measures how late timers go off.", defaults: TimerMeasurement.Options(),
        program: { .timers($0) },
        declare: { command in
            command.discussion("Many timers on one loop are set for up to two seconds, put off, and set anew when they go off.")
            command.option("--count", \.count, .int(1...1_000_000), help: "How many timers.")
            command.option("--seconds", \.seconds, .int(3...3600), help: "For how long.")
        })

    private static let start = Command<StartMeasurement.Options, BenchProgram>(
        "start", "Measures how long bjserver takes to start.", defaults: StartMeasurement.Options(),
        program: { .start($0) },
        declare: { command in
            command.discussion(
                """
                Starts the bjserver beside this program again and again, and tells how long it takes until it says that it listens, and \
                until a peer that connects then has the first byte of its greeting.
                """)
            command.option("--runs", \.runs, .int(1...1000), help: "How often it is started.")
            command.option("--tables", \.tables, .int(1...2500), help: "How many tables it has.")
            command.exitStatus(69, "there is no bjserver beside this program")
        })

    private static let stalled = Command<StallMeasurement.Options, BenchProgram>(
        "stalled", "Measures what peers that do not read cost those that do.", defaults: StallMeasurement.Options(),
        program: { .stalled($0) },
        declare: { command in
            command.discussion(
                """
                Real rounds are played at tables of seven of the bjserver beside this program, at a pace far below what it can do. Measured \
                is the time from a player's line to its difference at another player, without and with connections that watch the same \
                tables and read nothing: in turn, several pairs. The ratio is that of the 99th percentiles of single seconds, of which the median is taken: what else \
                the machine does spoils only some of them.
                """)
            command.option("--tables", \.tables, .int(1...500), help: "How many tables.")
            command.option("--stalled", \.stalled, .int(1...10_000), help: "How many connections do not read.")
            command.option("--rate", \.rate, .int(1...100_000), help: "Actions a second at all tables together.")
            command.option("--seconds", \.seconds, .int(1...3600), help: "How long each half of a pair measures.")
            command.option("--pairs", \.pairs, .int(1...100), help: "How many pairs.")
            command.exitStatus(69, "there is no Linux with two processors, or no bjserver beside this program")
        })

    private static let tableCounts = ValueFormat<[Int]>(
        "N,N", expected: "numbers of tables from 1 to 2500, separated by commas",
        parse: { text in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let counts = parts.compactMap { Int($0) }.filter { (1...2500).contains($0) }
            return counts.count == parts.count ? counts : nil
        },
        print: { $0.map(String.init).joined(separator: ",") })
}
