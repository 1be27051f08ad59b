import TableEngine

/// The proofs that closed tables of one name have left.
package struct FormerProofs: Equatable, Sendable {
    /// Tables whose proofs are kept.
    package static let mostTables = 16
    /// Proofs of a name: as many as one table leaves, its last shoes and the coming one.
    static let mostProofs = 9

    package internal(set) var table = ""
    /// Whether one of these tables had a pass phrase: their proofs are for contributors only.
    package internal(set) var isLocked = false
    /// In the order in which the tables closed; see `Table.proofsLeft`.
    package internal(set) var proofs: [ProvenShoe] = []
}

extension [FormerProofs] {
    /// Keeps the proofs of a table that closes, behind those of tables of the same name.
    package mutating func keep(_ proofs: [ProvenShoe], of table: String, isLocked: Bool) {
        guard !proofs.isEmpty else { return }
        let index = firstIndex { $0.table == table }
        var kept = index.map { remove(at: $0) } ?? FormerProofs(table: table)
        // Proofs of a table with a pass phrase stay locked under a table without.
        kept.isLocked = kept.isLocked || isLocked
        kept.proofs = (kept.proofs + proofs).suffix(FormerProofs.mostProofs)
        if count == FormerProofs.mostTables { removeFirst() }
        append(kept)
    }
}

extension FormerProofs: Coded {
    static var blank: Self { Self() }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.text("former", &table)
        try coder.flag("locked", &isLocked)
        try coder.list("proofs", &proofs)
    }
}
