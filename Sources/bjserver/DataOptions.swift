import CommandLineKit
import Foundation
import Journal
import Postgres

/// The folder of accounts, chips and hands.
enum DataFolder: Sendable, Equatable {
    /// Nothing is stored.
    case none
    case path(String)
    /// A URL, which may have a fault, and then a password. Several servers may share one.
    case database(String)

    /// The folder for a server without `--data`: `$STATE_DIRECTORY` of a service manager, else `$XDG_STATE_HOME/bjserver/PORT`.
    /// None for port 0, whose number differs at each start, and for a seeded server, whose shoes repeat at each start.
    static func standard(port: UInt16, isSeeded: Bool, environment: [String: String]) -> DataFolder {
        // Of several folders the first is the server's.
        if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return .path(String(folder)) }
        guard port != 0, !isSeeded, let home = home(environment: environment) else { return .none }
        return .path("\(home)/\(port)")
    }

    /// The folder of a user's servers.
    static func home(environment: [String: String]) -> String? {
        // The specification has relative paths ignored.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/bjserver" }
        return environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.local/state/bjserver" : nil }
    }

    /// The parent folder of ``standard(port:isSeeded:environment:)``, which is not created: if it is missing, a disk may not be mounted.
    static func base(environment: [String: String]) -> String {
        let folder =
            environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
            ?? environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return folder.map { URL(filePath: $0).deletingLastPathComponent().path } ?? environment["HOME"] ?? "/"
    }
}

extension ValueFormat<DataFolder> {
    /// A folder, or `none`.
    static let dataFolder = ValueFormat(
        "DIR|URL|none", expected: "a folder, postgres://USER@HOST/DATABASE without a password, or none",
        completion: .words(["none"], orFiles: true),
        parse: { text in
            if text == "none" { return DataFolder.none }
            if DatabaseURL.isMeant(by: text) { return .database(text) }
            return text.isEmpty ? nil : .path(text)
        },
        print: {
            switch $0 {
            case .none: "none"
            case .path(let path): path
            case .database(let text): (try? DatabaseURL(text))?.description ?? "a URL with a fault"
            }
        })
}

extension ValueFormat<JournalHistory> {
    private static var sizes: [(name: String, bytes: Int)] {
        [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000)]
    }

    /// A size or `all`.
    static let history = ValueFormat(
        "SIZE|all", expected: "a size such as 500MB or 2GB, or all", parse: parseHistory, print: { text(of: $0) })

    private static func parseHistory(_ text: String) -> JournalHistory? {
        if text == "all" { return .everything }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        guard let number = Int(digits), (1...100_000).contains(number) else { return nil }
        return sizes.first { $0.name == unit }.map { .size(bytes: number * $0.bytes) }
    }

    private static func text(of history: JournalHistory) -> String {
        switch history {
        case .everything: "all"
        case .size(let bytes):
            sizes.first { bytes % $0.bytes == 0 }.map { "\(bytes / $0.bytes)\($0.name)" } ?? "\(bytes)"
        }
    }
}
