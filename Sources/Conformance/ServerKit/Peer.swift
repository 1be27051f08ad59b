import CommandLineKit
import Foundation
import Sockets
import Synchronization
import TableModel
import Wire

extension ServerKit {
    /// A server's lines on one connection, judged on arrival: each is a message, each diff fits and leads to its check value,
    /// each change of the lobby too.
    struct Peer {
        /// A table as it is known.
        struct View: Equatable {
            let table: String
            let epoch: String
            var revision: Int
            var snapshot: TableSnapshot
        }

        var view: View?
        /// The requests by which somebody left a table here.
        private var lobby: (revision: Int, tables: [TableSummary])?
        /// The player logged in here.
        private(set) var login: LoginReply?
        private(set) var hello: Hello?
        var isOpen = true
        /// Patterns that may come before the next one that must.
        var optional: [Pattern] = []

        /// Why the server has broken the protocol.
        struct Breach: Error { let reason: String }

        /// Whether a message answers something; the others tell of something.
        static func isReply(_ message: ServerMessage) -> Bool {
            switch message {
            case .ok, .error, .hello, .bye: true
            case .snapshot, .diff, .lobby, .chat, .notice, .history, .chart, .unknown: false
            }
        }

        /// Takes a line.
        mutating func hear(_ line: [UInt8]) throws(Breach) -> ServerMessage {
            guard line.count <= WireLimits.eventBytes else { throw Breach(reason: "a line of \(line.count) bytes") }
            let message: ServerMessage
            do throws(ProtocolError) {
                message = try line.withUnsafeBufferPointer { line throws(ProtocolError) in try ServerMessage(line: line) }
            } catch {
                throw Breach(reason: "no message: \(error.message) \(String(decoding: line.prefix(300), as: UTF8.self))")
            }
            switch message {
            case .hello(let hello): self.hello = hello
            case .ok(let id, let reply): try took(reply, id)
            case .snapshot(let table, let epoch, let revision, let snapshot, _):
                view = View(table: table, epoch: epoch, revision: revision, snapshot: snapshot)
            case .diff(let from, let to, let check, let difference, let news):
                guard news == .none || login?.facts == true else { throw Breach(reason: "facts that nobody asked for") }
                try apply(from, to, check, difference)
            case .lobby(let change): try apply(change)
            default: break
            }
            return message
        }

        private mutating func took(_ reply: Reply, _ id: RequestID?) throws(Breach) {
            if case .applied(let type, let revision?) = reply { try check(revision, type) }
            switch reply {
            case .login(let login): self.login = login
            case .lobby(let revision, let total, let tables):
                // A truncated list cannot be followed.
                lobby = tables.count == total ? (revision, tables) : nil
            // Without a revision the table was left before.
            case .applied("leave", .some): view = nil
            case .done("logout"):
                view = nil
                login = nil
            default: break
            }
        }

        /// The effect of a request is in the current table, or in the next diff.
        private func check(_ revision: Int, _ type: String) throws(Breach) {
            guard let view, revision != view.revision, revision != view.revision + 1 else { return }
            throw Breach(reason: "the reply to \(type) names revision \(revision), and the table is at \(view.revision)")
        }

        private mutating func apply(_ from: Int, _ to: Int, _ check: UInt32?, _ difference: TableDifference) throws(Breach) {
            guard var view else { throw Breach(reason: "a diff without a table that it could apply to") }
            guard from == view.revision else {
                throw Breach(reason: "a diff from revision \(from), but the last one was \(view.revision)")
            }
            guard to > from else { throw Breach(reason: "a diff from revision \(from) to \(to)") }
            guard let next = try? view.snapshot.applying(difference) else {
                throw Breach(reason: "the diff to revision \(to) does not fit the table")
            }
            view.snapshot = next
            view.revision = to
            if let check, check != next.check {
                throw Breach(reason: "the table at revision \(to) has the check value \(next.check), not \(check)")
            }
            self.view = view
        }

        private mutating func apply(_ change: LobbyChange) throws(Breach) {
            guard let lobby else { return }
            guard change.from == lobby.revision else {
                throw Breach(reason: "a change of the lobby from \(change.from), but the last one was \(lobby.revision)")
            }
            guard let tables = change.applied(to: lobby.tables) else {
                throw Breach(reason: "the change of the lobby to \(change.to) does not fit")
            }
            self.lobby = (change.to, tables)
        }

        /// The visible table: each item by its name, and in `sections` the names of the items that lie together: `table`, `dealer`, `s1`, `h1.1`.
        var sight: JSONTree {
            guard let view else { return [:] }
            let line = ServerMessage.snapshot(table: view.table, epoch: view.epoch, revision: view.revision, view.snapshot)
            guard let whole = try? JSONTree(parsing: line.encoded()) else {
                preconditionFailure("what we encode is JSON")
            }
            let head = ["table", "epoch", "rev"].compactMap { key in whole[key].map { JSONTree.Member(key, $0) } }
            let sections = view.snapshot.sections.map { section in
                JSONTree.Member(section.text, .array(view.snapshot.entries(in: section).map { .string($0.item.wireName) }))
            }
            return .object(head + (whole["items"]?.members ?? []) + [.init("sections", .object(sections))])
        }
    }

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

extension TableSection {
    fileprivate var text: String {
        switch self {
        case .table: "table"
        case .dealer: "dealer"
        case .seat(let seat): "s\(seat)"
        case .hand(let hand): "h\(hand.seat).\(hand.number)"
        }
    }
}
