import ClientCore
import Rules
import TableModel
import TestKit
import Wire

@testable import TableEngine
@testable import TerminalUI

/// A real table with a stacked shoe, and what a client sees of it. Players are called by their seats: ann, bob, cid, dee, eve, fay, guy.
struct Scene {
    static let names = ["ann", "bob", "cid", "dee", "eve", "fay", "guy"]

    private(set) var table: Table
    private(set) var snapshot: TableSnapshot
    /// The owner's items.
    var evening: [TableEntry] = []
    private(set) var view: PlayerSession
    private let animator = TableAnimator()
    var board: TableBoard { animator.board }
    /// What was done and what was told, as a session reads.
    private(set) var transcript = ""
    /// What was told by the last step.
    private(set) var told: [Sentence] = []
    /// The last change.
    private(set) var change: TableChange?
    private let me: String
    private let name: String
    /// Names of the players, by their seats.
    private let players: [Int: String]
    private var now: Int64 = 1_000_000
    private var revision = 0
    private var teller: FactTeller

    init(
        _ changes: [(String, RuleValue)] = [], me: String = "ann", chips: [Int: Int] = [1: 1000, 2: 1000], cards: String,
        pace: Int = 3000, bank: Int = 86_400_000, controls: PlayerSession.Controls = .keys
    ) throws {
        let players = Dictionary(uniqueKeysWithValues: chips.keys.map { ($0, Self.names[$0 - 1]) })
        let table = Table(rules: try HouseRules().with(changes), pace: Pace(settledMilliseconds: pace, bankMilliseconds: bank))
        try self.init(table, players, chips: chips, me: me, name: "main", shoe: 1, controls: controls) { shoe in
            shoe.shuffle(.seeded(99), number: 1)
            for (index, text) in cards.split(separator: " ").enumerated() {
                guard let card = Card(String(text)) else { preconditionFailure("\(text) is no card") }
                shoe.order[shoe.drawn + index] = card
            }
        }
    }

    /// A table of the default rules whose cards follow from a seed.
    init(_ name: String, players: [Int: String], me: String, seed: UInt64) throws {
        let table = Table(rules: HouseRules(), pace: Pace())
        try self.init(table, players, chips: players.mapValues { _ in 1000 }, me: me, name: name, shoe: seed) { _ in }
    }

    private init(
        _ empty: Table, _ players: [Int: String], chips: [Int: Int], me: String, name: String, shoe seed: UInt64,
        controls: PlayerSession.Controls = .keys, stack: (inout Shoe) -> Void
    ) throws {
        view = PlayerSession(.init(host: "", port: 0, name: .given(me)), controls)
        (table, self.players, self.me, self.name) = (empty, players, me, name)
        for (seat, amount) in chips.sorted(by: { $0.key < $1.key }) {
            let profile = PlayerProfile(name: players[seat] ?? "")
            var facts = FactList()
            try table.perform(
                .sit(player: PlayerID(UInt32(seat)), profile: profile, seat: seat, chips: amount),
                at: Timestamp(milliseconds: now), into: &facts)
        }
        var facts = FactList()
        try table.perform(.supplyShoe(.seeded(seed)), at: Timestamp(milliseconds: now), into: &facts)
        stack(&table.state.core.shoe)
        snapshot = TableSnapshot(table)
        teller = FactTeller(table)
        view.state.link = .loggedIn
        view.state.hello = Hello(server: "test", time: now, idleSeconds: 60)
        view.state.login = LoginReply(name: me, chips: 0)
        take(old: nil)
    }

    /// Bob is asked, after ann.
    static func playing(annHits: Bool = false) throws -> Scene {
        var scene = try Scene(me: "bob", cards: "9H 8S KD 7D 10C 5C 3S 2C")
        try scene.bet(1, 10)
        try scene.bet(2, 25)
        if annHits { try scene.act(1, .hit) }
        try scene.stand(1)
        return scene
    }

    /// Does something at the table, as the player in a seat.
    mutating func step(_ label: String, _ commands: Command...) throws {
        for command in commands {
            var facts = FactList()
            try table.perform(command, at: Timestamp(milliseconds: now), into: &facts)
            let asker: PlayerID? = if case .sitOut(let player, true) = command { player } else { nil }
            teller.note(facts.facts, sittingOut: asker)
        }
        let old = snapshot
        snapshot = TableRows(table, evening: evening).snapshot
        transcript += "> \(label)\n"
        take(old: old)
    }

    /// Time goes on: to the deadline that runs.
    mutating func wait() throws {
        now = table.deadline?.milliseconds ?? now
        try step("(time passes)", .tick)
    }

    /// Advances time by milliseconds.
    mutating func wait(_ milliseconds: Int64) throws {
        now += milliseconds
        try step("(\(milliseconds) ms pass)", .tick)
    }

