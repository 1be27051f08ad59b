import ClientCore
import EventStreams
import Foundation
import Sockets
import Wire

/// One sentence per event, one command per line, and nothing drawn twice: a terminal's driver edits the line that is typed.
final class PlainFrontend: Frontend {
    unowned let session: TableSession
    private lazy var output = session.makeOutput { [weak self] in self?.written($0) }
    private let input: StandardInput
    private var framer = LineFramer(limit: WireLimits.requestBytes, reportsBlankLines: true)
    /// Asked at the start: a terminal that was closed is none.
    private let writesToTerminal: Bool
    /// Whether a chunk was read, and the next one was not asked for.
    private var owesMore = false
    private var subscriptions: [AnyCancellable] = []

    init(_ session: TableSession) {
        self.session = session
        writesToTerminal = isatty(session.terminal.output) == 1
        input = StandardInput(session.terminal.input)
    }

    func open() {
        input.bytes.receive(on: session.loop.queue).sink { [weak self] completion in
            guard let self else { return }
            // The last line may lack its line end.
            read([0x0A])
            if session.terminal.isTyped, session.terminal.isClosed { return session.terminalClosed() }
            guard case .failure(let failure) = completion else { return session.handle(.inputEnded(.end)) }
            session.handle(.inputEnded(.failed(Self.words(failure.number))))
        } receiveValue: { [weak self] in
            self?.read($0)
        }.store(in: &subscriptions)
        subscriptions.append(session.onSignal(SIGCONT) { [weak self] in self?.session.handle(.continued) })
        input.start()
    }

    func close() {
        subscriptions = []
        // A pipe's reader may be busy; a stopped terminal is not waited for.
        output.finish(within: isatty(session.terminal.output) == 1 ? 2000 : 10_000)
    }

    func send(_ text: String) { output.send(text) }

    func changed(by _: PlayerSession.Event, from _: PlayerSession) { readOn() }

    /// Reads more once all is carried out. Pauses a pipe whose output nobody reads.
    private func readOn() {
        let lines = session.player.lines
        guard owesMore, lines.ahead.isEmpty, lines.waiting.isEmpty, session.player.controls == .lines || output.isIdle else {
            return
        }
        owesMore = false
        input.more()
    }

    private func read(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { bytes in
            framer.append(bytes) {
                session.handle(.line(String(decoding: $0, as: UTF8.self)))
                return true
            }
        }
        guard session.player.controls == .lines || !framer.isOverLimit else { return session.handle(.inputEnded(.lineTooLong)) }
        owesMore = true
        readOn()
    }

    private func written(_ failure: Int32) {
        guard failure != 0 else { return readOn() }
        if writesToTerminal { return session.terminalClosed() }
        // 128 + SIGPIPE, as of every program whose reader has gone.
        guard failure != EPIPE else { return session.handle(.leave(.init(status: 141))) }
        session.handle(.leave(.init(status: 74, reason: "cannot write to standard output: \(Self.words(failure))")))
    }

    private static func words(_ number: Int32) -> SafeText { SafeText(String(cString: strerror(number))) }
}
