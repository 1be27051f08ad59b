import CommandLineKit
import Foundation
import Journal
import Postgres
import ServerCore

/// Ends a command about a data folder that cannot be used.
enum DataFault {
    static let damaged: Int32 = 65
    static let missing: Int32 = 66
    static let inUse: Int32 = 69
    static let inputOutput: Int32 = 74
    static let writableByOthers: Int32 = 77

    /// - Parameters:
    ///   - command: as typed, such as `bjserver audit`.
    ///   - online: the command for a running server; nil if this one never conflicts with it.
    static func fail(_ command: String, _ error: RecoveryError, online: String? = nil) -> Never {
        if case .journal(.locked(let folder)) = error, let online {
            Console.fail(command, "a server uses \(folder): use '\(online)', or stop it", status: inUse)
        }
        Console.fail(command, withWayOut(error), status: status(of: error))
    }

    static func withWayOut(_ error: RecoveryError) -> String { error.wayOut.map { "\(error); \($0)" } ?? "\(error)" }

    static func status(of error: RecoveryError) -> Int32 {
        if error.isDamage { return damaged }
        switch error {
        case .empty: return missing
        case .journal(.locked), .journal(.fenced): return inUse
        case .journal(.writableByOthers): return writableByOthers
        case .journal(.storage(let cause))
        where [ENOENT, ENOTDIR, EACCES].contains(cause.code) || cause.operation == .open && cause.text != nil:
            return missing
        default: return inputOutput
        }
    }
}

/// The files of a server's data, in a folder or a database.
enum DataFiles {
    /// - Parameter takes: whether they are to be changed: their lock takes them. Otherwise those of a database stay as they are at the first
    ///   reading.
    static func storage(of data: String, takes: Bool = false) throws(RecoveryError) -> any JournalStorage {
        do throws(StorageError) {
            guard DatabaseURL.isMeant(by: data) else { return try FileStorage(path: data, creating: false) }
            let store = try PostgresStore(opening: url(data))
            return takes ? store.claimingStorage : store.snapshot
        } catch { throw .journal(JournalError(error)) }
    }

    static func url(_ text: String) throws(StorageError) -> DatabaseURL {
        // Without the text: it may have a password.
        do throws(DatabaseError) { return try DatabaseURL(text) } catch {
            throw StorageError(.open, "the database", text: "\(error)")
        }
    }
}

extension Command {
    /// Declares the first argument of a command about a server's data.
    /// - Parameters:
    ///   - takes: whether no server may use them.
    mutating func dataFolder(_ property: WritableKeyPath<Options, String> & Sendable, takes: Bool = false) {
        argument("DIR|URL", property, .data, required: true, help: "The folder or the database of a server: its --data.")
        exitStatus(DataFault.damaged, "The journal is damaged; the message names the place.")
        exitStatus(DataFault.missing, "The folder or the database cannot be opened, or has no journal.")
        if takes {
            exitStatus(DataFault.inUse, "A server uses the folder.")
            exitStatus(DataFault.writableByOthers, "Others than its owner may write to the folder.")
        }
        exitStatus(DataFault.inputOutput, "Reading or writing failed.")
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

/// Output of commands about a data folder.
enum DataText {
    /// One line of JSON that a terminal shows as it is.
    static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { preconditionFailure("texts and numbers always encode") }
        return Console.visibleJSON(String(decoding: data, as: UTF8.self))
    }
}
