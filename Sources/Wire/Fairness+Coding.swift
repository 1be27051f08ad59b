import Fairness
import TableModel

// The objects of the provable shuffle. Keys of items are in alphabetical order: a check value is made of this text.

extension Shape {
    /// 32 bytes as 43 characters of base64url. The last one has four bits: those of its characters whose other two are not zero are refused.
    fileprivate static let base64 = text(pattern: "^[0-9A-Za-z_-]{42}[AEIMQUYcgkosw048]$")
}

extension Digest: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Digest {
        try value.string(expecting: "32 bytes as 43 characters of base64url") { Digest(base64: $0) }
    }
    func write(to writer: inout JSONWriter) { writer.base64(base64Text) }
    static func shape(_: NoBounds) -> Shape { .base64 }

    /// A value to read into.
    static var zero: Digest { SHA256.hash([]) }
}

extension ShoeSecret: WireValue {
    static func read(_ value: JSONValue, _ bounds: NoBounds) throws(JSONError) -> ShoeSecret {
        ShoeSecret(try Digest.read(value, bounds))
    }
    func write(to writer: inout JSONWriter) { digest.write(to: &writer) }
    static func shape(_ bounds: NoBounds) -> Shape { Digest.shape(bounds) }

    /// A value to read into.
    static var zero: ShoeSecret { ShoeSecret(Digest.zero) }
}

extension MixedContributions: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> MixedContributions {
        try value.string(expecting: "up to seven digits 0 or 1") { MixedContributions(text: $0) }
    }
    func write(to writer: inout JSONWriter) { writer.string(text) }
    static func shape(_: NoBounds) -> Shape { .text(pattern: "^[01]{0,7}$") }
}

extension FairShoe: WireObject {
    static var blank: Self { Self(shoe: 0, commitment: .zero, list: .zero, mixed: MixedContributions([]), order: .zero) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("commitment", &commitment, "the server's, to its secret")
        try visitor.required("list", &list, "the digest of the list of contributors")
        try visitor.required(
            "mixed", &mixed, "for each of them, whether the contribution is in the order: `1`, or `0` if it was withheld")
        try visitor.required("order", &order, "the digest of the order of the cards")
        try visitor.optional("segment", &segment, "the cards behind the shoe's own, reshuffled in mid-round, that are in play")
        try visitor.required("shoe", &shoe, .count, "its number; with continuous shuffling that of the first of 32")
    }
}

extension FairShoe.Segment: WireObject {
    static var blank: Self { Self(number: 1, first: 0, count: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("count", &count, .count, "its cards")
        try visitor.required("first", &first, .count, "the number of its first card")
        try visitor.required("number", &number, .count, "1, 2, …")
    }
}

extension NextShoe: WireObject {
    static var blank: Self { Self(shoe: 0, commitment: .zero) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        var contributors: [Contributor]?
        var mixed: MixedContributions?
        var (list, order): (Digest?, Digest?)
        switch stage {
        case .open: break
        case .revealing(let list): contributors = list
        case .mixed(let digest, let mix, let digestOfOrder): (list, mixed, order) = (digest, mix, digestOfOrder)
        }
        let attempts = WholeNumber(1...Self.attempts)
        try visitor.optional("attempt", &attempt, attempts, absent: 1, "the number of the attempt")
        try visitor.required("commitment", &commitment, "the server's, to its secret")
        try visitor.optional(
            "contributors", &contributors, .upTo(MixedContributions.mostContributors),
            "the closed list, in the order of seats: each reveals under its digest")
        try visitor.optional("list", &list, "the digest of the list, once the order is made")
        try visitor.optional("mixed", &mixed, "as in `fair`, once the order is made")
        try visitor.optional("order", &order, "the digest of the order, once it is made")
        try visitor.required("shoe", &shoe, .count, "as in `fair`")
        try visitor.optional("until", &until, .time, "when the stage times out; absent while the previous shoe is in play")
        var names: [String]? = withheld.isEmpty ? nil : withheld
        try visitor.optional(
            "withheld", &names, .of(.shownName, maximum: Self.attempts * MixedContributions.mostContributors),
            "players who withheld their contribution in an earlier attempt")
        withheld = names ?? []
        if let list, let mixed, let order {
            stage = .mixed(list: list, mixed, order: order)
        } else {
            stage = contributors.map(Stage.revealing) ?? .open
        }
    }
}

extension Contributor: WireObject {
    static var blank: Self { Self(name: "", commitment: .zero) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("commitment", &commitment, "to the contribution")
        try visitor.required("name", &name, .shownName, "the player's")
    }
}

extension ShoeProof: WireObject {
    static var blank: Self {
        Self(table: "", shoe: 0, commitment: .zero, secret: .zero, contributions: [])
    }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("table", &table, .table, "the table's name")
        try visitor.required("shoe", &shoe, .count, "as in `fair`")
        try visitor.required("commitment", &commitment, "the server's, to its secret")
        try visitor.required("secret", &secret, "the server's secret")
        try visitor.required(
            "contributors", &contributions, .upTo(MixedContributions.mostContributors), "the list, in the order of seats")
        try visitor.optional("segments", &segments, .upTo(64), absent: [], "cards reshuffled in mid-round")
    }
}

extension ShoeProof.Contribution: WireObject {
    static var blank: Self { Self(name: "", commitment: .zero, reveal: nil) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("name", &name, .shownName, "the player's")
        try visitor.required("commitment", &commitment, "to the contribution")
        try visitor.optional("contribution", &reveal, "absent if it was withheld")
    }
}

extension ShoeProof.Segment: WireObject {
    static var blank: Self { Self(number: 1, first: 0, discards: 0..<0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        var (from, to) = (discards.lowerBound, discards.upperBound)
        try visitor.required("number", &number, .count, "1, 2, …")
        try visitor.required("first", &first, .count, "the number of its first card")
        try visitor.required("from", &from, .count, "the number of the first discard in it")
        try visitor.required("to", &to, .count, "the number after the last; the same as `from`: a full set of packs instead")
        discards = from..<max(from, to)
        try visitor.required(
            "round", &round, WholeNumber(0...31), "with continuous shuffling, in which of the 32 shoes, from 0; otherwise 0")
    }
}

extension JSONWriter {
    fileprivate mutating func base64(_ text: InlineArray<43, UInt8>) {
        value(45) { writer in
            writer.put(UInt8(ascii: "\""))
            for index in text.indices { writer.put(text[index]) }
            writer.put(UInt8(ascii: "\""))
        }
    }
}
