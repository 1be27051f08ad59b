import ClientCore
import EventStreams
import Rules
import Sockets
import Testing

/// The findings of a client. Touched on the client's loop alone.
private final class FindingLog: @unchecked Sendable {
    private(set) var reports: [ShoeReport] = []
    private(set) var others: [String] = []
    private var subscription: AnyCancellable?

    func follow(_ client: GameClient) {
        subscription = client.updates.sink { [weak self] update in
            guard case .shoe(let finding) = update.event else { return }
            switch finding {
            case .verified(let report): self?.reports.append(report)
            default: self?.others.append("\(finding)")
            }
        }
    }
}

/// Rules, and rounds for a few shoes at five seats.
private let houses: [(rules: [(String, RuleValue)], rounds: Int)] = [
    ([("decks", .integer(1)), ("penetration", .number(0.5))], 20),
    // Runs out in mid-round.
    ([("decks", .integer(1)), ("penetration", .number(0.95)), ("burn", .integer(3))], 30),
    // 32 shoes of one ceremony.
    ([("decks", .integer(1)), ("continuousShuffle", .flag(true))], 70),
    ([("decks", .integer(2)), ("penetration", .number(0.3)), ("midShoeEntry", .flag(false)), ("burn", .integer(0))], 20),
]

/// A spectator sees every card; bots contribute.
@Test(.ownThread, arguments: houses.indices)
func everyShoeOfARealServer_isVerified(house: Int) async throws {
    let server = try RunningServer(rules: HouseRules.patient.with(houses[house].rules), seed: UInt64(house), ceremonies: true)
    let loop = Loop(label: "test.shuffle")
    let log = FindingLog()
    var options = GameClient.Options(host: "127.0.0.1", port: server.port, name: "Watcher")
    options.wish = .watch(table: "main")
    let client = GameClient(options: options, loop: loop)
    loop.performAndWait { log.follow(client) }
    client.start()
    let report = await server.play(bots: 5, rounds: houses[house].rounds)
    #expect(report.errors == [])
    let (reports, others) = loop.performAndWait { (log.reports, log.others) }
    #expect(others == [] && reports.count >= 2, "\(others)")
    for report in reports.dropFirst() {
        #expect(report.proof?.contributions.count == 5 && report.proof?.contributions.allSatisfy { $0.reveal != nil } == true)
        #expect(ProofVerdict(try ProofFile(text: ProofFile(report, nil).text)).fault == nil)
    }
    client.stop()
    await server.stop()
    loop.stop()
}
