import Wire

extension ClientKit {
    /// Every scenario, in the order in which they are played.
    public static let scenarios = plain + hellos + unknowns + deliveries + tables + shoes + cuts + refusals + endings

    private static let plain = [
        Scenario(
            "plain/rounds", "Nothing happens: the client logs in, sits, bets, answers what it is asked, and is refused nothing."
        ) {
            PassingScript(rounds: 3, isStrict: true)
        }
    ]

    private static let hellos = [
        Scenario("hello/unknown-fields", "'hello' and its limits have fields that nobody knows: they are ignored.") {
            PassingScript(rounds: 1) { line, message in
                guard case .hello = message else { return line }
                return Lines.withUnknownFields(Lines.replacing("\"limits\":{", with: "\"limits\":{\"x-sparks\":3,", in: line))
            }
        },
        Scenario("hello/unknown-features", "The server has features that nobody knows: they are ignored.") {
            PassingScript(rounds: 1) { Lines.hello($0, $1) { $0.features += ["time-travel", "x-\u{e9}"] } }
        },
        Scenario("hello/no-features", "The server has none of the features: the client plays without them.") {
            PassingScript(rounds: 1) { Lines.hello($0, $1) { $0.features = [] } }
        },
        Scenario("hello/other-limits", "Lines of 512 bytes, ids of 32, names of 24: the client keeps within them.") {
            PassingScript(rounds: 2) {
                Lines.hello($0, $1) { hello in (hello.limits.line, hello.limits.id, hello.limits.name) = (512, 32, 24) }
            }
        },
        Scenario("hello/more-versions", "The server speaks versions 1 to 7: the client says one that it speaks itself, or none.")
        {
            PassingScript(rounds: 1) { Lines.hello($0, $1) { $0.versions = 1...7 } }
        },
        Scenario("hello/other-versions", "The server speaks versions 2 and 3 only: the client ends, or waits, without a storm.") {
            EndingScript(.otherVersions)
        },
    ]

    private static let unknowns = [
        Scenario("unknown/fields", "Every message has fields that nobody knows: they are ignored.") {
            PassingScript(rounds: 2) { line, _ in Lines.withUnknownFields(line) }
        },
        Scenario(
            "unknown/types", "Messages of types that nobody knows come between all others, also between a request and its reply."
        ) {
            PassingScript(rounds: 2) { line, message in
                if case .hello = message { return line + Lines.unknownMessages }
                return Lines.unknownMessages + line + Lines.unknownMessages
            }
        },
        Scenario(
            "unknown/kinds",
            "The table has sections and items of kinds that nobody knows: they are kept, moved and counted in the check value."
        ) {
            UnknownKindsScript()
        },
        Scenario("unknown/talk", "Chat and notes come between other messages, with letters of many scripts.") {
            PassingScript(rounds: 2, change: Lines.withTalk)
        },
        Scenario("unknown/error-code", "A bet is refused with a code that nobody knows, and retryable: the client bets again.") {
            RefusalScript(.unknownCode)
        },
    ]

    private static let deliveries = [
        Scenario("bytes/split", "Lines come in pieces: each ends and begins anywhere, also within a letter.") {
            PassingScript(rounds: 3, delivery: .pieces([61, 2, 211, 1, 127, 3, 31, 509, 17], every: 3), change: Lines.withTalk)
        },
        Scenario("bytes/trickle", "A byte at a time.") { PassingScript(rounds: 1, delivery: .pieces([1], every: 1)) },
        Scenario("bytes/joined", "Many lines come in one piece.") {
            PassingScript(rounds: 2, delivery: .gathered(60), change: Lines.withTalk)
        },
        Scenario("bytes/long-lines", "Diffs of 60,000 bytes, by a field that nobody knows.") {
            PassingScript(rounds: 2) { line, message in
                guard case .diff = message else { return line }
                let padding = "{\"x-padding\":\"" + String(repeating: "pad ", count: 15_000) + "\","
                return Array(padding.utf8) + line.dropFirst()
            }
        },
        Scenario("slow/replies", "Everything comes half a second late: nothing is asked twice.") {
            PassingScript(rounds: 1, isStrict: true, delivery: .gathered(500))
        },
        Scenario("slow/silence", "The server says nothing for three seconds: the client waits, or comes back, and plays on.") {
            SilenceScript()
        },
        Scenario("slow/heartbeat", "A client that has asked for a heartbeat answers the server's 'ping'.") { HeartbeatScript() },
    ]

    private static let tables = [
        Scenario("table/gap", "A diff is missing: the client asks for the table ('resume', 'watch') before it bets again.") {
            GapScript()
        },
        Scenario("table/collapsed", "One diff has what two would have: it is applied like any other.") { CollapsedScript() },
        Scenario("table/snapshot", "In the middle of a hand comes a snapshot in place of a diff: it is the table from then on.") {
            SnapshotScript()
        },
        Scenario("table/wrong-check", "A check value is wrong once: a client that checks asks for the table again.") {
            WrongCheckScript()
        },
    ]

    private static let shoes = [
        Scenario("fair/contributes", "The client commits to a contribution, reveals it under its list, and it is in the shoe.") {
            FairScript()
        },
        Scenario("fair/left-out", "The closed list is without the client: it reveals nothing.") { FairScript(.leftOut) },
        Scenario("fair/second-list", "After the reveal comes another list under one commitment: nothing is revealed again.") {
            FairScript(.secondList)
        },
        Scenario("fair/repeated-commitment", "A commitment that was used comes again: the client does not commit to it.") {
            FairScript(.repeatedCommitment)
        },
    ]

    private static let cuts = [
        Scenario("cut/mid-line", "The connection ends within a line: the client comes back as the same player and plays on.") {
            CutScript(.midLine)
        },
        Scenario("cut/half-closed", "The server's side of the connection ends after a round: the client comes back and plays on.")
        {
            CutScript(.afterRound)
        },
        Scenario(
            "cut/bet-unanswered", "The connection ends after a bet, before its reply: it is asked again under its id, or not."
        ) {
            CutScript(.betUnanswered)
        },
        Scenario("cut/restart", "The server restarts within a hand: the client comes back to it.") { CutScript(.restart) },
        Scenario("cut/bet-lost", "A bet is lost with the connection: the client comes back and bets.") { CutScript(.betLost) },
        Scenario("cut/act-unanswered", "The connection ends after a decision, before its reply: nothing is decided twice.") {
            CutScript(.actUnanswered)
        },
    ]

    private static let refusals = [
        Scenario("refused/rate-limited", "A bet is refused with 'retryAfter': it is asked again, and not sooner.") {
            RefusalScript(.rateLimited)
        },
        Scenario("refused/late", "A decision comes too late and is refused: the client plays on.") { RefusalScript(.late) },
    ]

    private static let endings = [
        Scenario("end/draining", "The server is draining and takes nobody: the client ends, or asks again with pauses.") {
            EndingScript(.draining)
        },
        Scenario("end/server-full", "The server is full: the client ends, or comes again with pauses.") {
            EndingScript(.serverFull)
        },
        Scenario("end/shutting-down", "The server stops within a hand: the client ends, or comes again with pauses.") {
            EndingScript(.shuttingDown)
        },
        Scenario("end/replaced", "The player has come back elsewhere: the client does not take the player back.") {
            EndingScript(.replaced)
        },
        Scenario("end/kicked", "The host sends the player home: the client does not come back at once.") {
            EndingScript(.kicked)
        },
        Scenario("end/banned", "The host bans the address: the client ends, or comes again with pauses.") {
            EndingScript(.banned)
        },
    ]
}
