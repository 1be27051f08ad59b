import TableModel
import Testing
import Wire

@testable import RecoveryJudge

/// Bytes of one table reach its viewers at different times: an old revision is not held against a later login.
struct LateViewTests {
    private static let ann = 0
    private static let eve = 1

    private static func snapshot(_ revision: Int, phase: String = "waiting", first: String?, hand: String? = nil) throws
        -> TableSnapshot
    {
        let line =
            #"{"type":"snapshot","table":"main","epoch":"aa","rev":\#(revision),"items":{"round":1,"phase":"\#(phase)","#
            + #""shoe":{"behindCut":78,"decks":6,"number":1},"left":300,"#
            + #""rules":{"betStep":5,"bettingSeconds":60,"decisionSeconds":60,"digest":"d","maximumBet":500,"minimumBet":10}"#
            + #"\#(first.map { ",\"p1\":\($0)" } ?? "")\#(hand.map { ",\($0)" } ?? "")}}"#
        guard case .snapshot(_, _, _, let snapshot, _) = try message(line) else { throw ProtocolError.unknownType(line) }
        return snapshot
    }

    private static func message(_ line: String) throws -> ServerMessage {
        try Array(line.utf8).withUnsafeBufferPointer { try ServerMessage(line: $0) }
    }

    private static let seated = #"{"chips":1000,"name":"ann"}"#

    /// A referee, with Ann's requests and the replies to them, and the table as it is shown.
    private struct Court {
        var referee = RecoveryReferee(players: ["ann", "eve"], startingChips: 1000)

        mutating func send(_ id: Int, _ message: ClientMessage) { referee.sent(Request(id: .number(id), message), by: ann) }

