import Rules

/// Visits the fields of an object in wire order: one declaration per message reads (``JSONObject``), writes (``JSONWriter``) and documents
/// (``FieldList``) it. The compiler specialises `visit` for each, so documentation costs nothing to read.
protocol FieldVisitor {
    /// `Never` for a visitor that cannot fail.
    associatedtype Failure: Error

    /// A field that must be present.
    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Failure)

    /// A field that is absent when nil.
    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Failure)
}

extension FieldVisitor {
    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ documentation: @autoclosure () -> String
    ) throws(Failure) where Value.Bounds == NoBounds {
        try required(key, &value, NoBounds(), documentation())
    }

    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ documentation: @autoclosure () -> String
    ) throws(Failure) where Value.Bounds == NoBounds {
        try optional(key, &value, NoBounds(), documentation())
    }

    /// A field that reads as `absent` when it is absent.
    /// - Parameter isWritten: whether it is written.
    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, absent: Value, isWritten: Bool,
        _ documentation: @autoclosure () -> String
    ) throws(Failure) {
        var found = isWritten ? value : nil
        try optional(key, &found, bounds, documentation())
        value = found ?? absent
    }

    /// A field that is written unless it is `absent`.
    mutating func optional<Value: WireValue & Equatable>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, absent: Value,
        _ documentation: @autoclosure () -> String
    ) throws(Failure) {
        let isWritten = value != absent
        try optional(key, &value, bounds, absent: absent, isWritten: isWritten, documentation())
    }

    /// A field that is written unless it is `absent`.
    mutating func optional<Value: WireValue & Equatable>(
        _ key: StaticString, _ value: inout Value, absent: Value, _ documentation: @autoclosure () -> String
    ) throws(Failure) where Value.Bounds == NoBounds {
        try optional(key, &value, NoBounds(), absent: absent, documentation())
    }
}

/// Reads each field that is visited from the object.
extension JSONObject: FieldVisitor {
    typealias Failure = JSONError

    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(JSONError) {
        value = try Value.read(required(key), bounds)
    }

    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(JSONError) {
        if let found = find(key) { value = try Value.read(found, bounds) } else { value = nil }
    }
}

/// Writes each field that is visited as a member. Inlined, so that keys are constants where they are copied: 1.2 % of a line in bjbench
/// shard.
extension JSONWriter: FieldVisitor {
    typealias Failure = Never

    @inline(__always)
    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Never) {
        self.key(key)
        value.write(to: &self)
    }

    @inline(__always)
    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Never) {
        guard let value else { return }
        self.key(key)
        value.write(to: &self)
    }
}

/// Lists each field that is visited, for the catalog.
struct FieldList: FieldVisitor {
    typealias Failure = Never

    private(set) var fields: [Field] = []

    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Never) {
        fields.append(.required(key.description, Value.shape(bounds), documentation()))
    }

    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Never) {
        fields.append(.optional(key.description, Value.shape(bounds), documentation()))
    }
}

/// A value of a field, list or item: how it is read, written and documented.
protocol WireValue {
    /// The range of a number, the length of a string, the elements of a list.
    associatedtype Bounds: Sendable

    /// - Throws: `mismatch`, with what would be right, for a value of another kind or out of bounds.
    static func read(_ value: JSONValue, _ bounds: Bounds) throws(JSONError) -> Self
    func write(to writer: inout JSONWriter)
    static func shape(_ bounds: Bounds) -> Shape
}

/// The bounds of a type that has one set of values.
struct NoBounds: Sendable {}

/// An object whose fields are its properties.
protocol WireObject: WireValue where Bounds == NoBounds {
    /// A value to read into.
    static var blank: Self { get }
    /// The name under which the catalog defines it; nil where it is described in place.
    static var definition: Definition.Name? { get }
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure)
}

extension WireObject {
    static var definition: Definition.Name? { nil }

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
        var object = try value.object()
        var result = blank
        try result.visit(&object)
        return result
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        var copy = self
        copy.visit(&writer)
        writer.endObject()
    }

    static func shape(_: NoBounds) -> Shape { definition.map(Shape.reference) ?? .object(fields) }

    static var fields: [Field] {
        var list = FieldList()
        var blank = blank
        blank.visit(&list)
        return list.fields
    }
}

