import ClientCore
import RecoveryJudge
import Rules
import TableModel
import TestKit
import Testing
import Wire

@testable import Referee

/// A server that exists in lines alone: it shows a random game to whoever asks.
private struct Show {
    var game: RandomGame
    var shown: TableSnapshot
    var revision = 1

    init(seed: UInt64, rules: HouseRules? = nil) {
        game = RandomGame(seed: seed, rules: rules)
        shown = game.step()
    }

    func snapshot(epoch: String = "e1") -> [UInt8] {
        ServerMessage.snapshot(table: "main", epoch: epoch, revision: revision, shown).encoded()
    }

    /// The next revision as a diff.
    mutating func diff(check: Bool = false) -> [UInt8] { diff(to: game.step(), check: check) }

    /// The next revision as a diff, made of a changed table.
    mutating func doctored(_ change: (TableSnapshot) -> TableSnapshot) -> [UInt8] {
        diff(to: change(game.step()), check: false)
    }

    private mutating func diff(to next: TableSnapshot, check: Bool) -> [UInt8] {
        defer { (shown, revision) = (next, revision + 1) }
        return ServerMessage.diff(from: revision, to: revision + 1, check: check ? next.check : nil, shown.difference(to: next))
            .encoded()
    }
}

extension ConnectionReferee {
    @discardableResult
    fileprivate func hear(_ line: [UInt8], at now: Int64 = 0) -> Event {
        line.dropLast().withUnsafeBufferPointer { take($0, at: now) }
    }

    fileprivate func hear(_ message: ServerMessage, at now: Int64 = 0) { hear(message.encoded(), at: now) }

    fileprivate static func watching(_ show: Show, group: RefereeGroup = .init(), name: String = "w") -> Self {
        let referee = Self(group: group, name: name)
        _ = referee.line(of: Request(id: .number(1), .watch(table: "main")), at: 0)
        referee.hear(.ok(id: .number(1), .watch(table: "main", CatchUp(epoch: "e", revision: 1))))
        referee.hear(show.snapshot())
        return referee
    }

    fileprivate var laws: [Violation.Law] { group.violations.map(\.violation.law) }
}

@Test func anHonestTranscript_isNotAccused() {
    var show = Show(seed: Seed.value)
    let referee = ConnectionReferee.watching(show)
    for step in 0..<200 { referee.hear(show.diff(check: step % 3 == 0)) }
    #expect(referee.laws == [] && referee.shown?.revision == 201 && referee.shown?.snapshot == show.shown)
    #expect(referee.group.lines == 202)
}

@Test func aRevisionThatIsLeftOut_orComesTwice_isAViolation() {
    var show = Show(seed: Seed.value)
    let referee = ConnectionReferee.watching(show)
    referee.hear(show.diff())
    _ = show.diff()
    let late = show.diff()
    guard case .lost = referee.hear(late) else {
        Issue.record("the table is to be asked for anew")
        return
    }
    #expect(referee.laws == [.revisions])
    let violation = referee.group.violations[0]
    #expect(violation.violation.table == "main" && violation.violation.line == 5 && violation.violation.bot == "w")
    #expect(violation.violation.detail == "a diff from 3 to 4 came at revision 2")
    // Until the table comes anew, nothing more is said of the old one.
    referee.hear(show.diff())
    referee.hear(show.snapshot())
    referee.hear(show.diff())
    #expect(referee.laws == [.revisions] && referee.shown?.snapshot == show.shown)
    let again = ConnectionReferee.watching(show)
    let line = show.diff()
    again.hear(line)
    again.hear(line)
    #expect(again.laws == [.revisions])
}

@Test func aCheckThatDiffers_isAViolation() {
    var show = Show(seed: Seed.value)
    let referee = ConnectionReferee.watching(show)
    let line = String(decoding: show.diff(check: true), as: UTF8.self)
    let wrong = line.replacing(/"check":\d+/, with: "\"check\":12345")
    referee.hear(Array(wrong.utf8))
    #expect(referee.laws == [.equality] && line != wrong)
}

