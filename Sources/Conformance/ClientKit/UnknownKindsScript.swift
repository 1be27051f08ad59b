import TableModel
import Wire

extension ClientKit {
    /// Adds sections and items of kinds that no version has: they come, change, move and go, and every check value includes them.
    ///
    /// The additions depend on the revision alone, so a client may resume from any revision that it was shown.
    struct UnknownKindsScript: Script {
        /// The last revision whose check value the client was shown on this connection.
        private var checkedRevision: Int?

        var hope: String { "four rounds at a table with unknown sections and items" }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch event {
            case .connected:
                checkedRevision = nil
                return []
            case .fromServer(let line, let message, let before):
                return show(line, message, before, scene) + (scene.rounds >= 4 ? [.finish(.passed())] : [])
            case .fromClient(let line, _, let number):
                switch event.request {
                case .watch, .resume:
                    guard let checkedRevision else { return [.pass] }
                    let reason = "asks for the table after a right check value, which includes unknown kinds"
                    return [.finish(.failed("line \(number) \(reason), at revision \(checkedRevision): " + Lines.shown(line)))]
                default: return [.pass]
                }
            case .exited: return [.finish(.failed("\(scene.ending) at sections and items of unknown kinds"))]
            case .alarm: return []
            }
        }

        private mutating func show(
            _ line: [UInt8], _ message: ServerMessage, _ before: ServerKit.Peer.View?, _ scene: Scene
        ) -> [Effect] {
            switch message {
            case .snapshot(let table, let epoch, let revision, let snapshot, let chat):
                guard let wider = Self.extended(snapshot, revision) else { return [.pass] }
                return [
                    .show(
                        ServerMessage.snapshot(table: table, epoch: epoch, revision: revision, wider, chat: chat).encoded())
                ]
            case .diff(let from, let to, let check, _):
                guard let before, let view = scene.peer.view, let old = Self.extended(before.snapshot, from),
                    let new = Self.extended(view.snapshot, to)
                else { return [.pass] }
                if check != nil { checkedRevision = to }
                let diff = ServerMessage.diff(from: from, to: to, check: check.map { _ in new.check }, old.difference(to: new))
                return [.show(diff.encoded())]
            default: return [.show(line)]
            }
        }

        /// The table with what a later version might show at this revision.
        private static func extended(_ table: TableSnapshot, _ revision: Int) -> TableSnapshot? {
            guard let weather = OtherName("weather".utf8), let sky = OtherName("sky".utf8),
                let wind = OtherName("wind.speed".utf8),
                let tip = OtherName("tipJar".utf8)
            else { return nil }
            var sections = table.structure.sectionIdentifiers.map { ($0, table.entries(in: $0)) }
            let blows = TableEntry.other(wind, "[\(revision),{\"from\":\"Zo\u{eb}\"},null,1.5]")
            // The jar comes and goes, the wind moves between sections, and the weather's section moves to the end.
            if revision % 3 > 0 { sections[0].1.append(.other(tip, "{\"chips\":\(revision / 3),\"of\":[]}")) }
            if revision % 5 < 2 { sections[0].1.insert(blows, at: 0) }
            var entries = [TableEntry.other(sky, revision % 2 == 0 ? "\"clear\"" : "true")]
            if revision % 5 >= 2 { entries.append(blows) }
            sections.insert((.other(weather), entries), at: revision % 4 < 2 ? 1 : sections.count)
            return try? TableSnapshot(sections)
        }
    }
}
