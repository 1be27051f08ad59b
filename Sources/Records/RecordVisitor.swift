import Fairness
import Rules
import TableEngine
import TableModel
import Wire

/// Visits the fields of an object in the order in which they are written: one declaration reads and writes it.
///
/// Each call returns the value of a field. A writer writes the value that it is given and returns it; a reader returns the one that it
/// finds, and its caller gives it a blank. So a value with cases rebuilds itself from the fields (`visited(by:)`), a structure changes in
/// place (`visit(_:)`). The visitor of the wire describes each field for the catalog, too, and has another form for digests: it is a
/// protocol of its own.
protocol RecordVisitor {
    /// `Never` for a visitor that cannot fail.
    associatedtype Failure: Error

    /// The member that names the kind of an object. The reader has chosen the blank by it.
    mutating func tag(_ kind: some ObjectKind)
    /// A field that must be present.
    @discardableResult
    mutating func required<Form: FieldForm>(_ key: StaticString, _ value: Form.Value, as form: Form.Type) throws(Failure)
        -> Form.Value
    /// A field that is absent when nil.
    @discardableResult
    mutating func optional<Form: FieldForm>(_ key: StaticString, _ value: Form.Value?, as form: Form.Type) throws(Failure) -> Form
        .Value?
}

/// How the value of a field is read and written: a type's own form, or one of several.
protocol FieldForm {
    associatedtype Value = Self

    static func read(_ value: JSONValue) throws(JSONError) -> Value
    static func write(_ value: Value, to writer: inout JSONWriter)
    /// nil for a value that a host may print.
    static var secrecy: Secrecy? { get }
}

extension FieldForm { static var secrecy: Secrecy? { nil } }

/// For how long the value of a field is not printed.
package enum Secrecy: Sendable {
    case always
    /// While cards of its shoe are to come.
    case untilPlayed
}

/// A form of which nothing is ever printed.
enum Secret<Form: FieldForm>: FieldForm {
    static func read(_ value: JSONValue) throws(JSONError) -> Form.Value { try Form.read(value) }
    static func write(_ value: Form.Value, to writer: inout JSONWriter) { Form.write(value, to: &writer) }
    static var secrecy: Secrecy? { .always }
}

/// The kind of an object of several kinds, which its first member names.
protocol ObjectKind: CaseIterable, RawRepresentable<ConstantText> {
    /// The key of that member.
    static var key: StaticString { get }
}

extension ObjectKind {
    var name: String { rawValue.text.description }

    /// The bytes with which a line or an object of the kind begins, up to its next member.
    var opening: [UInt8] { Array("{\"\(Self.key)\":\"\(name)\",".utf8) }
}

/// As a raw value, text that is copied without a look-up.
struct ConstantText: ExpressibleByStringLiteral, Equatable {
    let text: StaticString
    init(stringLiteral text: StaticString) { self.text = text }
    static func == (one: Self, other: Self) -> Bool { one.text.description == other.text.description }
}

/// An object whose fields are its properties.
protocol FieldObject: FieldForm, Equatable where Value == Self {
    /// A value to read into.
    static var blank: Self { get }
    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure)
}

extension FieldObject {
    static func read(_ value: JSONValue) throws(JSONError) -> Self { try read(value.object()) }

    static func read(_ object: JSONObject) throws(JSONError) -> Self {
        var object = object
        var result = blank
        try result.visit(&object)
        return result
    }

    static func write(_ value: Self, to writer: inout JSONWriter) {
        writer.beginObject()
        var value = value
        value.visit(&writer)
        writer.endObject()
    }
}

// MARK: - Visitors

// Inlined, so that keys are constants where they are copied: without, a fact takes 2.4 times as long (bjbench records).
extension JSONWriter: RecordVisitor {
    typealias Failure = Never

    @inline(__always)
    mutating func tag<Kind: ObjectKind>(_ kind: Kind) {
        let name = kind.rawValue.text
        begin(Kind.key, name.utf8CodeUnitCount &+ 2)
        copy("\"")
        copy(name)
        copy("\"")
        needsComma = true
    }

    @inline(__always)
    mutating func required<Form: FieldForm>(_ key: StaticString, _ value: Form.Value, as form: Form.Type) -> Form.Value {
        begin(key)
        Form.write(value, to: &self)
        return value
    }

    @inline(__always)
    mutating func optional<Form: FieldForm>(_ key: StaticString, _ value: Form.Value?, as form: Form.Type) -> Form.Value? {
        if let value { _ = required(key, value, as: form) }
        return value
    }

