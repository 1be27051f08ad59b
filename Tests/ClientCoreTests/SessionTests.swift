import TableModel
import Testing
import Wire

@testable import ClientCore

/// A session with its server's lines given by hand.
struct Talk {
    var session: ClientMachine
    var sent: [Request] = []
    var events: [ClientEvent] = []
    var answers: [Int: Result<Reply, Refusal>] = [:]
    var armed: Int64?
    var (connects, closes) = (0, 0)
    /// The names whose secrets were asked for.
    var found: [String] = []
    var made: [String] = []

    init(_ change: (inout SessionOptions) -> Void = { _ in }, hello: Bool = true, login: Bool = true) {
        var options = SessionOptions(name: "ann")
        options.initialPlacement = .nothing
        change(&options)
        session = ClientMachine(options: options)
        note(session.start(at: 0))
        if hello { greet(time: 5_000, at: 0) }
        if hello, login { acceptLogin(at: 0) }
        (sent, events) = ([], [])
    }

    mutating func note(_ actions: [ClientAction]) {
        for action in actions {
            switch action {
            case .connect: connects += 1
            case .close: closes += 1
            // Beside each login; a test of its own looks at it.
            case .send(let request): sent.append(request)
            case .arm(let time): armed = time
            case .publish(let event): events.append(event)
            case .findSecret(_, let name): found.append(name)
            case .makeSecret(_, let name): made.append(name)
            case .answer(let id, let result):
                #expect(answers[id] == nil)
                answers[id] = result
            }
        }
    }

    mutating func take(_ message: ServerMessage, at now: Int64) { note(session.receive(message, at: now)) }

    /// The server's first line on a connection.
    mutating func greet(house: String = Hello.unnamedHouse, time: Int64 = 0, at now: Int64) {
        take(.hello(Hello(server: "s", house: house, time: time, idleSeconds: 60)), at: now)
    }

    /// The server's answer to the last login.
    mutating func acceptLogin(as name: String = "ann", at now: Int64) {
        take(.ok(id: sent.last { $0.type == "login" }?.id, .login(LoginReply(name: name, chips: 5))), at: now)
    }

    /// Loses the connection, and is greeted on the next one.
    mutating func reconnect(login: Bool = true, house: String = Hello.unnamedHouse, at now: Int64 = 250) {
        note(session.connectionLost(.connection("cut"), at: 0))
        note(session.tick(at: now))
        greet(house: house, at: now)
        if login { acceptLogin(at: now) }
    }

    @discardableResult mutating func submit(_ message: ClientMessage, at now: Int64 = 0) -> Int {
        let (id, actions) = session.submit(message, at: now)
        note(actions)
        return id
    }

    var types: [String] { sent.compactMap(\.type) }
    var position: TablePosition? { session.state.position }

    func code(_ id: Int) -> String? { if case .failure(let refusal)? = answers[id] { refusal.code } else { nil } }

    /// Shows a table at revision 3 with four lines of chat.
    mutating func showTable() {
        take(.snapshot(table: "main", epoch: "e", revision: 3, .init(), chat: 4), at: 0)
        (sent, events) = ([], [])
    }
}

private func diff(_ from: Int, _ to: Int, check: UInt32? = nil) -> ServerMessage {
    .diff(from: from, to: to, check: check, .init())
}

private func line(_ sequence: Int) -> ChatLine { ChatLine(sequence: sequence, name: "bob", text: "hi", time: 0) }

@Test func aRefusalWithRetryAfter_isRepeatedWordForWord_notBeforeItsTime_andNobodyIsTold() {
    var talk = Talk()
    let id = talk.submit(.bet(amount: 10, seat: 2, round: 7))
    let refusal = Refusal(id: .number(id), type: "bet", .init(.rateLimited, "Wait.", retryAfter: 700))
    talk.take(.error(refusal), at: 1_000)
    talk.note(talk.session.tick(at: 1_700))
    #expect(talk.sent.count == 1 && talk.events == [.postponed(refusal)] && talk.answers.isEmpty && talk.armed == 1_701)
    talk.note(talk.session.tick(at: 1_701))
    #expect(talk.sent.count == 2 && talk.sent[0] == talk.sent[1])
    talk.take(.ok(id: .number(id), .applied("bet", at: 4)), at: 1_800)
    #expect((try? talk.answers[id]?.get()) == .applied("bet", at: 4))
}

