extension TableSession.Name {
    /// The first name to try without a form.
    var first: String {
        switch self {
        case .given(let name), .assumed(let name): name
        case .asked(let suggestion): suggestion.isEmpty ? "player" : suggestion
        }
    }

    var isAssumed: Bool { if case .given = self { false } else { true } }
}