    /// Writes a key, and makes room for some bytes behind it.
    @inline(__always)
    private mutating func begin(_ key: StaticString, _ rest: Int = 0) {
        expectNew(key)
        if end - next < key.utf8CodeUnitCount &+ 4 &+ rest { flush() }
        if needsComma { copy(",\"") } else { copy("\"") }
        copy(key)
        copy("\":")
        needsComma = false
    }

    /// Appends constant text. `put` is a call into another module, which knows no constants: bjbench records, 20 ns a fact.
    @inline(__always)
    private mutating func copy(_ text: StaticString) {
        next.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        next += text.utf8CodeUnitCount
    }
}

extension JSONObject: RecordVisitor {
    typealias Failure = JSONError

    func tag(_ kind: some ObjectKind) {}

    func required<Form: FieldForm>(_ key: StaticString, _ value: Form.Value, as form: Form.Type) throws(JSONError) -> Form.Value {
        try Form.read(required(key))
    }

    func optional<Form: FieldForm>(_ key: StaticString, _ value: Form.Value?, as form: Form.Type) throws(JSONError) -> Form.Value?
    {
        // `map` has no typed throws here: a closure would need an annotation.
        guard let found = find(key) else { return nil }
        return try Form.read(found)
    }
}

/// Notes the name of a kind and the secret fields.
struct FormVisitor: RecordVisitor {
    typealias Failure = Never

    private(set) var name = ""
    /// By key.
    private(set) var secrets: [String: Secrecy] = [:]

    mutating func tag(_ kind: some ObjectKind) { name = kind.name }

    mutating func required<Form: FieldForm>(_ key: StaticString, _ value: Form.Value, as form: Form.Type) -> Form.Value {
        if let secrecy = Form.secrecy { secrets[key.description] = secrecy }
        return value
    }

    mutating func optional<Form: FieldForm>(_ key: StaticString, _ value: Form.Value?, as form: Form.Type) -> Form.Value? {
        if let secrecy = Form.secrecy { secrets[key.description] = secrecy }
        return value
    }
}

/// Notes the time of a record, and may give it another.
struct TimeVisitor: RecordVisitor {
    typealias Failure = Never

    private(set) var time: Int64?
    var newTime: Int64?

    func tag(_ kind: some ObjectKind) {}

    mutating func required<Form: FieldForm>(_ key: StaticString, _ value: Form.Value, as form: Form.Type) -> Form.Value {
        guard Form.self == RecordTime.self, let old = value as? Int64 else { return value }
        time = old
        return newTime as? Form.Value ?? value
    }

    func optional<Form: FieldForm>(_ key: StaticString, _ value: Form.Value?, as form: Form.Type) -> Form.Value? { value }
}

// MARK: - Fields

extension RecordVisitor {
    @inline(__always) @discardableResult
    mutating func required<Form: FieldForm>(_ key: StaticString, _ value: Form) throws(Failure) -> Form where Form.Value == Form {
        try required(key, value, as: Form.self)
    }

    @inline(__always) @discardableResult
    mutating func optional<Form: FieldForm>(_ key: StaticString, _ value: Form?) throws(Failure) -> Form?
    where Form.Value == Form {
        try optional(key, value, as: Form.self)
    }

    /// A field that is written unless it is `absent`.
    @discardableResult
    mutating func optional<Form: FieldForm & Equatable>(
        _ key: StaticString, _ value: Form, absent: Form
    ) throws(Failure) -> Form where Form.Value == Form {
        try optional(key, value == absent ? nil : value, as: Form.self) ?? absent
    }

    @inline(__always)
    mutating func count(_ key: StaticString, _ value: Int) throws(Failure) -> Int { try required(key, value, as: Count.self) }

    @inline(__always)
    mutating func seat(_ seat: Int) throws(Failure) -> Int { try required("seat", seat, as: SeatNumber.self) }

    @inline(__always)
    mutating func hand(_ hand: Int) throws(Failure) -> Int { try required("hand", hand, as: HandNumber.self) }

    @inline(__always)
    mutating func player(_ player: PlayerID) throws(Failure) -> PlayerID { try required("account", player) }

    @inline(__always)
    mutating func time(_ time: Int64) throws(Failure) -> Int64 { try required("time", time, as: RecordTime.self) }

    /// Written if true.
    @inline(__always) @discardableResult
    mutating func flag(_ key: StaticString, _ value: Bool) throws(Failure) -> Bool { try optional(key, value, absent: false) }

    /// `key`, or `seed`.
    mutating func source(_ source: ShoeSource) throws(Failure) -> ShoeSource {
        var (key, seed): (ShoeKey, UInt64?) = (.blank, nil)
        switch source {
        case .keyed(let found): key = found
        case .seeded(let found): seed = found
        }
        if let seed = try optional("seed", seed, as: ShoeSeed.self) { return .seeded(seed) }
        return try .keyed(required("key", key))
    }
}

