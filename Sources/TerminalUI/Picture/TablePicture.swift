import ClientCore
import ClientSession
import TableModel
import Wire

/// A table as a player sees it, made without a terminal. Deterministic.
public struct TablePicture {
    private let me: String
    private let table: String
    private let board = TableBoard(wording: Wording(suits: .symbols))
    private var view = ViewState()
    private var revision = 0

    /// - Parameters:
    ///   - me: the player's name.
    ///   - now: milliseconds since 1970.
    public init(me: String, table: String, now: Int64) {
        (self.me, self.table) = (me, table)
        view.client.link = .loggedIn
        view.client.hello = Hello(server: table, time: now, idleSeconds: 60)
        view.client.login = LoginReply(name: me, chips: 0)
    }

    /// Shows the next state of the table.
    public mutating func show(_ snapshot: TableSnapshot, now: Int64) {
        let old = view.client.snapshot
        revision += 1
        view.client.snapshot = snapshot
        view.client.position = TablePosition(table: table, epoch: "1", revision: revision)
        let change = TableChange(table: table, revision: revision, old: old, new: snapshot)
        board.show(change, me: me)
        let narrator = Narrator(me: me, wording: Wording(suits: .symbols))
        let news = old == nil ? [] : narrator.sentences(for: change, now: nil).filter(\.isNewsOnScreen)
        view.take(ClientUpdate(state: view.client, event: .table(change)), news)
        view.secondsLeft = view.deadline.map { SecondsLeft.of($0 - now) }
    }

    /// The last state as an SVG drawing.
    public func svg(columns: Int, rows: Int, settings: ClientSettings) -> String {
        let frame = Screen(view, board, size: ScreenSize(columns: columns, rows: rows)).frame
        return frame.svg(Palette(theme: settings.theme, depth: .truecolor, suits: settings.suits))
    }
}