@Test func aChangeDoesNotOvertakeOneThatWaits_butAQuestionDoes() {
    var talk = Talk()
    let first = talk.submit(.bet(amount: 10, seat: nil, round: 0))
    talk.take(.error(Refusal(id: .number(first), type: "bet", .init(.rateLimited, "Wait.", retryAfter: 500))), at: 0)
    talk.submit(.bet(amount: 20, seat: nil, round: 0))
    talk.submit(.chat(text: "hi"))
    talk.submit(.lobby(follow: nil))
    #expect(talk.types == ["bet", "lobby"])
    talk.note(talk.session.tick(at: 501))
    #expect(talk.types == ["bet", "lobby", "bet", "bet", "chat"] && talk.sent[2] == talk.sent[0])
}

/// Ann has sent changes at `main`, in round 7, and her connection was lost: the table comes before what she sends again.
struct ResendingTests {
    private static let changes: [ClientMessage] = [
        .bet(amount: 10, seat: 1, round: 7), .sitOut(), .bet(amount: 20, seat: 1, round: 7), .bet(amount: 10, seat: 2, round: 7),
        .chat(text: "hi"), .sitOut(false), .chat(text: "hi"),
    ]

    private static func table(round: Int) -> TableSnapshot {
        TableSnapshot([.round(round), .phase(.waiting)])
    }

    private var talk: Talk
    private let ids: [Int]

    init() {
        var talk = Talk()
        talk.take(.snapshot(table: "main", epoch: "e", revision: 3, Self.table(round: 7), chat: 0), at: 0)
        talk.sent = []
        ids = Self.changes.map { talk.submit($0) }
        talk.sent = []
        talk.reconnect()
        self.talk = talk
    }

    private var sentAgain: [ClientMessage] { talk.sent.compactMap { try? $0.message.get() }.filter(\.changesSomething) }

    @Test mutating func onlyTheNewestOfAKind_isSentAgain_inOrder() {
        #expect(talk.types == ["login", "watch"] && [0, 1].allSatisfy { talk.code(ids[$0]) == "not_connected" })
        talk.take(.ok(id: talk.sent[1].id, .watch(table: "main", CatchUp(epoch: "e", revision: 3))), at: 250)
        #expect(sentAgain.dropFirst() == Self.changes[2...])
        #expect(talk.sent.suffix(5).map(\.id) == ids[2...].map(RequestID.number))
        #expect(talk.sent.suffix(5).allSatisfy { $0.table == "main" }, "another table may have the same turns")
    }

    @Test(arguments: [("main", 7, 5), ("main", 6, 0), ("main", 0, 0), ("other", 8, 0)])
    mutating func atAnotherTable_orOneWhoseRoundsBeganAnew_nothingIsSentAgain(_ table: String, _ round: Int, _ count: Int) {
        talk.take(.ok(id: talk.sent[1].id, .watch(table: table, CatchUp(epoch: "f", revision: 0))), at: 250)
        talk.session.granted = table
        talk.take(.snapshot(table: table, epoch: "f", revision: 0, Self.table(round: round), chat: 0), at: 250)
        #expect(sentAgain.count == 1 + count && ids.dropFirst(2).count { talk.code($0) == "not_connected" } == 5 - count)
    }

    @Test(arguments: [true, false]) mutating func aRefusalOfAMomentThatHasPassed_isNoNews_behindALostConnection(isPast: Bool) {
        talk.take(.ok(id: talk.sent[1].id, .watch(table: "main", CatchUp(epoch: "e", revision: 3))), at: 250)
        talk.events = []
        let code = isPast ? ErrorCode.stale : .bettingClosed
        talk.take(.error(Refusal(id: .number(ids[2]), type: "bet", .init(code, "No."))), at: 260)
        #expect(talk.code(ids[2]) == code.rawValue && (talk.events == [.skipped]) == isPast)
    }
}

@Test func aLineOfChatThatWaits_holdsChat_andNoDecision() {
    var talk = Talk()
    let first = talk.submit(.chat(text: "hi"))
    talk.take(.error(Refusal(id: .number(first), type: "chat", .init(.rateLimited, "Wait.", retryAfter: 3000))), at: 0)
    talk.submit(.chat(text: "ho"))
    talk.submit(.act(.stand, seat: nil, hand: nil, amount: nil, turn: 1))
    #expect(talk.types == ["chat", "act"])
}

