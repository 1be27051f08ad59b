import TableModel
import Testing
import Wire

@testable import Referee

/// Bytes of one table reach its viewers at different times: an old revision is not held against a later login.
struct LateViewTests {
    private static let ann = 0
    private static let eve = 1

    private static func snapshot(_ revision: Int, phase: String = "waiting", first: String?, hand: String? = nil) throws
        -> TableSnapshot
    {
        let line =
            #"{"type":"snapshot","table":"main","epoch":"aa","rev":\#(revision),"sections":[["table",[["round",1],["phase","\#(phase)"],"#
            + #"["shoe",{"behindCut":78,"decks":6,"number":1}],["left",300],"#
            + #"["rules",{"betStep":5,"bettingSeconds":60,"decisionSeconds":60,"digest":"d","maximumBet":500,"minimumBet":10}]]],"#
            + #"["dealer",[]],["s1",[\#(first.map { "[\"p1\",\($0)]" } ?? "")]],["s2",[]],["s3",[]],["s4",[]],["s5",[]],["s6",[]],["s7",[]]\#(hand.map { ",[\"h1.1\",[\($0)]]" } ?? "")]}"#
        guard case .snapshot(_, _, _, let snapshot, _) = try message(line) else { throw ProtocolError.unknownType(line) }
        return snapshot
    }

    private static func message(_ line: String) throws -> ServerMessage {
        try Array(line.utf8).withUnsafeBufferPointer { try ServerMessage(line: $0) }
    }

    private static let seated = #"{"chips":1000,"name":"ann"}"#

