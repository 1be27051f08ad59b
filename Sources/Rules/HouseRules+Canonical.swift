extension HouseRules {
    /// All rules as compact JSON with sorted keys: the input of a table's digest.
    public var canonicalText: String {
        let members = fieldValues.sorted { $0.0 < $1.0 }.map { "\"\($0.0)\":\($0.1)" }
        return "{" + members.joined(separator: ",") + "}"
    }
}
