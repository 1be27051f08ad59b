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
    /// - Parameter commitment: the server's for the shoe; finds that of a closed table, also where another one has its name.
    func proof(
        ofShoe shoe: Int?, madeFor commitment: Digest?, at name: String?, _ session: Session
    ) throws(RequestRefusal) -> ShoeProof {
        let account = try account(session)
        // The names of contributors are those of players, which a table with a pass phrase shows to nobody else.
        func hasContributed(to shoe: ProvenShoe) -> Bool { shoe.contributors.contains(account.id) }
        let named = name ?? account.table?.name ?? session.watching?.name
        if let commitment, let former = formerProofs.first(where: { $0.table == named }),
            let proven = former.proofs.last(where: { $0.proof.commitment == commitment })
        {
            guard !former.isLocked || hasContributed(to: proven) else { throw .noProof }
            return proven.proof
        }
        if let name, let former = formerProofs.first(where: { $0.table == name }), directory.index(ofTable: name) == nil {
            // Of a commitment that is none of its shoes there is no proof.
            let proven =
                commitment != nil ? nil : shoe == nil ? former.proofs.last : former.proofs.last { $0.proof.shoe == shoe }
            guard let proven, !former.isLocked || hasContributed(to: proven) else { throw .noProof }
            return proven.proof
        }
        guard let table = try find(name, for: account) ?? account.table ?? session.watching else { throw .noTableNamed }
        let proven =
            if let commitment { table.engine.proofsLeft.last { $0.proof.commitment == commitment } } else {
                table.engine.proven(shoe: shoe)
            }
        let isPresent = account.table === table || session.watching === table
        guard table.pass == nil || isPresent || proven.map(hasContributed) == true else { throw .wrongPass }
        guard let proven else { throw .noProof }
        return proven.proof
    }

    /// Keeps a closed table's proofs: its players can still ask for them.
    func keepProofs(of table: HostedTable) {
        formerProofs.keep(table.engine.proofsLeft, of: table.name, isLocked: table.pass != nil)
    }
}
