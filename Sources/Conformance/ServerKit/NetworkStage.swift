import Foundation
import Sockets
import Synchronization
import Wire

extension ServerKit {
    /// A stage that is a real server: each connection is one over TCP. Waits block the calling thread, never the loop.
    public final class NetworkStage: Stage {
        /// The events of a connection, from the loop to the thread that plays.
        private final class Inbox: Sendable {
            private let events = Mutex<[Event]>([])
            private let arrivals = DispatchSemaphore(value: 0)

            func add(_ event: Event) {
                events.withLock { $0.append(event) }
                arrivals.signal()
            }

            /// The next event, or silence after a time in milliseconds.
            func next(within milliseconds: Int) -> Event {
                let deadline = DispatchTime.now() + .milliseconds(milliseconds)
                while true {
                    let event = events.withLock { events -> Event? in
                        // The end stays, for every later reader.
                        guard let first = events.first, first != .closed else { return events.first }
                        return events.removeFirst()
                    }
                    if let event { return event }
                    guard milliseconds > 0, arrivals.wait(timeout: deadline) == .success else { return .silence }
                }
            }
        }

        /// The loop's side of a connection. Confined to the loop.
        private final class Peer: ConnectionHandler {
            let inbox: Inbox
            private(set) var connection: Connection?
            private var framer = LineFramer(limit: WireLimits.eventBytes)

            init(_ inbox: Inbox) { self.inbox = inbox }

            func take(_ connection: Connection) {
                self.connection = connection
                connection.handler = self
            }

            func cut() {
                connection?.handler = nil
                connection?.abort()
            }

            func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
                framer.append(bytes) { line in
                    inbox.add(.line(Array(line)))
                    return true
                }
                if framer.isOverLimit {
                    inbox.add(.line(Array(repeating: 0x20, count: WireLimits.eventBytes + 1)))
                    connection.abort()
                }
            }

            func connection(_ connection: Connection, endedBy reason: EndReason) { inbox.add(.closed) }
        }

        /// The playing thread's side of a connection.
        private struct Link {
            let inbox: Inbox
            let peer: LoopConfined<Peer>
            /// Requests that may be sent at once at `paced`.
            var allowance: Double
            var paced = Date()
        }

        private let host: String
        private let port: Int
        private let loop = Loop(label: "bj.conform")
        private var links: [String: Link] = [:]
        private var rate = (requestsPerSecond: 20, burst: 60)

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        public var now: Int { Int(loop.now) }

        public func keep(requestsPerSecond: Int, burst: Int) { rate = (requestsPerSecond, burst) }

        public func connect(_ who: String) throws(Unreachable) {
            let inbox = Inbox()
            let peer = LoopConfined(sending: Peer(inbox), on: loop)
            let box = Mutex<Result<Void, SocketError>?>(nil)
            let done = DispatchSemaphore(value: 0)
            peer.perform { [host, port, loop] peer in
                _ = Connector.connect(host: host, port: port, loop: loop) { result in
                    box.withLock { $0 = result.map { _ in } }
                    if case .success(let connection) = result { peer.take(connection) }
                    done.signal()
                }
            }
            done.wait()
            if case .failure(let error) = box.withLock({ $0 }) { throw Unreachable(error.description) }
            links[who] = Link(inbox: inbox, peer: peer, allowance: Double(rate.burst))
        }

        public func send(_ bytes: [UInt8], by who: String) {
            guard let link = links[who] else { return }
            links[who] = paced(link)
            link.peer.perform { $0.connection?.send(bytes) }
        }

        /// Waits as long as the server's limit on requests asks for.
        private func paced(_ link: Link) -> Link {
            var link = link
            let second = Double(rate.requestsPerSecond)
            let earned = Date().timeIntervalSince(link.paced) * second
            link.allowance = min(Double(rate.burst), link.allowance + earned)
            link.paced = Date()
            if link.allowance < 1 {
                // Nobody signals it: this is a pause.
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + (1 - link.allowance) / second)
            }
            link.allowance -= 1
            return link
        }

        public func cut(_ who: String) { links.removeValue(forKey: who)?.peer.performAndWait { $0.cut() } }

        public func next(_ who: String, within milliseconds: Int) -> Event {
            links[who]?.inbox.next(within: milliseconds) ?? .closed
        }

        /// Ends the loop; afterwards nothing can be played.
        public func close() { loop.stop() }
    }
}
