import EventStreams
import Testing

struct LobbyTable: Codable, Equatable {
    var name: String
    var host: String?
    var freeSeats: Int
}

struct LobbyRequest: Codable {
    var freeSeats: Int
}

enum LobbyFault: Error {
    case refused
    case noAnswer
    case impossibleSeats
}

/// A worked example: the lobby of a game, that is the tables with free seats, over a connection that fails now and then.
struct LobbyFeed<Context: Scheduler> {
    /// Times answers, back-off and redraws.
    let clock: Context
    /// Where connections are made.
    let background: Context
    /// Makes a connection, sends one line and emits the line that comes back.
    let connect: (_ line: String) -> AnyPublisher<String, any Error>
    /// What was seen last time, for when there is no connection.
    var cached: [LobbyTable] = []

    /// Asks anew for each subscriber, up to three times.
    func fetch(freeSeats: Int) -> some Publisher<[LobbyTable], any Error> {
        Just(LobbyRequest(freeSeats: freeSeats))
            .encode(encoder: JSONLines())
            .flatMap { line in Deferred { connect(line) }.subscribe(on: background) }
            .timeout(.seconds(5), scheduler: clock, customError: { LobbyFault.noAnswer })
            .decode(type: [LobbyTable].self, decoder: JSONLines())
            .tryMap { tables in
                guard tables.allSatisfy({ (0...7).contains($0.freeSeats) }) else { throw LobbyFault.impossibleSeats }
                return tables
            }
            .catch { Fail(error: $0).delay(for: .seconds(1), scheduler: clock) }
            .retry(2)
    }
}

/// What the views show. None of it fails.
extension LobbyFeed {
    func tables(freeSeats: Int) -> some Publisher<[LobbyTable], Never> {
        fetch(freeSeats: freeSeats).catch { _ in Just(cached) }
    }

    func banner(freeSeats: Int) -> some Publisher<String, Never> {
        fetch(freeSeats: freeSeats).map { "\($0.count) tables" }.replaceError(with: "offline")
    }
}

@Suite struct LobbyFeedExample {
    private static let blue = LobbyTable(name: "Blue", host: "anna", freeSeats: 3)
    private static let red = LobbyTable(name: "Red", host: nil, freeSeats: 1)
    private static let gold = LobbyTable(name: "Gold", host: "bert", freeSeats: 2)
    private static let list = #"[{"name":"Blue","host":"anna","freeSeats":3},{"name":"Red","freeSeats":1}]"#

    /// A server that treats one connection after another as the test says, and is silent when nothing is left of that.
    private final class FlakyServer {
        enum Treatment {
            case refuse
            case keepSilent
            case answer(String)
        }

        var treatments: [Treatment]
        var lines: [String] = []
        var givenUp = 0

        init(_ treatments: [Treatment]) {
            self.treatments = treatments
        }

        func connect(_ line: String) -> AnyPublisher<String, any Error> {
            lines.append(line)
            switch treatments.isEmpty ? .keepSilent : treatments.removeFirst() {
            case .refuse: return Fail(error: LobbyFault.refused).eraseToAnyPublisher()
            case .answer(let answer): return Just(answer).setFailureType(to: (any Error).self).eraseToAnyPublisher()
            case .keepSilent:
                return Empty(completeImmediately: false).handleEvents(receiveCancel: { self.givenUp += 1 })
                    .eraseToAnyPublisher()
            }
        }
    }

    private let clock = VirtualTimeScheduler()
    private var seconds: Int { clock.now.nanoseconds / 1_000_000_000 }

    private func feed(of server: FlakyServer, cached: [LobbyTable] = []) -> LobbyFeed<VirtualTimeScheduler> {
        LobbyFeed(clock: clock, background: clock, connect: server.connect, cached: cached)
    }

    @Test func connection_isMadeInTheBackground_withTheRequestEncoded() {
        let (server, background) = (FlakyServer([.answer(Self.list)]), VirtualTimeScheduler())
        let feed = LobbyFeed(clock: clock, background: background, connect: server.connect)
        let recording = Recording(of: feed.tables(freeSeats: 1))
        clock.advance()
        #expect(server.lines.isEmpty)
        background.advance()
        #expect(server.lines == [#"{"freeSeats":1}"#])
        clock.advance()
        #expect(recording.values == [[Self.blue, Self.red]])
    }

    @Test func silenceAndRefusal_areTriedAgain_eachASecondLater() {
        let server = FlakyServer([.keepSilent, .refuse, .answer(Self.list)])
        let recording = Recording(of: feed(of: server).tables(freeSeats: 1).map { "\(seconds) s: \($0.count) tables" })
        clock.advance(by: .seconds(5))
        #expect(server.givenUp == 1)
        #expect(server.lines.count == 1)
        clock.advance(by: .seconds(1))
        #expect(server.lines.count == 2)
        clock.run()
        #expect(server.lines.count == 3)
        #expect(recording.values == ["7 s: 2 tables"])
    }

    @Test func cachedTables_areShown_whenEveryAttemptFails() {
        let nonsense = #"[{"name":"Blue","freeSeats":99}]"#
        let server = FlakyServer([.answer(nonsense), .answer("no JSON"), .refuse])
        let recording = Recording(of: feed(of: server, cached: [Self.gold]).tables(freeSeats: 1))
        clock.run()
        #expect(recording.values == [[Self.gold]])
        #expect(server.lines.count == 3)
    }

    @Test(arguments: [true, false])
    func banner_saysHowManyTables_orThatThereIsNoConnection(isUp: Bool) {
        let server = FlakyServer(isUp ? [.answer(Self.list)] : [])
        let recording = Recording(of: feed(of: server).banner(freeSeats: 1))
        clock.run()
        #expect(recording.values == [isUp ? "2 tables" : "offline"])
    }
}
