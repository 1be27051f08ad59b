import Fairness
import Records
import TableEngine
import Wire

/// Contributions to shoes, and their proofs.
extension Shard {
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
    /// - Parameter commitment: finds the shoe of a closed table, also where another one has its name.
    func proof(
        ofShoe shoe: Int?, madeFor commitment: Digest?, at name: String?, _ session: Session
    ) throws(RequestRefusal) -> ShoeProof {
        let account = try account(session)
        // The names of contributors are those of players, which a table with a pass phrase shows to nobody else.
        func hasContributed(to proof: ShoeProof) -> Bool {
            account.digest != nil && proof.contributions.contains { $0.name == session.loginName }
        }
        let named = name ?? account.table?.name ?? session.watching?.name
        if let commitment, let former = formerProofs.first(where: { $0.table == named }),
            let proof = former.proofs.last(where: { $0.commitment == commitment })
        {
            guard !former.isLocked || hasContributed(to: proof) else { throw .noProof }
            return proof
        }
        if let name, let former = formerProofs.first(where: { $0.table == name }), directory.index(ofTable: name) == nil {
            let proof = shoe == nil ? former.proofs.last : former.proofs.last { $0.shoe == shoe }
            guard let proof, !former.isLocked || hasContributed(to: proof) else { throw .noProof }
            return proof
        }
        guard let table = try find(name, for: account) ?? account.table ?? session.watching else { throw .noTableNamed }
        let proof = table.engine.proof(ofShoe: shoe)
        let isPresent = account.table === table || session.watching === table
        guard table.pass == nil || isPresent || proof.map(hasContributed) == true else { throw .wrongPass }
        guard let proof else { throw .noProof }
        return proof
    }

    /// Keeps a closed table's proofs: its players can still ask for them.
    func keepProofs(of table: HostedTable) {
        formerProofs.keep(table.engine.proofsLeft, of: table.name, isLocked: table.pass != nil)
    }
}