@Test func aLeaveOfAFormerTable_sentAgain_leavesThePresentOneAsItIs() throws {
    var talk = Talk()
    talk.take(.snapshot(table: "main", epoch: "e", revision: 3, TableSnapshot([.round(7)]), chat: 0), at: 0)
    let leave = talk.submit(.leave)
    talk.reconnect()
    let watch = try #require(talk.sent.last { $0.type == "watch" })
    talk.take(.ok(id: watch.id, .watch(table: "main", CatchUp(epoch: "f", revision: 0))), at: 250)
    talk.session.granted = "other"
    talk.take(.snapshot(table: "other", epoch: "f", revision: 0, TableSnapshot([.round(8)]), chat: 0), at: 250)
    #expect(talk.sent.last?.id == .number(leave))
    talk.take(.ok(id: .number(leave), .applied("leave", at: nil)), at: 260)
    #expect(talk.position?.table == "other")
}

@Test func sixtyFourWaitingRequests_doNotKeepTheClientFromLoggingIn() {
    var talk = Talk()
    for _ in 1...64 { talk.submit(.chat(text: "hi")) }
    talk.sent = []
    talk.reconnect(login: false)
    #expect(talk.types == ["login"])
}

@Test func aRefusedWatchOfTheCaller_dropsNothingThatWaitsForTheTable() {
    var talk = Talk()
    talk.take(.snapshot(table: "main", epoch: "e", revision: 3, TableSnapshot([.round(7)]), chat: 0), at: 0)
    let bet = talk.submit(.bet(amount: 10, seat: nil, round: 7))
    talk.reconnect(login: false)
    let other = talk.submit(.watch(table: "other"))
    talk.acceptLogin(at: 250)
    talk.take(.error(Refusal(id: .number(other), type: "watch", .init(.noSuchTable, "No."))), at: 260)
    #expect(talk.code(bet) == nil)
}

@Test func aRefusedBet_isNotSentAgain_behindALaterOne() {
    var talk = Talk()
    let first = talk.submit(.bet(amount: 10, seat: nil, round: 0))
    talk.submit(.bet(amount: 20, seat: nil, round: 0))
    talk.take(.error(Refusal(id: .number(first), type: "bet", .init(.rateLimited, "Wait.", retryAfter: 500))), at: 0)
    talk.note(talk.session.tick(at: 501))
    #expect(talk.types == ["bet", "bet"] && talk.code(first) == "rate_limited")
}

@Test func withoutAConnection_aRequestIsRefusedAtOnce_andSoIsTheSixtyFifthThatWaits() {
    var offline = Talk(hello: false)
    let early = offline.submit(.ping)
    #expect(offline.code(early) == "not_connected" && offline.sent.isEmpty)
    var talk = Talk { $0.pingInterval = nil }
    let ids = (0..<65).map { _ in talk.submit(.lobby(follow: nil)) }
    #expect(talk.answers.count == 1 && talk.code(ids[64]) == "not_connected")
}

@Test func attemptsComeWithGrowingPauses_andEndAfterTheRetries() {
    var talk = Talk({ $0.retries = 8 }, hello: false)
    var pauses: [Int64] = []
    var now: Int64 = 0
    while talk.connects < 9 {
        talk.note(talk.session.connectionLost(.connection("no"), at: now))
        pauses.append((talk.armed ?? 0) - now)
        now = talk.armed ?? now
        talk.note(talk.session.tick(at: now))
    }
    #expect(pauses == [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    talk.note(talk.session.connectionLost(.connection("no"), at: now))
    #expect(talk.session.state.link == .ended("no") && talk.session.tick(at: now + 100_000) == [])
}

@Test func aSilentServerIsAskedFourTimes_andThenLost() {
    var talk = Talk()
    for time: Int64 in stride(from: 9_000, through: 36_000, by: 9_000) { talk.note(talk.session.tick(at: time)) }
    #expect(talk.types == ["ping", "ping", "ping", "ping"] && talk.events.isEmpty)
    talk.note(talk.session.tick(at: 45_000))
    #expect(talk.session.state.link == .lost(.silence))
    var heard = Talk()
    for time: Int64 in stride(from: 9_000, through: 90_000, by: 9_000) {
        heard.take(.unknown(type: "weather"), at: time - 1)
        heard.note(heard.session.tick(at: time))
    }
    #expect(heard.session.state.link == .loggedIn)
}