/// A word of the protocol, one of a closed list.
protocol WireWord: WireValue, CaseIterable where Bounds == NoBounds {
    var word: String { get }
    func isSpelled(_ text: UnsafeBufferPointer<UInt8>) -> Bool
    static var definition: Definition.Name? { get }
}

extension WireWord {
    static var definition: Definition.Name? { nil }
    static var words: [String] { allCases.map(\.word) }
    func isSpelled(_ text: UnsafeBufferPointer<UInt8>) -> Bool { word.utf8.elementsEqual(text) }

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
        try value.string(expecting: "one of " + words.joined(separator: ", ")) { text in
            allCases.first { $0.isSpelled(text) }
        }
    }

    func write(to writer: inout JSONWriter) { writer.string(word) }

    static func shape(_: NoBounds) -> Shape { definition.map(Shape.reference) ?? .word(words) }
}

extension WireWord where Self: RawRepresentable<String> {
    var word: String { rawValue }
}

/// The bounds of a whole number, for the decoder, the schema and Protocol.md: server and clients can compute with any of them without overflow.
struct WholeNumber: Sendable {
    let range: ClosedRange<Int>
    /// The name under which the catalog defines it; nil where it is described in place.
    let name: Definition.Name?
    /// Whether 0, for never, is allowed beside a range of seconds.
    let isZeroAllowed: Bool

    init(_ range: ClosedRange<Int>, _ name: Definition.Name? = nil, isZeroAllowed: Bool = false) {
        self.range = range
        self.name = name
        self.isZeroAllowed = isZeroAllowed
    }

    static var seat: Self { Self(1...7, .seat) }
    static var hand: Self { Self(1...4, .hand) }
    /// A bet, what an action costs or adds.
    static var chips: Self { Self(0...WireLimits.chips, .chips) }
    /// A player's chips: more than any bet, since they may be won.
    static var bankroll: Self { Self(0...exact, .bankroll) }
    static var revision: Self { Self(0...exact, .revision) }
    static var counter: Self { Self(0...exact, .counter) }
    /// Milliseconds since 1970.
    static var time: Self { Self(0...exact, .time) }
    /// Won or lost with one hand.
    static var net: Self { Self(-WireLimits.chips...WireLimits.chips) }
    /// Won or lost in many rounds.
    static var total: Self { Self(-exact...exact) }
    /// A number of rounds, shoes, tables or people.
    static var count: Self { Self(0...exact) }
    /// A limit that a server announces.
    static var limit: Self { Self(1...Int(Int32.max)) }
    static var version: Self { Self(0...65_535) }
    static var check: Self { Self(0...Int(UInt32.max)) }
    static var cardsInShoe: Self { Self(0...416) }
    /// An expected value in 1/10000 of the bet: at most four doubled hands.
    static var value: Self { Self(-80_000...80_000) }
    /// The player's edge in 1/1000000 of the smallest bet.
    static var edge: Self { Self(-1_000_000...1_000_000) }
    static var silence: Self { Self(WireLimits.silenceSeconds, isZeroAllowed: true) }
    static var historyPage: Self { Self(1...WireLimits.historyPage) }
    static var matchRounds: Self { Self(0...WireLimits.matchRounds) }
    static var kickMinutes: Self { Self(0...WireLimits.kickMinutes) }

    /// The largest whole number up to which the JSON of every language is exact.
    private static var exact: Int { 1 << 53 }

    func read(_ value: JSONValue) throws(JSONError) -> Int {
        guard isZeroAllowed else { return try value.integer(in: range) }
        guard let number = try? value.integer(), number == 0 || range.contains(number) else {
            throw value.mismatch("0, or a number of seconds from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    var shape: Shape { name.map(Shape.reference) ?? plainShape }

    /// The shape for the definition itself.
    var plainShape: Shape { isZeroAllowed ? .either([.whole(0...0), .whole(range)]) : .whole(range) }
}

extension Int: WireValue {
    static func read(_ value: JSONValue, _ bounds: WholeNumber) throws(JSONError) -> Int { try bounds.read(value) }
    func write(to writer: inout JSONWriter) { writer.integer(self) }
    static func shape(_ bounds: WholeNumber) -> Shape { bounds.shape }
}

extension Int64: WireValue {
    static func read(_ value: JSONValue, _ bounds: WholeNumber) throws(JSONError) -> Int64 { Int64(try bounds.read(value)) }
    func write(to writer: inout JSONWriter) { writer.integer(self) }
    static func shape(_ bounds: WholeNumber) -> Shape { bounds.shape }
}

extension UInt32: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> UInt32 {
        UInt32(try WholeNumber.check.read(value))
    }
    func write(to writer: inout JSONWriter) { writer.integer(Int(self)) }
    static func shape(_: NoBounds) -> Shape { WholeNumber.check.shape }
}

extension Bool: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Bool { try value.bool() }
    func write(to writer: inout JSONWriter) { writer.bool(self) }
    static func shape(_: NoBounds) -> Shape { .flag }
}

/// The bounds of a string.
struct TextBounds: Sendable {
    /// In UTF-8.
    let maximumBytes: Int
    /// The shape, unless it is that of any string of at most this length.
    private let special: (@Sendable () -> Shape)?

