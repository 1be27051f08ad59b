import Fairness
import Records
import TableEngine

/// The result of a search for a proof.
public enum ProofFinding: Equatable, Sendable {
    case found(ShoeProof)
    /// The shoe is one of 32 of a ceremony: its proof is that of the first of them, which has this number.
    case inProof(ofShoe: Int)
    /// The table is there; the shoe's secret was not revealed in the history that is kept.
    case noProof
    /// No table of this name is in the history that is kept.
    case noTable
}

extension DataSnapshot {
    /// Makes the proof of a shoe at a table again from the journal.
    /// - Parameters:
    ///   - shoe: its number, with continuous shuffling that of the first of 32.
    ///   - name: of the table. Of several tables with this name, the last one that had this shoe.
    public func proof(ofShoe shoe: Int, at name: String) throws(RecoveryError) -> ProofFinding {
        var state = beginning ?? SavedState(house: state.house)
        var finding = ProofFinding.noTable
        func look() {
            guard let table = state.tables[name]?.table else { return }
            if let proof = table.proof(ofShoe: shoe) {
                finding = .found(proof)
            } else if let first = table.proofs.last(where: { $0.proof.shoe < shoe })?.proof.shoe, table.rules.continuousShuffle,
                shoe < first + ShoeRules.roundsOfCeremony
            {
                if case .found = finding { return }
                finding = .inProof(ofShoe: first)
            } else if finding == .noTable {
                finding = .noProof
            }
        }
        // Of tables that closed before the history that is kept.
        if let former = state.formerProofs.last(where: { $0.table == name }) {
            finding = former.proofs.last { $0.proof.shoe == shoe }.map { .found($0.proof) } ?? .noProof
        }
        look()
        try lines { line, place throws(RecoveryError) in
            do throws(ReplayError) {
                try state.apply(line: line, at: place)
            } catch {
                throw .replay(error)
            }
            // Most lines are other tables', or of rounds: a look at the last 8 proofs is all that they cost.
            look()
        }
        return finding
    }
}