/// The file of a violation is a recording: it ends with the fault, and its last part begins with the table.
@Test func aViolation_canBeWatched() throws {
    var show = Show(seed: Seed.value)
    let referee = ConnectionReferee.watching(show)
    for step in 0..<Int.random(in: 5...300) { referee.hear(show.diff(check: true), at: Int64(step)) }
    let shown = try #require(referee.shown)
    referee.hear(
        Array(String(decoding: show.diff(check: true), as: UTF8.self).replacing(/"check":\d+/, with: "\"check\":12345").utf8),
        at: 400)
    let text = try #require(referee.group.violations.first?.transcript)
    var (reader, events) = (RecordingReader(try Recording(Array(text.utf8))), [ClientEvent]())
    while let update = reader.next() { events.append(update.event) }
    guard case .note(let fault)? = events.last else { throw Misread() }
    #expect(
        fault.hasPrefix("The table differs from its check value") && reader.caption?.contains(": equality: ") == true, "\(text)")
    #expect(reader.state.snapshot == shown.snapshot && reader.state.revision == shown.revision)
    #expect(!events.contains { if case .note(let text) = $0 { text.hasPrefix("Changes are missing") } else { false } })
}

private struct Misread: Error {}

@Test func whatIsDoctoredInATable_isFoundAndNamesTableRoundAndLine() throws {
    // Rules without surprises, and a game that has come far enough for money to have changed hands.
    var show = Show(seed: Seed.value, rules: HouseRules())
    let referee = ConnectionReferee.watching(show)
    for _ in 0..<60 { referee.hear(show.diff()) }
    #expect(referee.laws == [])
    var name: String?
    while name == nil {
        let before = show.shown
        let line = show.doctored { next in
            next.changing { entry in
                // Between rounds: else the chips may belong to a round that ended unseen, or make a move legal that is not offered.
                guard name == nil, next.round == before.round, [.waiting, .betting].contains(next.round?.phase),
                    case .player(let seat, var player) = entry, let former = before.player(seat), former.name == player.name,
                    // Below the smallest bet it might be new chips of the house.
                    min(former.chips, player.chips) >= 10
                else {
                    return entry
                }
                name = player.name
                player.chips += 7
                return .player(seat, player)
            }
        }
        referee.hear(line)
    }
    let violation = try #require(referee.group.violations.first?.violation)
    #expect(violation.law == .chips && violation.detail.hasPrefix("\(name ?? "?") had"))
    #expect(
        violation.table == "main" && violation.round == show.shown.round?.number && violation.line == referee.transcript.count)
}

@Test func twoViewersWhoAreShownDifferentTables_findOut() throws {
    var show = Show(seed: Seed.value)
    let group = RefereeGroup()
    let one = ConnectionReferee.watching(show, group: group, name: "one")
    let other = ConnectionReferee.watching(show, group: group, name: "other")
    for _ in 0..<20 {
        let line = show.diff()
        one.hear(line)
        other.hear(line)
    }
    #expect(group.violationCount == 0 && one.shown === other.shown, "what is the same is kept once")
    let before = show
    one.hear(show.diff())
    var forged = before
    other.hear(forged.doctored { $0.changing { if case .cardsLeft(let left) = $0 { .cardsLeft(left + 1) } else { $0 } } })
    #expect(group.violations.map(\.violation.law) == [.equality] && group.violations[0].violation.bot == "other")
}

@Test func whatOthersHaveJudged_isPassedOverAsAWhole_upToTheFirstByteThatDiffers() {
    var show = Show(seed: Seed.value)
    let group = RefereeGroup()
    let one = ConnectionReferee.watching(show, group: group, name: "one")
    let others = (0..<3).map { ConnectionReferee.watching(show, group: group, name: "other \($0)") }
    let lines = (0..<10).map { _ in show.diff() }
    for line in lines { one.hear(line) }
    let (bytes, heard) = (lines.flatMap { $0 }, group.lines)
    func follow(_ referee: ConnectionReferee, _ bytes: [UInt8]) -> (taken: Int, revisions: [Int]) {
        var revisions: [Int] = []
        let taken = bytes.withUnsafeBytes { referee.follow($0, at: 0) { revisions.append($0.revision) } }
        return (taken, revisions)
    }
    #expect(follow(others[0], bytes) == (bytes.count, Array(2...11)) && others[0].shown === one.shown)
    #expect(others[0].transcript.count == one.transcript.count && group.lines == heard + 10)
    // Without its end a line is not all there.
    #expect(follow(others[1], bytes.dropLast()) == (bytes.count - lines[9].count, Array(2...10)))
    #expect(follow(others[1], Array(lines[9].dropLast())).taken == 0 && others[1].shown !== one.shown)
    #expect(follow(others[1], lines[9]) == (lines[9].count, [11]) && others[1].shown === one.shown)
    // A byte that differs is not passed over, wherever it is.
    var forged = bytes
    forged[lines[0].count + lines[1].count / 2] ^= 1
    #expect(follow(others[2], forged) == (lines[0].count, [2]) && follow(others[2], []).taken == 0)
    #expect(group.violationCount == 0)
}

