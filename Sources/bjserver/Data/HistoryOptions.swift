import CommandLineKit
import Journal
import Records
import ServerCore
import Wire

/// `bjserver history`: the hands of a journal.
struct HistoryOptions: DataCommand {
    static let program = "bjserver history"
    var folder = ""
    var player: String?
    var table: String?
    var round: Int?
    var last: Int?
    var json = false
    var csv = false

    static let command = Command<HistoryOptions, ServerProgram>(
        "history", "Prints the hands of a journal.", defaults: HistoryOptions(), program: checked
    ) { command in
        command.discussion(
            """
            Prints rounds, oldest first: bets, cards, moves, results. It does not change the data, and may run beside the server. Rounds \
            in play come last, without face-down cards.

            --player takes the account's current name and includes hands under earlier names; hands of deleted accounts \
            are found by their name at the table. Hands that the server's --history has removed are not included.
            """)
        command.dataFolder(\.folder)
        command.option("--player", \.player, .text(upTo: 256), value: "NAME", help: "Only rounds of this player.")
        command.exitStatus(1, "There is no such player or table.")
        command.option("--table", \.table, .text(upTo: 64), value: "NAME", help: "Only rounds at this table.")
        command.option("--round", \.round, .int(1...Int.max), help: "Only rounds with this number. Each table counts its own.")
        command.option("--last", \.last, .int(1...1_000_000), help: "Only the last N rounds.")
        command.flag("--json", \.json, help: "Prints a JSON object per round, one per line, also for 'bjclient replay'.")
        command.flag("--csv", \.csv, help: "Prints CSV with a row per hand, as 'bjclient history' does; no rounds in play.")
        command.example("bjserver history /var/lib/bjserver --player ann --last 20", "ann's last twenty rounds")
        command.example("bjserver history /var/lib/bjserver --table main --round 512", "one round")
    }
}

extension HistoryOptions {
    private static func checked(_ options: HistoryOptions) throws(UsageError) -> ServerProgram {
        if options.json, options.csv { throw UsageError("--json and --csv cannot be used together") }
        return .data(options)
    }

    /// The rounds in the order of their ends, those in play last.
    func rounds(of snapshot: DataSnapshot, _ body: (PlayedRound) -> Void) throws(JournalError) {
        let account = player.flatMap { snapshot.state.account(named: $0)?.id }
        func isWanted(_ round: PlayedRound) -> Bool {
            guard (table ?? round.table) == round.table, (self.round ?? round.number) == round.number else { return false }
            guard let player else { return true }
            return round.seats.contains { account == nil ? $0.name == player : $0.player == account }
        }
        var (history, newest) = (RoundHistory(snapshot.beginning), [PlayedRound]())
        func take(_ round: PlayedRound) {
            guard isWanted(round) else { return }
            guard let last else { return body(round) }
            newest.append(round)
            if newest.count >= 2 * last { newest.removeFirst(newest.count - last) }
        }
        try snapshot.records { record, place in history.add(record, at: place, take) }
        history.unfinished.forEach(take)
        newest.suffix(last ?? 0).forEach(body)
    }

    func run() throws(JournalError) {
        var output = ChunkedOutput()
        var isEmpty = true
        if csv { output.add(HandTable.header) }
        let snapshot = try DataSnapshot(DataFiles.storage(of: folder), withHistory: true)
        try rounds(of: snapshot) { round in
            isEmpty = false
            if json {
                var line: [UInt8] = []
                round.encode(into: &line)
                output.add(Console.visibleJSON(String(decoding: line.dropLast(), as: UTF8.self)) + "\n")
            } else if csv {
                output.add(Console.visible(round.handRows, keeping: ["\r", "\n"]))
            } else {
                output.add(Console.visible("\(round)") + "\n")
            }
        }
        output.flush()
        if isEmpty, let player, snapshot.state.account(named: player) == nil {
            Console.fail(Self.program, "no account or hand with the name \(player)", status: 1)
        }
        if isEmpty, let table, snapshot.state.tables[table] == nil {
            Console.fail(Self.program, "no open table \(table), and no such round at it", status: 1)
        }
    }
}
