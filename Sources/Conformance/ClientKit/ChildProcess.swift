import CommandLineKit
import Foundation
import Sockets
import Synchronization
import Wire

extension ClientKit {
    /// A command in a process group of its own, with its last output.
    final class ChildProcess: Sendable {
        private struct Output {
            var bytes: [UInt8] = []
            var isCut = false
        }

        /// Bytes of its output that are kept, the last ones.
        private static let kept = 8192

        private let process: SpawnedProcess
        private let output = Mutex(Output())
        private let ending = Mutex<SpawnedProcess.Ending?>(nil)

        /// Starts a command through `/bin/sh`, with nothing to read.
        init(_ command: String) throws(ServerKit.Unreachable) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw ServerKit.Unreachable("cannot make a pipe") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let words = ["-c", command]
            guard let process = SpawnedProcess("/bin/sh", words, output: ends[1], errors: ends[1], leadsGroup: true) else {
                for end in ends { close(end) }
                throw ServerKit.Unreachable("cannot start /bin/sh")
            }
            self.process = process
            close(ends[1])
            let source = ends[0]
            // A thread, since a pipe is read in no loop of ours; it ends with the last process that holds the other end.
            DetachedThread.start { [self] in read(source) }
        }

        private func read(_ source: Int32) {
            var chunk = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = Foundation.read(source, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                output.withLock { output in
                    output.bytes += chunk[..<count]
                    let excess = output.bytes.count - Self.kept
                    guard excess > 0 else { return }
                    output.bytes.removeFirst(excess)
                    output.isCut = true
                }
            }
            close(source)
        }

        /// How it has ended; nil while it runs.
        var ended: SpawnedProcess.Ending? {
            ending.withLock { ending in
                ending = ending ?? process.poll()
                return ending
            }
        }

        /// Ends it, and every process of its group.
        func kill() {
            // The group outlives its first process as long as one of its processes runs.
            _ = Foundation.kill(-process.id, SIGKILL)
            ending.withLock { ending in
                guard ending == nil else { return }
                process.wait()
                ending = .signal(SIGKILL)
            }
        }

