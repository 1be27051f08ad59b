import Foundation

/// How much a test does that could go on for ever.
public enum Thorough {
    /// By `BJ_THOROUGH`: unset for quick, `usual` for what `.ci/run` does for every change, anything else for the most, which takes minutes.
    public enum Size: Sendable { case quick, usual, most }

    public static let size: Size =
        switch ProcessInfo.processInfo.environment["BJ_THOROUGH"] {
        case nil, "": .quick
        case "usual": .usual
        default: .most
        }

    /// Whether every such test does its most.
    public static var isWanted: Bool { size == .most }

    /// A number of runs, steps or rounds.
    /// - Parameters:
    ///   - usual: for every change: enough to find what is plainly wrong.
    ///   - most: what is left for a night.
    ///   - quick: while one writes; a fresh seed each time makes up for it. A quarter of `usual` if not given.
    public static func count(_ usual: Int, most: Int, quick: Int? = nil) -> Int {
        switch size {
        case .quick: quick ?? (usual + 3) / 4
        case .usual: usual
        case .most: most
        }
    }

    /// All of some cases, or a few of them by the seed when quick.
    public static func cases<Case>(_ all: [Case], quick: Int = 1) -> [Case] {
        guard size == .quick, quick < all.count else { return all }
        return (0..<quick).map { all[(Int(Seed.value % UInt64(all.count)) + $0) % all.count] }
    }
}
