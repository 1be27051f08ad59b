import Wire

@testable import ServerCore

/// A player whose connections are cut anywhere, and who comes back and sends again what was not answered.
struct ChaosClient {
    enum Kind: String, CaseIterable { case bet, act, sitOut, login, watch }

    /// A request whose answer has not been received.
    struct Ask {
        let kind: Kind
        let id: String
        let line: [UInt8]
        var amount = 0
        /// Whether the server has read it on a connection that then ended.
        var mayHaveArrived = false
    }

    let name: String
    var seat = 0
    var connection: ConnectionID?
    /// Connections that are gone, which the server does not know yet.
    var ghosts: [ConnectionID] = []
    var framer = LineFramer(limit: WireLimits.requestBytes)
    var epoch = ""
    var revision = 0
    var pending: Ask?
    var asked = 0
    /// Whether a login was answered on this connection.
    var isLoggedIn = false
    /// When the last connection was cut on which it had logged in.
    var lostAt: Int64 = 0

    /// Requests answered with `ok`.
    var bets = 0
    var chipsBet = 0
    var decisions = 0
    /// Of requests that were refused when they were sent again: they had their effect before, or none.
    var lost = (bets: 0, chipsBet: 0, decisions: 0)
    /// Refusals by their codes.
    var refusals: [String: Int] = [:]

    init(_ name: String) { self.name = name }

    mutating func ask(_ kind: Kind, _ members: String, amount: Int = 0) -> Ask {
        asked += 1
        let id = "\(kind)\(asked)"
        return Ask(kind: kind, id: id, line: Array("{\"type\":\"\(kind)\",\"id\":\"\(id)\"\(members)}\n".utf8), amount: amount)
    }

    /// Keeps what a line tells.
    /// - Returns: what is wrong with it.
    mutating func hear(_ message: ServerMessage) -> String? {
        switch message {
        case .ok(_, .login(let login)):
            isLoggedIn = true
            if seat > 0, login.seats != [seat] { return "\(name) comes back to seats \(login.seats), not \(seat)" }
        case .ok(_, .sit(_, let seat, _, _)): self.seat = seat
        case .snapshot(_, let epoch, let revision, _, _): (self.epoch, self.revision) = (epoch, revision)
        case .diff(let from, let to, _, _, _):
            if from != revision { return "\(name) is at revision \(revision) and gets a diff from \(from)" }
            revision = to
        default: break
        }
        return nil
    }

    /// Takes the answer to the request that is open.
    mutating func take(_ answer: ServerMessage, to ask: Ask) {
        switch (answer, ask.kind) {
        case (.ok, .bet):
            bets += 1
            chipsBet += ask.amount
        case (.ok, .act): decisions += 1
        case (.error(let refusal), let kind):
            refusals[refusal.code, default: 0] += 1
            guard ask.mayHaveArrived else { return }
            if kind == .bet { (lost.bets, lost.chipsBet) = (lost.bets + 1, lost.chipsBet + ask.amount) }
            if kind == .act { lost.decisions += 1 }
        default: break
        }
    }
}
