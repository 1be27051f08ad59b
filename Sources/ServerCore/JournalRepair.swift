import Journal
import Records

/// The frames that a repair has kept and lost.
public struct JournalRepair: Sendable {
    /// Intact frames in files that were set aside.
    public struct Loss: Sendable {
        public internal(set) var frames = 0
        /// Rounds that ended, and accounts that were opened.
        public internal(set) var rounds = 0
        public internal(set) var accounts = 0
    }

    /// Why the journal could not be read.
    public internal(set) var damage: JournalError
    /// The state that a start goes on with, after the frame ``last``.
    public internal(set) var state: SavedState
    public internal(set) var last: UInt64
    /// The frames lost after ``last``; nil if the journal ends as before.
    public internal(set) var lost: Loss?
    /// The last frame that the anchor, a checkpoint or a frame names: what is missing up to it was on the disk. 0 if nothing is known.
    public internal(set) var known: UInt64 = 0
    /// The former names of files set aside.
    public internal(set) var files: [String] = []

    public static let firstEnding = FileName.setAside

    /// The ending added to their names: the first unused one, from ``firstEnding`` on.
    public internal(set) var ending: String
}

extension JournalRepair {
    /// Cuts a journal before the first frame that a start cannot read. Only on the operator's order, since players have seen the frames
    /// after the damage.
    /// - Parameter storage: not in use by a server.
    /// - Returns: nil if a start can read the journal.
    /// - Throws: also, without effect, if repair cannot help: nothing precedes the damage, or an intact record is wrong.
    public static func run(on storage: any JournalStorage) throws(JournalError) -> JournalRepair? {
        let folder = try JournalFolder(taking: storage)
        defer { folder.storage.unlock() }
        return try run(folder)
    }

    static func run(_ folder: JournalFolder) throws(JournalError) -> JournalRepair? {
        let ending = try folder.freeEnding()
        let found: (state: SavedState, end: JournalEnd?)
        do throws(JournalError) {
            found = try SavedState.recover(from: folder)
            _ = try found.state.checkedNames()
            // A start anchors the oldest segment, whose header it reads, too.
            _ = try folder.checkedHistoryStart()
        } catch {
            guard error.isMendable else { throw error }
            return try mend(folder, error, ending)
        }
        guard found.end?.house != nil else { throw .empty(folder: folder.storage.location) }
        return nil
    }

    private static func mend(_ folder: JournalFolder, _ damage: JournalError, _ ending: String) throws(JournalError)
        -> JournalRepair
    {
        // The anchor names lost frames. The rest is readable without it, and the next start makes a new one.
        let anchors = try folder.storage.names().filter { $0 == FileName.anchor }
        let anchored = (try? folder.anchoredFrame()) ?? 0
        for name in anchors { try folder.setAside(name, ending: ending) }
        do throws(JournalError) {
            var repair = try mendEnd(folder, damage, ending)
            repair.known = max(repair.known, anchored)
            repair.files += anchors
            return repair
        } catch {
            for name in anchors { try folder.putBack(name, ending: ending) }
            throw error
        }
    }

    private static func mendEnd(_ folder: JournalFolder, _ damage: JournalError, _ ending: String) throws(JournalError)
        -> JournalRepair
    {
        var damagedCheckpoints: [UInt64] = []
        // Reads from the newest checkpoint, as a start does; from an older one if that or the frames up to it are damaged.
        for checkpoint in try folder.checkpoints().reversed() + [0] {
            let found: (state: SavedState, place: JournalCut, damage: JournalError?)
            do throws(JournalError) {
                found = try read(folder, from: checkpoint)
            } catch {
                guard checkpoint > 0, error.isMendable else { throw damage }
                damagedCheckpoints.append(checkpoint)
                continue
            }
            guard found.place.sequence > 0 else { throw damage }
            var repair = JournalRepair(damage: damage, state: found.state, last: found.place.sequence, ending: ending)
            for checkpoint in damagedCheckpoints {
                try folder.setAside(FileName.checkpoint(checkpoint), ending: ending)
                repair.files.append(FileName.checkpoint(checkpoint))
                repair.known = max(repair.known, checkpoint)
            }
            if let damage = found.damage {
                if case .corrupt(_, _, let sequence) = damage { repair.known = max(repair.known, sequence) }
                let files = try folder.cut(at: found.place, ending: ending)
                repair.files += files
                repair.lost = try repair.loss(in: folder, of: files, after: found.place)
            }
            if checkpoint > 0, (try? folder.checkedHistoryStart()) == nil {
                // A start also reads the oldest header, before the checkpoint: it may be damaged.
                repair.files += try folder.cutHistory(before: checkpoint, ending: ending)
            }
            return repair
        }
        throw damage
    }

    /// Reads as a start does, up to the damage.
    /// - Throws: if the checkpoint or a frame up to it cannot be read, and for damage that a cut cannot repair.
    private static func read(
        _ folder: JournalFolder, from checkpoint: UInt64, through last: UInt64 = .max
    ) throws(JournalError) -> (state: SavedState, place: JournalCut, damage: JournalError?) {
        var state = try SavedState.start(after: checkpoint, in: folder)
        var reader = try JournalReader(folder, from: checkpoint + 1, through: last)
        var place = reader.place
        var contradiction: ReplayError?
        do throws(JournalError) {
            while contradiction == nil, let frame = try reader.next() {
                do { try state.apply(frame) } catch { contradiction = error }
                if contradiction == nil { place = reader.place }
            }
        } catch {
            // Without a segment to keep, a cut would move all of them aside.
            guard error.isMendable, reader.place.sequence >= checkpoint, reader.place.segment != nil else { throw error }
            return (state, reader.place, error)
        }
        if let contradiction {
            // Frames are atomic: cuts before the whole frame.
            return (try read(folder, from: checkpoint, through: place.sequence).state, place, JournalError(contradiction))
        }
        try state.checkLedger()
        _ = try state.checkedNames()
        return (state, reader.place, nil)
    }

    /// Counts the frames after a place in files that are set aside.
    private mutating func loss(in folder: JournalFolder, of files: [String], after place: JournalCut) throws(JournalError) -> Loss
    {
        var lost = Loss()
        try folder.lostFrames(after: place, in: files, ending: ending) { frame in
            guard frame.sequence > place.sequence else { return }
            lost.frames += 1
            known = max(known, frame.sequence)
            for line in frame.records.split(separator: UInt8(ascii: "\n")) {
                switch try? Record(line: Array(line)) {
                case .facts(_, _, let facts)?: lost.rounds += facts.count { if case .roundEnded = $0 { true } else { false } }
                case .account?: lost.accounts += 1
                // Not counted; `nil`: unreadable.
                default: break
                }
            }
        }
        return lost
    }
}
