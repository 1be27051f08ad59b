/// The list of tables on the screen.
extension ScreenFace {
    func enterLobby(_ reason: SafeText?, isAsked: Bool) {
        if lobby == nil { lobby = LobbyView(openedAt: session.loop.clock.now) }
        if !isAsked { lobby?.interrupt() }
        if let reason { lobby?.notice = reason }
        drawSoon()
    }

    // The list says why.
    func moveRefused() {}

    func leaveLobby() {
        lobby = nil
        drawSoon()
    }

    func askForPass(_ destination: TableMove.Destination, isWrong: Bool) {
        if lobby == nil { lobby = LobbyView() }
        lobby?.ask(for: destination, isWrong: isWrong)
        drawSoon()
    }

    func pressInLobby(_ key: Key) {
        switch lobby?.press(key, view.client, at: session.loop.clock.now) {
        case .go(let destination)?: session.go(to: destination)
        case .back?:
            session.stay()
            leaveLobby()
        case .quit?: session.leave()
        case .redraw?: redrawAll()
        case nil: break
        }
    }
}
