import Sockets
import Wire

/// The bytes of `nc` or `telnet` as lines: a value. Sequences of telnet (RFC 854, RFC 855) are dropped, as are controls; backspace edits.
struct CallerInput: Sendable {
    enum Event: Equatable, Sendable {
        case line(String)
        case notUTF8
        /// The connection is of no person: what follows is not read.
        case tooLong, json, webRequest
    }

    /// Bytes of a line.
    static let limit = 1024

    private enum Telnet { case text, command, option, subnegotiation, commandWithin }

    private var line: [UInt8] = []
    private var telnet = Telnet.text
    /// Telnet sends CR LF or CR NUL, `nc` LF.
    private var isAfterReturn = false

    mutating func take(_ byte: UInt8) -> Event? {
        switch (telnet, byte) {
        case (.text, 255): telnet = .command
        case (.text, _): return type(byte)
        // SB begins a subnegotiation; WILL, WONT, DO and DONT have an option behind them.
        case (.command, _): telnet = byte == 250 ? .subnegotiation : (251...254).contains(byte) ? .option : .text
        case (.option, _): telnet = .text
        case (.subnegotiation, 255): telnet = .commandWithin
        case (.subnegotiation, _): break
        case (.commandWithin, _): telnet = byte == 240 ? .text : .subnegotiation
        }
        return nil
    }

    private mutating func type(_ byte: UInt8) -> Event? {
        defer { isAfterReturn = byte == 0x0D }
        switch byte {
        case 0x0A where isAfterReturn: return nil
        case 0x0A, 0x0D: return end()
        case 0x08, 0x7F: while let last = line.popLast(), last & 0xC0 == 0x80 {}
        // The first byte of TLS.
        case 0x16: return .webRequest
        case 0..<0x20: break
        default:
            line.append(byte)
            if line.count > Self.limit { return .tooLong }
        }
        return nil
    }

    /// A web page has a browser send any lines behind `POST / HTTP/1.1` (RFC 9112, §3).
    private mutating func end() -> Event {
        defer { line = [] }
        if let last = line.last, (0x30...0x39).contains(last), line.suffix(9).starts(with: " HTTP/".utf8) { return .webRequest }
        guard let text = String(validating: line, as: UTF8.self) else { return .notUTF8 }
        return line.first { $0 != 0x20 } == UInt8(ascii: "{") ? .json : .line(text)
    }
}

/// A caller at the ``Door``: typed lines in, sentences in ASCII out, and what bounds both. Confined to the loop of its connection.
final class CallerFrontend: Frontend, ConnectionHandler {
    /// Lines of a caller.
    private static let rate = RateLimit.perSecond(5, burst: 20)
    static let limits = ConnectionLimits(outboundBytes: 64 * 1024, outboundStall: 20_000, inboundBytes: 4096)

    let connection: Connection
    /// nil once it has ended.
    private var session: TableSession?
    private var input = CallerInput()
    /// One chunk at most: no more is read before it is empty.
    private var unread: ArraySlice<UInt8> = []
    private var budget = TokenBucket()
    /// Whether the line that is read has been taken from the budget.
    private var hasPaid = false
    private var hasEnded = false
    /// Called once, when neither connection nor session is left.
    private let gone: () -> Void
    private lazy var reading = connection.loop.makeTimer { [weak self] in self?.read() }
    private lazy var deadline = connection.loop.makeTimer { [weak self] in
        self?.sendAway("A minute is over: call again when you know name and phrase.")
    }

    init(_ connection: Connection, gone: @escaping () -> Void) {
        (self.connection, self.gone) = (connection, gone)
        connection.apply(Self.limits)
        connection.handler = self
    }

    func start(_ options: TableSession.Options, patience: Int64) {
        let here = LoopConfined(self, on: connection.loop)
        session = TableSession.start(options, of: self) { here.value.ended($0) }
        deadline.arm(at: connection.loop.now + patience)
    }

    /// Whether the caller has a seat, which the end of the connection would cost others' time.
    var isSeated: Bool { session?.player.state.seats.isEmpty == false }

    /// Ends the session with a reason.
    func sendAway(_ reason: SafeText) { session?.handle(.leave(.init(status: 69, reason: reason))) }

    /// Makes room at once.
    func reset(_ reason: SafeText) {
        session?.handle(.closed(.init(status: 69, reason: reason)))
        connection.reset()
    }

    // MARK: Connection

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        connection.isReading = false
        unread += bytes
        read()
    }

    func connectionHasDrained(_ connection: Connection) { read() }

    /// The seat is given up: nobody else has the secret.
    func connection(_ connection: Connection, endedBy reason: EndReason) {
        hasEnded = true
        deadline.disarm()
        reading.disarm()
        if let session { session.handle(.leave(.init(status: 0))) } else { gone() }
    }

    /// Fairness: a line of each caller in turn. A caller who does not read is not read.
    private func read() {
        guard !connection.isCongested, let session, !session.player.isLeaving, !session.player.isOnTheWay else { return }
        let now = connection.loop.now
        while !unread.isEmpty {
            // Paid for in advance.
            if !hasPaid, case .refused(let wait) = budget.take(of: Self.rate, at: now) { return reading.arm(at: now + wait) }
            hasPaid = true
            guard let byte = unread.popFirst(), let event = input.take(byte) else { continue }
            hasPaid = false
            handle(event, session)
            return reading.arm(at: now)
        }
        connection.isReading = true
    }

    private func handle(_ event: CallerInput.Event, _ session: TableSession) {
        switch event {
        case .line(let line): session.handle(.line(line))
        case .notUTF8: send("That was not UTF-8: set your terminal to UTF-8, or type ASCII.\n")
        case .tooLong: sendAway("A line may have at most \(CallerInput.limit) bytes.")
        case .json: sendAway("This door is for people: the game's port is \(session.player.options.client.port).")
        case .webRequest: connection.abort()
        }
    }

    private func ended(_ ending: TableSession.Ending) {
        // Some nc wait for a key after the end.
        for line in ending.summaries + [ending.reason ?? "Ctrl-C ends nc."] { send(line.inASCII.text + "\n") }
        connection.close()
        // The session is at work in its own event.
        connection.loop.afterTick { [self] in
            session = nil
            if hasEnded { gone() }
        }
    }

    // MARK: Frontend

    func send(_ text: String) { connection.send(Array(text.replacing("\n", with: "\r\n").utf8)) }

    func changed(by _: PlayerSession.Event, from _: PlayerSession) {
        if session?.player.state.snapshot != nil { deadline.disarm() }
        if !connection.isReading, reading.deadline == nil { reading.arm(at: connection.loop.now) }
    }

    func open() {}
    func close() {}
}