@Test(arguments: GoodbyeCode.allCases)
func aGoodbyeEndsTheSession_exceptWhereTheProtocolSaysToReconnect(_ code: GoodbyeCode) {
    var talk = Talk()
    let open = talk.submit(.bet(amount: 10, seat: nil, round: 0))
    talk.take(.bye(code: code.rawValue, message: "Bye."), at: 10)
    talk.note(talk.session.connectionLost(.connection("closed"), at: 20))
    let returns = [.restart, .shuttingDown, .loginTimeout, .idle, .tooSlow].contains(code)
    #expect((talk.session.state.link == .lost(.connection("closed"))) == returns)
    #expect(talk.code(open) == (returns ? nil : "not_connected"))
    talk.note(talk.session.tick(at: 10_000))
    #expect(talk.connects == (returns ? 2 : 1))
}

@Test func anEndAnswersEveryRequest() {
    for message in [ClientMessage.bet(amount: 1, seat: nil, round: 0), .lobby(follow: nil), .logout] {
        var talk = Talk()
        let id = talk.submit(message)
        talk.note(talk.session.stop())
        #expect(talk.code(id) == "not_connected" && talk.session.stop() == [])
    }
}

@Test func aLoginThatIsRefusedAfterAReconnect_refusesWhatWaitedForIt() {
    var talk = Talk()
    let bet = talk.submit(.bet(amount: 10, seat: nil, round: 0))
    talk.sent = []
    talk.reconnect(login: false)
    #expect(talk.answers.isEmpty && talk.types == ["login"])
    talk.take(.error(Refusal(id: talk.sent[0].id, type: "login", .init(.wrongSecret, "No."))), at: 260)
    #expect(talk.code(bet) == "not_connected" && talk.types == ["login"])
}

@Test func aGapIsAskedAboutOnce_andWhatComesBeforeTheReplyIsSkipped() {
    var talk = Talk()
    talk.showTable()
    for from in [4, 5, 3] { talk.take(diff(from, from + 1), at: 0) }
    #expect(talk.events == [.outOfSync, .skipped, .skipped] && talk.position?.revision == 3)
    #expect(talk.sent.map(\.message) == [.success(.watch(table: "main", known: KnownTable(epoch: "e", revision: 3, chat: 4)))])
    talk.take(.ok(id: talk.sent[0].id, .watch(table: "main", CatchUp(epoch: "e", revision: 6))), at: 0)
    for from in 3...5 { talk.take(diff(from, from + 1), at: 0) }
    #expect(talk.position?.revision == 6 && talk.sent.count == 1)
}

@Test func aRefusedWatchLeavesTheGap_andTheNextDiffAsksAgain() {
    var talk = Talk()
    talk.showTable()
    talk.take(diff(4, 5), at: 0)
    talk.take(.error(Refusal(id: talk.sent[0].id, type: "watch", .init(.wrongPass, "No."))), at: 0)
    talk.take(diff(5, 6), at: 0)
    #expect(talk.types == ["watch", "watch"])
}

@Test func aServerThatSkipsDiffsForEver_doesNotMakeTheQueueGrow() {
    var talk = Talk()
    talk.showTable()
    let count = talk.session.queue.entries.count
    for _ in 0..<1_000 {
        talk.take(diff(7, 8), at: 0)
        // Nobody asked under this id.
        talk.take(.ok(id: .text("z"), .watch(table: "main", CatchUp(epoch: "e", revision: 3))), at: 0)
        talk.take(.snapshot(table: "main", epoch: "e", revision: 1, TableSnapshot()), at: 0)
    }
    #expect(talk.session.queue.entries.count <= count + 1)
}

@Test func aGapInTheChatIsAskedAboutOnce_andItsLinesComeInOrder() {
    var talk = Talk()
    talk.showTable()
    for sequence in [5, 7, 8] { talk.take(.chat(line(sequence)), at: 0) }
    #expect(talk.events == [.chat(line(5)), .skipped, .skipped] && talk.position?.chat == 5)
    #expect(talk.sent.map(\.message) == [.success(.watch(table: "main", known: KnownTable(epoch: "e", revision: 3, chat: 5)))])
    // A server that keeps no lines: there is nothing more to ask for.
    talk.take(.ok(id: talk.sent[0].id, .watch(table: "main", CatchUp(epoch: "e", revision: 3))), at: 0)
    talk.take(.chat(line(9)), at: 0)
    #expect(talk.events.last == .chat(line(9)) && talk.position?.chat == 9 && talk.sent.count == 1)
}

