import ClientCore
import Referee
import TableModel
import Wire

/// One player's connection to the server under test. Confined to the run's thread.
final class CrashPeer {
    enum Stage: Equatable {
        /// Not connected until then, in microseconds.
        case away(until: Int64)
        case connecting
        case loggingIn
        case watching
        /// Has the table, and waits for the others where all come together.
        case watched
        /// Sends requests again.
        case repeating
        case playing
    }

    /// Lines kept for a failure, the last ones.
    private static let kept = 24

    let index: Int
    var player: CrashPlayer
    var stage = Stage.away(until: 0)
    /// The time of the next move, in microseconds.
    var wake: Int64 = 0
    /// Requests to send again, in their order.
    var repeats: [(request: Request, wasAnswered: Bool)] = []
    /// Contributes to shoes and verifies them, across restarts.
    var shoes = ShoeWatch(contributes: true)
    var contributions: SeededContributions
    /// Requests of ``shoes`` without an answer.
    var shoeRequests: [RequestID: ClientMessage] = [:]
    /// The part of the table that ``shoes`` saw last.
    var shownShoes = ShownShoes()
    private(set) var transcript: [String] = []
    private var socket: RawSocket?
    private var framer = LineFramer(limit: 1 << 20)
    private var outbound: [UInt8] = []

    init(index: Int, player: CrashPlayer, seed: UInt64) {
        self.index = index
        self.player = player
        contributions = SeededContributions(seed: seed ^ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// The part of a table that decides whether a watch has to see it.
    struct ShownShoes: Equatable {
        var epoch = ""
        var fair: FairShoe?
        var next: NextShoe?
        /// The round, once it is settled.
        var settled: Int?
    }

    /// nil without a connection.
    var descriptor: Int32? { socket?.descriptor }

    var hasOutput: Bool { !outbound.isEmpty }

    /// - Returns: false when the system has no socket left.
    func connect(to address: RawSocket.Address) -> Bool {
        socket = RawSocket(address)
        framer = LineFramer(limit: 1 << 20)
        outbound = []
        stage = .connecting
        note("-- connects")
        return socket != nil
    }

    func close() {
        if socket != nil { note("-- disconnected") }
        socket = nil
        outbound = []
        repeats = []
    }

    func send(_ request: Request) {
        let line = request.encoded()
        note("> " + String(decoding: line.dropLast(), as: UTF8.self))
        outbound += line
        flush()
    }

    func flush() {
        guard !outbound.isEmpty, case .done(let count)? = socket?.write(outbound[...]) else { return }
        outbound.removeFirst(count)
    }

    /// Reads available lines.
    /// - Returns: false once the connection has ended.
    func read(_ onLine: (UnsafeBufferPointer<UInt8>) -> Void) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let outcome = buffer.withUnsafeMutableBytes { socket?.read(into: $0) ?? .ended }
            switch outcome {
            case .wait: return true
            case .ended: return false
            case .done(let count):
                buffer.withUnsafeBytes { bytes in
                    _ = framer.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { line in
                        note("< " + String(decoding: line, as: UTF8.self))
                        onLine(line)
                        return true
                    }
                }
            }
        }
    }

    private func note(_ line: String) {
        transcript.append(String(line.prefix(600)))
        if transcript.count > Self.kept { transcript.removeFirst() }
    }
}
