import Rules

extension Catalog {
    private static let table = Field.optional(
        "table", .reference(.table), "the table; may be left out where there is only one, or when you are at one")
    private static let seat = Field.optional(
        "seat", .reference(.seat), "which of your seats, where you have several")
    private static let pass = Field.optional(
        "pass", .text(maximumBytes: WireLimits.passBytes), "the table's pass phrase, if it has one (`locked` in the lobby)")
    private static let replyTable = Field.required("table", .reference(.table), "the table's name")
    private static let revision = Field.required(
        "rev", .reference(.revision), "the revision at which the table shows what you have done")
    private static let epoch = Field.optional(
        "epoch", .text(maximumBytes: WireLimits.epochBytes), "with a repeated answer: which table's revision that is")

    static let askingRequests = [
        RequestDescription(
            type: "login", need: .connection,
            fields: [
                .required("name", .anyText, "the player's name"),
                .optional(
                    "token", .text(maximumBytes: WireLimits.tokenBytes),
                    "from the reply to an earlier login: takes that player over, with chips and seats"),
                .optional("bot", .flag, "whether no person plays; the others see it"),
                .optional("version", .whole(WireRange.version), "the version of the protocol that you speak; 1 without it"),
            ],
            explanation: "names the player; see below",
            reply: [
                .required("name", .anyText, "your name"),
                .required(
                    "token", .text(maximumBytes: WireLimits.tokenBytes),
                    "what takes the player over on a later connection; a secret"),
                .required("chips", .reference(.bankroll), "chips that are not at a table"),
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
            type: "rules", need: .connection, fields: [table], explanation: "asks for all rules of a table",
            reply: [
                replyTable, .required("digest", .text(maximumBytes: 64), "what the table's item `rules` has, too"),
                .required("rules", .reference(.rules), "all of them; their digest is made of this text, as it stands here"),
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
            reply: [replyTable, .required("seat", .reference(.seat), "the seat that is yours now"), revision, epoch]),
        RequestDescription(
            type: "watch", need: .login, fields: [table, pass],
            explanation: "asks for the table's snapshot, and its diffs from then on", reply: [replyTable]),
        RequestDescription(
            type: "resume", need: .login,
            fields: [
                table,
                .required("epoch", .text(maximumBytes: WireLimits.epochBytes), "the epoch of the table as you have it"),
                .required("rev", .reference(.revision), "and its revision"),
                .optional(
                    "chat", .reference(.counter),
                    "the `seq` of the last line of chat that you have: what was said since comes too"),
                pass,
            ],
            explanation: "the same for a client that has the table as it was at a revision: only what it has missed is sent",
            reply: [
                replyTable,
                .required("with", .word(Resumption.allCases.map(\.rawValue)), "what follows; see below"),
                .optional("results", .list(.reference(.result)), "your rounds that were settled since, oldest first"),
                .optional("chat", .list(.object(chatLine)), "what was said since, oldest first"),
            ]),
    ]

    static let playingRequests = [
        RequestDescription(
            type: "bet", need: .seat,
            fields: [
                .required("amount", .reference(.chips), "chips; 0 takes the bet back"), seat,
                .optional(
                    "round", .reference(.counter),
                    "the item `round` as you see it; refused with `stale` if the table is at another one"),
            ],
            explanation: "bets on the next round, instead of what you have bet", reply: [revision, epoch]),
        RequestDescription(
            type: "act", need: .seat,
            fields: [
                .required("action", .reference(.action), "what you do"), seat,
                .optional("hand", .reference(.hand), "the hand you mean; refused with `wrong_hand` if another one is asked"),
                .optional(
                    "amount", .reference(.chips), "chips, for `insurance` and for doubling for less; the most possible without it"
                ),
                .optional(
                    "turn", .reference(.counter),
                    "the `turn` of the item that asks you; refused with `stale` if that is not asked any more"),
            ],
            explanation: "answers what you are asked", reply: [revision, epoch]),
        RequestDescription(
            type: "sitOut", need: .seat, fields: [], explanation: "keeps the seat without playing", reply: [revision, epoch]),
        RequestDescription(type: "sitIn", need: .seat, fields: [], explanation: "plays again", reply: [revision, epoch]),
        RequestDescription(
            type: "leave", need: .table, fields: [],
            explanation: "gives the seat up and stops watching; a hand that is in play stands", reply: [revision, epoch]),
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
            "heartbeat", .either([.whole(0...0), .whole(WireRange.heartbeat)]),
            """
            \(WireRange.heartbeat.lowerBound)…\(WireRange.heartbeat.upperBound) seconds: after so long without a word \
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
            type: "pong", need: .connection, fields: [],
            explanation: "answers the server's `ping`; whatever else stands in it is ignored", reply: nil),
    ]
}
