import CommandLineKit
import Foundation
import Journal
import Postgres
import ServerCore

/// Statuses of a server and of commands whose data cannot be used: one for each cause, in a folder and in a database.
enum DataFault {
    static let damaged: Int32 = 65
    static let missing: Int32 = 66
    static let unavailable: Int32 = 69
    static let notCreated: Int32 = 73
    static let inputOutput: Int32 = 74
    static let takenOver: Int32 = 75
    static let noPermission: Int32 = 77

    /// - Parameters:
    ///   - command: as typed, such as `bjserver audit`.
    ///   - data: the folder or the URL.
    static func fail(_ command: String, _ error: JournalError, in data: String) -> Never {
        Console.fail(command, text(error, in: data), status: status(of: error))
    }

    /// The error in its place, with the ways out.
    static func text(_ error: JournalError, in data: String) -> String {
        inPlace("\(error)", of: data) + (error.wayOut.map { "; \($0)" } ?? "")
    }

    /// An error that names a file of a folder alone, with the folder before it.
    static func inPlace(_ error: String, of data: String) -> String {
        DatabaseURL.isMeant(by: data) || error.firstRange(of: data) != nil ? error : "\(data): \(error)"
    }

    static func status(of error: JournalError) -> Int32 {
        if error.isDamage { return damaged }
        switch error {
        case .empty: return missing
        case .locked: return unavailable
        case .fenced: return takenOver
        case .writableByOthers: return noPermission
        case .storage(let cause): return status(of: cause)
        // As another fault of the configuration.
        case .refused: return damaged
        default: return inputOutput
        }
    }

    private static func status(of cause: StorageError) -> Int32 {
        let state = cause.sqlState ?? ""
        if cause.code == EINVAL, cause.text != nil { return UsageError.exitStatus }
        if cause.isUnavailable { return unavailable }
        // No login, no privilege.
        if state.hasPrefix("28") || state == "42501" { return noPermission }
        if cause.operation == .create { return notCreated }
        let isMissing = [ENOENT, ENOTDIR, EACCES].contains(cause.code) || cause.operation == .open && cause.text != nil
        return isMissing ? missing : inputOutput
    }
}

/// A command about a server's data, which ends with the status of a ``DataFault``.
protocol DataCommand: Sendable {
    /// As typed, such as `bjserver audit`.
    static var program: String { get }
    /// The folder or the URL.
    var folder: String { get }

    func run() throws(JournalError)
}

/// The files of a server's data, in a folder or a database.
enum DataFiles {
    /// - Parameter takes: whether they are to be changed: their lock takes them. Otherwise those of a database stay as they are at the first
    ///   reading.
    static func storage(of data: String, takes: Bool = false) throws(JournalError) -> any JournalStorage {
        guard DatabaseURL.isMeant(by: data) else { return try FileStorage(path: data, creating: false) }
        let store = try PostgresStore(opening: url(data))
        guard store.partitions == 1 || store.url.partition != nil else {
            throw JournalError(
                .open, "\(store.url)", code: EINVAL,
                text:
                    "the store has \(store.partitions) partitions: name one in the URL with ?partition=1 (or &partition=1 after other options)"
            )
        }
        return takes ? store.claimingStorage : store.snapshot
    }

    /// A store of several partitions; nil for other data.
    static func house(of data: String) throws(JournalError) -> PostgresStore? {
        guard DatabaseURL.isMeant(by: data) else { return nil }
        let store = try PostgresStore(opening: url(data))
        return store.partitions > 1 ? store : nil
    }

    static func url(_ text: String) throws(JournalError) -> DatabaseURL {
        // Without the text: it may have a password.
        do throws(DatabaseError) { return try DatabaseURL(text) } catch {
            throw JournalError(.open, "the database", code: EINVAL, text: "\(error)")
        }
    }
}

extension Command {
    /// Declares the first argument of a command about a server's data.
    /// - Parameters:
    ///   - takes: whether no server may use them.
    mutating func dataFolder(_ property: WritableKeyPath<Options, String> & Sendable, takes: Bool = false) {
        argument("DIR|URL", property, .data, required: true, help: "The folder or the database of a server: its --data.")
        dataStatuses(takes: takes)
    }

    /// Declares the statuses of ``DataFault``.
    mutating func dataStatuses(takes: Bool, or first: (damaged: String, unavailable: String) = ("", "")) {
        exitStatus(DataFault.damaged, first.damaged + "The data are damaged or have another format; the message names the file.")
        exitStatus(DataFault.missing, "The folder or database cannot be opened, or has no journal or store.")
        exitStatus(
            DataFault.unavailable,
            first.unavailable
                + (takes ? "Another server uses the data, or the database is unreachable." : "The database is unreachable."))
        exitStatus(DataFault.inputOutput, "The data cannot be read or written.")
        if takes { exitStatus(DataFault.takenOver, "Another server has taken over the database.") }
        exitStatus(
            DataFault.noPermission,
            (takes ? "Other users may write to the folder, or the" : "The") + " database refuses the user.")
    }
}

extension ValueFormat<String> {
    static var data: Self {
        ValueFormat(
            "DIR|URL", expected: "the path of a folder, or postgres://USER@HOST/DATABASE", completion: .files,
            parse: { $0.isEmpty ? nil : $0 }, print: { $0 })
    }

    static var folder: Self {
        ValueFormat("DIR", expected: "the path of a folder", completion: .files, parse: { $0.isEmpty ? nil : $0 }, print: { $0 })
    }
}

/// Standard output in parts of some 64 KiB.
struct ChunkedOutput {
    private static let chunkBytes = 1 << 16

    private var text = ""

    mutating func add(_ part: String) {
        text += part
        if text.utf8.count >= Self.chunkBytes { flush() }
    }

    mutating func flush() {
        Console.printText(text)
        text = ""
    }
}
