import Foundation

/// How much a test does that could go on for ever.
public enum Thorough {
    /// Whether `BJ_THOROUGH` is set: every such test does its most, which takes minutes rather than seconds.
    public static let isWanted = ProcessInfo.processInfo.environment["BJ_THOROUGH"] != nil

    /// A number of runs, steps or rounds.
    /// - Parameters:
    ///   - usual: for every change: enough to find what is plainly wrong.
    ///   - most: with `BJ_THOROUGH`.
    public static func count(_ usual: Int, most: Int) -> Int { isWanted ? most : usual }
}
