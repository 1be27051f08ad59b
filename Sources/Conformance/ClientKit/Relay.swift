import Sockets
import Wire

extension ClientKit {
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
        /// Where the client asks to resume from, in order, until each is answered.
        var resumes: [(epoch: String, revision: Int)] = []
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
        func ask(_ bytes: [UInt8], hasReply: Bool, isOwn: Bool) {
            if hasReply { waiting.append(isOwn) }
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
