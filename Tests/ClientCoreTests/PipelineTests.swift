import ClientCore
import Rules
import TableModel
import Testing
import Wire

private let session: [ServerMessage] = [
    .hello(Hello(server: "test", time: 5_000, idleSeconds: 900)),
    .ok(id: .number(1), .login(LoginReply(name: "ann", chips: 1000))),
    .snapshot(table: "main", epoch: "e1", revision: 3, empty),
    .diff(from: 3, to: 4, check: betting.check, empty.difference(to: betting)),
    .unknown(type: "weather"),
    .bye(code: "logged_out", message: "Goodbye."),
]

private let empty = TableSnapshot([.round(0), .phase(.waiting)])
private let betting = TableSnapshot([
    .round(0), .phase(.betting), .clock(Clock(deadline: 9_000)), .player(1, Player(name: "ann", chips: 990)),
])

private func run(_ chunks: [[UInt8]]) -> [ClientUpdate] {
    var machine = ClientMachine(options: SessionOptions(name: "ann"))
    _ = machine.start(at: 0)
    return chunks.flatMap { chunk in
        chunk.withUnsafeBytes { machine.lines(in: $0) }.flatMap { line in
            machine.receive(line: line, at: 4_000).compactMap { action in
                if case .publish(let event) = action { ClientUpdate(state: machine.state, event: event) } else { nil }
            }
        }
    }
}

@Test func theSameBytesInAnyChunksGiveTheSameStates() {
    let bytes = session.flatMap { $0.encoded() }
    let whole = run([bytes])
    #expect(whole.count == session.count)
    for split in 1..<bytes.count { #expect(run([Array(bytes[..<split]), Array(bytes[split...])]) == whole) }
    #expect(run(bytes.map { [$0] }) == whole)
}

@Test func theStateFollowsFromTheMessages() throws {
    let updates = run([session.flatMap { $0.encoded() }])
    let last = try #require(updates.last?.state)
    #expect(updates[4].state.link == .loggedIn && last.login?.name == "ann" && last.clockOffset == 1_000)
    #expect(last.link == .ended("Goodbye."))
    #expect(last.table == "main" && last.revision == 4 && last.snapshot == betting && last.seat == 1)
    let change = TableChange(
        table: "main", revision: 4, from: empty, by: empty.difference(to: betting), to: betting, news: .none)
    #expect(updates[3].event == .table(change))
    #expect(
        updates[4].event == .skipped && updates[5].event == .goodbye(code: "logged_out", message: "Goodbye."))
}

@Test(arguments: [(5, 6), (2, 3), (3, 3), (4, 3)])
func aDiffThatDoesNotFollowIsNoticed_andNothingIsGuessed(_ from: Int, _ to: Int) throws {
    let gap = ServerMessage.diff(from: from, to: to, check: nil, empty.difference(to: betting))
    let updates = run([(Array(session[..<3]) + [gap]).flatMap { $0.encoded() }])
    #expect(updates.last?.event == .outOfSync && updates.last?.state.snapshot == empty && updates.last?.state.revision == 3)
}

@Test func theLobbyFollowsItsChanges_andNoticesAGap() throws {
    func summary(_ name: String, free: Int) -> TableSummary {
        TableSummary(name: name, seats: 7, freeSeats: free, players: [], watchers: 0, rules: HouseRules())
    }
    let list = ServerMessage.ok(id: nil, .lobby(revision: 5, total: 2, [summary("a", free: 7), summary("b", free: 7)]))
    let change = LobbyChange(from: 5, to: 8, tables: [summary("aa", free: 1), summary("b", free: 6)], gone: ["a", "never"])
    let stale = LobbyChange(from: 7, to: 9, gone: ["b"])
    let updates = run([(session[..<2] + [list, .lobby(change), .lobby(stale)]).flatMap { $0.encoded() }])
    #expect(updates[3].event == .lobby && updates[3].state.lobby == [summary("aa", free: 1), summary("b", free: 6)])
    #expect(updates[4].event == .lobbyOutOfSync && updates[4].state.lobby == updates[3].state.lobby)
    let flood = LobbyChange(from: 8, to: 9, tables: (0..<600).map { summary("t\($0)", free: 7) })
    #expect(flood.applied(to: updates[3].state.lobby).count == WireLimits.lobbyTables)
}

@Test func aLineThatIsNoMessage_endsTheConnection_andWhatFollowsItIsNotRead() {
    let rest = session[0].encoded()
    for (bytes, failure) in [
        (
            Array("{\"type\":\"hello\"}\n".utf8),
            "does not speak the protocol: \(ProtocolError.json(.missing("server")).message.dropLast())"
        ),
        ([UInt8](repeating: UInt8(ascii: "x"), count: WireLimits.eventBytes + 1) + [10], "sends lines that are too long"),
    ] {
        let updates = run([bytes + rest])
        #expect(updates.map(\.event) == [.link] && updates[0].state.link == .lost(.breach("the server \(failure)")))
    }
}

@Test func aTableOfAnotherEpochHasNothingBeforeIt_thoughItHasTheSameName() {
    let again = ServerMessage.snapshot(table: "main", epoch: "e2", revision: 0, betting)
    let updates = run([(Array(session[..<4]) + [again]).flatMap { $0.encoded() }])
    #expect(updates.last?.event == .table(TableChange(table: "main", revision: 0, old: nil, new: betting)))
}
