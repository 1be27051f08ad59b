import Testing
import Wire

@testable import RecoveryJudge

/// One player's lines, before the server was killed and afterwards.
private struct Replay: Sendable {
    enum Step: Sendable {
        case send(String)
        case line(String)
        case killed
    }

    var steps: [Step]

    /// Replaces text in the lines that come after the kill.
    func changing(_ old: String, to new: String) -> Replay {
        var changed = self
        var (isAfter, count) = (false, 0)
        func change(_ line: String) -> String {
            if line.contains(old) { count += 1 }
            return line.replacing(old, with: new)
        }
        for index in steps.indices {
            switch steps[index] {
            case .killed: isAfter = true
            case .line(let line) where isAfter: changed.steps[index] = .line(change(line))
            case .line, .send: break
            }
        }
        precondition(count > 0, "no line has \(old)")
        return changed
    }

    func adding(_ line: String) -> Replay { Replay(steps: steps + [.line(line)]) }

    var findings: [RecoveryFinding] {
        var referee = RecoveryReferee(players: ["ann"], startingChips: 1000)
        for step in steps {
            switch step {
            case .send(let line): referee.sent(request(line), by: 0)
            case .line(let line): take(line, &referee)
            case .killed: referee.restarted()
            }
        }
        return referee.findings
    }

    private func request(_ line: String) -> Request {
        Array(line.utf8).withUnsafeBufferPointer { Request(line: $0) }
    }

    private func take(_ line: String, _ referee: inout RecoveryReferee) {
        Array(line.utf8).withUnsafeBufferPointer { referee.received($0, by: 0) }
    }
}

extension Replay {
    private static let hello = """
        {"type":"hello","server":"test","house":"00112233445566aa","versions":[1,1],"time":1,"idleSeconds":900,"limits":{"line":4096,"depth":16,\
        "members":64,"id":64,"name":60,"chat":800,"requestsPerSecond":20,"burst":60},"features":[]}
        """
    private static let login = #"{"type":"login","name":"ann","secret":"\#(String(repeating: "0a", count: 32))","id":"a"}"#
    private static let rules =
        #""rules":{"betStep":5,"bettingSeconds":60,"decisionSeconds":60,"digest":"d","maximumBet":500,"minimumBet":10}"#

