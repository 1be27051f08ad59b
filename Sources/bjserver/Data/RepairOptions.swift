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
            For a damaged folder without a backup. Damage that a start refuses with status 65: keeps every frame before the first one that \
            cannot be read or contradicts those before it. Players were told of what is lost: restore a backup if you have one. Damage \
            from before the newest checkpoint, which 'bjserver audit' finds: keeps everything after the oldest checkpoint from which \
            an audit passes to the end; accounts and chips are in it. Says what is lost. No server repairs by itself.

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
                Console.print("A start reads \(folder), and an audit passes: nothing is changed.")
                exit(0)
            }
            let state = repair.state
            Console.print(
                """
                \(repair.damage)
                Kept: all \(repair.history.map { "from \(Timestamp($0.begins)) on, " } ?? "")up to frame \(repair.last), of \(Timestamp(state.time)): \
                \(state.accounts.count) accounts, \(state.tables.count) tables.
                Lost: \(Self.loss(repair))
                Set aside: \(repair.files.count) files, whose names end in \(repair.ending).\(Self.fault(left: repair.left))
                """)
        } catch {
            guard error.isDamage else { DataFault.fail(program, error, in: folder) }
            Console.fail(program, "\(error); a repair does not help, and nothing is changed", status: DataFault.damaged)
        }
        exit(0)
    }

    private static func fault(left error: RecoveryError?) -> String {
        error.map { "\nLeft: \($0); a start passes over it, 'bjserver audit' does not, and a repair does not help." } ?? ""
    }

    private static func loss(_ repair: JournalRepair) -> String {
        var parts: [String] = []
        if let (begins, lost) = repair.history {
            parts.append(
                "the hands and records before \(Timestamp(begins)), \(counts(lost)). Chips and accounts of that time are kept.")
        }
        if let lost = repair.lost {
            let readable = "all after it, at least up to frame \(lost.last), \(counts(lost))."
            parts.append(lost.frames > 0 ? readable : "what followed; none of it can be read.")
        }
        guard parts.isEmpty else { return parts.joined(separator: "\nLost: ") }
        return repair.files.contains { $0.hasPrefix("checkpoint") }
            ? "nothing: older frames have all that the checkpoint had." : "at most what missing files had."
    }

    private static func counts(_ lost: JournalRepair.Loss) -> String {
        "of which \(lost.frames) frames can be read: they end \(lost.rounds) rounds and open \(lost.accounts) accounts"
    }
}