        /// The last lines that it has printed, fit for a terminal.
        func lastLines(_ count: Int) -> [String] {
            let (bytes, isCut) = output.withLock { ($0.bytes, $0.isCut) }
            let lines = bytes.split(separator: UInt8(ascii: "\n"))
            return lines.dropFirst(isCut ? 1 : 0).suffix(count).map { Lines.shown($0.last == 0x0D ? $0.dropLast() : $0) }
        }
    }

    /// Lines that a server could say, made of its own. Each has its end, also where several are one after the other.
    enum Lines {
        /// Changes a line of the server; the line comes and goes with its end.
        typealias Change = @Sendable ([UInt8], ServerMessage) -> [UInt8]

        /// A field in front of all others and one behind them.
        static func withUnknownFields(_ line: [UInt8]) -> [UInt8] {
            let front = "{\"x-later\":{\"deep\":[{\"a\":null},[1,-2.5e3,\"\\u00e9\"]],\"type\":\"error\"},"
            let back = ",\"x-new\":[true,{\"to\":\"login\"}]}\n"
            return Array(front.utf8) + line.dropFirst().dropLast(2) + Array(back.utf8)
        }

        static let unknownMessages = Array(
            """
            {"type":"x-weather","sky":["clear",{"wind":3}],"id":1,"to":"bet","code":"none"}
            {"text":"soon","at":1.5e3,"type":"x-tournament"}

            """.utf8)

        /// Chat, placed behind a change of the table.
        static let withTalk: Change = { line, message in
            switch message {
            case .snapshot, .diff:
                line
                    + ServerMessage.chat(
                        ChatLine(sequence: 1, name: "Zo\u{eb}", text: "\u{a1}Ol\u{e9}! \u{4f60}\u{597d} \u{1f0a1}", time: 1)
                    )
                    .encoded()
            default: line
            }
        }

        static func hello(_ line: [UInt8], _ message: ServerMessage, _ change: (inout Hello) -> Void) -> [UInt8] {
            guard case .hello(var hello) = message else { return line }
            change(&hello)
            return ServerMessage.hello(hello).encoded()
        }

        static func replacing(_ part: String, with other: String, in line: [UInt8]) -> [UInt8] {
            Array(String(decoding: line, as: UTF8.self).replacing(part, with: other).utf8)
        }

        static func refusal(
            of request: Request?, _ code: String, _ message: String, retryAfter: Int? = nil, versions: ClosedRange<Int>? = nil,
            isRetryable: Bool = false, isFatal: Bool = false
        ) -> [UInt8] {
            ServerMessage.error(
                Refusal(
                    id: request?.id, type: request?.type, code: code, message: message, retryAfter: retryAfter,
                    versions: versions, isRetryable: isRetryable, isFatal: isFatal)
            ).encoded()
        }

        static func goodbye(_ code: String, _ message: String) -> [UInt8] {
            ServerMessage.bye(code: code, message: message).encoded()
        }

        /// Text of the client for a terminal: without control and format characters, shortened.
        static func shown(_ bytes: some Sequence<UInt8>, upTo limit: Int = 160) -> String {
            Console.visible(String(decoding: Array(bytes.prefix(limit * 4)), as: UTF8.self), upTo: limit, keeping: [])
        }
    }

    /// Brings bytes to a client in the way that a scenario asks for. Confined to its loop.
    final class DeliveryQueue {
        /// Bound of the backlog, in bytes.
        private static let limit = 4 << 20

        private let connection: Connection
        private let delivery: Delivery
        private var waiting: [UInt8] = []
        private var sent = 0
        private var pieces = 0
        private var timer: LoopTimer?

        init(_ connection: Connection, _ delivery: Delivery) {
            self.connection = connection
            self.delivery = delivery
            timer = connection.loop.makeTimer { [weak self] in self?.goOn() }
        }

        func send(_ bytes: [UInt8]) {
            guard delivery != .atOnce else { return connection.send(bytes) }
            guard waiting.count - sent + bytes.count <= Self.limit else { return connection.abort() }
            waiting += bytes
            arm()
        }

        func close() { timer?.disarm() }

        private func arm() {
            let pause: Int64 =
                switch delivery {
                case .atOnce: 0
                case .pieces(_, let every): every
                case .gathered(let every): every
                }
            if timer?.deadline == nil, sent < waiting.count { timer?.arm(at: connection.loop.now + pause) }
        }

        private func goOn() {
            var count = waiting.count - sent
            if case .pieces(let sizes, _) = delivery {
                count = min(count, sizes[pieces % sizes.count])
                pieces += 1
            }
            connection.send(Array(waiting[sent..<sent + count]))
            sent += count
            if sent == waiting.count { (waiting, sent) = ([], 0) }
            arm()
        }
    }

    /// One connection of the client, and the one to the real server behind it. Confined to its loop.
    final class Relay {
        /// Handler of one side, so that the two sides can be told apart.
        final class Side: ConnectionHandler {
            private let received: (UnsafeRawBufferPointer) -> Void
            private let ended: () -> Void

            init(received: @escaping (UnsafeRawBufferPointer) -> Void, ended: @escaping () -> Void) {
                self.received = received
                self.ended = ended
            }

            func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) { received(bytes) }
            func connection(_ connection: Connection, endedBy reason: EndReason) { ended() }
        }

        /// Longest line read of a client, in bytes; the limit of `hello` is judged.
        static let lineLimit = 64 * 1024

        let number: Int
        let client: Connection
        let queue: DeliveryQueue
        var server: Connection?
        var clientSide: Side?
        var serverSide: Side?
        var connector: Connector?
        var fromClient = LineFramer(limit: lineLimit)
        var fromServer = LineFramer(limit: WireLimits.eventBytes)
        /// Everything the server has sent.
        var peer = ServerKit.Peer()
        /// The limits that the client knows.
        var limits = Hello.Limits()
        private var hasHello = false
        /// Requests that came before the connection to the server.
        private var early: [UInt8] = []
        /// Requests without a reply, in order; true for the kit's own.
        private var waiting: [Bool] = []
        /// The tables that the client knows, of each `watch` and `sit`, in order, until it is answered.
        var known: [KnownTable] = []
        /// Whether the client can still be reached.
        var isOpen = true

        init(_ number: Int, _ client: Connection, _ delivery: Delivery) {
            self.number = number
            self.client = client
            queue = DeliveryQueue(client, delivery)
        }

        var unanswered: Int { waiting.count }

        func show(_ bytes: [UInt8]) {
            if !hasHello, let line = bytes.split(separator: UInt8(ascii: "\n")).first,
                case .hello(let hello)? = try? line.withUnsafeBufferPointer({ try ServerMessage(line: $0) })
            {
                (hasHello, limits) = (true, hello.limits)
            }
            queue.send(bytes)
        }

        /// - Parameter isOwn: whether it is the kit's own request, whose reply is shown to nobody.
        func ask(_ bytes: [UInt8], isOwn: Bool) {
            waiting.append(isOwn)
            if let server { server.send(bytes) } else { early += bytes }
        }

        func connected(_ server: Connection) {
            self.server = server
            server.send(early)
            early = []
        }

        /// Counts a reply. True for one that is shown to nobody.
        func takesReply() -> Bool { waiting.isEmpty ? false : waiting.removeFirst() }

        /// Ends both sides at once.
        func cut() {
            isOpen = false
            queue.close()
            client.abort()
            dropServer()
        }

        /// Closes the client's side once everything is sent, the server's at once.
        func hangUp() {
            isOpen = false
            client.close()
            dropServer()
        }

        func dropServer() {
            connector?.cancel()
            connector = nil
            server?.handler = nil
            server?.abort()
            server = nil
        }
    }
}
