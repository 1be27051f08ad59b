import Journal
import Records

/// The frames that a repair has kept and lost.
public struct JournalRepair: Sendable {
    /// Why the journal could not be read.
    public internal(set) var damage: RecoveryError
    /// The state that a start goes on with, after the frame ``last``.
    public internal(set) var state: SavedState
    public internal(set) var last: UInt64 = 0
    /// Files set aside, by their names before.
    public internal(set) var files: [String] = []
    /// Of the intact frames among what is lost: their number, the last of them, the rounds that ended and the accounts that were opened.
    public internal(set) var frames = 0
    public internal(set) var lastLost: UInt64 = 0
    public internal(set) var rounds = 0
    public internal(set) var accounts = 0

    public static let firstEnding = FileName.setAside

    /// The ending of their names since: the first that no file had, from ``firstEnding`` on.
    public internal(set) var ending: String
}

extension JournalRepair {
    /// Ends a journal before the first frame that a start cannot read. The server's own start never does: what follows was told to players.
    /// - Parameter path: a folder that no server uses.
    /// - Returns: nil for a journal that a start reads.
    /// - Throws: also if nothing precedes the damage.
    public static func run(folder path: String) throws(RecoveryError) -> JournalRepair? {
        do {
            let folder = try JournalFolder(taking: FileStorage(path: path, creating: false))
            defer { folder.storage.unlock() }
            return try run(folder)
        } catch { throw RecoveryError(error) }
    }

    static func run(_ folder: JournalFolder) throws -> JournalRepair? {
        let damage: RecoveryError
        do throws(RecoveryError) {
            let found = try SavedState.recover(from: folder)
            guard !found.state.house.isEmpty else { throw RecoveryError.empty(folder: folder.storage.location) }
            return nil
        } catch { damage = error }
        guard damage.isDamage else { throw damage }
        // The anchor names frames that are lost: the rest reads without it, and the next start makes another.
        let anchors = try folder.storage.names().filter { $0 == FileName.anchor }
        let ending = try folder.freeEnding()
        for name in anchors { try folder.setAside(name, ending: ending) }
        do {
            var repair = try mend(folder, damage, ending)
            repair.files += anchors
            return repair
        } catch {
            for name in anchors { try folder.putBack(name, ending: ending) }
            throw error
        }
    }

    private static func mend(_ folder: JournalFolder, _ damage: RecoveryError, _ ending: String) throws -> JournalRepair {
        var damagedCheckpoints: [UInt64] = []
        // From the newest checkpoint on, as a start; from an older one if it is damaged, or the frames up to it are.
        for checkpoint in try folder.checkpoints().reversed() + [0] {
            let found: (state: SavedState, place: JournalCut, damage: RecoveryError?)
            do throws(RecoveryError) {
                found = try read(folder, from: checkpoint)
            } catch {
                guard checkpoint > 0, error.isDamage else { throw damage }
                damagedCheckpoints.append(checkpoint)
                continue
            }
            guard found.place.sequence > 0 else { throw damage }
            var repair = JournalRepair(damage: damage, state: found.state, last: found.place.sequence, ending: ending)
            for checkpoint in damagedCheckpoints {
                try folder.setAside(FileName.checkpoint(checkpoint), ending: ending)
                repair.files.append(FileName.checkpoint(checkpoint))
            }
            // Without a fault in what is left, frames are missing at its end, unless a checkpoint was at fault.
            if found.damage != nil || damagedCheckpoints.isEmpty {
                let files = try folder.cut(at: found.place, ending: ending)
                try repair.countLost(folder, found.place, files)
                repair.files += files
            }
            return repair
        }
        throw damage
    }

    /// Reads as a start does, up to the damage.
    /// - Throws: if the checkpoint or a frame up to it cannot be read, and for what no cut mends.
    private static func read(
        _ folder: JournalFolder, from checkpoint: UInt64, through last: UInt64 = .max
    ) throws(RecoveryError) -> (state: SavedState, place: JournalCut, damage: RecoveryError?) {
        do {
            var state =
                checkpoint > 0
                ? try SavedState.checkpoint(at: checkpoint, in: folder) : SavedState(house: try folder.houseText())
            var reader = try JournalReader(folder, from: checkpoint + 1, through: last)
            var place = reader.place
            do {
                while let frame = try reader.next() {
                    try state.apply(frame)
                    place = reader.place
                }
                place = reader.place
            } catch let error as ReplayError {
                // A frame has its effect as a whole.
                return (try read(folder, from: checkpoint, through: place.sequence).state, place, .replay(error))
            } catch let error as JournalError {
                let damage = RecoveryError.journal(error)
                guard damage.isDamage, reader.place.sequence >= checkpoint else { throw damage }
                return (state, reader.place, damage)
            }
            guard state.ledger == 0 else { throw RecoveryError.imbalance(state.ledger) }
            return (state, place, nil)
        } catch { throw RecoveryError(error) }
    }

    private mutating func countLost(_ folder: JournalFolder, _ place: JournalCut, _ files: [String]) throws {
        var lost = self
        try folder.lostFrames(after: place, in: files, ending: ending) { frame in
            guard frame.sequence > place.sequence else { return }
            lost.frames += 1
            lost.lastLost = max(lost.lastLost, frame.sequence)
            for line in frame.records.split(separator: UInt8(ascii: "\n")) {
                switch try? Record(line: Array(line)) {
                case .facts(_, _, let facts)?: lost.rounds += facts.count { if case .roundEnded = $0 { true } else { false } }
                case .account?: lost.accounts += 1
                default: break
                }
            }
        }
        self = lost
    }
}

extension SavedState {
    fileprivate mutating func apply(_ frame: JournalFrame) throws(ReplayError) {
        var number = 0
        for line in frame.records.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            number += 1
            let place = RecordPlace(sequence: frame.sequence, line: number)
            try line.withUnsafeBufferPointer { line throws(ReplayError) in try apply(line: line, at: place) }
        }
    }
}
