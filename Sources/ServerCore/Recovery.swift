import Journal
import Records
import Sockets
import TableEngine

/// A server's journal, and the state that it has kept, adapted to the configuration.
public struct Recovery: Sendable {
    /// Settings of a journal.
    public struct Options: Sendable {
        public var journal = JournalConfiguration()
        /// How much of the journal to keep.
        public var history = JournalHistory.everything
        /// The program's version, for the journal.
        public var version = ""
        /// Whether a folder without a journal is a new house, and a missing one is made.
        public var creates = true
        /// Identifier of the house of a new journal; nil draws one.
        package var house: UInt64?
        /// Runs the journal's writer.
        package var executor = WriterExecutor.thread
        /// Runs background work; nil for queues.
        package var system: (any SimulatedSystem)?

        public init() {}
    }

    public let log: DurableLog
    /// The state after the adaptation, whose records are in the journal.
    public var state: SavedState { restart.state }
    /// Milliseconds since the last record before this start, by which deadlines move.
    public var outage: Int64 { restart.outage }
    let restart: Restart
    /// Of all accounts.
    let names: [PlayerID: FoldedName]
    /// Milliseconds by which the wall clock is before the last record; less than 0: it is after it.
    public let clockSetBack: Int64
    /// Tables that the configuration does not continue: closed, and their bets returned.
    public let closedTables: [String]
    /// Tables whose owner's phrase is over: the configuration names another phrase or owner.
    public let overruledTables: [String]
    /// The end of the journal as it was found.
    public let end: JournalEnd
    let checkpointer: Checkpointer
    /// Answers players' questions.
    let reader: HistoryReader
    /// The path of the folder.
    public let location: String
    /// nil for another storage.
    private var folder: FileStorage?

    /// Opens a folder, creates it if it is missing and the options say so, and reads the state in it.
    /// - Parameters:
    ///   - tables: the configured tables; one with the same name and rules goes on.
    ///   - wallClock: milliseconds since 1970.
    ///   - callbacks: see ``DurableLog``.
    public static func open(
        folder path: String, tables: [ShardConfiguration.TableSetting], options: Options, wallClock: Int64,
        callbacks: DurableLog.Callbacks
    ) throws(RecoveryError) -> Recovery {
        let storage: FileStorage
        do { storage = try FileStorage(path: path, creating: options.creates) } catch { throw .journal(.storage(error)) }
        do throws(RecoveryError) {
            var recovery = try open(storage, tables: tables, options: options, wallClock: wallClock, callbacks: callbacks)
            recovery.folder = storage
            return recovery
        } catch {
            storage.removeIfCreated()
            throw error
        }
    }

    /// Ends the journal of a start that fails before it has served anybody, and removes its folder if this start has created it.
    ///
    /// Does not hold the state, which a server releases.
    public var abandon: @Sendable () -> Void {
        { [log, folder] in
            _ = log.close()
            folder?.removeIfCreated()
        }
    }

    /// As ``open(folder:tables:options:wallClock:callbacks:)``, on any storage.
    package static func open(
        _ storage: any JournalStorage, tables: [ShardConfiguration.TableSetting], options: Options = Options(), wallClock: Int64,
        callbacks: DurableLog.Callbacks
    ) throws(RecoveryError) -> Recovery {
        do { return try Recovery(JournalFolder(locking: storage), tables, options, wallClock, callbacks) } catch {
            throw RecoveryError(error)
        }
    }

    /// - Parameter folder: locked; unlocked after an error.
    private init(
        _ folder: JournalFolder, _ tables: [ShardConfiguration.TableSetting], _ options: Options, _ wallClock: Int64,
        _ callbacks: DurableLog.Callbacks
    ) throws {
        do {
            let found = try SavedState.recover(from: folder)
            guard let end = found.end else { preconditionFailure("reading everything reaches the end") }
            let house = end.house ?? end.anchor?.house ?? options.house ?? UInt64.random(in: .min ... .max)
            names = try found.state.checkedNames()
            clockSetBack = found.state.time - wallClock
            let isNew = end.house == nil
            // Begun already, if there is an anchor.
            if isNew, end.anchor == nil, !options.creates { throw RecoveryError.empty(folder: folder.storage.location) }
            let reopening = try Reopening(
                isNew ? SavedState(house: SavedState.houseText(house)) : found.state, tables: tables, version: options.version,
                at: wallClock)
            log = try DurableLog(
                folder, continuing: end, house: house, configuration: options.journal, executor: options.executor,
                callbacks: callbacks)
            // The first frame of this start: everything else follows it.
            _ = log.append(reopening.lines)
            restart = Restart(state: reopening.state, outage: reopening.outage)
            closedTables = reopening.closed
            overruledTables = reopening.overruled
            self.end = end
            checkpointer = Checkpointer(folder, keeping: options.history, on: options.system)
            reader = HistoryReader(folder, log, on: options.system)
            location = folder.storage.location
        } catch {
            folder.storage.unlock()
            throw error
        }
    }
}
