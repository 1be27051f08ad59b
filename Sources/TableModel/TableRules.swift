import Rules

/// The house rules as shown by a table: rules that differ from the default, and the digest of all rules.
public struct TableRules: Equatable, Sendable {
    /// A rule of a newer server, unknown to this version.
    public struct Other: Equatable, Sendable {
        public var key: String
        /// Compact JSON.
        public var value: String

        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    public var rules: HouseRules
    /// The SHA-256 of ``HouseRules/canonicalText``, in hexadecimal digits.
    public var digest: String
    /// Sorted by key.
    public var others: [Other]

    public init(_ rules: HouseRules, digest: String, others: [Other] = []) {
        self.rules = rules
        self.digest = digest
        self.others = others
    }
}