@Test func aWrongTableIsAskedForAsAWhole_alsoAfterAReconnect() {
    var talk = Talk()
    talk.showTable()
    talk.take(diff(3, 4, check: TableSnapshot().check ^ 1), at: 0)
    talk.take(diff(4, 5), at: 0)
    #expect(
        talk.types == ["watch"] && talk.events.first == .isWrong && talk.position?.revision == 3 && talk.events.last == .skipped)
    #expect(talk.session.state.snapshot == TableSnapshot(), "it is not shown")
    talk.reconnect()
    #expect(talk.types == ["watch", "login", "watch"])
}

@Test func aTableThatWasAskedForOnALostConnection_isAskedForAgain() {
    var talk = Talk()
    talk.take(diff(3, 4), at: 0)
    talk.reconnect()
    talk.take(diff(4, 5), at: 260)
    #expect(talk.types == ["watch", "login", "watch"] && talk.events.last == .outOfSync)
}

@Test func aDiffThatDoesNotFitIsAskedForAgain_fromTheRevisionShown() {
    var talk = Talk()
    talk.showTable()
    talk.take(.diff(from: 3, to: 4, check: nil, .init(removals: [.clock])), at: 0)
    #expect(talk.events == [.outOfSync] && talk.position?.revision == 3)
    #expect(talk.sent.map(\.message) == [.success(.watch(table: "main", known: KnownTable(epoch: "e", revision: 3, chat: 4)))])
}

@Test func aFirstNameThatIsRefusedIsNotAskedForAgain_untilAnotherIsGiven() {
    var talk = Talk(login: false)
    talk.take(.error(Refusal(id: .number(1), type: "login", .init(.nameTaken, "Taken."))), at: 0)
    talk.reconnect(login: false)
    #expect(talk.sent.isEmpty)
    talk.note(talk.session.logIn(as: "bob", at: 300))
    #expect(talk.types == ["login"])
}

@Test func theServerIsToldHowLongASilenceIsALoss_andHearsTwoPingsInThatTime() {
    var talk = Talk()
    talk.reconnect()
    #expect(talk.sent.map(\.message) == [.success(.login(name: "ann", silence: 20))])
    talk.sent = []
    for time: Int64 in stride(from: 250, through: 20_250, by: 50) { talk.note(talk.session.tick(at: time)) }
    #expect(talk.types == ["ping", "ping"])
    // A session without pings promises nothing.
    var still = Talk { $0.pingInterval = nil }
    still.reconnect()
    #expect(still.sent.map(\.message) == [.success(.login(name: "ann", silence: nil))])
    // A process that was stopped meanwhile lives.
    talk.take(.bye(code: "idle", message: "Nothing was heard."), at: 21_000)
    talk.reconnect(at: 21_250)
    #expect(talk.session.state.link == .loggedIn)
}

@Test func theServersClockIsKept() {
    var talk = Talk()
    talk.take(.ok(id: nil, .ping(time: 7_000)), at: 1_000)
    #expect(talk.session.state.clockOffset == 6_000)
}

@Test func theBudget_letsNoMoreThroughThanTheServerDoes() {
    var limits = Hello.Limits()
    (limits.requestsPerSecond, limits.burst) = (20, 10)
    var budget = RequestBudget(limits)
    var (sent, now) = (0, Int64(0))
    while now < 10_000 {
        if let later = budget.take(at: now) {
            #expect(later > now)
            now = later
        } else {
            sent += 1
        }
    }
    #expect((200...210).contains(sent))
    let offline = Talk(hello: false)
    #expect((0..<1_000).allSatisfy { _ in offline.session.earliestSend(at: 0) == nil })
}

/// Found by `bjverify simulate-system` (world 239074533).
@Test(arguments: ["sit", "leave", "nothing"])
func aQuestionForTheTableThatWasPostponed_isNotSentAgain_onceAnotherAnswerHasCome(between: String) throws {
    var talk = Talk()
    talk.showTable()
    talk.reconnect()
    let watch = try #require(talk.sent.last { $0.type == "watch" })
    talk.take(.error(Refusal(id: watch.id, type: "watch", .init(.onTheWay, "Wait.", retryAfter: 500))), at: 250)
    if between == "sit" {
        let sit = talk.submit(.sit(table: "main", seat: nil), at: 260)
        talk.take(.ok(id: .number(sit), .sit(table: "main", seat: 1, CatchUp(epoch: "e", revision: 9))), at: 270)
        talk.take(.snapshot(table: "main", epoch: "e", revision: 9, .init(), chat: 4), at: 270)
    } else if between == "leave" {
        let leave = talk.submit(.leave, at: 260)
        talk.take(.ok(id: .number(leave), .applied("leave", at: 9)), at: 270)
    }
    talk.sent = []
    talk.note(talk.session.tick(at: 800))
    #expect(talk.types == (between == "nothing" ? ["watch"] : []))
}

