import CommandLineKit
import Foundation
import Records
import ServerCore

/// `bjserver journal repair`: sets aside what is damaged in a journal.
struct RepairOptions: Sendable {
    var folder = ""

    static let command = Command<RepairOptions, ServerProgram>(
        "repair", "Sets aside what is damaged in a journal.", defaults: RepairOptions(), program: ServerProgram.repair
    ) { command in
        command.discussion(
            """
            For a damaged folder without a backup, which a start refuses with status 65: keeps every frame before the first one that \
            cannot be read or contradicts those before it, and says what is lost. Players were told of that: restore a backup if you have \
            one. No server repairs by itself. Damage from before the newest checkpoint, which 'bjserver audit' finds, stops no start.

            Deletes nothing: each file that is cut or left out stays beside, with the ending \(JournalRepair.firstEnding), a later repair's with a number. To undo a repair before \
            the next start, give these files their names back. Hands in play go on from the last frame kept, with cards that players may \
            have seen. A record that is intact and wrong is no damage: no repair removes it.
            """)
        command.dataFolder(\.folder, takes: true)
        command.example("bjserver journal repair /var/lib/bjserver", "go on with what can be read")
    }

    func run() -> Never {
        let program = "bjserver journal repair"
        do throws(RecoveryError) {
            guard let repair = try JournalRepair.run(on: DataFiles.storage(of: folder, takes: true)) else {
                Console.print("A start reads \(folder): nothing is changed.")
                exit(0)
            }
            let state = repair.state
            Console.print(
                """
                \(repair.damage)
                Kept: all up to frame \(repair.last), of \(Timestamp(state.time)): \
                \(state.accounts.count) accounts, \(state.tables.count) tables.
                Lost: \(Self.loss(repair))
                Set aside: \(repair.files.count) files, whose names end in \(repair.ending).
                """)
        } catch {
            guard error.isDamage else { DataFault.fail(program, error, in: folder) }
            Console.fail(program, "\(error); a repair does not help, and nothing is changed", status: DataFault.damaged)
        }
        exit(0)
    }

    private static func loss(_ repair: JournalRepair) -> String {
        if let lost = repair.lost {
            guard lost.frames > 0 else { return "what followed; none of it can be read." }
            return "all after it, at least up to frame \(lost.last), of which \(lost.frames) frames can be read: they end "
                + "\(lost.rounds) rounds and open \(lost.accounts) accounts."
        }
        guard !repair.files.contains(where: { $0.hasPrefix("segment") }) else {
            return "the hands before the newest checkpoint, which has the accounts and their chips."
        }
        return repair.files.contains { $0.hasPrefix("checkpoint") }
            ? "nothing: older frames have all that the checkpoint had." : "at most what missing files had."
    }
}
