/// The bounds of the protocol, published in `hello`.
public enum WireLimits {
    /// The version of the protocol that this code speaks.
    public static let version = 1
    /// The longest line from a client, in bytes without its end.
    public static let requestBytes = 4096
    /// The longest line from a server that our client takes, in bytes without its end: a table's snapshot fits many times over.
    public static let eventBytes = 1 << 20
    /// The longest name of a table, in bytes.
    public static let tableNameBytes = 32
    /// The longest token, in bytes.
    public static let tokenBytes = 64
    /// The largest number of a card: shoes of 416 cards can be dealt many times over before a table starts anew.
    static let cards = 1_000_000
    /// The largest number of chips in a message.
    public static let chips = 1_000_000_000_000
}