    init(_ maximumBytes: Int, _ special: (@Sendable () -> Shape)? = nil) {
        self.maximumBytes = maximumBytes
        self.special = special
    }

    static var any: Self { Self(.max) }
    static func upTo(_ bytes: Int) -> Self { Self(bytes) }
    static var table: Self { Self(WireLimits.tableNameBytes) { .reference(.table) } }
    static var code: Self { .upTo(WireLimits.codeBytes) }
    static var house: Self { .upTo(16) }
    static var epoch: Self { .upTo(WireLimits.epochBytes) }
    /// A player's name as others are told it.
    static var shownName: Self { .upTo(256) }
    static var chat: Self { .upTo(ChatText.maximumBytes) }
    static var digest: Self { .upTo(64) }

    var shape: Shape { special?() ?? .text(maximumBytes: maximumBytes == .max ? nil : maximumBytes) }
}

extension String: WireValue {
    static func read(_ value: JSONValue, _ bounds: TextBounds) throws(JSONError) -> String {
        try value.string(maximum: bounds.maximumBytes)
    }
    func write(to writer: inout JSONWriter) { writer.string(self) }
    static func shape(_ bounds: TextBounds) -> Shape { bounds.shape }
}

/// The bounds of a list.
struct ListBounds<Element: WireValue>: Sendable {
    let element: Element.Bounds
    /// Elements at most.
    let maximum: Int

    static func of(_ element: Element.Bounds, maximum: Int = .max) -> Self { Self(element: element, maximum: maximum) }
}

extension ListBounds where Element.Bounds == NoBounds {
    static var any: Self { .of(NoBounds()) }
    static func upTo(_ maximum: Int) -> Self { .of(NoBounds(), maximum: maximum) }
}

extension Array: WireValue where Element: WireValue {
    static func read(_ value: JSONValue, _ bounds: ListBounds<Element>) throws(JSONError) -> [Element] {
        var list = try value.array()
        return try list.map(maximum: bounds.maximum) { element throws(JSONError) in try Element.read(element, bounds.element) }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { element.write(to: &writer) }
        writer.endArray()
    }

    static func shape(_ bounds: ListBounds<Element>) -> Shape { .list(Element.shape(bounds.element)) }
}

/// `[least, greatest]`
extension ClosedRange<Int>: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> ClosedRange<Int> {
        var list = try value.array()
        let least = try list.required().integer(in: WholeNumber.version.range)
        return least...(try list.required().integer(in: least...WholeNumber.version.range.upperBound))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        writer.integer(lowerBound)
        writer.integer(upperBound)
        writer.endArray()
    }

    static func shape(_: NoBounds) -> Shape { .reference(.versions) }
}

extension RequestID: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> RequestID {
        guard !value.isString else { return .text(try value.string(maximum: maximumBytes)) }
        guard let number = try? value.integer() else {
            throw value.mismatch("a string of at most \(maximumBytes) bytes or a whole number of at most 64 bits")
        }
        return .number(number)
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .text(let text): writer.string(text)
        case .number(let number): writer.integer(number)
        }
    }

    static func shape(_: NoBounds) -> Shape { .reference(.id) }
}

extension Action: WireWord {
    static var definition: Definition.Name? { .action }
    var word: String { name }
    func isSpelled(_ text: UnsafeBufferPointer<UInt8>) -> Bool { isEqual(text, key) }

    /// In the order of their names: objects on the wire have their keys in it, so that there is one text for a state.
    static let byName: [Action] = [.decline, .double, .evenMoney, .hit, .insurance, .split, .stand, .surrender]
}
