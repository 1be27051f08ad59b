import CommandLineKit
import Journal
import Records
import ServerCore

/// `bjserver journal`: the records of a data folder.
struct JournalOptions: DataCommand {
    static let program = "bjserver journal"

    var folder = ""
    var from: UInt64 = 1

    static let command = Command<JournalOptions, ServerProgram>(
        "journal", "Prints the records of a journal.", defaults: JournalOptions(), program: ServerProgram.data
    ) { command in
        command.discussion(
            """
            Prints one line of JSON per record, oldest first, for 'jq' and 'grep'. It does not change the data, may run beside the server, and ends \
            at the record that was last when the command started.

            Secrets are printed as 'redacted': the keys of shoes in play, pass phrases, hashes of account secrets \
            and of codes. The key of a finished shoe is printed: it proves the cards.
            """)
        command.dataFolder(\.folder)
        command.option("--from", \.from, .int(1...UInt64(Int64.max)), value: "FRAME", help: "The first frame to print.")
        command.example("bjserver journal /var/lib/bjserver --from 1000", "records from frame 1000 on")
        command.subcommand(RepairOptions.command)
    }
}

extension JournalOptions {
    func run() throws(JournalError) {
        let snapshot = try DataSnapshot(DataFiles.storage(of: folder))
        let redaction = RecordRedaction(snapshot.state)
        var output = ChunkedOutput()
        try snapshot.lines(from: from) { line, _ in
            output.add(Console.visibleJSON(String(decoding: redaction.redacted(line), as: UTF8.self)) + "\n")
        }
        output.flush()
    }
}
