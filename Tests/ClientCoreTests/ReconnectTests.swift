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

private func check(_ simulation: Simulation, _ place: String, isRestarted: Bool = false) {
    let server = simulation.server
    #expect(simulation.faults == [], "\(place)")
    #expect(simulation.state.snapshot == server.table && simulation.state.revision == server.revision, "\(place)")
    #expect(server.isSeated && simulation.state.session.position?.chat == server.chat.count, "\(place)")
    for (id, message) in simulation.asked {
        #expect(simulation.answers[id]?.count == 1, "\(place): \(message) has \(simulation.answers[id] ?? [])")
        guard !isRestarted, message.changesSomething, case .failure(let refusal)? = simulation.answers[id]?.first else {
            continue
        }
        Issue.record("\(place): \(message) was refused with \(refusal.code)")
    }
    if !isRestarted { #expect(server.carriedOut == changes, "\(place)") }
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
    check(simulation, "no cut")
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

@Test func requestsStayWithinTheLimitsOfHello_andNoMoreChangesAreUnansweredThanTheServerRemembers() {
    var session = ClientMachine(options: SessionOptions(name: nil))
    _ = session.start(at: 0)
    var limits = Hello.Limits(requestsPerSecond: 10, burst: 21)
    limits.retries = 4
    _ = session.receive(.hello(Hello(server: "s", time: 0, idleSeconds: 60, limits: limits)), at: 0)
    var sent: [RequestID] = []
    func note(_ actions: [ClientAction]) -> Int64? {
        var wake: Int64?
        for action in actions {
            if case .send(let request) = action, let id = request.id { sent.append(id) }
            if case .arm(let time) = action { wake = time }
        }
        return wake
    }
    for amount in 1...6 { _ = note(session.submit(.bet(amount: amount, seat: nil, round: 0), at: 0).actions) }
    #expect(sent == [1, 2, 3, 4].map(RequestID.number))
    _ = note(session.receive(.ok(id: .number(2), .applied("bet", at: TableRevision(1))), at: 0))
    #expect(sent.last == .number(5))
    var wake: Int64?
    for _ in 0..<20 { wake = note(session.submit(.lobby(follow: nil), at: 0).actions) ?? wake }
    // One of the burst of 21 is kept in reserve.
    #expect(sent.count == 20 && wake == 100)
    wake = note(session.tick(at: 100))
    #expect(sent.count == 21 && wake == 200)
    #expect(note(session.tick(at: 150)) == 200 && sent.count == 21)
}
