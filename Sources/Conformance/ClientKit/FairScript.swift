import Fairness
import TableModel
import Wire

extension ClientKit {
    /// Judges a client that contributes to shoes, at an honest server or at one that cheats in one way.
    struct FairScript: Script {
        enum Trick {
            case none
            /// The closed list is shown without the client.
            case leftOut
            /// After the reveal another list is shown under the same commitment.
            case secondList
            /// A commitment that was used comes again.
            case repeatedCommitment
        }

        /// Milliseconds that a client has to do the wrong thing.
        private static let temptation: Int64 = 1_500

        private let trick: Trick
        private var declares = false
        /// The client's commitments, by the server's.
        private var commitments: [Digest: Digest] = [:]
        /// The lists that the client was shown, by their digests.
        private var lists: [Digest: [Contributor]] = [:]
        private var reveals: Set<ShoeSecret> = []
        /// The commitment of the server with which the client is tempted.
        private var bait: Digest?

        init(_ trick: Trick = .none) { self.trick = trick }

        var hope: String {
            guard declares else { return "a login with \"fair\":true, or two rounds without" }
            return switch trick {
            case .none: "a shoe with the client's contribution, and two rounds"
            case .leftOut: "a closed list"
            case .secondList: "a reveal"
            case .repeatedCommitment: "a shoe with the client's contribution"
            }
        }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch event {
            case .fromClient(let line, _, let number):
                guard let message = event.request else { return [.pass] }
                if let reason = judge(message, scene) {
                    return [.finish(.failed("line \(number) \(reason): " + Lines.shown(line)))]
                }
                if trick == .secondList, case .reveal = message, bait == nil { return showSecondList(scene) }
                return [.pass]
            case .fromServer(let line, let message, let before): return show(line, message, before, scene)
            // Playing on with a cheat is not asked of a client.
            case .alarm, .exited: return bait == nil ? [] : [.finish(.passed())]
            case .connected: return []
            }
        }

        // MARK: The client's requests

        private mutating func judge(_ message: ClientMessage, _ scene: Scene) -> String? {
            switch message {
            case .login(_, _, _, _, _, let contributes, _):
                declares = contributes
                return nil
            case .commit(let server, let commitment):
                guard declares else { return "commits without \"fair\":true in its login" }
                if let former = commitments[server], former != commitment { return "commits twice to one commitment" }
                if trick == .repeatedCommitment, server == bait { return "commits to a commitment that was used" }
                commitments[server] = commitment
                return nil
            case .reveal(let list, let secret): return judgeReveal(list, secret, scene)
            default: return nil
            }
        }

        private mutating func judgeReveal(_ digest: Digest, _ secret: ShoeSecret, _ scene: Scene) -> String? {
            guard declares else { return "reveals without \"fair\":true in its login" }
            guard let table = scene.peer.view?.table, let name = scene.peer.login?.name, let list = lists[digest] else {
                return "reveals under a list that was not shown"
            }
            guard let own = list.first(where: { $0.name == name })?.commitment else { return "reveals under a list without it" }
            // The shoe's number is not in a list: one of the few that can be meant.
            let shoes = (scene.peer.view?.snapshot.nextShoe?.shoe).map { [$0, $0 - 1, $0 - 32] } ?? []
            let isOwn = commitments.contains { server, commitment in
                commitment == own
                    && shoes.contains { secret.contribution(table: table, shoe: $0, player: name, to: server) == own }
            }
            guard isOwn else { return "reveals what it has not committed to" }
            if trick == .secondList, bait != nil, reveals.contains(secret) { return "reveals under a second list" }
            reveals.insert(secret)
            return nil
        }

        // MARK: Lines for the client

