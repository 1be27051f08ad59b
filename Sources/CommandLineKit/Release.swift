import CArguments

/// The release that all programs of this package belong to.
public enum Release {
    /// Semantic version: part of the answer to `--version` and of the server's name in `hello`.
    public static let version = "0.1.0"

    /// The commit of the build; nil if the build did not name it (`BJ_COMMIT`).
    public static let commit = bj_commit().map { String(cString: $0) }

    /// The answer to `--version`: `0.1.0 (protocol 1, commit 4f2a91c)`.
    /// - Parameter versions: of the protocol; nil for a program that speaks none.
    public static func text(protocol versions: ClosedRange<Int>? = nil) -> String {
        let range = versions.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
        let details = [range.map { "protocol \($0)" }, commit.map { "commit \($0)" }].compactMap { $0 }
        return details.isEmpty ? version : "\(version) (\(details.joined(separator: ", ")))"
    }
}
