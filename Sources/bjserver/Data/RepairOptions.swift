import CommandLineKit
import Foundation
import Records
import ServerCore

/// `bjserver journal repair`: ends a damaged journal before the damage.
struct RepairOptions: Sendable {
    var folder = ""

    static let command = Command<RepairOptions, ServerProgram>(
        "repair", "Ends a damaged journal before the damage.", defaults: RepairOptions(), program: ServerProgram.repair
    ) { command in
        command.discussion(
            """
            For a journal that a start refuses with status 65, where there is no backup: keeps every frame before the first one that cannot \
            be read or contradicts those before it, and says what is lost. Players were told of what is lost: restore a backup if you have \
            one. No server repairs by itself.

            Deletes nothing: each file that is cut or left out stays beside, with the ending \(JournalRepair.firstEnding), a later repair's with a number. To undo a repair before \
            the next start, give these files their names back. Hands in play go on from the last frame kept, with cards that players may \
            have seen.
            """)
        command.dataFolder(\.folder, takes: true)
        command.example("bjserver journal repair /var/lib/bjserver", "go on with what precedes the damage")
    }

    func run() -> Never {
        let program = "bjserver journal repair"
        do throws(RecoveryError) {
            guard let repair = try JournalRepair.run(folder: folder) else {
                Console.print(
                    "A start reads \(folder): nothing is changed. 'bjserver audit' checks the hands from before the newest checkpoint."
                )
                exit(0)
            }
            let state = repair.state
            Console.print(
                """
                \(repair.damage)
                Kept: all up to frame \(repair.last), of \(Timestamp(state.time)): \(state.accounts.count) accounts, \
                \(state.tables.count) tables.
                Lost: \(Self.loss(repair))
                Set aside, with the ending \(repair.ending): \(repair.files.joined(separator: ", ")).
                """)
        } catch {
            DataFault.fail(program, error)
        }
        exit(0)
    }

    private static func loss(_ repair: JournalRepair) -> String {
        guard repair.frames > 0 else {
            return repair.files.contains { $0.hasPrefix("segment") }
                ? "what followed; none of it can be read." : "nothing: older frames have all that the checkpoint had."
        }
        return "all after it, at least up to frame \(repair.lastLost). \(repair.frames) of these frames can be read: they end "
            + "\(repair.rounds) rounds and open \(repair.accounts) accounts."
    }
}
