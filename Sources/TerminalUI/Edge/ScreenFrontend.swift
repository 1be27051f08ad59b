import ClientCore
import Dispatch
import EventStreams
import Foundation
import Sockets
import TableModel
import Wire

/// The full-screen frontend: keys in, frames out.
final class ScreenFrontend: Frontend {
    unowned let session: TableSession
    private let animator = TableAnimator()
    /// Until the next part of a change.
    private lazy var animationTimer = session.loop.makeTimer { [weak self] in self?.animate() }
    private let terminal: Terminal
    private let input: StandardInput
    private var parser = KeyParser()
    /// The frame on the terminal; nil when unknown.
    private var shown: Frame?
    private var size: ScreenSize
    /// Of the terminal, as set last; nil when unknown.
    private var title: String?
    private var subscriptions: [AnyCancellable] = []
    /// Until a pending sequence ends: see ``KeyParser/timeout``.
    private lazy var silenceTimer = session.loop.makeTimer { [weak self] in self?.wasSilent() }
    private lazy var foregroundTimer = session.loop.makeTimer { [weak self] in _ = self?.takeTerminal() }
    private var isOpen = false
    /// True when the terminal took the last frame too slowly for the latest state.
    private var isBehind = false
    private lazy var output = session.makeOutput { [weak self] in self?.written($0) }
    /// Coalesces all updates already queued into one frame.
    private lazy var redrawing = session.loop.makeTurn { [weak self] in self?.draw() }

    init(_ session: TableSession) {
        self.session = session
        terminal = session.terminal
        input = StandardInput(terminal.input)
        size = terminal.size
    }

    func open() {
        guard takeTerminal() else {
            return session.handle(.closed(.init(status: 69, reason: "standard input or output is not a terminal")))
        }
        subscriptions = [
            session.onSignal(SIGWINCH) { [weak self] in self?.resized() },
            session.onSignal(SIGTSTP) { [weak self] in self?.suspend() },
            session.onSignal(SIGCONT) { [weak self] in self?.resume() },
        ]
        input.bytes.receive(on: session.loop.queue).sink(
            // A raw terminal has no other end.
            receiveCompletion: { [weak self] _ in self?.session.terminalClosed() },
            receiveValue: { [weak self] in
                self?.typed($0)
                // Later keys are for the program that follows in the terminal.
                if self?.session.player.isLeaving == false { self?.input.more() }
            }
        ).store(in: &subscriptions)
        input.start()
    }

    func close() {
        isOpen = false
        subscriptions = []
        input.stop()
        output.finish(within: 500)
        terminal.close()
    }

    private func typed(_ bytes: [UInt8]) {
        silenceTimer.disarm()
        for key in parser.feed(bytes) { press(key) }
        if let timeout = parser.timeout { silenceTimer.arm(at: session.loop.clock.now + timeout) }
    }

    private func wasSilent() { for key in parser.flush() { press(key) } }

    /// A key means what the screen offers: one pressed while the table moves ends that, and decides nothing that is not asked yet.
    private func press(_ key: Key) {
        let intent = KeyMap(animator.drawn(session.player)).intent(for: key)
        animator.finish()
        armAnimation()
        if let intent { session.handle(.intent(intent)) }
        redrawing.request()
    }

    func send(_ text: String) { output.send(text) }

    func changed(by event: PlayerSession.Event, from former: PlayerSession) {
        if case .update(let update) = event { follow(update, former.log) }
        if case .intent(.redraw) = event { shown = nil }
        redrawing.request()
    }

    private func draw() {
        guard isOpen else { return }
        // A terminal that takes nothing gets the latest state later, and no queue of frames.
        isBehind = !output.isIdle
        guard !isBehind else { return }
        let player = animator.drawn(session.player)
        let frame =
            player.join.map { JoinScreen(view: $0, player: player, size: size).frame }
            ?? player.lobby.map { LobbyScreen(lobby: $0, view: player, size: size).frame }
            ?? Screen(player, animator.board, size: size).frame
        let title = player.isAwaited ? "Your turn - blackjack" : "Blackjack"
        let drawing = frame.drawing(over: shown, for: session.capabilities) + retitled(title)
        shown = frame
        if !drawing.isEmpty { output.send(drawing) }
    }

    /// The sequence for another title (OSC 2). The console of Linux has none, and old ones would print it.
    private func retitled(_ title: String) -> String {
        guard title != self.title, session.player.options.environment["TERM"] != "linux" else { return "" }
        self.title = title
        return "\u{1B}]2;\(title)\u{7}"
    }

    private func written(_ failure: Int32) {
        if failure != 0 { session.terminalClosed() } else if isBehind { draw() }
    }

    private func resized() {
        (size, shown) = (terminal.size, nil)
        session.handle(.sized(hasRoomForChart: Screen.hasRoomForChart(size)))
        draw()
    }

    /// Control-Z: restores the terminal, then stops the process with the default action.
    private func suspend() {
        isOpen = false
        output.finish(within: 500)
        terminal.close()
        session.signals.stop()
    }

    private func resume() {
        session.handle(.continued)
        // Also after a stop without Control-Z: the shell has set modes of its own.
        _ = takeTerminal()
    }

    /// Enters raw mode and draws. In the background the terminal is another process's, and the game goes on without it: looks again each half
    /// second, since a shell's `fg` sends no signal to a job that runs.
    /// - Returns: false when it is no terminal.
    private func takeTerminal() -> Bool {
        isOpen = terminal.isForeground
        guard isOpen else {
            foregroundTimer.arm(at: session.loop.clock.now + 500)
            return true
        }
        isOpen = terminal.open()
        (size, shown, title) = (terminal.size, nil, nil)
        session.handle(.sized(hasRoomForChart: Screen.hasRoomForChart(size)))
        redrawing.request()
        return isOpen
    }

    // MARK: Animation

    private func follow(_ update: ClientUpdate, _ former: MessageLog) {
        let (state, now) = (update.state, session.loop.clock.now)
        if case .table(let change) = update.event {
            let left = isAnimated ? change.new.clock.map { $0.deadline - state.clockOffset - now } : 0
            let beat = session.player.screen.result?.isBig == true ? 2 * TableAnimator.draw : TableAnimator.draw
            animator.show(change, me: session.player.me, behind: former, at: now, left: left, beat: beat)
        } else if state.snapshot == nil {
            animator.clear()
        }
        armAnimation()
    }

    /// A screen without colours may belong to a reader that reads every change aloud.
    private var isAnimated: Bool {
        let player = session.player
        return player.options.settings.motion && session.capabilities.hasColors && player.join == nil && player.lobby == nil
            && player.panel == .table
    }

    private func animate() {
        animator.advance(to: session.loop.clock.now)
        armAnimation()
        redrawing.request()
    }

    /// No timer is armed while nothing moves.
    private func armAnimation() {
        if let next = animator.nextChange { animationTimer.arm(at: next) } else { animationTimer.disarm() }
    }
}

extension Sentence {
    /// False for what the table or a panel shows.
    var isNewsOnScreen: Bool {
        switch kind {
        case .shown, .result, .prompt: isNews
        case .sum, .table, .closing, .link, .refusal, .chat, .ownChat, .host, .answer, .alarm: true
        }
    }
}
