import Rules

extension Catalog {
    private static let requestID = Field.optional("id", .reference(.id), "the request's, if it had one")
    private static let code = "stable, for programs"
    private static let message = "a sentence, for people"

    static let limits: [Field] = [
        .required("line", .whole(WireRange.limit), "bytes of a line from a client, its end not counted"),
        .required("depth", .whole(WireRange.limit), "objects and arrays inside each other"),
        .required("members", .whole(WireRange.limit), "members of an object"),
        .required("id", .whole(WireRange.limit), "bytes of an `id`"),
        .required("name", .whole(WireRange.limit), "bytes of a player's name"),
        .required("chat", .whole(WireRange.limit), "bytes of a chat's text"),
        .required("retries", .whole(WireRange.limit), "requests of a player whose first answers are remembered"),
        .required("requestsPerSecond", .whole(WireRange.limit), "requests a second that a connection may send in the long run"),
        .required("burst", .whole(WireRange.limit), "requests that it may send at once after a pause"),
    ]

    static let connectionEvents = [
        EventDescription(
            type: "hello",
            fields: [
                .required("server", .anyText, "program and version"),
                .required("versions", .reference(.versions), "the versions of the protocol that are spoken"),
                .required("time", .reference(.time), "the server's time"),
                .required("idleSeconds", .whole(WireRange.limit), "how long a connection may say nothing before it is closed"),
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
                .optional(
                    "retryAfter", .whole(WireRange.wait),
                    "milliseconds after which it makes sense to try again, where that is known"),
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
            type: "ping", fields: [.required("time", .reference(.time), "the server's time")],
            explanation: "the server asks whether you live; answer with `pong`"),
    ]

    static let diffFields: [Field] = [
        .optional(
            "clear", .flag,
            "the round is taken off the table: the sections `h1.1` … `h7.4`, whatever is in `dealer`, and the items `clock`, `a1` … `a7`, `i1` … `i7`"
        ),
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

    static let chatLine: [Field] = [
        .required("seq", .reference(.counter), "counts what is said at the table, from 1"),
        .required("name", .text(maximumBytes: 256), "the speaker"),
        .required("text", .text(maximumBytes: ChatText.maximumBytes), "what was said"),
        .required("time", .reference(.time), "when"),
    ]

    static let tableEvents = [
        EventDescription(
            type: "snapshot",
            fields: [
                .required("table", .reference(.table), "the table's name"),
                .required(
                    "epoch", .text(maximumBytes: WireLimits.epochBytes), "tells this table from another one of the same name"),
                .required("rev", .reference(.revision), "its revision"),
                .optional("chat", .reference(.counter), "the `seq` of the last line of chat there"),
                .required("sections", .list(.reference(.sectionContent)), "its sections with their items, each of them once"),
            ],
            explanation: "a whole table"),
        EventDescription(
            type: "diff",
            fields: [
                .required("from", .reference(.revision), "the revision that it applies to"),
                .required("to", .reference(.revision), "the revision that it leads to"),
                .optional("check", .whole(WireRange.check), "the check value of the table at revision `to`"),
            ] + diffFields,
            explanation: "what has changed at the table that you watch"),
        EventDescription(
            type: "lobby",
            fields: [
                .required("from", .reference(.revision), "the revision of the list that it applies to"),
                .required("to", .reference(.revision), "the revision that it leads to"),
                .optional("delete", .list(.reference(.table)), "tables that are gone"),
                .optional(
                    "insert", .list(.tuple([.whole(WireRange.lobbyIndex), .reference(.tableSummary)])),
                    "new tables with their places in the new list"),
                .optional("set", .list(.reference(.tableSummary)), "tables that show something else"),
            ],
            explanation: "what has changed in the lobby, for those who follow it"),
        EventDescription(
            type: "chat", fields: chatLine, explanation: "somebody at the table says something"),
        EventDescription(
            type: "notice",
            fields: [
                .required(
                    "kind", .openWord([Shape.Word(HostNotice.kicked, "sent home, the seat given up")]),
                    "`kicked`: sent home, the seat given up; there may be new ones"),
                .required("name", .text(maximumBytes: 256), "the player"),
                .optional("reason", .text(maximumBytes: ChatText.maximumBytes), "in the host's words"),
                .required("time", .reference(.time), "when"),
            ],
            explanation: "the host has done something to a player at your table"),
        EventDescription(
            type: "note", fields: [.required("text", .anyText, "a sentence")],
            explanation: "what has happened, for those with the option `verbose`"),
    ]
}
