import CommandLineKit
import Foundation
import Records
import ServerCore
import Wire

/// `bjserver history`: the hands of a journal.
struct HistoryOptions: Sendable {
    var folder = ""
    var player: String?
    var table: String?
    var round: Int?
    var last: Int?
    var json = false
    /// The shoe whose proof is asked for.
    var proof: Int?

    static let command = Command<HistoryOptions, ServerProgram>(
        "history", "Prints the hands of a journal.", defaults: HistoryOptions(), program: checked
    ) { command in
        command.discussion(
            """
            Prints rounds as people read them, oldest first: bets, cards, moves, results. Only reads, also while a server uses the \
            folder. Rounds in play come last, without cards that are not shown at the table.

            A player is found by the account's name of today, so that hands under an earlier name are there, too. Hands of deleted \
            accounts are found by the name at the table. History that --history has pruned is gone.

            With --proof, prints how the order of a shoe was made, as the reply to 'proof' has it: 'bjclient verify' reads it. The \
            proof of a shoe in play is refused.
            """)
        command.dataFolder(\.folder)
        command.option("--player", \.player, .text(upTo: 256), value: "NAME", help: "Rounds of this player only.")
        command.exitStatus(1, "There is no such player or table.")
        command.option("--table", \.table, .text(upTo: 64), value: "NAME", help: "Rounds at this table only.")
        command.option("--round", \.round, .int(1...Int.max), help: "Rounds of this number only: each table counts its own.")
        command.option("--last", \.last, .int(1...1_000_000), help: "The last N rounds only.")
        command.flag("--json", \.json, help: "Prints a line of JSON for each round.")
        command.option(
            "--proof", \.proof, .int(1...1 << 53), value: "SHOE",
            help: "The proof of this shoe at --table instead, as a line of JSON. With continuous shuffling: the first of 32.")
        command.example("bjserver history /var/lib/bjserver --player ann --last 20", "ann's last twenty rounds")
        command.example("bjserver history /var/lib/bjserver --table main --round 512", "one round")
        command.example("bjserver history /var/lib/bjserver --table main --proof 7", "the proof of shoe 7")
        command.exitStatus(1, "The shoe has no proof in the history that is kept, or is still in play.")
    }
}

extension HistoryOptions {
    /// The rounds in the order of their ends, those in play last.
    func rounds(of snapshot: DataSnapshot, _ body: (PlayedRound) -> Void) throws(RecoveryError) {
        let account = player.flatMap { snapshot.state.account(named: $0)?.id }
        func isWanted(_ round: PlayedRound) -> Bool {
            guard (table ?? round.table) == round.table, (self.round ?? round.number) == round.number else { return false }
            guard let player else { return true }
            return round.seats.contains { account == nil ? $0.name == player : $0.player == account }
        }
        if let last { return try snapshot.lastRounds(last, where: isWanted).forEach(body) }
        var history = RoundHistory(snapshot.beginning)
        try snapshot.records { record, place in history.add(record, at: place) { if isWanted($0) { body($0) } } }
        history.unfinished.filter(isWanted).forEach(body)
    }

    private static func checked(_ options: HistoryOptions) throws(UsageError) -> ServerProgram {
        if options.proof != nil {
            guard options.table != nil else { throw UsageError("--proof needs --table NAME") }
            guard options.player == nil, options.round == nil, options.last == nil else {
                throw UsageError("--proof goes with --table only")
            }
        }
        return .history(options)
    }

    private func printProof(ofShoe shoe: Int, at table: String) -> Never {
        do throws(RecoveryError) {
            let command = "bjserver history"
            switch try DataSnapshot(DataFiles.storage(of: folder), withHistory: true).proof(ofShoe: shoe, at: table) {
            case .found(let proof):
                let line = ServerMessage.ok(id: nil, .proof(proof)).encoded().dropLast()
                Console.print(Console.visibleJSON(String(decoding: line, as: UTF8.self)))
            case .inProof(let first):
                Console.fail(
                    command, "shoe \(shoe) of table \(table) is one of 32 of a ceremony: ask for the first, --proof \(first)",
                    status: 1)
            case .noProof:
                Console.fail(command, "shoe \(shoe) of table \(table) has no proof here, or is still in play", status: 1)
            case .noTable: Console.fail(command, "there is no table \(table) in this history", status: 1)
            }
        } catch {
            DataFault.fail("bjserver history", error)
        }
        exit(0)
    }

    func run() -> Never {
        if let proof, let table { printProof(ofShoe: proof, at: table) }
        do throws(RecoveryError) {
            var output = ChunkedOutput()
            var isEmpty = true
            let snapshot = try DataSnapshot(DataFiles.storage(of: folder), withHistory: last == nil)
            try rounds(of: snapshot) { round in
                isEmpty = false
                if json {
                    var line: [UInt8] = []
                    round.encode(into: &line)
                    output.add(Console.visibleJSON(String(decoding: line.dropLast(), as: UTF8.self)) + "\n")
                } else {
                    output.add(Console.visible("\(round)") + "\n")
                }
            }
            output.flush()
            if isEmpty, let player, snapshot.state.account(named: player) == nil {
                Console.fail("bjserver history", "there is no account \(player), and no hand under this name", status: 1)
            }
            if isEmpty, let table, snapshot.state.tables[table] == nil {
                Console.fail(
                    "bjserver history", "there is no open table \(table), and no such round of it", status: 1)
            }
        } catch {
            DataFault.fail("bjserver history", error)
        }
        exit(0)
    }
}
