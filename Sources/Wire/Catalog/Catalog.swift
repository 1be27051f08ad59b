import Rules
import TableModel

/// Messages to read into, by type. A search of the lists would copy descriptions: bjbench wire, "reply decoded" +160 ns.
struct BlankMessages<Message: Sendable>: Sendable {
    let types: [String]
    let blanks: [Message]
    private let words: [UInt64]

    init(_ messages: [(type: String, blank: Message)]) {
        types = messages.map(\.type)
        blanks = messages.map(\.blank)
        words = types.map { Self.word($0.utf8) }
        precondition(Set(words).count == words.count, "types differ in their first seven bytes")
    }

    func index(of type: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let index = words.firstIndex(of: Self.word(type)), type.count < 8 || types[index].utf8.elementsEqual(type) else {
            return nil
        }
        return index
    }

    /// The number of bytes and the first seven, by which types differ.
    private static func word(_ type: some Collection<UInt8>) -> UInt64 {
        type.prefix(7).reduce(UInt64(type.count)) { $0 << 8 | UInt64($1) }
    }
}

/// Every message and item, in both directions: the source of the JSON Schema (``schema()``), the Python module, the tables of Protocol.md, of its pages,
/// and the fields that a pedantic connection allows. It lists what the codec visits.
public enum Catalog {
    /// The sender.
    enum Direction: String, CaseIterable, Sendable {
        case client, server
    }

    /// Shapes that several messages share.
    package static let definitions = plainDefinitions + tableDefinitions

    static let blankRequests = BlankMessages(requests.map { ($0.type, $0.blank) })
    static let blankReplies = Dictionary(uniqueKeysWithValues: requests.map { ($0.type, $0.blankReply) })
    static let blankEvents = BlankMessages(events.map { ($0.type, $0.blank) })

    // MARK: Definitions

    private static let digest = "the SHA-256 of all rules as compact JSON with sorted keys, in hexadecimal digits"

    private static let plainDefinitions = [
        Definition(
            .id, .either([.text(maximumBytes: RequestID.maximumBytes), .anyWhole]),
            "The client's identifier of a request; the reply repeats it."),
        Definition(.table, .text(maximumBytes: WireLimits.tableNameBytes), "A table's name."),
        Definition(.seat, WholeNumber.seat.plainShape, "A seat."),
        Definition(.hand, WholeNumber.hand.plainShape, "A hand of a seat: 1, and one more for each split."),
        Definition(.chips, WholeNumber.chips.plainShape, "Whole chips: a bet, or the cost or win of an action."),
        Definition(.bankroll, WholeNumber.bankroll.plainShape, "Whole chips that a player owns."),
        Definition(.revision, WholeNumber.revision.plainShape, "A revision of a table or of the lobby."),
        Definition(.counter, WholeNumber.counter.plainShape, "The number of a round or of a decision, which only grows."),
        Definition(.time, WholeNumber.time.plainShape, "Milliseconds since 1970 on the server's clock."),
        Definition(
            .versions, .tuple([WholeNumber.version.shape, WholeNumber.version.shape]),
            "The lowest and highest protocol version."),
        Definition(.action, .word(Action.words), "A player's decision."),
        Definition(
            .errorCode, .openWord(ErrorCode.allCases.map { Shape.Word($0.rawValue, $0.explanation) }),
            "Why a request was refused. A code never changes its meaning; new ones may be added."),
        Definition(
            .goodbyeCode, .openWord(GoodbyeCode.allCases.map { Shape.Word($0.rawValue, $0.explanation) }),
            "Why the server closes the connection. New codes may be added."),
        Definition(.rules, .object(rules), "House rules, with the keys of a rules file; absent rules have their defaults."),
        Definition(
            .tableRules, .object(rules + [.required("digest", .text(maximumBytes: 64), digest)]),
            "A table's rules: the bets, and rules that differ from the defaults."),
        Definition(.tableSummary, .object(TableSummary.fields), "A table as the lobby lists it."),
        Definition(.result, .object(RoundResult.fields), "The result of a round for one of your seats."),
    ]

    private static let tableDefinitions = [
        Definition(
            .items,
            .dictionary(
                items.map { .optional($0.pattern, $0.shape, $0.explanation) }
                    + [.optional(otherItem, .anything, "an unknown item is kept, but not shown")]),
            "Items of a table by name. A null item is absent."),
        Definition(
            .card, .text(pattern: "^([A2-9TJQK][SHDC]|\\?\\?)$"),
            "A card: rank (`T` is ten) and suit (spades, hearts, diamonds, clubs), or `??` while it lies face down."),
        Definition(
            .total,
            .text(pattern: "^([0-9]|1[0-9]|2[01]|soft (1[1-9]|2[01])|bust (2[2-9]|3[01])|blackjack)$"),
            "The total of a hand, as a dealer calls it."),
        Definition(
            .factWord, .openWord(facts.map { Shape.Word($0.word, $0.explanation) }),
            "The kind of a fact. A word never changes its meaning; new ones may be added."),
        Definition(.fact, .object(PublicFact.fields), "An event at a table, and what it concerns."),
    ]

    // MARK: Rules

    /// The keys of a rules file, in the order in which rules are shown.
    package static let rules = HouseRules.fields.map { Field.optional($0.key, shape($0.values), $0.explanation) }

    private static func shape(_ values: RuleValues) -> Shape {
        switch values {
        case .flag: .flag
        case .words(let words): .word(words)
        case .whole(let ranges): ranges.count == 1 ? .whole(ranges[0]) : .either(ranges.map(Shape.whole))
        case .number(let range): .number(range)
        }
    }

    // MARK: Schema

