import ClientCore
import Rules
import TableModel
import Wire

@testable import TerminalUI

/// A list of five tables, and a player who looks at it.
struct LobbyScene {
    var view: ViewState
    var lobby = LobbyView()

    static func tables() throws -> [TableSummary] {
        let high = try HouseRules(preset: "downtown").with([("minimumBet", .integer(100)), ("maximumBet", .integer(5000))])
        return [
            TableSummary(name: "main", seats: 7, freeSeats: 5, players: ["ann", "bob"], watchers: 1, rules: HouseRules()),
            TableSummary(
                name: "european", seats: 7, freeSeats: 7, players: [], watchers: 0, rules: try HouseRules(preset: "european")),
            TableSummary(name: "high", seats: 7, freeSeats: 0, players: ["cid", "dee", "eve"], watchers: 0, rules: high),
            TableSummary(
                name: "private", seats: 7, freeSeats: 4, players: [], watchers: 2, rules: HouseRules(), isLocked: true),
            TableSummary(
                name: "low", seats: 5, freeSeats: 0, players: ["王 fay"], watchers: 0, rules: HouseRules(), isClosing: true),
        ]
    }

    /// - Parameter table: a scene whose table the player is at; nil for a player at no table.
    init(_ tables: [TableSummary]? = nil, at table: Scene? = nil) throws {
        view = table?.view ?? ViewState()
        view.client.link = .loggedIn
        view.client.login = LoginReply(name: "ann", chips: 1000)
        let login = LoginReply(name: "ann", chips: 1000)
        if table == nil { view.take(ClientUpdate(state: view.client, event: .reply(nil, .login(login))), []) }
        list(try tables ?? Self.tables())
    }

    mutating func list(_ tables: [TableSummary]) {
        view.client.lobby = tables
    }

    @discardableResult mutating func press(_ key: Key) -> LobbyView.Intent? { lobby.press(key, view.client) }

    @discardableResult mutating func type(_ text: String) -> [LobbyView.Intent?] {
        text.unicodeScalars.map { press(.character($0)) }
    }

    func frame(_ columns: Int, _ rows: Int, awaited: TableMove.Destination? = nil) -> Frame {
        LobbyScreen(lobby, view, awaited: awaited, size: ScreenSize(columns: columns, rows: rows)).frame
    }
}