/// Fields of structures, in place.
extension RecordVisitor {
    mutating func required<Form: FieldForm>(_ key: StaticString, _ value: inout Form) throws(Failure) where Form.Value == Form {
        value = try required(key, value, as: Form.self)
    }

    mutating func optional<Form: FieldForm>(_ key: StaticString, _ value: inout Form?) throws(Failure) where Form.Value == Form {
        value = try optional(key, value, as: Form.self)
    }

    mutating func optional<Form: FieldForm & Equatable>(
        _ key: StaticString, _ value: inout Form, absent: Form
    ) throws(Failure) where Form.Value == Form {
        value = try optional(key, value, absent: absent)
    }

    /// Written unless it is 0.
    mutating func number<Number: NumberForm & BinaryInteger>(
        _ key: StaticString, _ value: inout Number
    ) throws(Failure) where Number.Value == Number {
        try optional(key, &value, absent: 0)
    }

    /// Written unless it is never.
    mutating func timestamp(_ key: StaticString, _ value: inout Timestamp) throws(Failure) {
        try optional(key, &value, absent: .never)
    }

    /// The cards of a hand, written unless there is none.
    mutating func cards(_ key: StaticString, _ value: inout [CardID]) throws(Failure) {
        value = try optional(key, value.isEmpty ? nil : value, as: HandCards.self) ?? []
    }

    mutating func flag(_ key: StaticString, _ value: inout Bool) throws(Failure) { try optional(key, &value, absent: false) }

    /// In milliseconds since 1970; absent where it is 0.
    mutating func time(_ key: StaticString, _ value: inout Int64) throws(Failure) {
        value = try optional(key, value == 0 ? nil : value, as: RecordTime.self) ?? 0
    }

    /// Written unless it is empty.
    mutating func list<Element: FieldForm & Equatable>(
        _ key: StaticString, _ value: inout [Element]
    ) throws(Failure) where Element.Value == Element {
        try optional(key, &value, absent: [])
    }

    /// A list of one object; absent when nil.
    mutating func list<Element: FieldForm & Equatable>(
        _ key: StaticString, _ value: inout Element?
    ) throws(Failure) where Element.Value == Element {
        var list = value.map { [$0] } ?? []
        try self.list(key, &list)
        value = list.first
    }
}

// MARK: - Forms

/// A whole number within a range.
protocol NumberForm: FieldForm {
    static var range: ClosedRange<Int> { get }
    static func number(of value: Value) -> Int
    static func value(of number: Int) -> Value
}

extension NumberForm {
    static var range: ClosedRange<Int> { 0...Int.max }

    static func read(_ value: JSONValue) throws(JSONError) -> Value { Self.value(of: try value.integer(in: range)) }

    static func write(_ value: Value, to writer: inout JSONWriter) { writer.integer(number(of: value)) }
}

extension NumberForm where Value: FixedWidthInteger {
    static func number(of value: Value) -> Int { Int(truncatingIfNeeded: value) }
    static func value(of number: Int) -> Value { Value(truncatingIfNeeded: number) }
}

enum Count: NumberForm { typealias Value = Int }

/// From 1, as on the wire.
enum SeatNumber: NumberForm {
    typealias Value = Int
    static var range: ClosedRange<Int> { 1...7 }
}

/// From 1 in a record, as on the wire; from 0 in a fact.
enum HandNumber: NumberForm {
    typealias Value = Int
    static var range: ClosedRange<Int> { 1...4 }
    static func number(of value: Int) -> Int { value &+ 1 }
    static func value(of number: Int) -> Int { number - 1 }
}

/// Up to 2^53: a sum with any span of a server cannot overflow.
enum Milliseconds: NumberForm {
    typealias Value = Int
    static var range: ClosedRange<Int> { 0...1 << 53 }
}

/// When a record was made, in milliseconds since 1970.
enum RecordTime: NumberForm {
    typealias Value = Int64
    static var range: ClosedRange<Int> { Milliseconds.range }
}

extension Int: NumberForm {
    static var range: ClosedRange<Int> { -Int.max...Int.max }
}

extension Int64: NumberForm {}

extension UInt8: NumberForm {
    static var range: ClosedRange<Int> { 0...Int(max) }
}

extension UInt32: NumberForm {
    static var range: ClosedRange<Int> { 0...Int(max) }
}

extension Timestamp: NumberForm {
    static func number(of value: Timestamp) -> Int { Int(value.milliseconds) }
    static func value(of number: Int) -> Timestamp { Timestamp(milliseconds: Int64(number)) }
}

