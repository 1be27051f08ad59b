import Foundation

enum Seed {
    /// The seed of every property test; `BJ_SEED` overrides it.
    static let value = ProcessInfo.processInfo.environment["BJ_SEED"].flatMap { UInt64($0) } ?? 20_261_121
}

/// The folder of this package.
let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
