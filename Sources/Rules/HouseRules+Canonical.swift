extension HouseRules {
    /// All rules as compact JSON with sorted keys: the one text of these rules, of which a table's digest is made.
    public var canonicalText: String {
        let members = fieldValues.sorted { $0.0 < $1.0 }.map { "\"\($0.0)\":\($0.1)" }
        return "{" + members.joined(separator: ",") + "}"
    }
}