@Test(arguments: 0..<6)
func whoeverFollows_andWhoeverIsAlone_seeTheSame(_ game: UInt64) {
    var show = Show(seed: Seed.value &+ game)
    let group = RefereeGroup()
    let (leader, follower) = (ConnectionReferee.watching(show, group: group), ConnectionReferee.watching(show, group: group))
    let alone = ConnectionReferee.watching(show)
    for step in 0..<200 {
        let line = show.diff()
        leader.hear(line)
        line.withUnsafeBytes { _ = follower.follow($0, at: 0) { _ in } }
        alone.hear(line)
        let whole = TableFacts(show.shown)
        let shown = [leader, follower, alone].compactMap { $0.shown?.facts }
        #expect(shown == [whole, whole, whole], "game \(game), step \(step)")
        guard whole.settled != 0, let outcomes = follower.shown?.outcomes else { continue }
        for seat in 1..<8 where whole.settled & (1 << UInt8(seat)) != 0 {
            #expect(outcomes[seat].hands == whole.seats[seat].hands.count)
        }
    }
}

@Test func repliesThatNobodyAskedFor_orThatCrossEachOther_areViolations() {
    let group = RefereeGroup()
    let referee = ConnectionReferee(group: group, name: "w")
    referee.hear(.ok(id: .number(1), .applied("bet", at: 1)))
    _ = referee.line(of: Request(id: .number(1), .ping), at: 0)
    _ = referee.line(of: Request(id: .number(2), .lobby(follow: nil)), at: 0)
    referee.hear(.ok(id: .number(2), .lobby(revision: 0, total: 0, [])))
    referee.hear(.ok(id: .number(2), .applied("leave", at: 1)))
    referee.hear(Array("nonsense\n".utf8))
    #expect(referee.laws == [.replies, .replies, .replies, .grammar])
    #expect(group.violations[2].violation.detail == "the reply to request 2, lobby, names leave")
}

@Test func whatWasOfferedAndIsRefused_isAViolation_unlessSomethingHappenedMeanwhile() {
    var show = Show(seed: Seed.value)
    let referee = ConnectionReferee.watching(show)
    // Without a deadline nothing can have happened in between.
    while referee.shown?.facts.deadline != nil { referee.hear(show.diff()) }
    func act(_ id: Int, _ code: String, _ meanwhile: () -> Void = {}) {
        _ = referee.line(of: Request(id: .number(id), .act(.hit, seat: 1, hand: 1, amount: nil, turn: 1)), at: 0)
        meanwhile()
        referee.hear(.error(Refusal(id: .number(id), type: "act", .rule, code: code, message: "No.")))
    }
    act(2, "not_allowed")
    #expect(referee.laws == [.legality])
    act(3, "not_allowed") { referee.hear(show.diff()) }
    act(4, "not_your_turn")
    #expect(referee.laws == [.legality])
}

/// A table at which seat 1 is asked until a moment.
private func asked(
    until deadline: Int64?, turn: Int = 1, round: Int = 1, presence: Player.Presence = .here
) -> TableSnapshot {
    let hand = HandIdentifier(seat: 1, number: 1)
    var table: [TableEntry] = [.round(round), .phase(deadline == nil ? .settled : .playing)]
    if let deadline { table.append(.clock(Clock(deadline: deadline))) }
    table += [
        .shoe(ShoeStatus(number: 1, decks: 6, behindCutCard: 78)), .cardsLeft(300), .rules(TableRules(HouseRules(), digest: "")),
    ]
    var seat: [TableEntry] = [.player(1, Player(name: "ann", chips: 90, presence: presence))]
    if deadline != nil {
        seat.append(
            .choice(1, Choice(hand: 1, turn: turn, options: [.init(action: .hit, cost: 0), .init(action: .stand, cost: 0)])))
    }
    return TableSnapshot(table + seat + [.bet(hand, 10)])
}

extension ShownTable {
    fileprivate convenience init(_ snapshot: TableSnapshot, after old: ShownTable? = nil) {
        self.init(name: "main", epoch: "e", revision: 1, snapshot: snapshot, facts: TableFacts(snapshot), after: old)
    }
}