@Test func theEarliestTimeToSend_isThatAtWhichARequestIsSent() {
    var talk = Talk()
    while talk.session.earliestSend(at: 0) == nil { talk.submit(.lobby(follow: nil)) }
    let sent = talk.sent.count
    guard let time = talk.session.earliestSend(at: 0) else { return }
    talk.submit(.bet(amount: 10, seat: nil, round: 0))
    #expect(talk.sent.count == sent && talk.armed == time)
    talk.note(talk.session.tick(at: time))
    #expect(talk.sent.count == sent + 1)
}

@Test func withoutRepetition_refusalsArePassedOn_andALostConnectionRefusesEverything_andLosesTheSeat() {
    var talk = Talk { $0.repeatsRequests = false }
    let refused = talk.submit(.bet(amount: 10, seat: nil, round: 0))
    talk.take(.error(Refusal(id: .number(refused), type: "bet", .init(.rateLimited, "Wait.", retryAfter: 700))), at: 0)
    talk.note(talk.session.tick(at: 700))
    #expect(talk.code(refused) == "rate_limited" && talk.types == ["bet"])
    let sit = talk.submit(.sit(table: "main", seat: nil))
    talk.take(.ok(id: .number(sit), .sit(table: "main", seat: 1, CatchUp(epoch: "e", revision: 1))), at: 0)
    let lost = talk.submit(.bet(amount: 10, seat: nil, round: 0))
    talk.reconnect()
    #expect(talk.code(lost) == "not_connected" && talk.types == ["bet", "sit", "bet", "login"])
}

@Test func aSteadyPause_staysTheSame_andWithoutPingsNoSilenceIsNoticed() {
    var talk = Talk({ ($0.firstPause, $0.longestPause, $0.pingInterval) = (1_000, 1_000, nil) }, hello: false)
    for now: Int64 in [0, 1_000, 2_000] {
        talk.note(talk.session.connectionLost(.connection("no"), at: now))
        #expect(talk.armed == now + 1_000)
        talk.note(talk.session.tick(at: now + 1_000))
    }
    talk.armed = nil
    talk.greet(at: 3_000)
    talk.note(talk.session.tick(at: 1_000_000))
    #expect(talk.armed == nil && talk.types == ["login"] && talk.session.state.link == .connected)
}

@Test func everyLoginShowsTheSecret_andDeclaresContributions_alsoAfterALostConnection() {
    var talk = Talk { ($0.credential, $0.contributes) = (.secret(annsSecret), true) }
    talk.reconnect(login: false)
    #expect(talk.sent.map(\.message) == [.success(.login(name: "ann", annsSecret, fair: true, silence: 20))])
}

extension ClientMessage {
    fileprivate static func login(name: String, _ secret: AccountSecret? = nil, fair: Bool = false, silence: Int?) -> Self {
        let options = ConnectionOptions(fair: fair, facts: false, silence: silence)
        return .login(name: name, secret: secret, isBot: false, version: WireLimits.version, options: options)
    }
}

@Test func aSecretThatIsKept_isLookedForAtTheHouse_andOnceForEachHouse() {
    var talk = Talk({ $0.credential = .kept }, hello: false)
    talk.greet(house: "00000000000000aa", at: 0)
    #expect(talk.found == ["ann"] && talk.sent.isEmpty && talk.session.state.link == .connected)
    talk.note(talk.session.secretFound(annsSecret, for: "bob", at: 0))
    #expect(talk.sent.isEmpty, "an answer for another name is none")
    talk.note(talk.session.secretFound(annsSecret, for: "ann", at: 0))
    #expect(talk.types == ["login"])
    talk.acceptLogin(as: "Ann", at: 0)
    for (house, searches) in [("00000000000000aa", 1), ("00000000000000bb", 2)] {
        talk.reconnect(login: false, house: house, at: 1_000)
        #expect(talk.found.count == searches)
    }
    #expect(talk.found == ["ann", "Ann"] && talk.types == ["login", "login"])
}