        mutating func answer(_ id: Int, _ type: String, _ fields: String) throws {
            referee.received(try message(#"{"type":"ok","id":\#(id),"to":"\#(type)",\#(fields)}"#), by: ann)
        }

        mutating func login(_ id: Int, _ fields: String = #""chips":1000"#) throws {
            send(id, .login(name: "ann", secret: nil, isBot: true, version: 1))
            try answer(id, "login", #""name":"ann",\#(fields)"#)
        }

        mutating func sit(_ id: Int, revision: Int, _ more: String = "") throws {
            send(id, .sit(table: "main", seat: nil))
            try answer(id, "sit", #""table":"main","seat":1,"epoch":"aa","rev":\#(revision)\#(more)"#)
        }

        mutating func show(
            _ revision: Int, _ first: String?, to players: [Int], epoch: String = "aa", phase: String = "waiting",
            hand: String? = nil
        ) throws {
            let shown = try snapshot(revision, phase: phase, first: first, hand: hand)
            for player in players {
                referee.received(.snapshot(table: "main", epoch: epoch, revision: revision, shown, chat: 0), by: player)
            }
        }

        var lostChips: Int { referee.findings.count { $0.promise == .chips } }
    }

    /// Ann sits, and Eve watches. Then Ann leaves unheard, and logs in again without a seat.
    private static func afterLeaving() throws -> Court {
        var court = Court()
        try court.login(1)
        try court.sit(2, revision: 2)
        try court.show(2, seated, to: [ann, eve])
        court.send(3, .leave)
        court.referee.disconnected(ann)
        try court.login(4)
        return court
    }

    @Test func aViewOfAnother_mayShowTheSeatAfterTheLogin() throws {
        var court = try Self.afterLeaving()
        try court.show(3, #"{"chips":1000,"name":"ann","presence":"sittingOut"}"#, to: [Self.eve])
        #expect(court.referee.findings == [])
    }

    @Test func thePlayersOwnView_mayNot() throws {
        var court = try Self.afterLeaving()
        try court.show(3, Self.seated, to: [Self.ann])
        #expect(court.referee.findings.map(\.came) == ["seats [1] at main"])
    }

    /// Found by `bjverify simulate-system` (world 2933423068).
    @Test func aPauseByAPlayerWhoHasLeft_saysNothingAboutTheSeat() throws {
        var court = Court()
        try court.login(1)
        try court.sit(2, revision: 2)
        let leaving = #"{"chips":965,"name":"ann","presence":"leaving"}"#
        try court.show(3, leaving, to: [Self.ann, Self.eve], phase: "playing", hand: #""b1.1":35,"t1.1":"18""#)
        court.send(3, .leave)
        try court.answer(3, "leave", #""rev":3"#)
        court.send(4, .pause(false))
        try court.answer(4, "pause", #""time":1"#)
        let lost = #""b1.1":35,"t1.1":"18","r1.1":{"net":-35,"outcome":"lose"}"#
        try court.show(4, nil, to: [Self.eve], phase: "settled", hand: lost)
        try court.login(5, #""chips":965"#)
        #expect(court.lostChips == 0)
    }

    /// Found by `bjverify simulate-system` (world 102005).
    @Test func newChips_whoseAnswerWasLost_areNotForgotten() throws {
        var court = Court()
        try court.login(1)
        try court.sit(2, revision: 2)
        try court.show(2, #"{"chips":3,"name":"ann"}"#, to: [Self.ann, Self.eve])
        court.send(3, .sit(table: "main", seat: 1))
        court.referee.disconnected(Self.ann)
        try court.login(4, #""chips":0,"table":"main","seats":[1]"#)
        court.send(3, .sit(table: "main", seat: 1))
        try court.show(30, nil, to: [Self.eve])
        let refusal = #"{"type":"error","id":3,"to":"sit","class":"rule","code":"draining","message":"No new seats."}"#
        court.referee.received(try Self.message(refusal), by: Self.ann)
        court.referee.disconnected(Self.ann)
        try court.login(5, #""chips":1000"#)
        #expect(court.lostChips == 0)
    }

    /// Found by `bjverify simulate-system` (world 20261214).
    @Test func aSeatThatASitHasTakenBack_isStillThereAfterTheNextSit() throws {
        var court = Court()
        try court.login(1)
        try court.sit(2, revision: 2)
        court.send(3, .sit(table: "main", seat: 7))
        try court.answer(3, "sit", #""table":"main","seat":7,"epoch":"aa","rev":3"#)
        court.send(4, .leave)
        try court.answer(4, "leave", #""rev":4"#)
        try court.sit(5, revision: 5)
        try court.sit(6, revision: 6)
        court.referee.disconnected(Self.ann)
        try court.login(7, #""chips":0,"table":"main","seats":[1,7]"#)
        #expect(court.referee.findings == [])
    }

    /// Found by `bjverify simulate-system` (world 951153204).
    @Test(arguments: [5, 10], [true, false]) func aPlayerWithoutChips_losesTheSeat(chips: Int, byLogin: Bool) throws {
        var court = Court()
        try court.login(1)
        try court.sit(2, revision: 2)
        try court.show(2, #"{"chips":\#(chips),"name":"ann"}"#, to: [Self.ann, Self.eve])
        court.referee.disconnected(Self.ann)
        if byLogin { try court.login(3, #""chips":\#(chips)"#) } else { try court.show(30, nil, to: [Self.eve]) }
        #expect(court.referee.findings.count == (chips < 10 ? 0 : 1))
    }

    /// Found by `bjverify simulate-system` (world 8000081).
    @Test func chipsOfTheHouse_thatAnothersViewShowedFirst_areNotForgotten() throws {
        var court = try Self.afterLeaving()
        try court.sit(5, revision: 4)
        try court.show(5, #"{"chips":6,"name":"ann"}"#, to: [Self.ann, Self.eve])
        court.send(6, .leave)
        try court.answer(6, "leave", #""rev":6"#)
        try court.show(6, nil, to: [Self.eve])
        court.send(7, .sit(table: "main", seat: nil))
        try court.show(7, #"{"chips":1006,"name":"ann"}"#, to: [Self.eve])
        try court.answer(7, "sit", #""table":"main","seat":1,"epoch":"aa","rev":7,"rebuy":1000"#)
        court.referee.disconnected(Self.ann)
        try court.login(8, #""chips":1006"#)
        #expect(court.lostChips == 0)
    }

    /// Found by `bjverify simulate-system` (world 9000027).
    @Test(arguments: [1000, 6, 2000]) func aSeatThatARepeatedReplyTellsOf_mayHaveEndedBeforeTheLogin(chips: Int) throws {
        var court = try Self.afterLeaving()
        try court.sit(5, revision: 4)
        try court.show(5, #"{"chips":6,"name":"ann"}"#, to: [Self.ann])
        court.send(6, .leave)
        try court.answer(6, "leave", #""rev":6"#)
        // New chips with the seat, which ends as the server stops.
        court.send(7, .sit(table: "main", seat: nil))
        court.referee.disconnected(Self.ann)
        try court.login(8)
        try court.sit(7, revision: 7, #","rebuy":994"#)
        court.referee.disconnected(Self.ann)
        try court.login(9, #""chips":\#(chips)"#)
        #expect(court.lostChips == (chips == 1000 ? 0 : 1))
    }

    /// Found by `bjverify simulate-system` (world 9310031).
    @Test(arguments: [true, false]) func aPlayerRemovedAfterARestart_mayHaveEndedTheRound(isRemoved: Bool) throws {
        var court = Court()
        try court.show(2, Self.seated, to: [Self.eve], phase: "playing")
        court.referee.restarted()
        if isRemoved { court.referee.kicked(Self.ann) }
        try court.show(2, Self.seated, to: [Self.eve], epoch: "bb", phase: "settled")
        #expect(court.referee.findings.contains { $0.came.contains("nobody acted") } != isRemoved)
    }

    /// Found by `bjverify simulate-system` (world 661080792).
    @Test(arguments: [true, false]) func aRequestOnAConnectionThatSurvivesARestart_mayHaveMovedTheRoundOn(isSent: Bool) throws {
        var court = Court()
        court.referee.hasSeveralServers = true
        try court.login(1)
        try court.sit(2, revision: 1)
        try court.show(2, Self.seated, to: [Self.ann, Self.eve], phase: "playing")
        court.referee.restarted(["main"])
        if isSent {
            court.send(3, .act(.stand, seat: 1, hand: 1, amount: nil, turn: 1))
            court.referee.disconnected(Self.ann)
            try court.login(4, #""chips":0,"table":"main","seats":[1]"#)
            court.send(3, .act(.stand, seat: 1, hand: 1, amount: nil, turn: 1))
            try court.answer(3, "act", #""rev":1"#)
        }
        try court.show(1, Self.seated, to: [Self.eve], epoch: "bb", phase: "settled")
        #expect(court.referee.findings.contains { $0.came.contains("nobody acted") } != isSent)
    }

    /// Found by `bjverify simulate-system` (world 487988628).
    @Test(arguments: [["bb", "cc"], ["cc", "bb"], ["cc", "bb", "cc"], ["cc", "dd"]])
    func linesOfAServerThatHadASuccessor_mayComeLater_butNobodyServesBesideTheSuccessor(shown: [String]) throws {
        var court = Court()
        court.referee.hasSeveralServers = true
        try court.show(2, nil, to: [Self.eve])
        for epoch in ["bb", "cc"] {
            court.referee.restarted(["main"])
            court.referee.began(["main": epoch])
        }
        for (revision, epoch) in zip(1..., shown) { try court.show(revision, nil, to: [Self.eve], epoch: epoch) }
        #expect(court.referee.findings.map(\.came) == (shown.last == "dd" ? ["epoch dd"] : []))
    }

    /// Found by `bjverify simulate-system` (world 31000212).
    @Test(arguments: [[1], [1, 2]]) func aSeatGrantedToARequestSentAgain_isKnown_beforeItsTableIsShown(seats: [Int]) throws {
        var court = Court()
        try court.login(1)
        court.send(2, .sit(table: "main", seat: nil))
        court.referee.disconnected(Self.ann)
        try court.login(3)
        try court.sit(2, revision: 1)
        court.referee.disconnected(Self.ann)
        try court.login(4, #""chips":0,"table":"main","seats":\#(seats)"#)
        #expect(court.referee.findings.map(\.came) == (seats == [1] ? [] : ["seats [1, 2] at main"]))
    }

    /// Found by `bjverify simulate-system` (world 72000013).
    @Test func aLeaveBeforeTheTableOfARepeatedSitIsShown_isOfThatTable() throws {
        var court = Court()
        try court.login(1)
        court.send(2, .sit(table: "main", seat: nil))
        court.referee.disconnected(Self.ann)
        try court.login(3)
        let other = try Self.snapshot(1, first: nil)
        court.referee.received(.snapshot(table: "other", epoch: "oo", revision: 1, other, chat: 0), by: Self.ann)
        try court.sit(2, revision: 1)
        court.send(4, .leave)
        try court.show(1, Self.seated, to: [Self.ann])
        try court.answer(4, "leave", #""rev":2"#)
        try court.show(2, nil, to: [Self.eve])
        #expect(court.referee.findings == [])
    }

    /// Found by `bjverify simulate-system` (world 11000418).
    @Test(arguments: [6, 7]) func aViewOfBeforeTheLeaving_doesNotMakeASeatCertain(revision: Int) throws {
        var court = Court()
        try court.login(1)
        try court.sit(2, revision: 1)
        try court.show(5, Self.seated, to: [Self.ann, Self.eve])
        // The reply comes when the request is sent again.
        court.send(3, .leave)
        court.referee.disconnected(Self.ann)
        try court.login(4, #""chips":0,"table":"main","seats":[1]"#)
        court.send(3, .leave)
        try court.answer(3, "leave", #""rev":7"#)
        try court.show(revision, Self.seated, to: [Self.eve])
        let leaving = revision == 6 ? #"{"chips":1000,"name":"ann","presence":"leaving"}"# : Self.seated
        try court.show(8, leaving, to: [Self.ann])
        try court.show(9, nil, to: [Self.eve])
        #expect(court.referee.findings.map(\.came) == (revision == 6 ? [] : ["seats [1]", "seats [1]"]))
    }

    /// Found by `bjverify simulate-system` (world 103039).
    @Test(arguments: [985, 990, 970]) func anInsuranceTakenAfterARestart_mayBeLost_beforeAnybodyIsShown(chips: Int) throws {
        var court = Court()
        try court.login(1)
        try court.sit(2, revision: 1)
        let hand = #""b1.1":10,"t1.1":"19","c1":["1.1","9S"],"c3":["1.1","QD"]"#
        try court.show(2, #"{"chips":990,"name":"ann"}"#, to: [Self.ann, Self.eve], phase: "insurance", hand: hand)
        court.referee.restarted()
        try court.login(3, #""chips":0,"table":"main","seats":[1]"#)
        court.send(4, .act(.insurance, seat: 1, hand: nil, amount: nil, turn: 1))
        try court.answer(4, "act", #""rev":1"#)
        court.send(5, .leave)
        try court.answer(5, "leave", #""rev":2"#)
        let lost = hand + #","r1.1":{"net":-10,"outcome":"lose"}"#
        try court.show(2, nil, to: [Self.eve], epoch: "bb", phase: "settled", hand: lost)
        court.referee.disconnected(Self.ann)
        try court.login(6, #""chips":\#(chips)"#)
        #expect(court.lostChips == (chips == 970 ? 1 : 0))
    }

    /// By the milliseconds between two refusals, and what the second one says.
    @Test(arguments: [(1000, 599_000, true), (5000, 600_000, false), (20_000, 580_001, true)])
    func theEndOfBeingSentAway_stays(later: Int64, wait: Int, isSame: Bool) throws {
        var court = Court()
        try court.login(1)
        for (id, now, wait) in [(2, 0, 600_000), (3, later, wait)] {
            court.referee.now = now
            court.send(id, .sit(table: "main", seat: nil))
            let refusal = Refusal(id: .number(id), type: "sit", .init(.sentAway, "", retryAfter: wait))
            court.referee.received(.error(refusal), by: Self.ann)
        }
        #expect(court.referee.findings.isEmpty == isSame)
    }

    @Test func theEndOfARound_sitsPlayersOut_butNothingBeforeIt() throws {
        let told = TableFacts(try Self.snapshot(2, phase: "playing", first: Self.seated))
        func contradictions(_ phase: String) throws -> [String] {
            let came = try Self.snapshot(0, phase: phase, first: #"{"chips":1000,"name":"ann","presence":"sittingOut"}"#)
            return RestoredTable(told: told, came: TableFacts(came), movers: ["bob"]).contradictions.map(\.told)
                .filter { $0.contains("ann") }
        }
        #expect(try contradictions("settled") == [])
        #expect(try contradictions("playing") == ["ann is here"])
    }
}
