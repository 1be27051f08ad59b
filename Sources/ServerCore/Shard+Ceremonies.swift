import Fairness
import TableEngine
import Wire

/// Contributions to shoes, and their proofs.
extension Shard {
    /// Closed tables whose proofs are kept.
    static let formerTablesProved = 16

    func commit(_ contribution: Digest, to server: Digest, _ session: Session) throws -> Answer {
        let account = try account(session)
        guard let table = account.table else { throw Rejection.notSeated }
        let command = Command.commit(
            player: account.id, name: session.loginName, server: server, contribution: contribution)
        try perform(command, at: table, now)
        return Answer(.done("commit")) { [self] in publish(table) }
    }

    func reveal(_ contribution: ShoeSecret, under list: Digest, _ session: Session) throws -> Answer {
        let account = try account(session)
        guard let table = account.table else { throw Rejection.notSeated }
        try perform(.reveal(player: account.id, list: list, contribution: contribution), at: table, now)
        return Answer(.done("reveal")) { [self] in publish(table) }
    }

    /// The proof of a shoe at the named table, by default the one at which the player sits, or which the session watches.
    func proof(ofShoe shoe: Int?, at name: String?, _ session: Session) throws(RequestRefusal) -> ShoeProof {
        let account = try account(session)
        if let name, let proofs = formerProofs.first(where: { $0.table == name })?.proofs,
            directory.index(ofTable: name) == nil
        {
            guard let proof = shoe == nil ? proofs.last : proofs.last(where: { $0.shoe == shoe }) else { throw .noProof }
            return proof
        }
        guard let table = try find(name, for: account) ?? account.table ?? session.watching else { throw .noTableNamed }
        // The names of contributors are those of players, which a table with a pass phrase does not show.
        guard table.pass == nil || account.table === table || session.watching === table else { throw .wrongPass }
        guard let proof = table.engine.proof(ofShoe: shoe) else { throw .noProof }
        return proof
    }

    /// Keeps a closed table's proofs: its players can still ask for them.
    func keepProofs(of table: HostedTable) {
        let proofs = table.engine.proofs
        guard !proofs.isEmpty, table.pass == nil else { return }
        formerProofs.removeAll { $0.table == table.name }
        if formerProofs.count == Self.formerTablesProved { formerProofs.removeFirst() }
        formerProofs.append((table.name, proofs))
    }
}
