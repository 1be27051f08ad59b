import CommandLineKit
import Foundation
import Journal
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
            Console.fail(command, "a server uses \(folder): use '\(online)' with its --admin socket, or stop it", status: inUse)
        }
        Console.fail(command, error, status: status(of: error))
    }

    static func status(of error: RecoveryError) -> Int32 {
        if error.isDamage { return damaged }
        switch error {
        case .empty: return missing
        case .journal(.locked): return inUse
        case .journal(.writableByOthers): return writableByOthers
        case .journal(.storage(let cause)) where [ENOENT, ENOTDIR, EACCES].contains(cause.code): return missing
        default: return inputOutput
        }
    }
}

extension Command {
    /// Declares the first argument of a command about a data folder.
    /// - Parameters:
    ///   - takes: whether no server may use the folder.
    mutating func dataFolder(_ property: WritableKeyPath<Options, String> & Sendable, takes: Bool = false) {
        argument("DIR", property, .folder, required: true, help: "The folder of a server: its --data.")
        exitStatus(DataFault.damaged, "The journal is damaged; the message names the place.")
        exitStatus(DataFault.missing, "The folder cannot be opened, or has no journal.")
        if takes {
            exitStatus(DataFault.inUse, "A server uses the folder.")
            exitStatus(DataFault.writableByOthers, "Others than its owner may write to the folder.")
        }
        exitStatus(DataFault.inputOutput, "Reading or writing failed.")
    }
}

extension ValueFormat<String> {
    static var folder: Self {
        ValueFormat("DIR", expected: "the path of a folder", completion: .files, parse: { $0.isEmpty ? nil : $0 }, print: { $0 })
    }
}
