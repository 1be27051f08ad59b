import Fairness
import Records
import TableEngine

extension DataSnapshot {
    /// The proof of a shoe at a table, made again from the journal; nil if its secret was not revealed in the history that is kept.
    /// - Parameters:
    ///   - shoe: its number, with continuous shuffling that of the first of 32.
    ///   - name: of the table. Of several tables with this name, the last one that had this shoe.
    public func proof(ofShoe shoe: Int, at name: String) throws(RecoveryError) -> ShoeProof? {
        var state = beginning ?? SavedState(house: state.house)
        var proof = state.tables[name]?.table.proof(ofShoe: shoe)
        try lines { line, place throws(RecoveryError) in
            do throws(ReplayError) {
                try state.apply(line: line, at: place)
            } catch {
                throw .replay(error)
            }
            // Most lines are other tables', or of rounds: a look at the last proof is all that they cost.
            if let last = state.tables[name]?.table.proof(ofShoe: shoe) { proof = last }
        }
        return proof
    }
}
