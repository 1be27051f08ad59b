import CommandLineKit
import Foundation
import Journal
import Records
import ServerCore

/// `bjserver backup`: copies a data folder.
struct BackupOptions: Sendable {
    var folder = ""
    var target = ""

    static let command = Command<BackupOptions, ServerProgram>(
        "backup", "Copies a data folder, also while a server uses it.", defaults: BackupOptions(), program: ServerProgram.backup
    ) { command in
        command.discussion(
            """
            Copies checkpoints and all frames written so far, then reads the copy back as a start would. After an error TARGET is as it \
            was: it goes again if it was new. A copy has mode 0700 and holds \
            everything: hashes of secrets, pass phrases, the keys of shoes in play.

            To restore, start a server with '--data' and a copy of the backup: accounts, chips and hands are those of the moment of the \
            backup, and hands in play go on. What happened after it is lost, so keep the old folder until you have compared.
            """)
        command.dataFolder(\.folder)
        command.argument("TARGET", \.target, .folder, required: true, help: "A new or empty folder.")
        command.example("bjserver backup /var/lib/bjserver /backup/bj-monday", "a copy of a live folder")
        command.example("bjserver --data /backup/bj-monday", "restore: a server on the copy")
        command.exitStatus(73, "The target cannot be created, or is not empty.")
    }
}

extension BackupOptions {
    private static let program = "bjserver backup"

    func run() -> Never {
        let source: JournalFolder
        do throws(StorageError) {
            source = JournalFolder(reading: try FileStorage(path: folder, creating: false))
        } catch {
            DataFault.fail(Self.program, .journal(.storage(error)))
        }
        do throws(RecoveryError) {
            // Before the target is created.
            _ = try DataSnapshot(folder: folder)
            let (end, state) = try copy(source)
            let (accounts, tables) = (state.accounts.count, state.tables.count)
            Console.print("\(folder) is copied to \(target): \(end.sequence) frames, \(accounts) accounts, \(tables) tables.")
        } catch {
            DataFault.fail(Self.program, error)
        }
        exit(0)
    }

    private func copy(_ source: JournalFolder) throws(RecoveryError) -> (end: JournalEnd, state: SavedState) {
        let storage: FileStorage
        do throws(StorageError) {
            storage = try FileStorage(path: target, creating: true)
        } catch {
            Console.fail(Self.program, error, status: 73)
        }
        do {
            return (try JournalFolder.backup(from: source, to: storage), try DataSnapshot(folder: target).state)
        } catch {
            storage.removeIfCreated()
            if case JournalError.notEmpty = error { Console.fail(Self.program, "\(error)", status: 73) }
            throw RecoveryError(error)
        }
    }
}