    private static func snapshot(
        _ epoch: String, _ revision: Int, table: String, dealer: String? = nil, seat: String, hand: String? = nil
    ) -> String {
        let items = [table, rules, dealer, seat, hand, #""p2":{"chips":500,"name":"bob"}"#].compactMap(\.self)
        return #"{"type":"snapshot","table":"main","epoch":"\#(epoch)","rev":\#(revision),"items":{"#
            + items.joined(separator: ",") + "}}"
    }

    private static let arrival: [Step] = [
        .line(hello), .send(login), .line(#"{"type":"ok","id":"a","to":"login","name":"ann","chips":1000}"#),
        .send(#"{"type":"sit","id":1}"#), .line(#"{"type":"ok","id":1,"to":"sit","table":"main","seat":1,"epoch":"aa","rev":2}"#),
        .line(
            snapshot(
                "aa", 2, table: #""round":0,"phase":"waiting","shoe":{"behindCut":78,"decks":6,"number":0},"left":312"#,
                seat: #""p1":{"chips":1000,"name":"ann"}"#)),
        .send(#"{"type":"bet","amount":10,"id":2,"round":0}"#), .line(#"{"type":"ok","id":2,"to":"bet","rev":3}"#),
        .line(
            #"{"type":"diff","from":2,"to":3,"items":{"phase":"betting","clock":1060000,"p1":{"chips":990,"name":"ann"},"b1.1":10}}"#
        ),
    ]

    private static let back: [Step] = [
        .killed, .line(hello), .send(login),
        .line(#"{"type":"ok","id":"a","to":"login","name":"ann","chips":0,"table":"main","seats":[1]}"#),
        .send(#"{"type":"watch","id":"w"}"#), .line(#"{"type":"ok","id":"w","to":"watch","table":"main","epoch":"bb","rev":0}"#),
    ]

    /// Killed while the first bets are taken.
    static let betting = Replay(
        steps: arrival + back + [
            .line(
                snapshot(
                    "bb", 0,
                    table:
                        #""round":0,"phase":"betting","clock":1070000,"shoe":{"behindCut":78,"decks":6,"number":0},"left":312"#,
                    seat: #""p1":{"chips":990,"name":"ann"}"#, hand: #""b1.1":10"#))
        ])

    private static let deal = Step.line(
        #"{"type":"diff","from":3,"to":4,"items":{"round":1,"phase":"playing","shoe":{"behindCut":78,"decks":6,"number":1},"left":307,"#
            + #""dealer":"5","c2":["dealer","5S"],"c4":["dealer","??"],"#
            + #""a1":{"actions":{"double":10,"hit":0,"stand":0},"hand":1,"turn":1},"t1.1":"13","c1":["1.1","3C"],"c3":["1.1","KC"]}}"#
    )

    private static let hit: [Step] = [
        .send(#"{"type":"act","action":"hit","turn":1,"id":3}"#), .line(#"{"type":"ok","id":3,"to":"act","rev":5}"#),
        .line(
            #"{"type":"diff","from":4,"to":5,"items":{"left":306,"#
                + #""a1":{"actions":{"hit":0,"stand":0},"hand":1,"turn":2},"t1.1":"19","c5":["1.1","6D"]}}"#),
    ]

    /// The same decision is carried out twice.
    static let twice = Replay(
        steps: arrival + [deal] + hit + hit.prefix(1) + [.line(#"{"type":"ok","id":3,"to":"act","rev":6}"#)])

    /// Killed in the midst of a hand.
    static let playing = Replay(
        steps: arrival + [deal] + hit + back + [
            .line(
                snapshot(
                    "bb", 0,
                    table:
                        #""round":1,"phase":"playing","clock":1070000,"shoe":{"behindCut":78,"decks":6,"number":1},"left":306"#,
                    dealer: #""dealer":"5","c2":["dealer","5S"],"c4":["dealer","??"]"#,
                    seat: #""p1":{"chips":990,"name":"ann"},"a1":{"actions":{"hit":0,"stand":0},"hand":1,"turn":2}"#,
                    hand: #""b1.1":10,"t1.1":"19","c1":["1.1","3C"],"c3":["1.1","KC"],"c5":["1.1","6D"]"#))
        ])

    /// A refusal changes nothing.
    static let refused = Replay(
        steps: Array(playing.steps.prefix(arrival.count + 1 + hit.count)) + [
            .send(#"{"type":"act","action":"hit","turn":1,"id":4}"#),
            .line(#"{"type":"error","id":4,"to":"act","class":"look","code":"stale","message":"Turn 1 is not asked now."}"#),
        ] + Array(playing.steps.dropFirst(arrival.count + 1 + hit.count)))

    /// Killed with an unanswered hit under way, which was carried out.
    static let underWay = Replay(
        steps: arrival + [deal] + Array(hit.prefix(1)) + playing.steps.dropFirst(arrival.count + 1 + hit.count))
}

struct RecoveryRefereeTests {
    @Test func anHonestServer_isNotAccused() {
        #expect(Replay.betting.findings == [])
        #expect(Replay.playing.findings == [])
        #expect(Replay.underWay.findings == [])
        #expect(Replay.refused.findings == [])
    }

    @Test func aLostBet_isFound() {
        let lost = Replay.betting.changing(#""b1.1":10"#, to: #""b1.1":5"#)
        #expect(lost.findings.contains { $0.promise == .table && $0.told == "a bet of 10 on seat 1" })
        let returned = Replay.betting.changing(#""b1.1":10,"#, to: "").changing(
            #""chips":990"#, to: #""chips":1000"#
        )
        .changing("betting\"", to: "waiting\"").changing(#""clock":1070000,"#, to: "")
        #expect(returned.findings.contains { $0.promise == .table })
    }

    @Test(arguments: [
        (#""c1":["1.1","3C"]"#, #""c1":["1.1","3D"]"#), (#""c2":["dealer","5S"]"#, #""c2":["dealer","5D"]"#),
        (#""c5":["1.1","6D"]"#, #""c6":["1.1","6D"]"#),
        (#","c5":["1.1","6D"]"#, ""), (#""b1.1":10"#, #""b1.1":20"#), (#""turn":2"#, #""turn":3"#),
        (#""number":1}"#, #""number":2}"#), (#""round":1"#, #""round":0"#),
    ])
    func aHandThatIsNotTheSame_isFound(_ old: String, _ new: String) {
        #expect(Replay.playing.changing(old, to: new).findings.contains { $0.promise == .table })
    }

    @Test func missingChips_areFound() {
        #expect(Replay.playing.changing(#""chips":990"#, to: #""chips":980"#).findings.contains { $0.promise == .game })
    }

    @Test func aLostSeat_isFound_andAnotherName_andAnotherHouse() {
        let seat = Replay.playing.changing(#""chips":0,"table":"main","seats":[1]"#, to: #""chips":1000"#)
        #expect(seat.findings.contains { $0.promise == .account && $0.came == "no seat" })
        #expect(
            Replay.playing.changing(#""name":"ann","chips":0"#, to: #""name":"amy","chips":0"#).findings.contains {
                $0.promise == .account
            })
        #expect(Replay.playing.changing("00112233445566aa", to: "00112233445566bb").findings.contains { $0.promise == .account })
    }

    @Test func aDoubledEffect_isFound() {
        let second = Replay.playing.adding(
            #"{"type":"diff","from":0,"to":1,"items":{"left":305,"t1.1":"21","c6":["1.1","2H"]}}"#)
        #expect(second.findings.contains { $0.promise == .effects })
    }

    @Test func aSecondAnswerToATurn_isFound() {
        #expect(Replay.twice.findings.map(\.told) == ["turn 1 of seat 1 was answered"])
    }

    @Test func aBetThatNobodySent_isFound() {
        let other = Replay.betting.changing(#""b1.1":10"#, to: #""b1.1":15"#)
        #expect(other.findings.contains { $0.promise == .effects && $0.told == "bets of [10] on seat 1 for round 0" })
    }

    @Test func aRequestUnderWay_mayHaveBeenCarriedOut_orNot() {
        let not = Replay.underWay.changing(#","c5":["1.1","6D"]"#, to: "").changing(#""19""#, to: #""13""#)
            .changing(#""left":306"#, to: #""left":307"#)
            .changing(
                #"{"actions":{"hit":0,"stand":0},"hand":1,"turn":2}"#,
                to: #"{"actions":{"double":10,"hit":0,"stand":0},"hand":1,"turn":1}"#)
        #expect(not.findings == [])
        #expect(
            Replay.underWay.changing(#""c1":["1.1","3C"]"#, to: #""c1":["1.1","3D"]"#).findings.contains { $0.promise == .table }
        )
    }
}
