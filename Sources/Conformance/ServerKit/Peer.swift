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
        private var left: Set<RequestID> = []
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
            case .snapshot, .diff, .lobby, .chat, .notice, .history, .statement, .chart, .ping, .note, .unknown: false
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
            case .diff(let from, let to, let check, let difference): try apply(from, to, check, difference)
            case .lobby(let change): try apply(change)
            default: break
            }
            return message
        }

        private mutating func took(_ reply: Reply, _ id: RequestID?) throws(Breach) {
            if case .applied(let type, let revision) = reply, revision.epoch == nil { try check(revision.number, type) }
            switch reply {
            case .login(let login): self.login = login
            case .lobby(let revision, let total, let tables):
                // A truncated list cannot be followed.
                lobby = tables.count == total ? (revision, tables) : nil
            case .applied("leave", _):
                // The first answer again is no news.
                if let id, !left.insert(id).inserted { return }
                view = nil
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

        /// The visible table: each item by its name, and the sections with their items' names.
        var sight: Pattern {
            guard let view else { return .object([], isOpen: false) }
            let line = ServerMessage.snapshot(table: view.table, epoch: view.epoch, revision: view.revision, view.snapshot)
            guard let whole = try? Pattern(String(decoding: line.encoded().dropLast(), as: UTF8.self)) else {
                preconditionFailure("what we encode is JSON")
            }
            var members: [Pattern.Member] = ["table", "epoch", "rev"].compactMap { key in
                whole[key].map { Pattern.Member(key: key, value: $0) }
            }
            var sections: [Pattern.Member] = []
            for section in whole["sections"]?.elements ?? [] {
                let items = section.elements[1].elements
                sections.append(
                    .init(key: section.elements[0].string ?? "", value: .array(items.map { $0.elements[0] }, isOpen: false)))
                members += items.map { .init(key: $0.elements[0].string ?? "", value: $0.elements[1]) }
            }
            return .object(members + [.init(key: "sections", value: .object(sections, isOpen: false))], isOpen: false)
        }
    }
}
