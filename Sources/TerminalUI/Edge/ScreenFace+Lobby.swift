/// The list of tables on the screen.
extension ScreenFace {
    func enterLobby(_ reason: SafeText?, isAsked: Bool) {
        if lobby == nil { lobby = list }
        lobby?.interrupt(isAsked: isAsked, pause: session.options.listPause, at: session.loop.clock.now)
        if let reason { lobby?.notice = reason }
        drawSoon()
    }

    /// A list that has just been opened.
    var list: LobbyView {
        if case .watch = session.options.wish { LobbyView(prefersWatching: true) } else { LobbyView() }
    }

    // The list says why.
    func moveRefused() {}

    func leaveLobby() {
        lobby = nil
        drawSoon()
    }

    func askForPass(_ destination: TableMove.Destination, isWrong: Bool) {
        if lobby == nil { lobby = list }
        lobby?.ask(for: destination, isWrong: isWrong)
        drawSoon()
    }

    func pressInLobby(_ key: Key) {
        switch lobby?.press(key, view.client, at: session.loop.clock.now) {
        case .go(let destination)?: session.go(to: destination)
        case .back?:
            session.stay()
            leaveLobby()
        case .quit? where view.isInPlay:
            leaveLobby()
            askToLeave()
        case .quit?: session.leave()
        case .redraw?: redrawAll()
        case nil: break
        }
    }
}