@Test func aNameWithoutASecret_isClaimedOnlyIfItIsFree() {
    for isFree in [true, false] {
        var talk = Talk({ $0.credential = .kept }, login: false)
        talk.note(talk.session.secretFound(nil, for: "ann", at: 0))
        #expect(talk.types == ["available"] && talk.made.isEmpty)
        talk.take(.ok(id: talk.sent[0].id, .available(isFree)), at: 0)
        if isFree {
            #expect(talk.made == ["ann"] && talk.types == ["available"])
            talk.note(talk.session.secretFound(annsSecret, for: "ann", at: 0))
            #expect(talk.types == ["available", "login"])
        } else {
            let refusals = talk.events.compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }
            #expect(refusals.contains { $0.type == "login" && $0.code == "name_taken" })
            #expect(talk.made.isEmpty && talk.session.state.link == .connected)
        }
    }
}

@Test func aSecretThatCannotBeStored_endsTheSession() {
    var talk = Talk({ $0.credential = .kept }, login: false)
    talk.note(talk.session.secretFound(nil, for: "ann", at: 0))
    talk.take(.ok(id: talk.sent[0].id, .available(true)), at: 0)
    talk.note(talk.session.secretFailed("the disk is full", at: 0))
    #expect(talk.session.state.link == .ended("the disk is full") && talk.types == ["available"])
}

@Test func aLongWait_isThePlayers() {
    var talk = Talk()
    let sit = talk.submit(.sit(table: nil, seat: nil))
    talk.take(
        .error(Refusal(id: .number(sit), type: "sit", .init(.sentAway, "In an hour.", retryAfter: 3_600_000))), at: 0)
    #expect(talk.code(sit) == "sent_away")
}

@Test func idsBeginWhereTheCallerSays() {
    var talk = Talk({ $0.firstID = 7_000 }, login: false)
    talk.take(.ok(id: .number(7_001), .login(LoginReply(name: "ann", chips: 5))), at: 0)
    #expect(talk.session.state.link == .loggedIn)
}

@Test func chatIsDelayed_fromItsFirstRefusal_untilNoLineIsLeft() {
    var talk = Talk()
    let lines = (1...3).map { talk.submit(.chat(text: "line \($0)")) }
    func refusal(_ id: Int) -> ServerMessage {
        .error(Refusal(id: .number(id), type: "chat", .init(.rateLimited, "Wait.", retryAfter: 500)))
    }
    #expect(!talk.session.state.isChatDelayed)
    talk.take(refusal(lines[1]), at: 0)
    talk.take(.ok(id: .number(lines[0]), .done("chat")), at: 0)
    talk.take(refusal(lines[2]), at: 0)
    #expect(talk.session.state.isChatDelayed)
    talk.note(talk.session.tick(at: 501))
    #expect(talk.types == ["chat", "chat", "chat", "chat", "chat"])
    talk.take(.ok(id: .number(lines[1]), .done("chat")), at: 501)
    #expect(talk.session.state.isChatDelayed)
    talk.take(.ok(id: .number(lines[2]), .done("chat")), at: 501)
    #expect(!talk.session.state.isChatDelayed)
}

