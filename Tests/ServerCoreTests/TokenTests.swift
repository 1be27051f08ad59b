import TableModel
import Testing

@testable import ServerCore

/// What lets a player in again whose connection was lost.
struct TokenTests {
    private let server = VirtualServer.small()

    /// Logs ann in over a new connection; the token of the answer, or nil for a refusal.
    private func logIn(_ connection: ConnectionID, _ token: String? = nil) -> String? {
        server.connect(connection)
        _ = server.take(connection)
        server.receive("{\"type\":\"login\",\"name\":\"ann\"\(token.map { ",\"token\":\"\($0)\"" } ?? "")}", from: connection)
        return server.take(connection).lazy.compactMap { $0.firstMatch(of: /"token":"([0-9a-f]*)"/)?.1 }.last.map(String.init)
    }

    @Test func howeverManyAnswersAreLostInARow_theTokenThatThePlayerHasLetsHimIn() throws {
        let first = try #require(logIn(1))
        for connection in ConnectionID(2)..<6 { #expect(logIn(connection, first) != nil, "login \(connection)") }
    }

    @Test func aTokenWhoseAnswerArrived_isGoodAgain_whenTheNextAnswerIsLost() throws {
        let first = try #require(logIn(1))
        let second = try #require(logIn(2, first))
        #expect(logIn(3, second) != nil)
        #expect(logIn(4, first) == nil, "He has shown the second, so the first is spent.")
        #expect(logIn(5, second) != nil)
    }

    @Test func aTokenIsSpent_onceThePlayerHasSaidAnythingMore() throws {
        let first = try #require(logIn(1))
        let second = try #require(logIn(2, first))
        server.receive(#"{"type":"ping"}"#, from: 2)
        #expect(logIn(3, first) == nil)
        #expect(logIn(4, second) != nil)
    }
}
