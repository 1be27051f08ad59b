import ClientCore
import TableModel

/// Motion between clock and screen.
extension ScreenFace {
    /// A screen without colours may belong to a reader that reads every change aloud.
    private var isPaced: Bool {
        session.settings.motion && look.hasColors && dialog == nil && lobby == nil && view.panel == .table
    }

    /// Sets a changed table in motion.
    /// - Parameter news: the change in words.
    /// - Returns: sentences to tell at once.
    func paced(_ change: TableChange, _ news: [Sentence]) -> [Sentence] {
        guard isPaced else { return motion.finish() + news }
        let settling: Int64 =
            switch (change.new.phase, change.new.clock?.deadline) {
            case (.settled, let deadline?): deadline - session.client.loop.clock.now - session.state.clockOffset
            case (.settled, nil): Motion.longestDealer
            default: 0
            }
        return motion.take(change, news, at: session.loop.clock.now, settling: settling)
    }

    /// A key or a decision ends all motion: the player has seen enough.
    func finishMotion() {
        guard motion.isMoving else { return }
        tell(motion.finish())
        drawSoon()
    }

    func asksBeforeLeaving() -> Bool {
        finishMotion()
        guard dialog == nil, view.isOnline, view.isInPlay, !view.asksToQuit else { return false }
        leaveLobby()
        askToLeave()
        return true
    }

    /// Prepares the picture of this moment. No timer is armed while nothing moves.
    func showMotion() {
        let now = session.loop.clock.now
        tell(motion.advance(to: now))
        board.veil = motion.veil(at: now)
        if let next = motion.nextChange(after: now) { motionTimer.arm(at: next) } else { motionTimer.disarm() }
    }
}
