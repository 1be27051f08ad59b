import Referee

extension LoadReport {
    /// The JSON Schema (draft 2020-12) of ``json``.
    public static var schema: JSONTree {
        .object([
            .init("$schema", "https://json-schema.org/draft/2020-12/schema"), .init("title", "bjbots load report"),
            .init("description", "What a load run of bjbots found out. All latencies are microseconds."),
            .init("type", "object"), .init("additionalProperties", false), .init("required", required(root)),
            .init("properties", .object(root)),
            .init("$defs", ["histogram": object(histogram), "book": object(book)]),
        ])
    }

    private static var root: [JSONTree.Member] {
        [
            .init("version", ["const": .integer(version)]), .init("target", text("HOST:PORT as it was given")),
            .init("server", text("what the server calls itself")), .init("started", text("when the run began, ISO 8601")),
            .init("seed", ["type": "string", "pattern": "^[0-9]+$"]),
            .init("plan", ["type": "array", "items": ["type": "string"]]),
            .init("seconds", number), .init("interrupted", ["type": "boolean"]),
            .init(
                "invalid",
                ["type": ["string", "null"], "description": "why the latencies are not to be trusted; null when they may be"]),
            .init("warnings", ["type": "array", "items": ["type": "string"]]),
            .init("bots", object(["honest", "hostile", "peakConnected"].map { .init($0, count) })),
            .init("counts", object(counts)),
            .init("rates", object([.init("rounds", number), .init("actions", number)])),
            .init("processor", object(processor)),
            .init("tables", object(["count", "fewestRounds", "mostRounds"].map { .init($0, count) })),
            .init("shoes", object(["verified", "failed", "unproven"].map { .init($0, count) })),
            .init("latency", ["$ref": "#/$defs/book"]),
            .init("join", ["$ref": "#/$defs/book"]), .init("errors", tally), .init("violations", list(violation)),
            .init(
                "thresholds",
                list([
                    .init("threshold", ["type": "string"]),
                    .init("value", ["type": ["number", "null"], "description": "null when nothing was measured"]),
                    .init("holds", ["type": "boolean"]),
                ])),
            .init("timeline", list(point)),
            .init("hostile", ["type": "object", "additionalProperties": object(hostileKind)]),
        ]
    }

    private static var counts: [JSONTree.Member] {
        ["rounds", "hands"].map { .init($0, count) } + [.init("net", ["type": "integer", "description": "chips"])]
            + ["actions", "sessions", "lines", "errors", "violations", "disconnects", "waitedForBot"].map { .init($0, count) }
    }

    /// Processor time: seconds, and microseconds for each action.
    private static var processor: [JSONTree.Member] {
        let known: JSONTree = [
            "type": ["number", "null"], "minimum": 0, "description": "null where the server does not tell it",
        ]
        return [
            .init("generatorSeconds", number), .init("generatorPerAction", number), .init("serverSeconds", known),
            .init("serverPerAction", known),
        ]
    }

    private static var histogram: [JSONTree.Member] {
        let point: JSONTree = ["type": "array", "items": ["type": "number", "minimum": 0], "minItems": 3, "maxItems": 3]
        return [
            .init("count", count), .init("mean", number), .init("deviation", number), .init("min", count), .init("max", count),
        ]
            + percentiles.map { .init($0.key, count) }
            + [
                .init(
                    "curve",
                    ["type": "array", "items": point, "description": "percentile 0…100, duration, how many are no longer"])
            ]
    }

    private static var book: [JSONTree.Member] {
        [.init("unanswered", count)] + ["corrected", "raw", "lag"].map { .init($0, ["$ref": "#/$defs/histogram"]) }
    }

    private static var violation: [JSONTree.Member] {
        [
            .init("law", ["enum": .array(Violation.Law.allCases.map { .string($0.rawValue) })]),
            .init("table", ["type": "string"]),
            .init("round", count), .init("line", count), .init("detail", ["type": "string"]), .init("bot", ["type": "string"]),
            .init("transcript", ["type": "string"]),
        ]
    }

    private static var point: [JSONTree.Member] {
        [
            .init("time", number), .init("connected", count), .init("rounds", number), .init("actions", number),
            .init("p50", count),
            .init("p99", count), .init("max", count), .init("errors", count),
        ]
    }

    private static var hostileKind: [JSONTree.Member] {
        ["bots", "connections", "refusedConnections", "sent", "bytesSent", "bytesRead", "cutOff"].map { .init($0, count) }
            + [.init("answers", tally)]
    }

    private static var count: JSONTree { ["type": "integer", "minimum": 0] }
    private static var number: JSONTree { ["type": "number", "minimum": 0] }
    private static var tally: JSONTree { ["type": "object", "additionalProperties": count] }

    private static func text(_ description: String) -> JSONTree { ["type": "string", "description": .string(description)] }

    private static func required(_ members: [JSONTree.Member]) -> JSONTree { .array(members.map { .string($0.key) }) }

    private static func object(_ members: [JSONTree.Member]) -> JSONTree {
        ["type": "object", "additionalProperties": false, "required": required(members), "properties": .object(members)]
    }

    private static func list(_ members: [JSONTree.Member]) -> JSONTree { ["type": "array", "items": object(members)] }
}
