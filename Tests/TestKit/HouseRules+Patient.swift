import Rules

extension HouseRules {
    /// Clocks that no machine is too slow for: whatever happens at a table with them, a player has brought about.
    public static let patientClocks: [(String, RuleValue)] = [
        ("bettingSeconds", .integer(600)), ("decisionSeconds", .integer(600)), ("insuranceSeconds", .integer(600)),
    ]

    /// The default house with such clocks.
    public static var patient: HouseRules {
        guard let rules = try? HouseRules(patientClocks) else { preconditionFailure("600 seconds are the most") }
        return rules
    }
}