    mutating func bet(_ seat: Int, _ amount: Int) throws {
        try step("\(players[seat] ?? ""): bet \(amount)", .bet(player: PlayerID(UInt32(seat)), seat: nil, amount: amount))
    }

    mutating func act(_ seat: Int, _ action: Action) throws {
        try step(
            "\(players[seat] ?? ""): \(action.name)",
            .act(player: PlayerID(UInt32(seat)), action: action, seat: seat, hand: nil, amount: nil))
    }

    /// A legal action of the seat that is asked; nil when the round is over, or nobody is asked.
    func randomDecision(_ generator: inout SeededGenerator) -> (seat: Int, action: Action)? {
        guard snapshot.round?.phase.isInPlay == true, let seat = snapshot.seats.first(where: { snapshot.choice($0) != nil }),
            let action = snapshot.choice(seat)?.options.randomElement(using: &generator)?.action
        else { return nil }
        return (seat, action)
    }

    mutating func stand(_ seats: Int...) throws { for seat in seats { try act(seat, .stand) } }

    private mutating func take(old: TableSnapshot?) {
        revision += 1
        let change =
            old.map { old in
                TableChange(
                    table: name, revision: revision, from: old, by: old.difference(to: snapshot), to: snapshot,
                    news: .facts(teller.facts))
            } ?? TableChange(table: name, revision: revision, old: nil, new: snapshot)
        teller.clear()
        self.change = change
        told = Narrator(me: me, wording: Wording(hasKeys: false)).sentences(for: change, now: now)
        for sentence in told { transcript += "\(sentence.text)\n" }
        let position = TablePosition(table: name, epoch: "e", revision: revision)
        update(.table(change)) { [snapshot] in ($0.snapshot, $0.position) = (snapshot, position) }
        // Scenes begin with an empty log.
        if old == nil { view.screen.log = MessageLog() }
        if case .changed(_, let difference) = change.origin { board.apply(difference) } else { board.show(snapshot, me: me) }
    }

    /// Looks at each moment of the last change on its way, with its time.
    func eachMoment(
        left: Int64? = nil, behind log: MessageLog? = nil, _ look: (Scene, _ time: Int64, _ isMoving: Bool) throws -> Void
    ) throws {
        guard let change, let old = change.old else { return }
        var (scene, now) = (self, 0 as Int64)
        animator.board.show(old, me: me)
        animator.show(change, me: me, behind: log ?? view.log, at: now, left: left)
        while true {
            scene.view = animator.drawn(view)
            try look(scene, now, animator.nextChange != nil)
            guard let time = animator.nextChange else { break }
            now = time
            animator.advance(to: now)
        }
    }

    /// Changes what does not come from the table.
    mutating func edit(_ change: (inout PlayerSession) -> Void) { change(&view) }

    /// Something else happens to the client.
    @discardableResult mutating func update(
        _ event: ClientEvent, _ change: (inout ClientState) -> Void = { _ in }
    ) -> [PlayerSession.Effect] {
        var state = view.state
        change(&state)
        return handle(.update(ClientUpdate(state: state, event: event)))
    }

    @discardableResult mutating func handle(_ event: PlayerSession.Event, after milliseconds: Int64 = 0) -> [PlayerSession.Effect]
    {
        now += milliseconds
        return view.handle(event, at: now)
    }

    func frame(_ columns: Int, _ rows: Int) -> Frame {
        Screen(view, board, size: ScreenSize(columns: columns, rows: rows)).frame
    }

    /// Whether a key has no effect but an answer.
    func refuses(_ key: Key) -> Bool { if case .refuse? = KeyMap(view).intent(for: key) { true } else { false } }

    mutating func press(_ key: Key) -> Intent? {
        defer { enter(key) }
        return KeyMap(view).intent(for: key)
    }

    @discardableResult mutating func enter(_ key: Key) -> [PlayerSession.Effect] { view.press(key, at: now) }
}

extension PlayerSession {
    @discardableResult mutating func press(_ key: Key, at now: Int64) -> [Effect] {
        KeyMap(self).intent(for: key).map { handle(.intent($0), at: now) } ?? []
    }
}

extension TableSummary {
    static func of(_ owner: String?, _ name: String = "main") -> Self {
        Self(name: name, seats: 7, freeSeats: 5, players: [], watchers: 0, rules: HouseRules(), owner: owner)
    }
}

/// The sentences about an event that is not the table's.
/// - Parameters:
///   - old: the client before it.
///   - new: the client after it; nil for the same.
func told(
    _ event: ClientEvent, from old: ClientState = ClientState(), to new: ClientState? = nil, hasKeys: Bool = false,
    muted: MuteList = MuteList()
) -> [String] {
    LinkNarrator(wording: Wording(hasKeys: hasKeys), muted: muted)
        .sentences(from: old, to: ClientUpdate(state: new ?? old, event: event)).map(\.text.text)
}
