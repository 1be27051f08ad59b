/// The release that all programs of this package belong to.
public enum Release {
    /// Semantic version: the answer to `--version` and part of the server's name in `hello`.
    public static let version = "0.1.0"
}
