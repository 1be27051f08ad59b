#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An error of a journal, or of the storage below it.
public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    case storage(StorageError)
    /// Another process writes this journal.
    case locked(folder: String)
    /// Frames that were durable are damaged or missing, from this byte of this file on. `sequence` is the first of them.
    case corrupt(file: String, offset: Int, sequence: UInt64)
    /// The last segment with frames is shorter than it was made: no crash does that, and frames may be missing.
    case shortened(file: String, bytes: Int)
    /// The segment that is written has no name: the folder was removed.
    case removed(folder: String)
    /// A checkpoint's content does not match its last line.
    case damagedCheckpoint(file: String)
    /// Frames from `sequence` on were asked for; the journal begins at `oldest`.
    case pruned(sequence: UInt64, oldest: UInt64)
    /// Written by another version.
    case unsupportedVersion(file: String, version: UInt64)
    /// More bytes wait for the disk than the bound allows.
    case overflow(bytes: Int)
    /// A segment that the anchor says to be there is gone.
    case missing(file: String)
    /// The journal ends with frame `last`, although the anchor says that the frame `sequence` was on the disk.
    case older(last: UInt64, sequence: UInt64)
    /// The anchor ends with this segment, although one was begun after it whose successor is there.
    case overwritten(segment: UInt64)
    /// The segments are those of another house than the anchor's.
    case otherHouse
    case damagedAnchor
    /// Others than the folder's owner may write to it.
    case writableByOthers(folder: String, mode: UInt32)
    /// The target of a backup has files.
    case notEmpty(folder: String)
    /// Another process has taken the journal over: nothing of this one is stored after that.
    case fenced(folder: String)
    /// The storage has acknowledged frames and no longer has them.
    case lost(reason: String)
    /// There is no journal to read.
    case empty(folder: String)
    /// Intact frames, or a checkpoint, whose content cannot be read or does not fit what precedes it.
    case unreadable(String)
    /// The content is well-formed and contradicts itself.
    case contradiction(String)
    /// An audit has found something that cannot have happened, or that differs from a copy.
    case wrong(String)
    /// The journal is intact, but must not be continued as it was asked.
    case refused(String)

    public init(
        _ operation: StorageError.Operation, _ file: String, code: Int32 = 0, kind: StorageError.Kind = .failed,
        text: String? = nil, sqlState: String? = nil
    ) {
        let error = StorageError(
            operation: operation, file: file, code: code, isUnavailable: kind == .unavailable, text: text, sqlState: sqlState)
        switch kind {
        case .failed, .unavailable: self = .storage(error)
        case .fenced: self = .fenced(folder: file)
        case .lost: self = .lost(reason: error.description)
        }
    }

    /// The storage's failure; nil for what the journal itself finds.
    public var storage: StorageError? { if case .storage(let error) = self { error } else { nil } }

    public var isUnavailable: Bool { storage?.isUnavailable ?? false }

    package var isLost: Bool { if case .lost = self { true } else { false } }

    /// No space, or no more of the user's quota.
    public var isFull: Bool { storage?.isFull ?? false }

    /// Whether the content is damaged.
    public var isDamage: Bool {
        switch self {
        case .storage, .locked, .removed, .overflow, .writableByOthers, .notEmpty, .fenced, .empty, .refused: false
        default: true
        }
    }

    /// Whether a repair may help: a state precedes the damage, and not all frames are intact.
    package var isMendable: Bool {
        switch self {
        case .unsupportedVersion, .pruned, .lost, .contradiction, .wrong: false
        default: isDamage
        }
    }

    /// Advice for damaged data; nil if the message already has it.
    public var wayOut: String? {
        switch self {
        case .unsupportedVersion, .lost, .wrong: nil
        case .overwritten: "restore a backup into an empty folder, or keep the readable part with 'bjserver journal repair'"
        case _ where isMendable: "restore a backup, or keep the readable part with 'bjserver journal repair'"
        default: isDamage ? "restore a backup" : nil
        }
    }

    package var isMissingFile: Bool { storage?.code == ENOENT }

    /// The same operation may succeed later: for want of space, or of a storage that answers.
    var isTransient: Bool { isFull || isUnavailable }

    /// A shortage that ends when space, descriptors or memory are released.
    var isShortage: Bool { isTransient || [EMFILE, ENFILE, ENOMEM].contains(storage?.code) }

    public var description: String {
        switch self {
        case .storage(let error): error.description
        case .locked(let folder): "\(folder) is in use by another server: stop it or choose another folder"
        case .corrupt(let file, let offset, let sequence):
            "\(file) is damaged at byte \(offset): frame \(sequence) cannot be read"
        case .shortened(let file, let bytes):
            "\(file) was shortened to \(bytes) bytes: frames may be missing"
        case .removed(let folder): "\(folder) was removed while a server was writing to it: new data are lost"
        case .damagedCheckpoint(let file): "\(file) is damaged"
        case .pruned(let sequence, let oldest): "frame \(sequence) is no longer kept: the journal begins at frame \(oldest)"
        case .unsupportedVersion(let file, let version):
            "\(file) has format \(version), this program reads \(JournalFormat.version): use the program that wrote it, or a backup of this format"
        case .overflow(let bytes): "\(bytes) bytes are waiting for the disk, which exceeds the limit"
        case .missing(let file): "\(file) is missing: the journal was longer"
        case .older(let last, let sequence):
            "the journal ends with frame \(last), but frame \(sequence) was on the disk: segments are missing or damaged, or older "
                + "copies"
        case .overwritten(let segment):
            "\(FileName.anchor) ends with segment \(segment), but later ones are in use: an old copy replaced it"
        case .otherHouse: "the segments belong to another house than \(FileName.anchor) says"
        case .damagedAnchor: "\(FileName.anchor) is damaged"
        case .writableByOthers(let folder, let mode):
            "other users may write to \(folder) (mode \(String(mode, radix: 8))), and so create chips: "
                + "chmod 700 \(folder)"
        case .notEmpty(let folder): "\(folder) is not empty: choose a new folder"
        case .fenced(let folder): "another server has taken over \(folder)"
        case .contradiction(let text): "the journal contradicts itself: \(text)"
        case .empty(let folder) where folder.hasPrefix("postgres://"):
            "\(folder) has no journal yet: its first owner creates one"
        case .empty(let folder): "\(folder) has no journal: give the --data folder of a server"
        case .lost(let reason), .unreadable(let reason), .wrong(let reason), .refused(let reason): reason
        }
    }
}