/// Ids count up from 1, so 63 bits hold them.
extension PlayerID: NumberForm {
    static func number(of value: PlayerID) -> Int { Int(truncatingIfNeeded: value.rawValue) }
    static func value(of number: Int) -> PlayerID { PlayerID(number) }
}

extension CardID: NumberForm {
    static var range: ClosedRange<Int> { 0...Int(UInt16.max) }
    static func number(of value: CardID) -> Int { Int(value.rawValue) }
    static func value(of number: Int) -> CardID { CardID(rawValue: UInt16(number)) }
}

extension Bool: FieldForm {
    static func read(_ value: JSONValue) throws(JSONError) -> Bool { try value.bool() }
    static func write(_ value: Bool, to writer: inout JSONWriter) { writer.bool(value) }
}

extension String: FieldForm {
    static func read(_ value: JSONValue) throws(JSONError) -> String { try value.string() }
    static func write(_ value: String, to writer: inout JSONWriter) { writer.string(value) }
}

extension Array: FieldForm where Element: FieldForm, Element.Value == Element {
    static func read(_ value: JSONValue) throws(JSONError) -> [Element] {
        var list = try value.array()
        return try list.map { element throws(JSONError) in try Element.read(element) }
    }

    static func write(_ value: [Element], to writer: inout JSONWriter) {
        writer.beginArray()
        for index in value.indices { Element.write(value[index], to: &writer) }
        writer.endArray()
    }
}

/// As many cards as a hand can have.
private enum HandCards: FieldForm {
    static func read(_ value: JSONValue) throws(JSONError) -> [CardID] {
        var list = try value.array()
        return try list.map(maximum: CardStack.capacity) { card throws(JSONError) in try CardID.read(card) }
    }

    static func write(_ value: [CardID], to writer: inout JSONWriter) { [CardID].write(value, to: &writer) }
}

/// One of a list of words.
protocol FieldWord: FieldForm, CaseIterable where Value == Self {
    var key: StaticString { get }
}

extension FieldWord {
    static func read(_ value: JSONValue) throws(JSONError) -> Self {
        try value.string(expecting: "one of " + allCases.map(\.key.description).joined(separator: ", ")) { text in
            allCases.first { isEqual(text, $0.key) }
        }
    }

    static func write(_ value: Self, to writer: inout JSONWriter) { writer.string(value.key) }
}

extension Action: FieldWord {}
extension Outcome: FieldWord {}
extension ClosingNotice.Cause: FieldWord { var key: StaticString { self == .table ? "table" : "server" } }
extension IssueReason: FieldWord { var key: StaticString { self == .rebuy ? "rebuy" : "credit" } }

/// A word by its place in a list.
protocol ListedWord: FieldWord, RawRepresentable<UInt8> {
    static var keys: [StaticString] { get }
}

extension ListedWord { var key: StaticString { Self.keys[Int(rawValue)] } }

extension StandReason: ListedWord { static let keys: [StaticString] = ["chosen", "automatic", "timedOut", "absent"] }
extension HandEnd: ListedWord {
    static let keys: [StaticString] = ["stood", "blackjack", "bust", "surrendered", "evenMoney", "charlie"]
}
extension HandSituation.Origin: ListedWord { static let keys: [StaticString] = ["dealt", "split", "splitAces"] }
extension Stage: ListedWord {
    static let keys: [StaticString] = [
        "waiting", "betting", "dealing", "earlySurrender", "insurance", "playing", "dealer", "settled", "closed",
    ]
}
extension Seat.Question: ListedWord { static let keys: [StaticString] = ["notAsked", "open", "answered"] }
extension Hand.State: ListedWord { static let keys: [StaticString] = ["open", "ended", "settled"] }

/// Bytes as lower-case hexadecimal digits.
protocol HexForm: FieldForm {
    static var length: Int { get }
    static func bytes(of value: Value) -> [UInt8]
    /// nil unless there are ``length`` bytes.
    static func value(of bytes: [UInt8]) -> Value?
}

extension HexForm {
    static var length: Int { 32 }

    static func read(_ value: JSONValue) throws(JSONError) -> Value {
        try value.string(expecting: "\(2 * length) hexadecimal digits") { digits in
            guard digits.count == 2 * length else { return nil }
            return digits.bytesFromHex.flatMap(Self.value(of:))
        }
    }

    static func write(_ value: Value, to writer: inout JSONWriter) { writer.string(bytes(of: value).hex) }
}

