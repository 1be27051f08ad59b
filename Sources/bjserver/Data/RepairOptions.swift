import CommandLineKit
import Journal
import Records
import ServerCore

/// `bjserver journal repair`: sets aside what is damaged in a journal.
struct RepairOptions: DataCommand {
    static let program = "bjserver journal repair"

    var folder = ""

    static let command = Command<RepairOptions, ServerProgram>(
        "repair", "Moves damaged parts of a journal aside.", defaults: RepairOptions(), program: ServerProgram.data
    ) { command in
        command.discussion(
            """
            For a damaged folder without a backup, which a start refuses with status 65. Keeps every frame before the first one that \
            cannot be read or contradicts earlier ones, and reports what is lost. Players have seen the lost hands, so prefer a backup if you have \
            one. A server never repairs by itself. Damage from before the newest checkpoint does not prevent a start; 'bjserver audit' finds it.

            Deletes nothing: the original of each file that is truncated or left out is kept with the suffix \(JournalRepair.firstEnding), and a number after later repairs. To undo a repair before \
            the next start, rename these files back. Hands in play continue from the last frame kept, with cards that players may \
            have seen. Repair does not remove a record that is intact but wrong.
            """)
        command.dataFolder(\.folder, takes: true)
        command.example("bjserver journal repair /var/lib/bjserver", "continue with what can be read")
    }

    func run() throws(JournalError) {
        do throws(JournalError) {
            guard let repair = try JournalRepair.run(on: DataFiles.storage(of: folder, takes: true)) else {
                Console.print("\(folder) needs no repair; nothing was changed.")
                return
            }
            let state = repair.state
            Console.print(
                """
                \(repair.damage)
                Kept: accounts, chips and tables as of frame \(repair.last), written at \(RFC3339(state.time)) \
                (accounts: \(state.accounts.count), tables: \(state.tables.count)).
                Lost: \(Self.loss(repair))
                Moved aside: \(repair.files.count) files, with the suffix \(repair.ending).
                """)
        } catch {
            guard error.isDamage else { throw error }
            Console.fail(Self.program, "\(error); repair cannot fix this; nothing was changed", status: DataFault.damaged)
        }
    }

    /// The frames known to be lost. Never denies that there were more.
    private static func loss(_ repair: JournalRepair) -> String {
        let frames =
            repair.known > repair.last
            ? "frames \(repair.last + 1) to \(repair.known), perhaps later ones."
            : "unknown: nothing says whether there were frames after \(repair.last)."
        if let lost = repair.lost {
            return
                "\(frames) \(lost.frames) of them can be read (finished rounds: \(lost.rounds), new accounts: \(lost.accounts))."
        }
        let hasSegments = repair.files.contains { $0.hasPrefix("segment") }
        return frames + (hasSegments ? " Also hands before the newest checkpoint, which has all accounts and chips." : "")
    }
}
