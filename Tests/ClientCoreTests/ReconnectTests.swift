import ClientCore
import Testing
import Wire

private typealias Simulation = SessionSimulation

private let deeds: [SessionSimulation.Deed] = [
    .ask(.bet(amount: 10, seat: nil, round: 0)), .othersSay("one"), .ask(.chat(text: "hello")), .othersPlay,
    .ask(.lobby(follow: nil)),
    .ask(.bet(amount: 20, seat: nil, round: 4)), .ask(.leave), .ask(.sit(table: "main", seat: nil)), .othersSay("two"),
    .ask(.bet(amount: 30, seat: nil, round: 0)),
]

/// Requests the server must have carried out, in order: the seat wished for, and each change once.
private let changes: [ClientMessage] =
    [.sit(table: nil, seat: nil)]
    + deeds.compactMap { if case .ask(let message) = $0, message.changesSomething { message } else { nil } }

private let orders: [[SessionSimulation.Step]] = [
    [.deed, .toServer, .toClient], [.toServer, .toClient, .deed], [.toClient, .toServer, .deed], [.toClient, .deed, .toServer],
]

private func check(_ simulation: Simulation, _ place: String, isRestarted: Bool = false, isWhole: Bool = false) {
    let server = simulation.server
    #expect(simulation.faults == [], "\(place)")
    #expect(simulation.state.snapshot == server.table && simulation.state.revision == server.revision, "\(place)")
    #expect(server.isSeated && simulation.state.position?.chat == server.chat.count, "\(place)")
    for (id, message) in simulation.asked {
        #expect(simulation.answers[id]?.count == 1, "\(place): \(message) has \(simulation.answers[id] ?? [])")
        guard !isRestarted, message.changesSomething, case .failure(let refusal)? = simulation.answers[id]?.first,
            // Of those without an answer, only the newest of a kind is sent again, and nothing that was meant before getting up.
            refusal.code != "not_connected" || message == changes.last
        else { continue }
        Issue.record("\(place): \(message) was refused with \(refusal.code)")
    }
    guard !isRestarted else { return }
    let done = server.carriedOut
    #expect(done == changes.filter(done.contains) && done.last == changes.last, "\(place)")
    if isWhole { #expect(done == changes) }
}

@Test(arguments: orders)
func aConnectionThatIsCutOnce_atAnyStep_losesNothingAndRepeatsNothing(_ order: [SessionSimulation.Step]) {
    var simulation = Simulation(deeds, order: order)
    var steps = 0
    repeat {
        for cut in Simulation.Cut.allCases {
            var other = simulation
            other.cut(cut)
            other.settle()
            check(other, "\(cut) at step \(steps)", isRestarted: cut == .restarted)
        }
        simulation.step()
        steps += 1
    } while !simulation.isQuiet
    check(simulation, "no cut", isWhole: true)
    #expect(steps > 30)
}

@Test(arguments: orders)
func aConnectionThatIsCutTwice_theSecondTimeWhileItComesBack_losesNothingAndRepeatsNothing(_ order: [SessionSimulation.Step]) {
    var simulation = Simulation(deeds, order: order)
    repeat {
        for (first, second) in [
            (Simulation.Cut.lost, Simulation.Cut.carriedOut), (.carriedOut, .lost), (.carriedOut, .carriedOut),
        ] {
            var other = simulation
            other.cut(first)
            for step in 0..<40 where !other.isQuiet {
                var third = other
                third.cut(second)
                third.settle()
                check(third, "\(first), after \(step) steps \(second)")
                other.step()
            }
        }
        simulation.step()
    } while !simulation.isQuiet
}

@Test func requestsStayWithinTheLimitsOfHello() {
    let limits = Hello.Limits(requestsPerSecond: 10, burst: 21)
    var talk = Talk({ $0.name = nil }, hello: false)
    talk.take(.hello(Hello(server: "s", time: 0, idleSeconds: 60, limits: limits)), at: 0)
    for _ in 0..<25 { talk.submit(.lobby(follow: nil)) }
    // One of the burst of 21 is kept in reserve.
    #expect(talk.sent.count == 20 && talk.armed == 100)
    for time: Int64 in [100, 150] {
        talk.armed = nil
        talk.note(talk.session.tick(at: time))
        #expect(talk.sent.count == 21 && talk.armed == 200)
    }
}
