import Fairness
import TableEngine

/// Saved ceremonies as JSON. Digests that follow from others are left out.
extension Table.SavedCeremonies: Coded {
    static var blank: Self { Self() }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.text("table", &table)
        try coder.moment("due", &due)
        try coder.number("voidAttempts", &voidAttempts)
        var names = withheld.map(SavedName.init)
        try coder.list("withheld", &names)
        withheld = names.map(\.name)
        try coder.numbers("excluded", &excluded)
        var attempts = [next].compactMap(\.self)
        try coder.list("next", &attempts)
        next = attempts.first
        attempts = [played].compactMap(\.self)
        try coder.list("played", &attempts)
        played = attempts.first
        try coder.list("segments", &segments)
        try coder.flag("isRevealed", &isRevealed)
        try coder.list("proofs", &proofs)
    }
}

private struct SavedName: Coded {
    static var blank: Self { Self(name: "") }
    var name: String

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) { try coder.text("name", &name) }
}

extension ShoeSecret {
    /// A value to read into.
    fileprivate static let zero: ShoeSecret = {
        guard let zero = ShoeSecret(Array(repeating: 0, count: length)) else { preconditionFailure("these are so many bytes") }
        return zero
    }()
}

extension FieldCoder {
    /// A secret that must be present.
    fileprivate mutating func secret(_ key: StaticString, _ value: inout ShoeSecret) throws(Failure) {
        var found: ShoeSecret? = value
        try optionalSecret(key, &found)
        value = found ?? .zero
    }
}

extension Table.SavedAttempt: Coded {
    static var blank: Self { Self(secret: .zero) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.number("shoe", &shoe)
        try coder.secret("serverSecret", &secret)
        try coder.word("stage", &stage, absent: .open) { stage in
            switch stage {
            case .open: "open"
            case .revealing: "revealing"
            case .mixed: "mixed"
            }
        }
        try coder.list("contributions", &contributions)
    }
}

extension Table.SavedContribution: Coded {
    static var blank: Self { Self(commitment: SHA256.hash([])) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.player("account", &player)
        try coder.text("name", &name)
        try coder.digest("commitment", &commitment)
        try coder.optionalSecret("contribution", &reveal)
    }
}

extension ShoeProof.Segment: Coded {
    static var blank: Self { Self(number: 1, first: 0, discards: 0..<0) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        var (from, to) = (discards.lowerBound, discards.upperBound)
        try coder.number("number", &number)
        try coder.number("first", &first)
        try coder.number("from", &from)
        try coder.number("to", &to)
        try coder.number("round", &round)
        discards = from..<max(from, to)
    }
}

extension ShoeProof: Coded {
    static var blank: Self {
        Self(table: "", shoe: 0, rules: "", commitment: SHA256.hash([]), secret: .zero, contributions: [])
    }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.text("table", &table)
        try coder.number("shoe", &shoe)
        try coder.text("rules", &rules)
        try coder.digest("commitment", &commitment)
        try coder.secret("serverSecret", &secret)
        try coder.list("contributions", &contributions)
        try coder.list("segments", &segments)
    }
}

/// The fields of the proof, and its contributors.
extension ProvenShoe: Coded {
    static var blank: Self { Self(proof: .blank, contributors: []) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try proof.code(&coder)
        var players = contributors.map(SavedPlayer.init)
        try coder.list("contributors", &players)
        contributors = players.map(\.id)
    }
}

private struct SavedPlayer: Coded {
    static var blank: Self { Self(id: PlayerID(0)) }
    var id: PlayerID

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) { try coder.player("account", &id) }
}

extension ShoeProof.Contribution: Coded {
    static var blank: Self { Self(name: "", commitment: SHA256.hash([]), reveal: nil) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.text("name", &name)
        try coder.digest("commitment", &commitment)
        try coder.optionalSecret("contribution", &reveal)
    }
}
