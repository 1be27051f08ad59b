import Sockets
import TestKit
import Testing

@testable import LoadGenerator

/// A server that answers each request after so long, one at a time for each bot, and that does nothing at all for a while.
private struct StoppedServer {
    var service: Int64
    /// When it stands still, in microseconds.
    var stop: Range<Int64>

    /// When a request that arrives at a moment is answered.
    func answer(_ moment: Int64) -> Int64 {
        let done = moment + service
        return stop.contains(moment) || stop.contains(done) ? stop.upperBound + service : done
    }
}

/// Plays an open model against such a server on a clock of its own.
private func play(_ model: OpenModel, bots: Int, _ server: StoppedServer, until end: Int64) -> LatencyBook {
    var (model, book, agenda) = (model, LatencyBook(), Agenda<LatencyBook.Timestamps?>())
    var now: Int64 = 0
    var busy: [Int64: [Int]] = [:]
    for bot in 0..<bots { model.add(bot, at: 0) }
    func assign() {
        while let assignment = model.take(where: { _ in true }) {
            let timestamps = LatencyBook.Timestamps(intended: assignment.intended, possible: assignment.possible, sent: now)
            let answer = server.answer(now)
            busy[answer, default: []].append(assignment.bot)
            agenda.add(timestamps, at: answer)
        }
    }
    if let next = model.next { agenda.add(nil, at: next) }
    while let next = agenda.next, next <= end, let (moment, timestamps) = agenda.take(until: next) {
        now = moment
        if let timestamps {
            book.record(timestamps, seen: now)
            if let bot = busy[now]?.popLast() { model.add(bot, at: now) }
        } else {
            model.advance(to: now)
            if let next = model.next { agenda.add(nil, at: next) }
        }
        assign()
    }
    for intended in model.giveUp() { book.giveUpUnsent(intended: intended, at: now) }
    return book
}

/// The moments at which a model's actions are due.
private func schedule(_ model: OpenModel) -> [Int64] {
    var (model, moments) = (model, [Int64]())
    while let next = model.next {
        model.advance(to: next)
        while let moment = model.takeDue() { moments.append(moment) }
    }
    return moments
}

private func longerThan20ms(_ histogram: Histogram) -> UInt64 {
    var sum: UInt64 = 0
    for (range, count) in histogram.filledSlots where range.upperBound > 20_000 { sum += count }
    return sum
}

@Test func aServerThatIsStoppedForASecond_isChargedForEverythingThatWasDueMeanwhile() {
    let model = OpenModel(perSecond: 2000, from: 0, until: 10_000_000, random: SeededRandom(seed: Seed.value))
    let server = StoppedServer(service: 500, stop: 5_000_000..<6_000_000)
    let due = schedule(model)
    let book = play(model, bots: 300, server, until: 20_000_000)
    // Theory: what is due while the server stands still waits until it goes on; with 300 bots the backlog takes some services more.
    // A request that the stop found on its way waits, too.
    let expected = due.map { server.answer($0) - $0 }.sorted()
    #expect(book.corrected.count == UInt64(due.count) && book.unanswered == 0)
    let stalled = due.count { server.stop.contains($0) }
    // Beside it, a histogram rounds up by less than 2 %: the two add up.
    let backlog = Int64(stalled / 300 + 2) * server.service
    #expect(abs(Double(longerThan20ms(book.corrected)) / Double(stalled) - 0.98) < 0.02)
    for percentile in [50.0, 91, 93, 95, 97, 99, 99.5, 99.9, 100] {
        let exact = expected[max(0, Int((percentile / 100 * Double(due.count)).rounded(.up)) - 1)]
        let told = book.corrected.value(at: percentile)
        #expect(
            abs(Double(told - exact)) <= Double(exact) * 0.02 + Double(backlog),
            "p\(percentile): \(told), by theory \(exact), seed \(Seed.value)")
    }
    // Whoever counts from the moment of sending does not see it: only the 300 requests that were on their way.
    #expect(longerThan20ms(book.raw) <= 300 && book.raw.value(at: 97) < 1000)
    #expect(book.lag.max == 0)
}

@Test func arrivals_areAPoissonProcess() {
    let due = schedule(OpenModel(perSecond: 1000, from: 1_000_000, until: 21_000_000, random: SeededRandom(seed: Seed.value)))
    #expect(abs(due.count - 20_000) < 600, "seed \(Seed.value)")
    #expect(due.allSatisfy { (1_000_000..<21_000_000).contains($0) } && due == due.sorted())
    // Gaps are exponential: as many are longer than their mean as e^-1 says, and their spread is their mean.
    let gaps = zip(due, due.dropFirst()).map { Double($1 - $0) }
    #expect(abs(Double(gaps.count { $0 > 1000 }) / Double(gaps.count) - 0.3679) < 0.015)
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    #expect(abs(variance.squareRoot() / mean - 1) < 0.05)
    // The same seed, the same moments.
    #expect(
        due == schedule(OpenModel(perSecond: 1000, from: 1_000_000, until: 21_000_000, random: SeededRandom(seed: Seed.value))))
}

@Test func anActionThatIsDueWhileNoBotMayAct_waitsForTheFirstThatMay() {
    var model = OpenModel(perSecond: 1000, from: 0, until: 1_000_000, random: SeededRandom(seed: 1))
    guard let first = model.next else { return }
    model.advance(to: first)
    #expect(model.take(where: { _ in true }) == nil && model.waiting == 1)
    model.add(7, at: first + 400)
    // A bot that may not act any more is passed over and forgotten.
    model.add(8, at: first + 500)
    #expect(model.take(where: { $0 == 8 }) == .init(bot: 8, intended: first, possible: first + 500, waited: true))
    #expect(model.take(where: { _ in true }) == nil)
    model.add(9, at: 0)
    guard let second = model.next else { return }
    model.advance(to: second)
    #expect(model.take(where: { _ in true }) == .init(bot: 9, intended: second, possible: second, waited: false))
    #expect(model.giveUp() == [])
}

@Test func theAgenda_takesTheEarliestFirst_andKeepsTheOrderOfEntering() {
    var (agenda, random) = (Agenda<Int>(), SeededRandom(seed: Seed.value))
    let moments = (0..<500).map { _ in Int64(random.below(50)) }
    for (index, moment) in moments.enumerated() { agenda.add(index, at: moment) }
    #expect(agenda.take(until: -1) == nil)
    var taken: [(Int64, Int)] = []
    while let (moment, task) = agenda.take(until: 100) { taken.append((moment, task)) }
    #expect(taken.map(\.1) == moments.indices.sorted { (moments[$0], $0) < (moments[$1], $1) })
}

@Test func seats_areFilledTableByTable() {
    let tables = [(name: "a", free: 3), (name: "full", free: 0), (name: "b", free: 7), (name: "c", free: 2)]
    let plan = SeatPlan(tables: tables, loops: 2, bots: 5)
    #expect(plan.places.map(\.table) == ["a", "a", "a", "b", "b"] && plan.places.map(\.loop) == [0, 0, 0, 1, 1])
    #expect(plan.used == ["a", "b"] && plan.unused == ["c"] && plan.seats == 12)
    let full = SeatPlan(tables: tables, loops: 2, bots: 13)
    #expect(full.places.count == 13 && full.places.last?.table == nil && full.unused == [])
    #expect(SeatPlan(tables: tables, loops: 1, bots: 0).unused == ["a", "b", "c"])
}
