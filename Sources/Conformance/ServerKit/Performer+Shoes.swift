import Fairness
import TableModel

/// Contributing to shoes.
extension ServerKit.Performer {
    /// Gives names to what `next` shows, and to two contributions of a player with their commitments.
    func reckon(_ who: String) throws {
        guard let view = peers[who]?.view, let player = peers[who]?.login?.name else { throw Stop.fail("\(who) sees no table") }
        guard let next = view.snapshot.nextShoe else { throw Stop.skip("the shoes of \(view.table) are made without ceremonies") }
        variables["server"] = .text(next.commitment.base64)
        variables["shoe"] = .number(String(next.shoe))
        if case .revealing(let contributors) = next.stage {
            variables["list"] = .text(contributors.listDigest(server: next.commitment).base64)
        }
        for (name, tag) in [("contribution", "commitment"), ("other", "other_commitment")] {
            // Another one for each commitment of the server's, and the same whenever it is asked for.
            let digest = SHA256.hash("\(name) of \(player) to \(next.commitment.base64)".utf8)
            guard let secret = ShoeSecret(digest.bytes) else { preconditionFailure("a digest has as many bytes as a secret") }
            let commitment = secret.contribution(table: view.table, shoe: next.shoe, player: player, to: next.commitment)
            variables["\(who)_\(name)"] = .text(secret.base64)
            variables["\(who)_\(tag)"] = .text(commitment.base64)
        }
    }
}