    /// A JSON Schema (draft 2020-12) of every message, with the same text at every call.
    ///
    /// Schema and codec refuse the same lines. Rules that a schema cannot express are in its descriptions.
    public static func schema() -> String {
        var definitions = Direction.allCases.map { side in
            (
                side.rawValue,
                JSONText.object([
                    ("description", .text("Every line that a \(side.rawValue) may send.")),
                    ("oneOf", .array(messages(of: side).map { .object([("$ref", .text("#/$defs/\($0.name)"))]) })),
                ])
            )
        }
        definitions += Direction.allCases.flatMap(messages).map { ($0.name, $0.schema) }
        definitions += Catalog.definitions.map { ($0.name.rawValue, $0.shape.schema(explanation: $0.explanation)) }
        return JSONText.object([
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            ("title", .text("Blackjack over TCP, version \(WireLimits.version) of the protocol")),
            ("description", .text(description)),
            ("anyOf", .array(Direction.allCases.map { .object([("$ref", .text("#/$defs/\($0.rawValue)"))]) })),
            ("$defs", .object(definitions)),
        ]).formatted()
    }

    private static let description = """
        Each line is one object. Unknown fields are ignored, and null means absent. Not expressible in a schema: \
        whole numbers have no fraction or exponent; x-maxBytes limits a string's length in bytes of \
        UTF-8; keys of an object are unique; the rules for names, chat and combinations of house rules are in Protocol.md.
        """

    private typealias Message = (name: String, schema: JSONText)

    private static func messages(of direction: Direction) -> [Message] {
        switch direction {
        case .client:
            requests.map { request in
                message(
                    "client.\(request.type)", [("type", request.type)],
                    [.optional("id", .reference(.id), "repeated by the reply")] + request.fields,
                    "Asked \(request.need.rawValue): \(request.explanation).", maximum: WireLimits.members)
            }
        case .server:
            events.flatMap { event in event.type == "ok" ? replies(event) : [self.event(event)] } + [otherEvent]
        }
    }

    private static func event(_ event: EventDescription) -> Message {
        message("server.\(event.type)", [("type", event.type)], event.fields, "\(event.explanation).")
    }

    private static func replies(_ event: EventDescription) -> [Message] {
        let fields = event.fields.filter { $0.name != "to" }
        return requests.map {
            message(
                "server.ok.\($0.type)", [("type", "ok"), ("to", $0.type)], fields + $0.reply, "`\($0.type)` was carried out.")
        } + [
            message(
                "server.ok.other", [("type", "ok")], others: ("to", requests.map(\.type)), fields,
                "A request that is unknown to this version was carried out.")
        ]
    }

    private static var otherEvent: Message {
        message("server.other", others: ("type", events.map(\.type)), [], "A message of a later version: skip it.")
    }

    /// - Parameter others: a field that is none of these words.
    private static func message(
        _ name: String, _ constants: [(String, String)] = [], others: (key: String, than: [String])? = nil,
        _ fields: [Field], _ explanation: String, maximum: Int = WireLimits.eventMembers
    ) -> Message {
        var constants = constants.map { ($0.0, JSONText.object([("const", .text($0.1))])) }
        if let others {
            let words = JSONText.object([("enum", .texts(others.than))])
            constants.append((others.key, .object([("type", .text("string")), ("not", words)])))
        }
        return (
            name,
            .object(
                Shape.object(fields, [("type", .text("object"))], constants: constants, maximum: maximum)
                    + [("description", .text(explanation))])
        )
    }

    // MARK: Table

    /// Items of later servers: any name of two letters or more that is none of the known.
    private static let otherItem =
        "(?!(\(items.filter(\.isWord).map(\.pattern).joined(separator: "|")))$)"
        + "[a-z]{2}[A-Za-z0-9.]{0,\(OtherName.maximumBytes - 2)}"
}

/// A request.
package struct RequestDescription: Equatable, Sendable {
    /// The condition for a request.
    package enum Need: String, Sendable {
        /// Nothing but a connection.
        case connection = "at any time"
        /// A login; refused with `not_logged_in` before it.
        case login = "after `login`"
        /// A seat, or a table that is watched; refused with `not_seated` without.
        case table = "at a table, seated or watching"
        /// A seat; refused with `not_seated` without.
        case seat = "with a seat"
    }

    package let type: String
    package let need: Need
    /// Besides `type` and `id`.
    package let fields: [Field]
    /// Its effect.
    package let explanation: String
    /// Fields of the `ok` besides `type`, `id` and `to`.
    package let reply: [Field]
    /// A request and a reply to read into.
    let blank: ClientMessage
    let blankReply: Reply

    init(_ message: ClientMessage, _ need: Need, _ explanation: String, reply: Reply) {
        type = message.type
        self.need = need
        var (list, replyList) = (FieldList(), FieldList())
        var (copy, replyCopy) = (message, reply)
        copy.visit(&list)
        replyCopy.visit(&replyList)
        var table: String?
        if message.mayNameTable { Request.visitTable(&table, &list) }
        fields = list.fields
        self.explanation = explanation
        self.reply = replyList.fields
        blank = message
        blankReply = reply
    }
}

/// A message of the server.
package struct EventDescription: Equatable, Sendable {
    package let type: String
    /// Besides `type`.
    package let fields: [Field]
    /// When it is sent.
    package let explanation: String
    /// A message to read into.
    let blank: ServerMessage

    init(_ message: ServerMessage, _ explanation: String) {
        type = message.type
        var list = FieldList()
        var copy = message
        copy.visit(&list)
        fields = list.fields
        self.explanation = explanation
        blank = message
    }
}