@Test func anAbsentPlayersTimeThatEndsEarly_andABetThatGoes_areFoundByWhoeverWatches() throws {
    let (before, after) = (asked(until: 61_000, presence: .away), asked(until: nil, presence: .away))
    var watch = DeadlineWatch()
    watch.asked(at: 1000)
    watch.told(51_000)
    func judge(_ old: TableSnapshot, _ new: TableSnapshot, at now: Int64) -> String? {
        let old = ShownTable(old)
        return watch.judgeAbsent(old, ShownTable(new, after: old), at: now)
    }
    #expect(judge(before, after, at: 10_000) == "the time of seat 1, whose player is away, ended 998 ms early")
    #expect(judge(before, after, at: 10_998) == nil && judge(before, before, at: 10_000) == nil)
    #expect(judge(before, asked(until: nil), at: 10_000) == nil, "who has come back may have answered")
    func bet(_ amount: Int, _ presence: Player.Presence) -> TableSnapshot {
        let table: [TableEntry] = [
            .round(1), .phase(amount > 0 ? .betting : .waiting), .rules(TableRules(HouseRules(), digest: "")),
        ]
        let seat: [TableEntry] = [.player(1, Player(name: "ann", chips: 90, presence: presence))]
        return TableSnapshot(table + seat + (amount > 0 ? [.bet(.init(seat: 1, number: 1), amount)] : []))
    }
    let (there, gone, back) = (bet(10, .away), bet(0, .away), bet(0, .here))
    #expect(judge(there, gone, at: 0) == "the bet of seat 1 is gone, whose player is away")
    #expect(judge(there, there, at: 0) == nil && judge(there, back, at: 0) == nil)
}

@Test func timeThatEndsEarly_isFound_asFarAsTheClocksAreKnown() throws {
    let (before, after) = (asked(until: 61_000), asked(until: nil))
    let first = ShownTable(before)
    func judge(at now: Int64, answering: Bool = false, _ next: TableSnapshot? = nil) -> String? {
        var watch = DeadlineWatch()
        // Asked at 1,000 by our clock, the server told 51,000: it is at most 50,000 ahead.
        watch.asked(at: 1000)
        watch.told(51_000)
        if answering { watch.note(.act(.stand, seat: 1, hand: 1, amount: nil, turn: 1)) }
        return watch.judge(first, ShownTable(next ?? after, after: first), seat: 1, at: now)
    }
    #expect(judge(at: 10_000) == "the time to answer ended at least 998 ms early")
    #expect(judge(at: 10_998) == nil && judge(at: 10_997) != nil)
    #expect(judge(at: 10_000, answering: true) == nil)
    // Still asked the same: nothing has ended.
    #expect(judge(at: 10_000, before) == nil)
    // A refusal may come before the table that shows that time is up.
    var known = DeadlineWatch()
    #expect(!known.isBefore(61_000, at: 0) && known.isBefore(nil, at: 0))
    known.asked(at: 1000)
    known.told(51_000)
    #expect(known.isBefore(61_000, at: 10_997) && !known.isBefore(61_000, at: 10_998))
    // Without a bound on the clocks nobody is accused.
    let blind = DeadlineWatch()
    #expect(blind.judge(first, ShownTable(after, after: first), seat: 1, at: 0) == nil)
}

/// After a gap, a player's own question may have been answered before the connection was lost.
@Test func aDeadline_isJudgedFromOneRevisionToTheNextAlone() {
    let group = RefereeGroup()
    let (first, second, ended) = (asked(until: 61_000), asked(until: 66_000, turn: 2), asked(until: nil))
    func snapshot(_ table: TableSnapshot, at revision: Int, epoch: String = "e") -> ServerMessage {
        .snapshot(table: "main", epoch: epoch, revision: revision, table)
    }
    func diff(_ old: TableSnapshot, _ new: TableSnapshot, from: Int, to: Int) -> ServerMessage {
        .diff(from: from, to: to, check: nil, old.difference(to: new))
    }
    func playing(_ lines: ServerMessage...) -> ConnectionReferee {
        let referee = ConnectionReferee(group: group, name: "w")
        referee.reconnected(at: 1000)
        referee.hear(.hello(Hello(server: "s", time: 51_000, idleSeconds: 60)))
        _ = referee.line(of: Request(id: .number(1), .sit(table: nil, seat: nil)), at: 1000)
        referee.hear(.ok(id: .number(1), .sit(table: "main", seat: 1, CatchUp(epoch: "e", revision: 1))))
        for line in lines { referee.hear(line, at: 2000) }
        return referee
    }
    func found() -> [String] { group.violations.map(\.violation).filter { $0.law == .order }.map(\.detail) }
    let ann = playing(snapshot(first, at: 1))
    _ = ann.line(of: Request(id: .number(2), .act(.hit, seat: 1, hand: 1, amount: nil, turn: 1)), at: 2000)
    ann.hear(.ok(id: .number(2), .applied("act", at: 2)), at: 2000)
    ann.hear(diff(first, second, from: 1, to: 2), at: 2000)
    // The same revision again, which answered the question before; several at once; and another epoch.
    ann.hear(snapshot(second, at: 2), at: 2000)
    _ = playing(snapshot(first, at: 1), diff(first, ended, from: 1, to: 4))
    _ = playing(snapshot(first, at: 1), snapshot(ended, at: 2, epoch: "f"))
    #expect(found() == [])
    ann.hear(diff(second, ended, from: 2, to: 3), at: 2000)
    #expect(found() == ["the time to answer ended at least 13998 ms early"])
}

