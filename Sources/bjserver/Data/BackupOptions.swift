import CommandLineKit
import Foundation
import Journal
import Postgres
import Records
import ServerCore
import Sockets

/// `bjserver backup`: copies a data folder.
struct BackupOptions: DataCommand {
    static let program = "bjserver backup"

    var folder = ""
    var target = ""

    static let command = Command<BackupOptions, ServerProgram>(
        "backup", "Copies a data folder, even while a server uses it.", defaults: BackupOptions(), program: ServerProgram.data
    ) { command in
        command.discussion(
            """
            Copies checkpoints and all frames written so far, then verifies the copy by reading it as a start would. After an error, TARGET \
            is left as it was. The copy has mode 0700 and contains everything: hashes of secrets, pass phrases, the keys of \
            shoes in play.

            To restore, start a server with '--data' on a copy of the backup. Accounts, chips and hands are those at the \
            time of the backup; everything later is lost, so keep the old folder until you have compared them.

            To move from a folder to a database, run 'bjserver store create URL', back up the stopped server's folder to URL, \
            and start with '--data URL'. The other direction works the same way.

            A folder can also move to a new store with several partitions: end TARGET with '?partition=1', which receives \
            everything. Drain the server first ('bjserver ctl drain'), since hands in play cannot change partitions. There is \
            no way back: such a store can be backed up only with PostgreSQL's tools.
            """)
        command.dataFolder(\.folder)
        command.argument("TARGET", \.target, .data, required: true, help: "A new or empty folder, or an empty store.")
        command.example("bjserver backup /var/lib/bjserver /backup/bj-monday", "copy the folder of a running server")
        command.example("bjserver --data /backup/bj-monday", "start a server on the copy")
        command.example("bjserver backup /var/lib/bjserver postgres://bj@db/bj", "move a stopped server's folder to a database")
        command.exitStatus(DataFault.notCreated, "The target cannot be created or is not empty.")
    }
}

extension BackupOptions {
    func run() throws(JournalError) {
        if let store = try DataFiles.house(of: folder) {
            throw Self.refusal(
                "a single partition of \(store.url) cannot be backed up: use PostgreSQL's tools for the whole database")
        }
        let source = JournalFolder(reading: try DataFiles.storage(of: folder))
        // Before the target is created.
        let inPlay = try DataSnapshot(source.storage).state.tablesInPlay
        let end: JournalEnd
        do throws(JournalError) {
            end = DatabaseURL.isMeant(by: target) ? try copyToDatabase(source, inPlay) : try copyToFolder(source)
        } catch {
            guard case .notEmpty = error else { throw error }
            Console.fail(Self.program, error, status: DataFault.notCreated)
        }
        let state = try DataSnapshot(DataFiles.storage(of: target)).state
        let (accounts, tables) = (state.accounts.count, state.tables.count)
        Console.print("Copied \(folder) to \(target) (frames: \(end.sequence), accounts: \(accounts), tables: \(tables)).")
    }

    private static func refusal(_ text: String) -> JournalError {
        JournalError(.read, "the source", code: EINVAL, text: text)
    }

    private func copyToFolder(_ source: JournalFolder) throws(JournalError) -> JournalEnd {
        let storage = Console.orFail(Self.program, status: DataFault.notCreated) {
            try FileStorage(path: target, creating: true)
        }
        do throws(JournalError) {
            try storage.checkMode()
            return try JournalFolder.backup(from: source, to: storage)
        } catch {
            storage.removeIfCreated()
            throw error
        }
    }

    /// The store becomes one of the journal's house.
    /// - Parameter inPlay: tables with hands, which cannot change partitions.
    private func copyToDatabase(_ source: JournalFolder, _ inPlay: [String]) throws(JournalError) -> JournalEnd {
        let store = try PostgresStore(opening: DataFiles.url(target))
        if store.partitions > 1, let table = inPlay.first {
            throw Self.refusal(
                "table \(table) has a hand in play, which cannot move to a store with partitions: start a server on \(folder), end it "
                    + "with 'bjserver ctl drain' or SIGINT, which plays hands out, and try again")
        }
        let storage = try DataFiles.storage(of: target, takes: true)
        try storage.lock()
        defer { storage.unlock() }
        if store.partitions > 1, try !store.isEmpty() { throw .notEmpty(folder: storage.location) }
        let end = try JournalFolder.backup(from: source, to: storage)
        do throws(JournalError) {
            if let house = end.house { try store.set(house: house) }
            if store.partitions > 1 { try moveAccounts(to: store, DataSnapshot(storage).state) }
        } catch {
            try? JournalFolder(reading: storage).removeAll()
            throw error
        }
        return end
    }
    /// The accounts are in the partition's journal, and each has its row.
    private func moveAccounts(to store: PostgresStore, _ state: SavedState) throws(JournalError) {
        let rows = state.accounts.values.map { account in
            var row = AccountRow(
                id: account.id, name: account.playerName, place: store.partition, serial: account.serial, secret: account.secret)
            row.isDisabled = account.isDisabled
            return row
        }
        let bans = state.bans.compactMap { text, end in AddressBlock(text).map { (block: $0, end: end) } }
        try store.fill(rows, bans: bans, lastID: state.lastID)
    }
}
