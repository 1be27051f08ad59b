import Foundation
import Sockets
import Synchronization
import Wire

extension ServerKit {
    /// A stage that is a real server: each connection is one over TCP. Waits block the calling thread, never the loop.
    public final class NetworkStage: Stage, @unchecked Sendable {  // the condition guards all state that two threads share
        // The connection and its framer are the loop's, the events are under the lock; the pace, like the stage's rate, is the one
        // thread's that plays.
        private final class Link: ConnectionHandler, @unchecked Sendable {
            let who: String
            /// nil after the last transcript, while the loop may still be stopping.
            weak var stage: NetworkStage?
            var connection: Connection?
            var framer = LineFramer(limit: WireLimits.eventBytes)
            var events: [Event] = []
            /// Requests that may be sent at once now, and since when.
            var allowance = 1.0
            var paced = Date()

            init(_ who: String, _ stage: NetworkStage) {
                self.who = who
                self.stage = stage
            }

            func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
                framer.append(bytes) { line in
                    stage?.add(.line(Array(line)), to: self)
                    return true
                }
                if framer.isOverLimit {
                    stage?.add(.line(Array(repeating: 0x20, count: WireLimits.eventBytes + 1)), to: self)
                    connection.abort()
                }
            }

            func connection(_ connection: Connection, endedBy reason: EndReason) { stage?.add(.closed, to: self) }
        }

        private let host: String
        private let port: Int
        private let loop = Loop(label: "bj.conform")
        private let condition = NSCondition()
        private var wires: [String: Link] = [:]
        private var rate = (requestsPerSecond: 20, burst: 60)

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        public var now: Int { Int(loop.now) }

        public func keep(requestsPerSecond: Int, burst: Int) { rate = (requestsPerSecond, burst) }

        public func connect(_ who: String) throws(Unreachable) {
            let wire = Link(who, self)
            let box = Mutex<Result<Void, SocketError>?>(nil)
            let done = DispatchSemaphore(value: 0)
            loop.perform { [self] in
                _ = Connector.connect(host: host, port: port, loop: loop) { result in
                    box.withLock { $0 = result.map { _ in } }
                    if case .success(let connection) = result {
                        wire.connection = connection
                        connection.handler = wire
                    }
                    done.signal()
                }
            }
            done.wait()
            if case .failure(let error) = box.withLock({ $0 }) { throw Unreachable(error.description) }
            wire.allowance = Double(rate.burst)
            condition.withLock { wires[who] = wire }
        }

        public func send(_ bytes: [UInt8], by who: String) {
            guard let wire = condition.withLock({ wires[who] }) else { return }
            pace(wire)
            loop.perform { wire.connection?.send(bytes) }
        }

        /// Waits as long as the server's limit on requests asks for.
        private func pace(_ wire: Link) {
            let second = Double(rate.requestsPerSecond)
            let earned = Date().timeIntervalSince(wire.paced) * second
            wire.allowance = min(Double(rate.burst), wire.allowance + earned)
            wire.paced = Date()
            if wire.allowance < 1 {
                // Nobody signals it: this is a pause.
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + (1 - wire.allowance) / second)
            }
            wire.allowance -= 1
        }

        public func cut(_ who: String) {
            guard let wire = condition.withLock({ wires.removeValue(forKey: who) }) else { return }
            loop.performAndWait {
                wire.connection?.handler = nil
                wire.connection?.abort()
            }
        }

        public func next(_ who: String, within milliseconds: Int) -> Event {
            condition.lock()
            defer { condition.unlock() }
            guard let wire = wires[who] else { return .closed }
            let deadline = Date(timeIntervalSinceNow: Double(milliseconds) / 1000)
            while wire.events.isEmpty {
                guard milliseconds > 0, condition.wait(until: deadline) else { return .silence }
            }
            // The end stays in the queue, for every later reader.
            return wire.events[0] == .closed ? .closed : wire.events.removeFirst()
        }

        private func add(_ event: Event, to wire: Link) {
            condition.withLock { wire.events.append(event) }
            condition.broadcast()
        }

        /// Ends the loop; afterwards nothing can be played.
        public func close() { loop.stop() }
    }
}