    /// Ann sits, and Eve watches. Then Ann leaves unheard, and logs in again without a seat.
    private static func afterLeaving() throws -> RecoveryReferee {
        var referee = RecoveryReferee(players: ["ann", "eve"], startingChips: 1000)
        func take(_ line: String, by player: Int) throws { referee.received(try message(line), by: player) }
        let login = ClientMessage.login(name: "ann", secret: nil, isBot: true, version: 1)
        referee.sent(Request(id: .number(1), login), by: ann)
        try take(#"{"type":"ok","id":1,"to":"login","name":"ann","chips":1000}"#, by: ann)
        referee.sent(Request(id: .number(2), .sit(table: "main", seat: nil)), by: ann)
        try take(#"{"type":"ok","id":2,"to":"sit","table":"main","seat":1,"rev":2,"epoch":"aa"}"#, by: ann)
        referee.received(.snapshot(table: "main", epoch: "aa", revision: 2, try snapshot(2, first: seated), chat: 0), by: ann)
        referee.received(.snapshot(table: "main", epoch: "aa", revision: 2, try snapshot(2, first: seated), chat: 0), by: eve)
        referee.sent(Request(id: .number(3), .leave), by: ann)
        referee.disconnected(ann)
        referee.sent(Request(id: .number(4), login), by: ann)
        try take(#"{"type":"ok","id":4,"to":"login","name":"ann","chips":1000}"#, by: ann)
        return referee
    }

    @Test func aViewOfAnother_mayShowTheSeatAfterTheLogin() throws {
        var referee = try Self.afterLeaving()
        let late = try Self.snapshot(3, first: #"{"chips":1000,"name":"ann","presence":"sittingOut"}"#)
        referee.received(.snapshot(table: "main", epoch: "aa", revision: 3, late, chat: 0), by: Self.eve)
        #expect(referee.findings == [])
    }

    @Test func thePlayersOwnView_mayNot() throws {
        var referee = try Self.afterLeaving()
        let late = try Self.snapshot(3, first: Self.seated)
        referee.received(.snapshot(table: "main", epoch: "aa", revision: 3, late, chat: 0), by: Self.ann)
        #expect(referee.findings.map(\.came) == ["seats [1] at main"])
    }

    /// Found by `bjbots simulate-system` (world 8000081).
    @Test func chipsOfTheHouse_thatAnothersViewShowedFirst_areNotForgotten() throws {
        var referee = try Self.afterLeaving()
        func take(_ line: String) throws { referee.received(try Self.message(line), by: Self.ann) }
        func show(_ revision: Int, _ first: String?, to player: Int) throws {
            referee.received(
                .snapshot(table: "main", epoch: "aa", revision: revision, try Self.snapshot(revision, first: first), chat: 0),
                by: player)
        }
        referee.sent(Request(id: .number(5), .sit(table: "main", seat: nil)), by: Self.ann)
        try take(#"{"type":"ok","id":5,"to":"sit","table":"main","seat":1,"rev":4,"epoch":"aa"}"#)
        for player in [Self.ann, Self.eve] { try show(5, #"{"chips":6,"name":"ann"}"#, to: player) }
        referee.sent(Request(id: .number(6), .leave), by: Self.ann)
        try take(#"{"type":"ok","id":6,"to":"leave","rev":6}"#)
        try show(6, nil, to: Self.eve)
        referee.sent(Request(id: .number(7), .sit(table: "main", seat: nil)), by: Self.ann)
        try show(7, #"{"chips":1006,"name":"ann"}"#, to: Self.eve)
        try take(#"{"type":"ok","id":7,"to":"sit","table":"main","seat":1,"rev":7,"epoch":"aa","rebuy":1000}"#)
        referee.disconnected(Self.ann)
        referee.sent(Request(id: .number(8), .login(name: "ann", secret: nil, isBot: true, version: 1)), by: Self.ann)
        try take(#"{"type":"ok","id":8,"to":"login","name":"ann","chips":1006}"#)
        #expect(referee.findings.filter { $0.promise == .chips } == [])
    }

    /// Found by `bjbots simulate-system` (world 9000027).
    @Test(arguments: [1000, 6, 2000]) func aSeatThatARepeatedReplyTellsOf_mayHaveEndedBeforeTheLogin(chips: Int) throws {
        var referee = try Self.afterLeaving()
        func take(_ line: String) throws { referee.received(try Self.message(line), by: Self.ann) }
        func send(_ id: Int, _ message: ClientMessage) { referee.sent(Request(id: .number(id), message), by: Self.ann) }
        let login = ClientMessage.login(name: "ann", secret: nil, isBot: true, version: 1)
        send(5, .sit(table: "main", seat: nil))
        try take(#"{"type":"ok","id":5,"to":"sit","table":"main","seat":1,"rev":4,"epoch":"aa"}"#)
        let broke = try Self.snapshot(5, first: #"{"chips":6,"name":"ann"}"#)
        referee.received(.snapshot(table: "main", epoch: "aa", revision: 5, broke, chat: 0), by: Self.ann)
        send(6, .leave)
        try take(#"{"type":"ok","id":6,"to":"leave","rev":6}"#)
        // New chips with the seat, which ends as the server stops.
        send(7, .sit(table: "main", seat: nil))
        referee.disconnected(Self.ann)
        send(8, login)
        try take(#"{"type":"ok","id":8,"to":"login","name":"ann","chips":1000}"#)
        send(7, .sit(table: "main", seat: nil))
        try take(#"{"type":"ok","id":7,"to":"sit","table":"main","seat":1,"rev":7,"epoch":"aa","rebuy":994}"#)
        referee.disconnected(Self.ann)
        send(9, login)
        try take(#"{"type":"ok","id":9,"to":"login","name":"ann","chips":\#(chips)}"#)
        #expect(referee.findings.filter { $0.promise == .chips }.count == (chips == 1000 ? 0 : 1))
    }

    /// Found by `bjbots simulate-system` (world 9310031).
    @Test(arguments: [true, false]) func aPlayerRemovedAfterARestart_mayHaveEndedTheRound(isRemoved: Bool) throws {
        var referee = RecoveryReferee(players: ["ann", "eve"], startingChips: 1000)
        func show(_ epoch: String, _ phase: String) throws {
            let snapshot = try Self.snapshot(2, phase: phase, first: Self.seated)
            referee.received(.snapshot(table: "main", epoch: epoch, revision: 2, snapshot, chat: 0), by: Self.eve)
        }
        try show("aa", "playing")
        referee.restarted()
        if isRemoved { referee.kicked(Self.ann) }
        try show("bb", "settled")
        #expect(referee.findings.contains { $0.came.contains("nobody acted") } != isRemoved)
    }

    /// Found by `bjbots simulate-system` (world 31000212).
    @Test(arguments: [[1], [1, 2]]) func aSeatGrantedToARequestSentAgain_isKnown_beforeItsTableIsShown(seats: [Int]) throws {
        var referee = RecoveryReferee(players: ["ann"], startingChips: 1000)
        func take(_ line: String) throws { referee.received(try Self.message(line), by: Self.ann) }
        func send(_ id: Int, _ message: ClientMessage) { referee.sent(Request(id: .number(id), message), by: Self.ann) }
        let login = ClientMessage.login(name: "ann", secret: nil, isBot: true, version: 1)
        send(1, login)
        try take(#"{"type":"ok","id":1,"to":"login","name":"ann","chips":1000}"#)
        send(2, .sit(table: "main", seat: nil))
        referee.disconnected(Self.ann)
        send(3, login)
        try take(#"{"type":"ok","id":3,"to":"login","name":"ann","chips":1000}"#)
        send(2, .sit(table: "main", seat: nil))
        try take(#"{"type":"ok","id":2,"to":"sit","table":"main","seat":1,"rev":1,"epoch":"aa"}"#)
        referee.disconnected(Self.ann)
        send(4, login)
        try take(#"{"type":"ok","id":4,"to":"login","name":"ann","chips":0,"table":"main","seats":\#(seats)}"#)
        #expect(referee.findings.map(\.came) == (seats == [1] ? [] : ["seats [1, 2] at main"]))
    }

    /// Found by `bjbots simulate-system` (world 11000418).
    @Test(arguments: [6, 7]) func aViewOfBeforeTheLeaving_doesNotMakeASeatCertain(revision: Int) throws {
        var referee = RecoveryReferee(players: ["ann", "eve"], startingChips: 1000)
        func take(_ line: String) throws { referee.received(try Self.message(line), by: Self.ann) }
        func send(_ id: Int, _ message: ClientMessage) { referee.sent(Request(id: .number(id), message), by: Self.ann) }
        func show(_ revision: Int, _ phase: String, _ first: String?, to player: Int) throws {
            let snapshot = try Self.snapshot(revision, phase: phase, first: first)
            referee.received(.snapshot(table: "main", epoch: "aa", revision: revision, snapshot, chat: 0), by: player)
        }
        let login = ClientMessage.login(name: "ann", secret: nil, isBot: true, version: 1)
        send(1, login)
        try take(#"{"type":"ok","id":1,"to":"login","name":"ann","chips":1000}"#)
        send(2, .sit(table: "main", seat: nil))
        try take(#"{"type":"ok","id":2,"to":"sit","table":"main","seat":1,"rev":1,"epoch":"aa"}"#)
        for player in [Self.ann, Self.eve] { try show(5, "waiting", Self.seated, to: player) }
        // The reply comes when the request is sent again.
        send(3, .leave)
        referee.disconnected(Self.ann)
        send(4, login)
        try take(#"{"type":"ok","id":4,"to":"login","name":"ann","chips":0,"table":"main","seats":[1]}"#)
        send(3, .leave)
        try take(#"{"type":"ok","id":3,"to":"leave","rev":7,"epoch":"aa"}"#)
        try show(revision, "waiting", Self.seated, to: Self.eve)
        let leaving = revision == 6 ? #"{"chips":1000,"name":"ann","presence":"leaving"}"# : Self.seated
        try show(8, "waiting", leaving, to: Self.ann)
        try show(9, "waiting", nil, to: Self.eve)
        #expect(referee.findings.map(\.came) == (revision == 6 ? [] : ["nobody there"]))
    }

    /// Found by `bjbots simulate-system` (world 103039).
    @Test(arguments: [985, 990, 970]) func anInsuranceTakenAfterARestart_mayBeLost_beforeAnybodyIsShown(chips: Int) throws {
        var referee = RecoveryReferee(players: ["ann", "eve"], startingChips: 1000)
        func take(_ line: String) throws { referee.received(try Self.message(line), by: Self.ann) }
        func send(_ id: Int, _ message: ClientMessage) { referee.sent(Request(id: .number(id), message), by: Self.ann) }
        let login = ClientMessage.login(name: "ann", secret: nil, isBot: true, version: 1)
        send(1, login)
        try take(#"{"type":"ok","id":1,"to":"login","name":"ann","chips":1000}"#)
        send(2, .sit(table: "main", seat: nil))
        try take(#"{"type":"ok","id":2,"to":"sit","table":"main","seat":1,"rev":1,"epoch":"aa"}"#)
        let hand = #"["b1.1",10],["t1.1","19"],["c1","9S"],["c3","QD"]"#
        let told = try Self.snapshot(2, phase: "insurance", first: #"{"chips":990,"name":"ann"}"#, hand: hand)
        for player in [Self.ann, Self.eve] {
            referee.received(.snapshot(table: "main", epoch: "aa", revision: 2, told, chat: 0), by: player)
        }
        referee.restarted()
        send(3, login)
        try take(#"{"type":"ok","id":3,"to":"login","name":"ann","chips":0,"table":"main","seats":[1]}"#)
        send(4, .act(.insurance, seat: 1, hand: nil, amount: nil, turn: 1))
        try take(#"{"type":"ok","id":4,"to":"act","rev":1,"epoch":"bb"}"#)
        send(5, .leave)
        try take(#"{"type":"ok","id":5,"to":"leave","rev":2}"#)
        let came = try Self.snapshot(
            2, phase: "settled", first: nil, hand: hand + #",["r1.1",{"net":-10,"outcome":"lose"}]"#)
        referee.received(.snapshot(table: "main", epoch: "bb", revision: 2, came, chat: 0), by: Self.eve)
        referee.disconnected(Self.ann)
        send(6, login)
        try take(#"{"type":"ok","id":6,"to":"login","name":"ann","chips":\#(chips)}"#)
        #expect(referee.findings.filter { $0.promise == .chips }.count == (chips == 970 ? 1 : 0))
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