@Test func aTranscript_keepsItsBeginningAndItsEnd_withoutSecrets() throws {
    var transcript = Transcript()
    let digits = String(repeating: "5e", count: 32)
    transcript.note(Array(#"{"type":"login","id":1,"name":"w","secret":"\#(digits)","owner":"x"}"#.utf8), isSent: true, at: 7)
    transcript.note(Array(#"{"type":"ok","id":1,"to":"login","name":"w","chips":1}"#.utf8), isSent: false, at: 8)
    for number in 0..<1000 { transcript.note(Array(#"{"type":"note","text":"\#(number)"}"#.utf8), isSent: false, at: 9) }
    transcript.note(Array(#"{"type":"act","action":"hit","turn":1}"#.utf8), isSent: true, at: 10)
    let text = transcript.text(["who", "why\nand"]).split(separator: "\n").map(String.init)
    #expect(
        Array(text.prefix(5)) == [
            RecordedLine.header, "# who", "# why and", #"0 > {"type":"login","id":1,"name":"w","secret":"…","owner":"…"}"#,
            #"1 < {"type":"ok","id":1,"to":"login","name":"w","chips":1}"#,
        ])
    #expect(transcript.count == 1003 && text.last == #"3 > {"type":"act","action":"hit","turn":1}"#)
    let omission = try #require(text.firstIndex { $0.contains("omitted") })
    #expect(text[omission] == "# … 928 lines omitted: line 941 follows" && text[omission + 1] == "# why and")
    #expect(text.count == omission + 2 + 63 && text[omission + 2] == #"2 < {"type":"note","text":"938"}"#)
}

/// Lines of a server, each with its own way to carry a card.
struct LineFaultTests {
    private func fault(_ line: String) throws -> LineFault? {
        try Array(line.utf8).withUnsafeBufferPointer { LineFault($0, try ServerMessage(line: $0)) }
    }

    @Test(arguments: [
        #"{"type":"ok","id":1,"to":"bet","rev":4}"#,
        #"{"type":"ok","id":1,"to":"commit"}"#,
        #"{"type":"diff","from":4,"to":5,"items":{"c2":["dealer","KS"]}}"#,
        #"{"type":"error","id":3,"to":"bet","class":"rule","code":"not_allowed","message":"A bet of 9 is too small: the minimum is 10."}"#,
        #"{"type":"bye","code":"kicked","message":"GAMES2H, 9HKS and a 2Hz ask for nothing."}"#,
    ])
    func whatAMessageIsWrittenAs_isNoFault(_ line: String) throws {
        #expect(try fault(line) == nil)
    }

    @Test(arguments: [
        #"{"type":"ok","id":1,"to":"bet","rev":4,"hint":"KS"}"#, #"{"type":"ok", "id":1,"to":"bet","rev":4}"#,
        #"{"type":"ok","to":"bet","id":1,"rev":4}"#, #"{"type":"bye","code":"a","message":"\u0041"}"#,
    ])
    func aMember_aSpaceOrAnOrder_thatTheMessageDoesNotHave_isFound(_ line: String) throws {
        #expect(try fault(line) == .moreThanItsMessage)
    }

    @Test(arguments: ["KS", "10H", "0H", "TD", "AC", "9S"]) func aCardInASentence_isFound(_ face: String) throws {
        #expect(
            try fault(#"{"type":"bye","code":"draining","message":"The dealer holds \#(face)."}"#)
                == (face == "0H" ? nil : .card(face)))
    }
}