extension Digest: HexForm {
    static let blank = SHA256.hash([])
    static func bytes(of value: Digest) -> [UInt8] { value.bytes }
    static func value(of bytes: [UInt8]) -> Digest? { Digest(bytes: bytes) }
}

extension ShoeSecret: HexForm {
    static let blank = ShoeSecret(Digest.blank)
    static func bytes(of value: ShoeSecret) -> [UInt8] { value.bytes }
    static func value(of bytes: [UInt8]) -> ShoeSecret? { ShoeSecret(bytes) }
    static var secrecy: Secrecy? { .untilPlayed }
}

extension ShoeKey: HexForm {
    static let blank = ShoeKey(Digest.blank)
    static func bytes(of value: ShoeKey) -> [UInt8] { value.bytes }
    static func value(of bytes: [UInt8]) -> ShoeKey? { ShoeKey(bytes) }
    static var secrecy: Secrecy? { .untilPlayed }
}

/// The seed of a shoe.
enum ShoeSeed: HexForm {
    typealias Value = UInt64
    static var length: Int { 8 }
    static func bytes(of value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    static func value(of bytes: [UInt8]) -> UInt64? { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    static var secrecy: Secrecy? { .untilPlayed }
}

extension ShoeSource: FieldObject {
    static var blank: ShoeSource { .keyed(.blank) }
    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) { self = try visitor.source(self) }
}

/// All rules: a later version may have other defaults.
extension HouseRules: FieldForm {
    static func read(_ value: JSONValue) throws(JSONError) -> HouseRules { try HouseRules(value) }
    static func write(_ value: HouseRules, to writer: inout JSONWriter) { writer.write(value.fieldValues) }
}

extension Pace: FieldObject {
    static var blank: Pace { Pace() }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        settledMilliseconds = try visitor.required("settledMilliseconds", settledMilliseconds, as: Milliseconds.self)
        missedRounds = try visitor.count("missedRounds", missedRounds)
        timeOuts = try visitor.count("timeOuts", timeOuts)
        graceMilliseconds = try visitor.required("graceMilliseconds", graceMilliseconds, as: Milliseconds.self)
        sitOutMilliseconds = try visitor.required("sitOutMilliseconds", sitOutMilliseconds, as: Milliseconds.self)
        bankMilliseconds = try visitor.required("bankMilliseconds", bankMilliseconds, as: Milliseconds.self)
    }
}

extension ClosingNotice: FieldObject {
    static var blank: ClosingNotice { ClosingNotice() }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("cause", &cause)
        try visitor.optional("deadline", &deadline)
        try visitor.required("reason", &reason)
    }
}

extension Card: FieldForm {
    static func read(_ value: JSONValue) throws(JSONError) -> Card {
        try value.string(expecting: "a card: KH, TD, …") { $0.count == 2 ? Card($0[0], $0[1]) : nil }
    }

    static func write(_ value: Card, to writer: inout JSONWriter) { writer.card(value) }
}

extension SeenCards: FieldForm {
    static func read(_ value: JSONValue) throws(JSONError) -> SeenCards { try SeenCards(value) }
    static func write(_ value: SeenCards, to writer: inout JSONWriter) { value.write(to: &writer) }
}

/// Cards as one string of two letters each: `KHTD`.
enum CardText: FieldForm {
    typealias Value = [Card]

    /// Stops at the first letters that are no card: restoring then finds the shoe incomplete.
    static func read(_ value: JSONValue) throws(JSONError) -> [Card] {
        try value.string(expecting: "cards: KHTD…") { letters in
            var cards: [Card] = []
            cards.reserveCapacity(letters.count / 2)
            for index in stride(from: 0, to: letters.count - 1, by: 2) {
                guard let card = Card(letters[index], letters[index + 1]) else { break }
                cards.append(card)
            }
            return cards
        }
    }

    static func write(_ value: [Card], to writer: inout JSONWriter) {
        var text = ""
        text.reserveCapacity(2 * value.count)
        for card in value {
            text.append(card.rank.letter)
            text.append(card.suit.letter)
        }
        writer.string(text)
    }
}

/// As a list of words.
extension ActionSet: FieldForm {
    static func read(_ value: JSONValue) throws(JSONError) -> ActionSet {
        var set: ActionSet = []
        var list = try value.array()
        while let action = list.next() { set.insert(ActionSet(try Action.read(action))) }
        return set
    }

    static func write(_ value: ActionSet, to writer: inout JSONWriter) {
        writer.beginArray()
        var rest = value.rawValue
        while rest != 0, let action = Action(rawValue: UInt8(truncatingIfNeeded: rest.trailingZeroBitCount)) {
            rest &= rest &- 1
            writer.string(action.key)
        }
        writer.endArray()
    }
}
