import ClientCore
import Rules
import TableModel
import TestKit
import Testing
import Wire

@testable import TableEngine
@testable import TerminalUI

/// A session as a text: `> ` begins what happens, and the lines below it are what the player then sees and the client sends.
///
/// The client's machine and the player's session are the real ones, and so is the table; the server around it is a few lines here. Time is
/// advanced by hand. The screen is shown by the rows that have changed.
struct Screenplay {
    struct Misread: Error, CustomStringConvertible {
        let description: String
    }

    /// Plays a script, of which only what happens is read.
    /// - Returns: the script with what follows from it.
    static func play(_ script: String) throws -> String {
        var play = Screenplay()
        var text: [String] = []
        for line in script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            guard line.hasPrefix("> ") else {
                if line.isEmpty || line.hasPrefix("#") { text.append(line) }
                continue
            }
            do {
                try play.step(String(line.dropFirst(2)))
            } catch {
                throw Misread(description: "\(line): \(error)")
            }
            text += [line] + play.output
            play.output = []
        }
        return text.joined(separator: "\n")
    }

    private var output: [String] = []
    private var player = PlayerSession(.init(host: "localhost", port: 2121, name: .given("ann")), .keys)
    private var machine = ClientMachine(options: SessionOptions(name: nil))
    private let animator = TableAnimator()
    private var size: ScreenSize?
    private var shown: [String] = []
    private var now: Int64 = 1_000_000
    private var tickAt: Int64?
    private var requests: [Int: PlayerSession.Request] = [:]

    // MARK: What happens

    /// `3x` before an event has it three times, `%` is its number then.
    private mutating func step(_ text: String) throws {
        let count = text.split(separator: "x ", maxSplits: 1).first.flatMap { Int($0) }
        let event = count == nil ? text : String(text[text.index(after: text.firstIndex(of: " ") ?? text.startIndex)...])
        for number in 1...(count ?? 1) {
            let words = event.replacing("%", with: "\(number)").split(separator: " ", omittingEmptySubsequences: false)
            try happen(words.map(String.init))
            serveAll()
        }
        try showScreen()
    }

    private mutating func happen(_ words: [String]) throws {
        let rest = words.dropFirst().joined(separator: " ")
        switch words[0] {
        case "screen": try start(.keys, words.dropFirst().filter { !$0.isEmpty })
        case "lines": try start(.lines, words.dropFirst().filter { !$0.isEmpty })
        case "pipe": try start(.pipe, words.dropFirst().filter { !$0.isEmpty })
        case "table": try openTable(rest)
        case "tables":
            lobby = try Self.tables()
            lobby[0].owner = rest.isEmpty ? nil : rest
        case "nowhere":
            // The session before has ended with its server.
            self = Screenplay()
        case "norebuys": givesRebuys = false
        case "refuses": refusedNames[words[1]] = words[2]
        case "interrupt": handle(.interrupted)
        case "continued": handle(.continued)
        case "closed": handle(.closed(.init(status: 0)))
        case "key": for name in words.dropFirst() { press(try Self.key(name)) }
        case "type": for scalar in rest.unicodeScalars { press(.character(scalar)) }
        case "paste":
            press(
                .paste(
                    rest.replacing("\\n", with: "\n").replacing("\\r", with: "\r").replacing("\\t", with: "\t").replacing(
                        "\\e", with: "\u{1B}")))
        case "line": handle(.line(rest))
        case "end": handle(.inputEnded(.end))
        case "time": try advance(rest)
        case "server": receive(Array(rest.utf8))
        case "answer": try answer(rest)
        case "silent": isSilent = true
        case "answers": isSilent = false
        case "deaf": isDeaf = true
        case "hears": isDeaf = false
        case "cut":
            (asked, isConnected) = ([], false)
            perform(machine.connectionLost(.connection(rest.isEmpty ? "cut" : rest), at: now))
        case "name":
            let known: [String: NameAvailability] = [
                "free": .free, "own": .own, "taken": .taken, "elsewhere": .elsewhere(house: "5e", server: "old.example:2121"),
            ]
            handle(.availability(of: player.join?.name ?? "", known[rest] ?? .refused(rest)))
        case "say": handle(.said(Sentence(.shown, SafeText(rest, columns: 400))))
        case "frame": output += try frame(Self.size(rest)).map { "  │\($0)" }
        case "seat":
            let id = PlayerID(Int(words[1]) ?? 0)
            let profile = PlayerProfile(name: words.dropFirst(2).joined(separator: " "), isBot: words[2] == "house")
            try perform(.sit(player: id, profile: profile, seat: Int(words[1]), chips: 100))
        case "stop":
            let notice = ClosingNotice(
                .server, deadline: now + (Int64(words[1]) ?? 0), reason: words.dropFirst(2).joined(separator: " "))
            try perform(.close(notice))
        case "close": try perform(.close(ClosingNotice(.table, reason: rest)))
        case let name where name.hasSuffix(":"): try act(String(name.dropLast()), Array(words.dropFirst()))
        default: throw Misread(description: "no such event")
        }
    }

    private mutating func start(_ controls: PlayerSession.Controls, _ given: [String]) throws {
        var options = TableSession.Options(host: "localhost", port: 2121, name: .given("ann"))
        var words = given[...]
        size = controls == .keys ? try Self.size(words.popFirst() ?? "") : nil
        while let word = words.popFirst() {
            switch word {
            case "as": options.name = .given(words.popFirst() ?? "")
            case "assumed": options.name = .assumed(words.popFirst() ?? "")
            case "asked": options.name = .asked(suggestion: words.popFirst() ?? "")
            case "sit": options.initialPlacement = .sit(table: words.popFirst(), seat: nil)
            case "watch": options.initialPlacement = .watch(table: words.popFirst())
            case "practice": options.title = "practice"
            case "beside": options.greeting = "This practice keeps nothing: another one is open."
            case "accounts": options.client.accounts = AccountFile(folder: "/nowhere")
            case "rebet": options.settings.rebet = true
            case "utf8": options.environment = ["LANG": "C.UTF-8"]
            case "bell": options.settings.bell = true
            case "coach": options.settings.coach = true
            case "count": options.settings.count = words.popFirst().flatMap(CountingSystem.init(name:))
            default: throw Misread(description: "no option '\(word)'")
            }
        }
        (asked, requests, shown, tickAt, isWatching, isDeaf, chat) = ([], [:], [], nil, false, false, 0)
        player = PlayerSession(options, controls)
        var settings = options.client.session
        settings.name = player.join == nil ? options.name.first : nil
        (settings.contributes, settings.returnsAfterKick) = (false, controls != .pipe)
        machine = ClientMachine(options: settings)
        perform(machine.start(at: now))
    }

    /// Stops at each deadline on the way.
    private mutating func advance(_ span: String) throws {
        guard let target = span == "" ? table?.nextEvent?.milliseconds : Int64(span).map({ now + $0 }) else {
            throw Misread(description: "a span in milliseconds, or nothing: until the table's next deadline")
        }
        while true {
            let due = [tickAt, player.nextTick, table?.nextEvent?.milliseconds].compactMap(\.self).min() ?? .max
            now = max(now, min(due, target))
            if let tick = tickAt, tick <= now {
                tickAt = nil
                perform(machine.tick(at: now))
            }
            if let tick = player.nextTick, tick <= now { handle(.tick) }
            if let event = table?.nextEvent?.milliseconds, event <= now { try perform(.tick) }
            serveAll()
            if now == target { return handle(.tick) }
        }
    }

    private mutating func press(_ key: Key) { if let intent = KeyMap(player).intent(for: key) { handle(.intent(intent)) } }

    private static func key(_ name: String) throws -> Key {
        let named: [String: Key] = [
            "Enter": .enter, "Esc": .escape, "Up": .up, "Down": .down, "Left": .left, "Right": .right, "PgUp": .pageUp,
            "PgDn": .pageDown, "Home": .home, "End": .end, "Tab": .tab, "Backspace": .backspace, "Delete": .delete,
            "Space": .character(" "), "Ctrl-C": .control("c"), "Ctrl-U": .control("u"), "Ctrl-L": .control("l"),
            "Ctrl-Y": .control("y"),
        ]
        if let key = named[name] { return key }
        guard name.unicodeScalars.count == 1, let scalar = name.unicodeScalars.first else {
            throw Misread(description: "no key '\(name)'")
        }
        return .character(scalar)
    }

    private static func size(_ text: String) throws -> ScreenSize {
        let numbers = text.split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2 else { throw Misread(description: "no size '\(text)'") }
        return ScreenSize(columns: numbers[0], rows: numbers[1])
    }

    static func tables() throws -> [TableSummary] {
        let high = try HouseRules(preset: "downtown").with([("minimumBet", .integer(100)), ("maximumBet", .integer(5000))])
        return [
            TableSummary(name: "main", seats: 7, freeSeats: 5, players: ["ann", "bob"], watchers: 1, rules: HouseRules()),
            TableSummary(
                name: "european", seats: 7, freeSeats: 7, players: [], watchers: 0, rules: try HouseRules(preset: "european")),
            TableSummary(name: "high", seats: 7, freeSeats: 0, players: ["cid", "dee", "eve"], watchers: 0, rules: high),
            TableSummary(
                name: "private", seats: 7, freeSeats: 4, players: [], watchers: 2, rules: HouseRules(), isLocked: true),
            TableSummary(
                name: "low", seats: 5, freeSeats: 0, players: ["王 fay"], watchers: 0, rules: HouseRules(), isClosing: true),
        ]
    }

    // MARK: The player

    private mutating func handle(_ event: PlayerSession.Event) {
        for effect in player.handle(event, at: now) {
            switch effect {
            case .send(.ping, _): output.append("(asks for the time)")
            case .send(let message, let request):
                let (id, actions) = machine.submit(message, at: now)
                requests[id] = request
                perform(actions)
            case .logIn(let name): perform(machine.logIn(as: name, at: now))
            case .adopt(let name, let house, let server):
                output.append("(sends the secret of \(name) at \(server), house \(house))")
                refusedNames[name] = nil
                perform(machine.logIn(as: name, at: now))
            case .forgetTable: perform(machine.forgetTable(at: now))
            case .askAbout(let name): output.append("(asks about \(name))")
            case .store: output.append("(keeps the evidence)")
            case .print(let text): output.append("  \(text.text)")
            case .echo(let isShown): output.append("(what is typed is \(isShown ? "shown" : "hidden"))")
            case .ring: output.append("(bell)")
            case .remember(let coach): output.append("(remembers: coach \(coach ? "on" : "off"))")
            case .note(let hand, let upCard): output.append("(keeps the mistake: \(hand.text) against \(upCard.points))")
            case .follow: break
            case .end(let ending):
                output.append("(ends with \(ending.status)\(ending.reason.map { ": \($0.text)" } ?? ""))")
                output += ending.summaries.map { "  \($0.text)" }
            }
        }
    }

    /// As ``ScreenFrontend`` does it without motion.
    private mutating func take(_ update: ClientUpdate) {
        let former = player.log
        handle(.update(update))
        if case .table(let change) = update.event, size != nil {
            animator.show(change, me: player.me, behind: former, at: now, left: 0)
        } else if update.state.snapshot == nil {
            animator.clear()
        }
    }

    private func frame(_ size: ScreenSize) throws -> [String] {
        let frame =
            player.join.map { JoinScreen(view: $0, player: player, size: size).frame }
            ?? player.lobby.map { LobbyScreen(lobby: $0, view: player, size: size).frame }
            ?? Screen(player, animator.board, size: size).frame
        return frame.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// The rows that differ from those shown before.
    private mutating func showScreen() throws {
        guard let size, player.stage != .ended else { return }
        let rows = try frame(size)
        for (row, text) in rows.enumerated() where text != (shown.isEmpty ? "" : shown[row]) {
            output.append("\(row < 10 ? " " : "")\(row)│\(text)")
        }
        shown = rows
    }

    // MARK: The client

    private mutating func perform(_ actions: [ClientAction]) {
        for action in actions {
            switch action {
            case .connect:
                isConnected = true
                if isSilent { owesHello = true } else { greet() }
            case .close: (isConnected, asked) = (false, [])
            case .send(let request): send(request)
            case .arm(let time): tickAt = time
            case .publish(let event): take(ClientUpdate(state: machine.state, event: event))
            case .findSecret, .makeSecret: output.append("(looks for a secret)")
            case .answer(let id, let result):
                if let request = requests.removeValue(forKey: id) { handle(.answered(request, result)) }
            }
        }
    }

    private mutating func send(_ request: Request) {
        guard isConnected, case .success(let message) = request.message else { return }
        asked.append(request)
        if !["ping", "login"].contains(message.type) {
            output.append("→ " + String(decoding: Request(id: nil, message).encoded().dropLast(), as: UTF8.self))
        }
    }

    private mutating func receive(_ line: [UInt8]) { perform(machine.receive(line: line, at: now)) }
    private mutating func receive(_ message: ServerMessage) { perform(machine.receive(message, at: now)) }

    // MARK: The server

    private var isConnected = false
    /// Whether requests wait for their answers, and whether the table's changes are lost on the way.
    private var isSilent = false
    private var isDeaf = false
    private var owesHello = false
    private var givesRebuys = true
    private var refusedNames: [String: String] = [:]
    /// Requests without an answer, oldest first.
    private var asked: [Request] = []
    private var table: Table?
    private var teller: FactTeller?
    private var snapshot = TableSnapshot()
    private var lobby: [TableSummary] = []
    private var revision = 0
    private var chat = 0
    private var isWatching = false
    private var me: Int { Scene.names.firstIndex(of: machine.state.login?.name ?? "").map { $0 + 1 } ?? 9 }

    private mutating func greet() {
        owesHello = false
        isWatching = false
        receive(.hello(Hello(server: "stage", time: now, idleSeconds: 900, givesRebuys: givesRebuys)))
    }

    private mutating func serveAll() {
        guard !isSilent else { return }
        if owesHello { greet() }
        while isConnected, !asked.isEmpty { serve(asked.removeFirst()) }
    }

    /// The next request has this answer.
    private mutating func answer(_ json: String) throws {
        guard !asked.isEmpty, case .number(let id)? = asked.removeFirst().id else {
            throw Misread(description: "nothing is asked")
        }
        receive(Array("{\"id\":\(id),\(json.dropFirst())".utf8))
    }

    /// Chips of the players, rules, and the cards behind a colon.
    private mutating func openTable(_ text: String) throws {
        let (words, cards) = (text.prefix { $0 != ":" }.split(separator: " "), text.split(separator: ":").dropFirst().joined())
        var rules: [(String, RuleValue)] = []
        for word in words where word.contains("=") {
            let parts = word.split(separator: "=").map(String.init)
            rules.append((parts[0], parts[1] == "true" ? .flag(true) : Int(parts[1]).map { .integer($0) } ?? .text(parts[1])))
        }
        let players = words.filter { !$0.contains("=") }.enumerated().compactMap { index, word in
            Int(word).map { (index + 1, $0) }
        }
        let new = try Scene(rules, chips: Dictionary(uniqueKeysWithValues: players), cards: cards).table
        self = Screenplay()
        (table, teller, snapshot) = (new, FactTeller(new), TableSnapshot(new))
    }

    /// Somebody does something at the table.
    private mutating func act(_ name: String, _ words: [String]) throws {
        guard let seat = Scene.names.firstIndex(of: name).map({ $0 + 1 }) else { throw Misread(description: "nobody is \(name)") }
        let (id, number) = (PlayerID(seat), words.count > 1 ? Int(words[1]) : nil)
        switch words[0] {
        case "bet": try perform(.bet(player: id, seat: nil, amount: number ?? 0))
        case "sit": try perform(.sit(player: id, profile: PlayerProfile(name: name), seat: seat, chips: number ?? 0))
        case "leave": try perform(.leave(player: id))
        case "out": try perform(.sitOut(player: id))
        case "cut": try perform(.disconnected(player: id))
        case "back": try perform(.reconnected(player: id))
        case "in": try perform(.sitOut(player: id, isOut: false))
        case "say": say(words.dropFirst().joined(separator: " "), name)
        case "react": say(words[1], name, Reaction(rawValue: words[1]))
        default:
            guard let action = Action.allCases.first(where: { $0.name == words[0] }) else {
                throw Misread(description: "nobody can '\(words[0])'")
            }
            try perform(.act(player: id, action: action, seat: seat, hand: nil, amount: number))
        }
    }

    private mutating func perform(_ command: Command) throws {
        guard var table else { throw Misread(description: "there is no table") }
        var facts = FactList()
        try table.perform(command, at: Timestamp(milliseconds: now), into: &facts)
        self.table = table
        let asker: PlayerID? = if case .sitOut(let player, true) = command { player } else { nil }
        teller?.note(facts.facts, sittingOut: asker)
        let old = snapshot
        snapshot = TableSnapshot(table)
        guard old != snapshot || teller?.facts.isEmpty == false else { return }
        revision += 1
        let news = TableNews.facts(teller?.facts ?? [])
        teller?.clear()
        guard isWatching, isConnected, !isSilent, !isDeaf else { return }
        receive(.diff(from: revision - 1, to: revision, check: nil, old.difference(to: snapshot), news: news))
    }

    private mutating func say(_ text: String, _ name: String, _ reaction: Reaction? = nil) {
        chat += 1
        receive(.chat(ChatLine(sequence: chat, name: name, text: text, time: now, reaction: reaction?.rawValue)))
    }

    private var whole: ServerMessage { .snapshot(table: "main", epoch: "e", revision: revision, snapshot, chat: chat) }

    private mutating func serve(_ request: Request) {
        guard case .success(let message) = request.message, let id = request.id else { return }
        let mine = PlayerID(me)
        let seat = table?.seats(of: mine).first
        let catchUp = CatchUp(epoch: "e", revision: revision)
        func ok(_ reply: Reply) -> ServerMessage { .ok(id: id, reply) }
        do {
            switch message {
            case .login(let name, _, _, _, _, _) where refusedNames[name] != nil:
                receive(.error(Refusal(id: id, type: "login", .rule, code: refusedNames[name] ?? "", message: "No.")))
            case .login(let name, _, _, _, _, _):
                let seats = Scene.names.firstIndex(of: name).flatMap { table?.seats(of: PlayerID($0 + 1)) } ?? []
                let reply = LoginReply(
                    name: name, chips: seats.isEmpty ? 1000 : 0, table: seats.isEmpty ? nil : "main", seats: seats)
                receive(ok(.login(reply)))
            case .ping: receive(ok(.ping(time: now)))
            case .lobby(_, let name?):
                let entry = lobby.filter { $0.name == name }
                guard !entry.isEmpty else { throw Rejection(.noSuchTable, "There is no such table.") }
                receive(ok(.lobby(revision: 1, total: lobby.count, entry)))
            case .lobby(_, nil): receive(ok(.lobby(revision: 1, total: lobby.count, lobby)))
            case .sit(let name, let wished, _, _) where table != nil && name ?? "main" == "main":
                let (profile, wasWatching) = (PlayerProfile(name: machine.state.login?.name ?? ""), isWatching)
                try perform(.sit(player: mine, profile: profile, seat: wished ?? seat, chips: 1000))
                isWatching = true
                let taken = table?.seats(of: mine).first ?? 1
                receive(ok(.sit(table: "main", seat: taken, CatchUp(epoch: "e", revision: revision))))
                if !wasWatching { receive(whole) }
            case .watch(let name, _, let known) where table != nil && name ?? "main" == "main":
                isWatching = true
                receive(ok(.watch(table: "main", catchUp)))
                if known.revision != revision { receive(whole) }
            case .bet(let amount, let seat, let round):
                try perform(.bet(player: mine, seat: seat, amount: amount, round: round))
                receive(ok(.applied("bet", at: revision)))
            case .act(let action, let seat, let hand, let amount, let turn):
                try perform(.act(player: mine, action: action, seat: seat, hand: hand.map { $0 - 1 }, amount: amount, turn: turn))
                receive(ok(.applied("act", at: revision)))
            case .sitOut(let isOut):
                try perform(.sitOut(player: mine, isOut: isOut))
                receive(ok(.applied("sitOut", at: revision)))
            case .leave:
                if seat != nil { try perform(.leave(player: mine)) }
                isWatching = false
                receive(ok(.applied("leave", at: nil)))
            case .chat(let text, let reaction):
                receive(ok(.done("chat")))
                say(text, machine.state.login?.name ?? "", reaction)
            case .logout:
                receive(ok(.done("logout")))
                receive(.bye(code: "logged_out", message: "Goodbye."))
            case .kick(_, let minutes): receive(ok(.kick(minutes: minutes)))
            case .standings: receive(ok(.standings(Standings())))
            case .sit, .watch: throw Misread(description: "There is no such table.")
            default: receive(ok(.done(message.type)))
            }
        } catch {
            let rejection = error as? Rejection ?? Rejection(.noSuchTable, "There is no such table.")
            receive(.error(Refusal(id: id, type: message.type, rejection)))
        }
    }
}

/// Sessions as texts in `Screenplays`: each file holds what happens and what follows from it.
struct ScreenplayTests {
    static let screenplays = ScriptFolder("Screenplays", ending: ".txt")

    @Test(arguments: screenplays.names) func aScreenplay_isPlayed_asItIsWritten(name: String) throws {
        try Self.screenplays.expect(name, play: Screenplay.play)
    }
}
