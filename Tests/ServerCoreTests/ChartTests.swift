import Dispatch
import Rules
import Synchronization
import TableEngine
import TestKit
import Testing
import Wire

@testable import ServerCore

/// The request `chart`.
@Suite(.ownThread) struct ChartTests {
    private static func chart(_ line: some Sequence<UInt8>) throws -> ValueChart {
        let message = try Array(line).withUnsafeBufferPointer { line throws(ProtocolError) in try ServerMessage(line: line) }
        guard case .chart(let chart) = message else { throw ProtocolError.lineTooLong(limit: 0) }
        return chart
    }

    private static func server(_ tables: [String] = ["main"], rules: HouseRules = HouseRules()) -> VirtualServer {
        let server = VirtualServer.small(rules: rules, tables: tables)
        server.connect(1, asGuest: "ann")
        _ = server.take()
        return server
    }

    @Test func fourChartsAtOnce_areAnswered_andTheNextIsRefusedForAWhile() {
        let server = Self.server()
        for id in 1...4 {
            #expect(server.answers(to: #"{"type":"chart","id":\#(id)}"#, 1).count == 2)
        }
        let refused = server.answers(to: #"{"type":"chart","id":5}"#, 1)
        #expect(refused.count == 1 && refused[0].contains(#""code":"rate_limited""#) && refused[0].contains("retryAfter"))
        server.advance(5000)
        #expect(server.answers(to: #"{"type":"chart","id":6}"#, 1).count == 2)
    }

    @Test func aChartIsAsLongAsAHistoryAtMost_underAnyRules() throws {
        let changes: [[(String, RuleValue)]] =
            [[]] + (Thorough.isWanted ? [5, 6, 7] : [5]).map { [("charlie", .integer($0)), ("surrender", .text("early"))] }
            + (Thorough.isWanted ? HouseRules.Surrender.allCases : [.earlyNotAce]).map {
                [("surrender", .text($0.rawValue)), ("decks", .integer(1))]
            }
        let presets = try (Thorough.isWanted ? HouseRules.presetNames : []).map { try HouseRules(preset: $0) }
        for rules in try presets + changes.map({ try HouseRules($0) }) {
            let line = ChartMaker.line(for: rules)
            #expect(line.count <= WireLimits.historyBytes, "\(line.count) bytes")
            let chart = try Self.chart(line.dropLast())
            #expect(chart.rows.count <= WireLimits.chartRows && chart.insurance.count == 3)
            for row in chart.rows {
                #expect(
                    [Action.stand, .hit].allSatisfy { row.values[$0]?.count == 10 }
                        && [Action.double, .split].allSatisfy { row.values[$0]?.count ?? 10 == 10 })
                let columns = rules.surrender == .earlyNotAce ? 9 : 10
                #expect(row.play?.count == (row.cards == nil ? 10 : nil))
                #expect(
                    (row.values[.surrender]?.count ?? columns) == columns && (row.values[.decline]?.count ?? columns) == columns)
            }
        }
    }

    // MARK: Beside the loops

    /// Collects answered questions.
    private final class Answers: Sendable {
        let arrived = DispatchSemaphore(value: 0)

        func wait(for count: Int) { for _ in 0..<count { arrived.wait() } }
    }

    private static func question(_ rules: HouseRules, _ connection: ConnectionID = 1) -> PlayerQuestion {
        PlayerQuestion(.chart(rules), of: PlayerID(1), from: connection, at: 0)
    }

    @Test func aChartIsComputedOnce_howeverManyAsk_andAnsweredAtOnceFromThenOn() {
        let maker = ChartMaker()
        let answers = Answers()
        let questions = (1...20).map { Self.question(HouseRules(), $0) }
        for question in questions { #expect(maker.ask(question) { _, _ in answers.arrived.signal() }) }
        answers.wait(for: questions.count)
        let line = ChartMaker.line(for: HouseRules())
        #expect(questions.allSatisfy { $0.line.take() == line } && maker.computed == 1)
        let later = Self.question(HouseRules())
        #expect(maker.ask(later) { _, _ in Issue.record("the chart is known") })
        #expect(later.line.take() == line && later.line.take() == nil && maker.computed == 1)
    }

    @Test func anEdgeIsComputedWithItsChart_whichThenIsKnown() {
        let maker = ChartMaker()
        let answers = Answers()
        maker.prepare(HouseRules()) { edge in
            #expect(edge == -4059)
            answers.arrived.signal()
        }
        answers.wait(for: 1)
        let later = Self.question(HouseRules())
        #expect(maker.ask(later) { _, _ in Issue.record("the chart is known") } && maker.computed == 1)
    }

    @Test func theEdge_isThatOfTheSmallestBet_asItIsSettled() throws {
        let chip = try HouseRules([("minimumBet", .integer(1)), ("betStep", .integer(1)), ("surrender", .text("early"))])
        let chart = try Self.chart(ChartMaker.line(for: chip).dropLast())
        // A surrender returns the whole chip. The other values are without rounding.
        #expect(chart.edge == 212_689)
        #expect(chart.rows.allSatisfy { row in row.values[.surrender]?.allSatisfy { $0 == -5000 } != false })
    }

    @Test func aStart_logsRulesThatFavourThePlayer() throws {
        let rules = try HouseRules([("minimumBet", .integer(5))])
        var options = Server.Options()
        (options.port, options.edgeDelay) = (0, 0)
        let logged = DispatchSemaphore(value: 0)
        let reasons = Mutex<[String]>([])
        let server = Server(shards: ShardConfiguration(tables: [.init(name: "low", rules: rules)]), options: options) { line in
            guard "\(line.event)" == "config_warning" else { return }
            reasons.withLock { $0.append("\(line.fields.map(\.value))") }
            logged.signal()
        }
        logged.wait()
        #expect(reasons.withLock { $0[0].contains("table low: the player wins 0.0473% of bets of 5") })
        server.stop { logged.signal() }
        logged.wait()
    }

    // MARK: Decisions

    /// A server where ann holds 16 against a ten, or is asked about insurance.
    private static func asked(insurance: Bool = false) throws -> (server: VirtualServer, decision: OpenDecision) {
        let server = VirtualServer.small(rules: try HouseRules([("assist", .flag(true))]), ceremonies: false)
        server.connect(1, asGuest: "ann")
        _ = server.answers(to: #"{"type":"sit"}"#, 1)
        let table = server.shard.hostedTables[0]
        var round = 0
        while table.engine.decision == nil || insurance {
            if insurance, table.engine.question(seat: 1) != nil { break }
            if table.engine.decision != nil { _ = server.answers(to: #"{"type":"act","action":"stand","turn":"now"}"#, 1) }
            server.advance(1000)
            _ = server.answers(to: #"{"type":"bet","amount":10,"round":"now"}"#, 1)
            round += 1
            try #require(round < 200)
        }
        let account = try #require(server.shard.sessions[1]?.account)
        return (server, try table.engine.openDecision(table.engine.turn, of: account.id, seat: nil))
    }

    @Test func aDecisionIsPriced_thoughItIsOverByThen_andOneQuestionIsOpen() throws {
        let (server, _) = try Self.asked()
        server.receive(#"{"type":"value","turn":"now","id":1}"#, from: 1)
        server.receive(#"{"type":"value","turn":"now","id":2}"#, from: 1)
        server.receive(#"{"type":"act","action":"stand","turn":"now","id":3}"#, from: 1)
        let lines = server.take(1)
        #expect(lines.contains { $0.contains(#""id":2"#) && $0.contains(#""code":"rate_limited""#) })
        #expect(lines.contains { $0.contains(#""id":3,"to":"act","rev""#) })
        let answers = lines.filter { $0.contains(#"{"type":"value""#) }
        #expect(answers.count == 1 && answers[0].contains(#""best":""#) && lines.last == answers[0], "\(lines)")
    }

    @Test func decisionsComeBeforeCharts_butNotWithoutEnd_andAreBounded() throws {
        let maker = ChartMaker()
        let (answers, asked) = (Answers(), Answers())
        let order = Mutex<[PlayerQuestion.Subject.Kind]>([])
        let done: PlayerQuestion.Completion = { question, _ in
            order.withLock { $0.append(question.subject.kind) }
            answers.arrived.signal()
        }
        let decision = try Self.asked(insurance: true).decision
        let questions = (0...1000).map { PlayerQuestion(.value(decision), of: PlayerID($0 + 1), from: 1, at: 0) }
        // Holds the work up until everything is asked.
        _ = maker.ask(questions[0]) { question, error in
            asked.wait(for: 1)
            done(question, error)
        }
        for decks in [3, 5] {
            let rules = try HouseRules([("decks", .integer(decks)), ("charlie", .integer(5))])
            #expect(maker.ask(Self.question(rules), done: done))
        }
        let taken = questions.dropFirst().count { maker.ask($0, done: done) }
        #expect((ChartMaker.waitingCapacity - 1...ChartMaker.waitingCapacity).contains(taken))
        asked.arrived.signal()
        answers.wait(for: taken + 3)
        let charts = order.withLock { order in order.indices.filter { order[$0] == .chart } }
        #expect(charts == [ChartMaker.turn, 2 * ChartMaker.turn + 1])
        #expect(questions[0].line.take().map { String(decoding: $0, as: UTF8.self) }?.contains("insurance") == true)
    }

    @Test func noMoreThanABoundedNumberWaits() throws {
        let maker = ChartMaker()
        let answers = Answers()
        let houses = try (1...40).map { try HouseRules([("bettingSeconds", .integer($0))]) }
        var taken = 0
        for rules in houses where maker.ask(Self.question(rules), done: { _, _ in answers.arrived.signal() }) {
            taken += 1
        }
        // One may have been computed between two of these calls, hardly twenty.
        #expect((ChartMaker.queueCapacity..<houses.count).contains(taken))
        answers.wait(for: taken)
        #expect(maker.computed == taken)
    }
}