@Test func aRequestWithoutALineAfterIt_isSilence_andTheNextMessageEndsIt() {
    var talk = Talk { ($0.pingInterval, $0.answerTime) = (5_000, 2_000) }
    talk.take(.unknown(type: "weather"), at: 1_000)
    talk.events = []
    talk.note(talk.session.tick(at: 4_000))
    #expect(talk.session.state.silentSince == nil, "nothing was asked")
    talk.note(talk.session.tick(at: 5_000))
    #expect(talk.types == ["ping"] && talk.armed == 7_000)
    // The beginning of a line is no answer, however often another byte of it comes.
    let bytes = Array(#"{"type":"#.utf8).withUnsafeBytes { talk.session.lines(in: $0) }
    #expect(bytes.isEmpty)
    talk.note(talk.session.tick(at: 6_999))
    #expect(talk.events.isEmpty)
    talk.note(talk.session.tick(at: 7_000))
    #expect(talk.events == [.silence] && talk.session.state.silentSince == 1_000)
    for time: Int64 in [10_000, 15_000] { talk.note(talk.session.tick(at: time)) }
    #expect(talk.types == ["ping"], "one unanswered ping is enough")
    talk.events = []
    talk.take(.ok(id: talk.sent.last?.id, .ping(time: 20_000)), at: 16_000)
    #expect(talk.events.first == .silence && talk.session.state.silentSince == nil && talk.session.state.roundTrip == 11_000)
    talk.note(talk.session.tick(at: 20_000))
    talk.take(.ok(id: talk.sent.last?.id, .ping(time: 24_000)), at: 20_012)
    #expect(talk.session.state.roundTrip == 12)
    talk.note(talk.session.connectionLost(.connection("cut"), at: 21_000))
    #expect(talk.session.state.roundTrip == nil && talk.session.state.silentSince == nil)
}

@Test func aServerThatAcceptsAndSaysNothing_isSilent_butOnlyTheFirstTime() {
    var talk = Talk({ ($0.pingInterval, $0.answerTime) = (5_000, 2_000) }, hello: false)
    #expect(talk.armed == 2_000)
    talk.note(talk.session.tick(at: 2_000))
    #expect(talk.events == [.silence] && talk.session.state.silentSince == 0)
    talk.greet(at: 3_000)
    #expect(talk.session.state.silentSince == nil)
    talk.note(talk.session.connectionLost(.connection("cut"), at: 3_000))
    talk.note(talk.session.tick(at: 4_000))
    talk.note(talk.session.tick(at: 7_000))
    #expect(talk.connects == 2 && talk.session.state.silentSince == nil)
}

@Test(arguments: [(1, 500), (3, 1_500), (10, 5_000), (900, 5_000)])
func pingsComeAtLeastTwiceInTheServersIdleTime(_ idleSeconds: Int, _ interval: Int64) {
    var talk = Talk({ $0.pingInterval = 5_000 }, hello: false)
    talk.take(.hello(Hello(server: "s", time: 0, idleSeconds: idleSeconds)), at: 0)
    for time in stride(from: interval, through: 4 * interval, by: Int64.Stride(interval)) {
        #expect(talk.armed == time)
        talk.note(talk.session.tick(at: time))
    }
    #expect(talk.types.count { $0 == "ping" } == 4)
}

@Test func anActionWithoutAnAnswer_isSilenceToo_butNotWhereOthersAreHeard() {
    var talk = Talk { ($0.pingInterval, $0.answerTime) = (5_000, 2_000) }
    talk.submit(.bet(amount: 10, seat: nil, round: 0), at: 100)
    talk.take(.unknown(type: "weather"), at: 1_000)
    talk.note(talk.session.tick(at: 2_100))
    #expect(talk.session.state.silentSince == nil)
    talk.submit(.bet(amount: 20, seat: nil, round: 0), at: 2_200)
    talk.note(talk.session.tick(at: 4_200))
    #expect(talk.session.state.silentSince == 1_000)
}

/// Logs in again and again at a server that ends each connection soon after it.
private func pauses(_ count: Int, lasting: Int64 = 100, jitter: UInt64 = 0, _ end: (inout Talk, Int64) -> Void) -> [Int64] {
    var talk = Talk({ ($0.retries, $0.jitterSeed, $0.pingInterval) = (.max, jitter, nil) }, hello: false)
    var (pauses, now): ([Int64], Int64) = ([], 0)
    for _ in 0..<count {
        talk.greet(at: now)
        talk.acceptLogin(at: now)
        now += lasting
        end(&talk, now)
        guard case .lost = talk.session.state.link else { break }
        pauses.append((talk.armed ?? 0) - now)
        now = talk.armed ?? now
        talk.note(talk.session.tick(at: now))
    }
    return pauses
}

private func goodbye(_ talk: inout Talk, _ now: Int64) {
    talk.take(.bye(code: GoodbyeCode.shuttingDown.rawValue, message: "Bye."), at: now)
    talk.note(talk.session.connectionLost(.connection("closed"), at: now))
}

@Test func aServerThatSendsEverybodyAway_isTriedAgainAfterGrowingPauses_howeverOftenItTakesTheLogin() {
    #expect(pauses(8, goodbye) == [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    #expect(pauses(3, lasting: 10_000, goodbye) == [250, 250, 250], "a steady connection forgets")
    #expect(
        pauses(3) { $0.note($0.session.connectionLost(.connection("cut"), at: $1)) } == [250, 250, 250], "a network that breaks")
    let jittered = pauses(8, jitter: 7, goodbye)
    #expect(zip(jittered, pauses(8, goodbye)).allSatisfy { $0 <= $1 && $0 >= $1 - $1 / 4 } && jittered != pauses(8, goodbye))
    #expect(jittered != pauses(8, jitter: 8, goodbye))
}

@Test func aServerThatBreaksTheProtocol_isGivenUp_withTheReason() {
    var last: LinkState?
    let times = pauses(9) {
        $0.note($0.session.connectionLost(.breach("the server does not speak the protocol: A line is not JSON"), at: $1))
        last = $0.session.state.link
    }
    #expect(times == [250, 500, 1_000])
    #expect(last == .ended("the server does not speak the protocol: A line is not JSON"))
}
