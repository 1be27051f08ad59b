import Rules

extension Catalog {
    private static let table = Field.optional(
        "table", .reference(.table), "the table; may be left out where there is only one, or when you are at one")
    private static let seat = Field.optional(
        "seat", .reference(.seat), "which of your seats, where you have several")
    private static let pass = Field.optional(
        "pass", .text(maximumBytes: WireLimits.passBytes), "the table's pass phrase, if it has one (`locked` in the lobby)")
    private static let replyTable = Field.required("table", .reference(.table), "the table's name")

    static let askingRequests = [
        RequestDescription(
            type: "login", need: .connection,
            fields: [
                .required("name", .anyText, "the player's name"),
                .optional(
                    "token", .text(maximumBytes: WireLimits.tokenBytes),
                    "from the reply to an earlier login: takes that player over, with chips and seats"),
                .optional("bot", .flag, "whether no person plays; the others see it"),
                .optional("version", .anyWhole, "the version of the protocol that you speak; 1 without it"),
            ],
            explanation: "names the player; see below",
            reply: [
                .required("name", .anyText, "your name"),
                .required(
                    "token", .text(maximumBytes: WireLimits.tokenBytes),
                    "what takes the player over on a later connection; a secret"),
                .required("chips", .reference(.chips), "chips that are not at a table"),
                .optional("table", .reference(.table), "the table at which seats are held for you"),
                .optional("seats", .list(.reference(.seat)), "those seats"),
            ]),
        RequestDescription(
            type: "available", need: .connection, fields: [.required("name", .anyText, "a name")],
            explanation: "asks whether a name is free now", reply: [.required("free", .flag, "whether it is")]),
        RequestDescription(
            type: "lobby", need: .connection,
            fields: [.optional("follow", .flag, "whether to be told of every change from now on; as it was without it")],
            explanation: "asks which tables there are; see below",
            reply: [
                .required("rev", .reference(.revision), "the revision of the list"),
                .required("total", .count, "how many tables there are"),
                .required("tables", .list(.reference(.tableSummary)), "the first \(WireLimits.lobbyTables) of them"),
            ]),
        RequestDescription(
            type: "sit", need: .login,
            fields: [
                .optional(
                    "table", .reference(.table),
                    "the table; without it the one you are at, or else one with a free seat and no pass phrase"),
                .optional("seat", .reference(.seat), "the seat; the first free one without it"), pass,
            ],
            explanation: "takes a seat, bringing all your chips, and watches",
            reply: [replyTable, .required("seat", .reference(.seat), "the seat that is yours now")]),
        RequestDescription(
            type: "watch", need: .login, fields: [table, pass],
            explanation: "asks for the table's snapshot, and its diffs from then on", reply: [replyTable]),
        RequestDescription(
            type: "resume", need: .login,
            fields: [
                table,
                .required("epoch", .text(maximumBytes: WireLimits.epochBytes), "the epoch of the table as you have it"),
                .required("rev", .reference(.revision), "and its revision"), pass,
            ],
            explanation: "the same for a client that has the table as it was at a revision: only what it has missed is sent",
            reply: [
                replyTable,
                .required("with", .word(Resumption.allCases.map(\.rawValue)), "what follows; see below"),
            ]),
    ]

    static let playingRequests = [
        RequestDescription(
            type: "bet", need: .seat,
            fields: [.required("amount", .reference(.chips), "chips; 0 takes the bet back"), seat],
            explanation: "bets on the next round, instead of what you have bet", reply: []),
        RequestDescription(
            type: "act", need: .seat,
            fields: [
                .required("action", .reference(.action), "what you do"), seat,
                .optional("hand", .reference(.hand), "the hand you mean; refused with `wrong_hand` if another one is asked"),
                .optional(
                    "amount", .reference(.chips), "chips, for `insurance` and for doubling for less; the most possible without it"
                ),
            ],
            explanation: "answers what you are asked", reply: []),
        RequestDescription(
            type: "sitOut", need: .seat, fields: [], explanation: "keeps the seat without playing", reply: []),
        RequestDescription(type: "sitIn", need: .seat, fields: [], explanation: "plays again", reply: []),
        RequestDescription(
            type: "leave", need: .table, fields: [],
            explanation: "gives the seat up and stops watching; a hand that is in play stands", reply: []),
        RequestDescription(
            type: "logout", need: .login, fields: [],
            explanation: "says goodbye: leaves, and forgets you; the server answers, says `bye` and closes", reply: []),
        RequestDescription(
            type: "chat", need: .table,
            fields: [.required("text", .text(maximumBytes: ChatText.maximumBytes), "what you say; see below")],
            explanation: "says something to everybody at the table you watch", reply: []),
    ]

    static let options: [Field] = [
        .optional(
            "check", .flag, "each diff carries the `check` value of the table after it, not only the one that ends a round"),
        .optional(
            "verbose", .flag,
            "what happens is told in sentences too: `{\"type\":\"note\",\"text\":\"ann (seat 3) hits.\"}`, for people at `nc`"),
        .optional(
            "pedantic", .flag,
            "a field that a request does not have is refused with `unknown_field`, for people who write a client"),
        .optional(
            "heartbeat", .either([.whole(0...0), .whole(WireLimits.heartbeatSeconds)]),
            """
            \(WireLimits.heartbeatSeconds.lowerBound)…\(WireLimits.heartbeatSeconds.upperBound) seconds: after so long without a word \
            from you the server sends `{"type":"ping","time":…}`; if as long again passes without one, it says `bye` (`no_pulse`). \
            0: never
            """),
    ]

    static let connectionRequests = [
        RequestDescription(
            type: "options", need: .connection, fields: options,
            explanation: "sets how this connection is served; what is left out stays as it is; see below", reply: options),
        RequestDescription(
            type: "ping", need: .connection, fields: [], explanation: "shows that you live",
            reply: [.required("time", .reference(.time), "the server's time")]),
        RequestDescription(
            type: "pong", need: .connection,
            fields: [.optional("time", .reference(.time), "the `time` that the server's `ping` had")],
            explanation: "answers the server's `ping`", reply: nil),
    ]
}
