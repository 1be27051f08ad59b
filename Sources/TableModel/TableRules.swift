import Rules

/// The house rules as a table shows them: those that are not as by default, and the digest of all of them.
public struct TableRules: Equatable, Sendable {
    /// A rule of a later server, which this version does not know.
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
    /// The SHA-256 of all rules as compact JSON with sorted keys, in hexadecimal digits: what ``HouseRules/canonicalText`` gives.
    public var digest: String
    /// Sorted by key.
    public var others: [Other]

    public init(_ rules: HouseRules, digest: String, others: [Other] = []) {
        self.rules = rules
        self.digest = digest
        self.others = others
    }
}
