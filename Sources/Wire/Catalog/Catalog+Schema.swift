extension Catalog {
    /// A JSON Schema (draft 2020-12) of every message, with the same text at every call.
    ///
    /// Schema and codec refuse the same lines. Rules that a schema cannot express are in its descriptions.
    /// - Parameter direction: whose messages; both sides' without it.
    public static func schema(_ direction: Direction? = nil) -> String {
        let directions = direction.map { [$0] } ?? Direction.allCases
        var definitions = directions.map { side in
            (
                side.rawValue,
                JSONText.object([
                    ("description", .text("Every line that a \(side.rawValue) may send.")),
                    ("oneOf", .array(messages(of: side).map { .object([("$ref", .text("#/$defs/\($0.name)"))]) })),
                ])
            )
        }
        definitions += directions.flatMap(messages).map { ($0.name, $0.schema) }
        let used = definitionsUsed(by: directions)
        definitions += Catalog.definitions.filter { used.contains($0.name) }.map {
            ($0.name.rawValue, $0.shape.schema(explanation: $0.explanation))
        }
        return JSONText.object([
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            ("title", .text("Blackjack over TCP, version \(WireLimits.version) of the protocol")),
            ("description", .text(description)),
            ("anyOf", .array(directions.map { .object([("$ref", .text("#/$defs/\($0.rawValue)"))]) })),
            ("$defs", .object(definitions)),
        ]).formatted()
    }

    private static let description = """
        One line is one object. Fields that are not known are ignored, and null is as good as absent. Beyond what a schema can say: \
        whole numbers are written without fraction or exponent; x-maxBytes bounds a string's length in bytes of \
        UTF-8; no key is twice in an object; what a name or a chat may have, and which rules go together, is in Protocol.md.
        """

    private typealias Message = (name: String, schema: JSONText)

    private static func messages(of direction: Direction) -> [Message] {
        switch direction {
        case .client:
            requests.map { request in
                let id =
                    request.reply == nil
                    ? Field.optional("id", .anything, "of no use: there is no reply")
                    : Field.optional("id", .reference(.id), "repeated by the reply")
                return message(
                    "client.\(request.type)", [("type", request.type)], [id] + request.fields,
                    "Asked \(request.need.explanation): \(request.explanation).")
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
        let known = requests.compactMap { request in request.reply.map { (request.type, $0) } }
        let other = JSONText.object([
            ("type", .text("string")), ("not", .object([("enum", .texts(known.map(\.0)))])),
        ])
        return known.map { type, reply in
            message("server.ok.\(type)", [("type", "ok"), ("to", type)], fields + reply, "`\(type)` was carried out.")
        } + [
            (
                "server.ok.other",
                .object(
                    Shape.object(
                        fields, [("type", .text("object"))],
                        constants: [("type", .object([("const", .text("ok"))])), ("to", other)])
                        + [("description", .text("A request that this version does not know was carried out."))])
            )
        ]
    }

    private static var otherEvent: Message {
        let type = JSONText.object([("type", .text("string")), ("not", .object([("enum", .texts(events.map(\.type)))]))])
        return (
            "server.other",
            .object(
                Shape.object([], [("type", .text("object"))], constants: [("type", type)])
                    + [("description", .text("A message of a later version, to be skipped."))])
        )
    }

    private static func message(
        _ name: String, _ constants: [(String, String)], _ fields: [Field], _ explanation: String
    ) -> Message {
        let constants = constants.map { ($0.0, JSONText.object([("const", .text($0.1))])) }
        return (
            name,
            .object(
                Shape.object(fields, [("type", .text("object"))], constants: constants) + [("description", .text(explanation))])
        )
    }

    private static func definitionsUsed(by directions: [Direction]) -> Set<Definition.Name> {
        var fields = directions.contains(.client) ? requests.flatMap(\.fields) : []
        if directions.contains(.server) { fields += events.flatMap(\.fields) + requests.flatMap { $0.reply ?? [] } }
        var open: [Definition.Name] = [.id] + fields.flatMap(\.shape.references)
        var used: Set<Definition.Name> = []
        while let name = open.popLast() {
            guard used.insert(name).inserted else { continue }
            open += definitions.filter { $0.name == name }.flatMap(\.shape.references)
        }
        return used
    }
}