        private mutating func show(
            _ line: [UInt8], _ message: ServerMessage, _ before: ServerKit.Peer.View?, _ scene: Scene
        ) -> [Effect] {
            guard let view = scene.peer.view else { return [.pass] }
            guard declares else {
                return scene.rounds >= 2 ? [.pass, .finish(.skipped("the client does not contribute to shoes"))] : [.pass]
            }
            guard let next = view.snapshot.nextShoe else {
                return scene.rounds >= 2 ? [.pass, .finish(.skipped("the server behind the kit makes no ceremonies"))] : [.pass]
            }
            switch message {
            case .snapshot, .diff: break
            default: return [.pass]
            }
            if trick == .leftOut { return showWithoutTheClient(line, message, before, view, scene) }
            if case .revealing(let list) = next.stage { lists[list.listDigest(server: next.commitment)] = list }
            guard case .mixed(let list, let mixed, _) = next.stage, includes(list, mixed, scene) else {
                return hasContributed(view, scene) ? [.pass, .finish(.passed())] : [.pass]
            }
            if trick == .repeatedCommitment, bait == nil {
                bait = next.commitment
                let again = NextShoe(shoe: next.shoe, attempt: min(next.attempt + 1, 4), commitment: next.commitment)
                return [.pass, .show(snapshot(of: view, showing: again)), .wake(after: Self.temptation)]
            }
            return hasContributed(view, scene) ? [.pass, .finish(.passed())] : [.pass]
        }

        /// Whether the client's own contribution is in a mix.
        private func includes(_ list: Digest, _ mixed: MixedContributions, _ scene: Scene) -> Bool {
            guard let name = scene.peer.login?.name, let place = lists[list]?.firstIndex(where: { $0.name == name }) else {
                return false
            }
            return mixed.flags.indices.contains(place) && mixed.flags[place]
        }

        private func hasContributed(_ view: ServerKit.Peer.View, _ scene: Scene) -> Bool {
            guard trick == .none, scene.rounds >= 2, let fair = view.snapshot.fairShoe else { return false }
            return includes(fair.list, fair.mixed, scene)
        }

        private mutating func showSecondList(_ scene: Scene) -> [Effect] {
            guard let view = scene.peer.view, let next = view.snapshot.nextShoe, case .revealing(var list) = next.stage else {
                return [.pass]
            }
            bait = next.commitment
            list.append(Contributor(name: "late", commitment: SHA256.hash("late".utf8)))
            lists[list.listDigest(server: next.commitment)] = list
            var other = next
            other.stage = .revealing(list)
            return [.show(snapshot(of: view, showing: other)), .pass, .wake(after: Self.temptation)]
        }

        private mutating func showWithoutTheClient(
            _ line: [UInt8], _ message: ServerMessage, _ before: ServerKit.Peer.View?, _ view: ServerKit.Peer.View, _ scene: Scene
        ) -> [Effect] {
            guard let new = withoutTheClient(view.snapshot, scene) else { return [.pass] }
            var effects: [Effect] = []
            switch message {
            case .snapshot: effects = [.show(ServerMessage.snapshot(of: view, new))]
            case .diff(let from, let to, let check, _, _):
                guard let before, let old = withoutTheClient(before.snapshot, scene) else { return [.pass] }
                let diff = ServerMessage.diff(from: from, to: to, check: check.map { _ in new.check }, old.difference(to: new))
                effects = [.show(diff.encoded())]
            default: return [.pass]
            }
            if bait == nil, let next = new.nextShoe, case .revealing = next.stage {
                bait = next.commitment
                effects.append(.wake(after: Self.temptation))
            }
            return effects
        }

        /// The table with the client taken out of its list. Notes the list as shown.
        private mutating func withoutTheClient(_ table: TableSnapshot, _ scene: Scene) -> TableSnapshot? {
            guard var next = table.nextShoe, case .revealing(var list) = next.stage else { return table }
            list.removeAll { $0.name == scene.peer.login?.name }
            lists[list.listDigest(server: next.commitment)] = list
            next.stage = .revealing(list)
            return table.showing(next)
        }

        private func snapshot(of view: ServerKit.Peer.View, showing next: NextShoe) -> [UInt8] {
            ServerMessage.snapshot(of: view, view.snapshot.showing(next))
        }
    }
}

extension TableSnapshot {
    /// The table with another item `next`, if it has one.
    fileprivate func showing(_ next: NextShoe) -> TableSnapshot {
        TableSnapshot(entries.map { if case .nextShoe = $0 { .nextShoe(next) } else { $0 } })
    }
}

extension ServerMessage {
    /// A line with a table in place of the one of a view.
    fileprivate static func snapshot(of view: ServerKit.Peer.View, _ table: TableSnapshot) -> [UInt8] {
        ServerMessage.snapshot(table: view.table, epoch: view.epoch, revision: view.revision, table).encoded()
    }
}
