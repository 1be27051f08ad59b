import Rules

extension Catalog {
    private static let requestID = Field.optional("id", .reference(.id), "the request's, if it had one")
    private static let code = "stable, for programs"
    private static let message = "a sentence, for people"

    static let limits: [Field] = [
        .required("line", .whole(1...Int.max), "bytes of a line from a client, its end not counted"),
        .required("depth", .whole(1...Int.max), "objects and arrays inside each other"),
        .required("members", .whole(1...Int.max), "members of an object"),
        .required("id", .whole(1...Int.max), "bytes of an `id`"),
        .required("name", .whole(1...Int.max), "bytes of a player's name"),
        .required("chat", .whole(1...Int.max), "bytes of a chat's text"),
        .required("retries", .whole(1...Int.max), "requests of a player whose first answers are remembered"),
        .required("requestsPerSecond", .whole(1...Int.max), "requests a second that a connection may send in the long run"),
        .required("burst", .whole(1...Int.max), "requests that it may send at once after a pause"),
    ]

    static let connectionEvents = [
        EventDescription(
            type: "hello",
            fields: [
                .required("server", .anyText, "program and version"),
                .required("versions", .reference(.versions), "the versions of the protocol that are spoken"),
                .required("time", .reference(.time), "the server's time"),
                .required("idleSeconds", .whole(1...Int.max), "how long a connection may say nothing before it is closed"),
                .required("limits", .object(limits), "the bounds that a client has to keep"),
                .required("features", .list(.anyText), "what a client can look for"),
                .optional("draining", .flag, "whether the server is about to stop: nobody gets a new seat"),
            ],
            explanation: "the first line of every connection"),
        EventDescription(
            type: "ok",
            fields: [
                requestID, .required("to", .anyText, "the type of the request"),
            ],
            explanation: "a request was carried out; what else it has, its type promises"),
        EventDescription(
            type: "error",
            fields: [
                requestID,
                .optional("to", .anyText, "the type of the request, as far as it could be read"),
                .required("code", .reference(.errorCode), code),
                .required("message", .anyText, message),
                .optional("legal", .list(.reference(.action)), "the actions that would be legal, where it is about one"),
                .optional("retryAfter", .count, "milliseconds after which it makes sense to try again, where that is known"),
                .optional("versions", .reference(.versions), "the versions that are spoken, where it is about that"),
                .optional("retryable", .flag, "whether the same request may succeed later"),
                .optional("fatal", .flag, "whether the server closes the connection now"),
            ],
            explanation: "a request was refused, and has changed nothing"),
        EventDescription(
            type: "bye",
            fields: [.required("code", .reference(.goodbyeCode), code), .required("message", .anyText, message)],
            explanation: "the server closes the connection, and says why"),
        EventDescription(
            type: "ping", fields: [.required("time", .reference(.time), "the server's time, to be sent back")],
            explanation: "the server asks whether you live; answer with `pong`"),
    ]

    static let diffFields: [Field] = [
        .optional(
            "clear", .flag,
            "the round is taken off the table: every section `h…`, whatever is in `dealer`, and the items `clock`, `a…`, `i…`"),
        .optional("deleteSections", .list(.reference(.section)), "the section goes, with what is left in it"),
        .optional("insertSections", .list(.reference(.sectionPlace)), "a new, empty section"),
        .optional("moveSections", .list(.reference(.sectionPlace)), "the section changes its place, with its items"),
        .optional("delete", .list(.reference(.item)), "the item goes"),
        .optional(
            "move", .list(.reference(.itemPlace)),
            "the item changes its place, possibly to another section (a split moves a card)"),
        .optional("insert", .list(.reference(.newItem)), "a new item"),
        .optional("set", .list(.reference(.entry)), "an item that was there shows something else (a card is turned)"),
    ]

    static let tableEvents = [
        EventDescription(
            type: "snapshot",
            fields: [
                .required("table", .reference(.table), "the table's name"),
                .required(
                    "epoch", .text(maximumBytes: WireLimits.epochBytes), "tells this table from another one of the same name"),
                .required("rev", .reference(.revision), "its revision"),
                .required("sections", .list(.reference(.sectionContent)), "its sections with their items, each of them once"),
            ],
            explanation: "a whole table"),
        EventDescription(
            type: "diff",
            fields: [
                .required("from", .reference(.revision), "the revision that it applies to"),
                .required("to", .reference(.revision), "the revision that it leads to"),
                .optional("check", .whole(0...Int(UInt32.max)), "the check value of the table at revision `to`"),
            ] + diffFields,
            explanation: "what has changed at the table that you watch"),
        EventDescription(
            type: "lobby",
            fields: [
                .required("from", .reference(.revision), "the revision of the list that it applies to"),
                .required("to", .reference(.revision), "the revision that it leads to"),
                .optional("delete", .list(.reference(.table)), "tables that are gone"),
                .optional(
                    "insert", .list(.tuple([.whole(0...WireLimits.lobbyTables), .reference(.tableSummary)])),
                    "new tables with their places in the new list"),
                .optional("set", .list(.reference(.tableSummary)), "tables that show something else"),
            ],
            explanation: "what has changed in the lobby, for those who follow it"),
        EventDescription(
            type: "chat",
            fields: [
                .required("name", .text(maximumBytes: 256), "the speaker"),
                .required("text", .text(maximumBytes: ChatText.maximumBytes), "what was said"),
                .required("time", .reference(.time), "when"),
            ],
            explanation: "somebody at the table says something"),
        EventDescription(
            type: "note", fields: [.required("text", .anyText, "a sentence")],
            explanation: "what has happened, for those with the option `verbose`"),
    ]
}
