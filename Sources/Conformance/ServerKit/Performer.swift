import CommandLineKit
import Fairness
import Rules
import TableModel
import Wire

extension ServerKit {
    /// Plays transcripts on a stage, one after the other. Not to be used by two threads at once.
    public final class Performer {
        public struct Options: Sendable {
            /// Part of every player's name that makes this run's names unique: 1…6 letters or digits.
            public var run: String
            /// The pass phrase of locked tables.
            public var pass: String?
            /// Conditions that the host has brought about, by name.
            public var given: Set<String> = []
            /// How long a transcript may have to wait for clocks before it is skipped, in seconds.
            public var patience = 30
            /// How long a step may take, in seconds, unless a transcript says otherwise.
            var stepSeconds = 10
            /// How long to wait for a table where nobody is, in seconds.
            var tableSeconds = 10

            public init(run: String) { self.run = run }
        }

        /// The secrets that transcripts use. No account outlives a transcript under a name that is used again.
        private static let secrets = [
            "secret": String(repeating: "5ec2e7a1", count: 8), "other_secret": String(repeating: "07e25ec2", count: 8),
        ]

        let stage: any Stage
        let options: Options
        var variables = Variables()
        var peers: [String: Peer] = [:]
        /// Milliseconds that a step may take.
        var limit = 0
        /// Secrets of this transcript's players that can log in again, by name.
        private var secrets: [String: AccountSecret] = [:]
        private var number = 0
        /// Requests that were made in playing.
        var plays = 0
        /// The table that was looked at last, and how it looked: it is looked at several times between two lines.
        var lastSight: (view: Peer.View?, sight: JSONTree)?

        public init(stage: any Stage, options: Options) {
            self.stage = stage
            self.options = options
        }

        /// Why a transcript ends before its last step.
        enum Stop: Error {
            case skip(String)
            case fail(String)
            case breach(String)
        }

        /// Plays one transcript, and sends its players home.
        /// - Throws: when the server can't be reached.
        public func perform(_ transcript: Transcript) throws(Unreachable) -> Outcome {
            number += 1
            variables = Variables()
            peers = [:]
            secrets = [:]
            for (name, secret) in Self.secrets { variables[name] = .string(secret) }
            limit = options.stepSeconds * 1000
            var outcome = Outcome.passed
            do {
                try prepare(transcript)
                for step in transcript.steps {
                    do {
                        try carryOut(step)
                    } catch Stop.fail(let reason) {
                        throw Stop.fail("\(step.text): \(reason)")
                    }
                }
                try finish()
            } catch let stop as Stop {
                outcome =
                    switch stop {
                    case .skip(let reason): .skipped(reason)
                    case .fail(let reason): .failed(reason)
                    case .breach(let reason): .broken(reason)
                    }
            } catch let error as Unreachable {
                throw error
            } catch {
                outcome = .failed("\(error)")
            }
            sendHome()
            return outcome
        }

        private func carryOut(_ step: Step) throws {
            switch step.action {
            case .connect(let who): try connect(who)
            case .cut(let who):
                stage.cut(who)
                peers[who]?.isOpen = false
            case .send(let who, let text):
                noteGuards(of: who)
                try send(Array(try replacingTerms(text).utf8) + [10], by: who)
            case .sendRaw(let who, let text):
                noteGuards(of: who)
                try send(try Self.unescaped(try replacingTerms(text)), by: who)
            case .hear(let who, let pattern): try hear(who, pattern, isNext: false)
            case .hearNext(let who, let pattern): try hear(who, pattern, isNext: true)
            case .mayHear(let who, let pattern): peers[who]?.optional.append(pattern)
            case .closed(let who): try expectClosed(who)
            case .sees(let who, let pattern): try see(who, pattern)
            case .plays(let who, let rounds, let actions, let until):
                try play(who, rounds: rounds, actions: actions, until: until)
            case .reckons(let who): try reckon(who)
            case .keeps(let who, let other):
                let view = peers[other]?.view
                peers[who]?.view = view
            case .set(let name, let term):
                guard let value = variables.value(term) else { throw Stop.fail("\(term.text) has no value") }
                variables[name] = value
            case .within(let term):
                guard let seconds = variables.number(term), (0...86_400).contains(seconds) else {
                    throw Stop.fail("\(term.text) is not a number of seconds from 0 to 86400")
                }
                limit = seconds * 1000
            }
        }

        /// Sets `$WHO_round` and `$WHO_turn` to what WHO's table shows; each keeps its value while it shows none.
        private func noteGuards(of who: String) {
            guard let table = peers[who]?.view?.snapshot else { return }
            if let round = table.round { variables[who + "_round"] = .integer(round.number) }
            if let turn = table.seats.lazy.compactMap({ table.choice($0)?.turn }).first {
                variables[who + "_turn"] = .integer(turn)
            }
        }

        func connect(_ who: String) throws {
            try stage.connect(who)
            peers[who] = Peer()
            // One name for all connections of the same actor: `ann` and `ann2` are one player if the transcript says so.
            if variables[who] == nil { variables[who] = .string("\(who)-\(options.run)-\(number)") }
            // A guest, unless the transcript says `let ann_secret = $secret`.
            if variables[who + "_secret"] == nil { variables[who + "_secret"] = .null }
            for guarded in ["_round", "_turn"] where variables[who + guarded] == nil { variables[who + guarded] = 0 }
        }

        func send(_ bytes: [UInt8], by who: String) throws {
            guard peers[who]?.isOpen == true else { throw Stop.fail("\(who) has no connection") }
            stage.send(bytes, by: who)
        }

        /// The next message on a connection; nil when it was closed.
        func next(_ who: String, until deadline: Int) throws -> (message: ServerMessage, value: JSONTree)? {
            guard var peer = peers[who], peer.isOpen else { throw Stop.fail("\(who) has no connection") }
            switch stage.next(who, within: max(0, deadline - stage.now)) {
            case .silence: throw Stop.fail("nothing was said in time")
            case .closed:
                peers[who]?.isOpen = false
                return nil
            case .line(let line):
                do throws(Peer.Breach) {
                    let login = peer.login
                    let message = try peer.hear(line)
                    peers[who] = peer
                    note(message, login, of: who)
                    guard let value = try? JSONTree(parsing: line) else {
                        throw Peer.Breach(reason: "no JSON: \(String(decoding: line, as: UTF8.self))")
                    }
                    return (message, value)
                } catch {
                    throw Stop.breach("to \(who): \(error.reason)")
                }
            }
        }

        private func note(_ message: ServerMessage, _ login: LoginReply?, of who: String) {
            switch message {
            case .hello(let hello):
                stage.keep(requestsPerSecond: hello.limits.requestsPerSecond, burst: hello.limits.burst)
                variables["idleSeconds"] = .integer(hello.idleSeconds)
                variables["burst"] = .integer(hello.limits.burst)
            case .ok(_, .login(let login)):
                if let digits = variables[who + "_secret"]?.string { secrets[login.name] = AccountSecret(digits) }
            case .ok(_, .done("logout")): if let login { secrets[login.name] = nil }
            default: break
            }
        }

        // MARK: The end

        /// Nothing more may have been said than was expected: a ping's answer is the next reply.
        private func finish() throws {
            for who in peers.keys.sorted() where peers[who]?.isOpen == true {
                try send(Array("{\"type\":\"ping\",\"id\":\"the end\"}\n".utf8), by: who)
                let end = try Pattern(#"{"type":"ok","id":"the end",...}"#)
                do {
                    try hear(who, end, isNext: false)
                } catch Stop.fail(let reason) {
                    throw Stop.fail("at the end, on the connection of \(who): \(reason)")
                }
            }
        }

        /// Logs every player out, even after a lost connection, so that no name and no seat stays taken.
        private func sendHome() {
            for who in peers.keys.sorted() where peers[who]?.isOpen == true {
                if let login = peers[who]?.login {
                    secrets[login.name] = nil
                    logOut(who)
                } else {
                    stage.cut(who)
                }
            }
            for (name, secret) in secrets.sorted(by: { $0.key < $1.key }) {
                guard (try? stage.connect("usher")) != nil else { return }
                let request = Request(id: nil, .login(name: name, secret: secret, isBot: false, version: 1))
                stage.send(request.encoded(), by: "usher")
                logOut("usher")
            }
            peers = [:]
        }

        private func logOut(_ who: String) {
            stage.send(Request(id: nil, .logout).encoded(), by: who)
            let deadline = stage.now + 2000
            while case .line(let line) = stage.next(who, within: max(0, deadline - stage.now)) {
                // A login that was refused leaves nobody to log out.
                let message = line.withUnsafeBufferPointer { try? ServerMessage(line: $0) }
                if case .error(let refusal) = message, refusal.type == "logout" { break }
            }
            stage.cut(who)
        }
    }
}

// MARK: - Hearing

/// Waits for the lines that a transcript expects.
extension ServerKit.Performer {
    func hear(_ who: String, _ pattern: ServerKit.Pattern, isNext: Bool) throws {
        let deadline = stage.now + limit
        while true {
            guard let (message, value) = try next(who, until: deadline) else { throw Stop.fail("the connection was closed") }
            if pattern.fits(value, &variables) {
                peers[who]?.optional = []
                return
            }
            var attempt = variables
            if peers[who]?.optional.contains(where: { $0.fits(value, &attempt) }) == true { continue }
            let isReply = ServerKit.Peer.isReply(message)
            if isNext || isReply { throw Stop.fail("the server said \(value)") }
        }
    }

    func expectClosed(_ who: String) throws {
        let deadline = stage.now + limit
        while let (message, value) = try next(who, until: deadline) {
            var attempt = variables
            if peers[who]?.optional.contains(where: { $0.fits(value, &attempt) }) == true { continue }
            if ServerKit.Peer.isReply(message) { throw Stop.fail("the server said \(value)") }
        }
    }

    func see(_ who: String, _ pattern: ServerKit.Pattern) throws {
        let deadline = stage.now + limit
        while !sees(who, pattern) {
            do {
                try takeNews(who, until: deadline)
            } catch Stop.fail(let reason) {
                throw Stop.fail("\(reason); \(who) saw \(peers[who]?.sight.description ?? "nothing")")
            }
        }
    }

    /// Whether the table looks like this to somebody now.
    func sees(_ who: String, _ pattern: ServerKit.Pattern) -> Bool {
        guard let peer = peers[who] else { return false }
        if lastSight?.view != peer.view { lastSight = (peer.view, peer.sight) }
        return lastSight.map { pattern.fits($0.sight, &variables) } ?? false
    }

    /// Takes one line, which must not be a reply.
    func takeNews(_ who: String, until deadline: Int) throws {
        guard let (message, value) = try next(who, until: deadline) else { throw Stop.fail("the connection was closed") }
        var attempt = variables
        if peers[who]?.optional.contains(where: { $0.fits(value, &attempt) }) == true { return }
        if ServerKit.Peer.isReply(message) { throw Stop.fail("the server said \(value)") }
    }

    // MARK: Sending

    /// Replaces each `$name` by its value, as JSON.
    func replacingTerms(_ text: String) throws -> String {
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "$") {
            result += rest[..<mark]
            let after = rest[rest.index(after: mark)...]
            let length = after.prefix { $0.isLetter || $0.isNumber || "_$+-*/".contains($0) }
            guard length.first?.isLetter == true else {
                result += "$"
                rest = after
                continue
            }
            let term = try ServerKit.TranscriptReader.term("$" + length)
            guard let value = variables.value(term) else { throw Stop.fail("\(term.text) has no value") }
            result += value.description
            rest = after[length.endIndex...]
        }
        return result + rest
    }

    /// Bytes of a text with escapes: `\n`, `\r`, `\t`, `\\`, `\xFF`, and `\(ab*3)` for `ababab`.
    static func unescaped(_ text: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "t"): bytes.append(9)
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "x"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                    throw Stop.fail("\\x takes two digits")
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "("):
                guard let end = rest.firstIndex(of: UInt8(ascii: ")")), let star = rest[..<end].lastIndex(of: UInt8(ascii: "*")),
                    let count = Int(String(decoding: rest[(star + 1)..<end], as: UTF8.self)), (0...100_000).contains(count)
                else { throw Stop.fail("\\(text*count) is meant") }
                let unit = try unescaped(String(decoding: rest[..<star], as: UTF8.self))
                for _ in 0..<count { bytes += unit }
                rest = rest[(end + 1)...]
            default: throw Stop.fail("no escape that is known")
            }
        }
        return bytes
    }

    // MARK: Playing

    // Playing rounds until the cards have fallen as a transcript needs them.

    /// Requests that a clock, or somebody else, may have overtaken.
    private static let overtaken: Set<String> = [
        "stale", "not_your_turn", "betting_closed", "not_asked", "already_answered",
    ]

    /// Each player bets the least and answers by the first legal action, until one of them sees the pattern.
    func play(_ players: [String], rounds: Int, actions: [String], until pattern: ServerKit.Pattern) throws {
        let deadline = stage.now + max(limit, rounds * 1000)
        var betsLeft = Dictionary(uniqueKeysWithValues: players.map { ($0, rounds) })
        // Looked for at each line: it may be over, and the next round on, where this is slow and the server is not.
        func isSeen() -> Bool { sees(players[0], pattern) }
        while true {
            for player in players { try takeWhatIsThere(player, until: isSeen) }
            if isSeen() { return }
            try levelUp(players, deadline, until: isSeen)
            if isSeen() { return }
            guard stage.now < deadline else { throw Stop.fail("it took too long") }
            var hasMoved = false
            for player in players {
                guard let request = try move(player, actions, rounds, &betsLeft) else { continue }
                try carryOut(request, player, deadline)
                hasMoved = true
                break
            }
            if !hasMoved { try takeNews(players[0], until: min(deadline, stage.now + limit)) }
        }
    }

    /// Waits until all players have seen the revision that one has seen: their question may still be on its way.
    private func levelUp(_ players: [String], _ deadline: Int, until isEnough: () -> Bool) throws {
        let newest = players.compactMap { peers[$0]?.view?.revision }.max() ?? 0
        for player in players {
            while let view = peers[player]?.view, view.revision < newest, !isEnough() {
                try takeNews(player, until: min(deadline, stage.now + limit))
            }
        }
    }

    private func takeWhatIsThere(_ player: String, until isEnough: () -> Bool) throws {
        while !isEnough() {
            do {
                try takeNews(player, until: stage.now)
            } catch Stop.fail("nothing was said in time") {
                return
            }
        }
    }

    private func move(_ who: String, _ actions: [String], _ rounds: Int, _ betsLeft: inout [String: Int]) throws -> ClientMessage?
    {
        guard let view = peers[who]?.view, let name = variables[who]?.string else { return nil }
        let table = view.snapshot
        let seats = table.seats(of: name)
        for seat in seats {
            guard let choice = table.choice(seat) else { continue }
            let legal = choice.options.map(\.action.name)
            let wanted = actions.first { legal.contains($0) } ?? legal.first { $0 == "decline" || $0 == "stand" }
            guard let action = choice.options.first(where: { $0.action.name == wanted })?.action else { return nil }
            return .act(action, seat: seat, hand: nil, amount: nil, turn: choice.turn)
        }
        guard let rules = table.rules, let round = table.round, round.phase == .waiting || round.phase == .betting else {
            return nil
        }
        for seat in seats where table.bet(HandIdentifier(seat: seat, number: 1)) == nil {
            guard let left = betsLeft[who], left > 0 else {
                if rounds > 0, betsLeft.values.allSatisfy({ $0 == 0 }) {
                    throw Stop.fail("the cards did not fall so in as many rounds as allowed")
                }
                return nil
            }
            guard let player = table.player(seat), player.presence == .here else { continue }
            guard player.chips >= rules.minimumBet else {
                throw Stop.skip("the chips of a new player (\"chips\") ran out before the cards fell so")
            }
            betsLeft[who] = left - 1
            return .bet(amount: rules.minimumBet, seat: seat, round: round.number)
        }
        return nil
    }

    /// Sends a request and waits for the table that shows its effect.
    private func carryOut(_ message: ClientMessage, _ who: String, _ deadline: Int) throws {
        plays += 1
        let id = RequestID.text("play \(plays)")
        try send(Request(id: id, message).encoded(), by: who)
        while true {
            guard let (answer, value) = try next(who, until: deadline) else { throw Stop.fail("the connection was closed") }
            switch answer {
            case .ok(id, .applied(message.type, let shown)):
                while let shown, let view = peers[who]?.view, view.revision < shown { try takeNews(who, until: deadline) }
                return
            case .error(let refusal) where refusal.id == id && Self.overtaken.contains(refusal.code): return
            default:
                if ServerKit.Peer.isReply(answer) { throw Stop.fail("to \(message.type) the server said \(value)") }
            }
        }
    }

    // MARK: Shoes

    // Contributing to shoes.

    /// Gives names to what `next` shows, and to two contributions of a player with their commitments.
    func reckon(_ who: String) throws {
        guard let view = peers[who]?.view, let player = peers[who]?.login?.name else { throw Stop.fail("\(who) sees no table") }
        guard let next = view.snapshot.nextShoe else { throw Stop.skip("the shoes of \(view.table) are made without ceremonies") }
        variables["server"] = .string(next.commitment.base64)
        variables["shoe"] = .integer(next.shoe)
        if case .revealing(let contributors) = next.stage {
            variables["list"] = .string(contributors.listDigest(server: next.commitment).base64)
        }
        for (name, tag) in [("contribution", "commitment"), ("other", "other_commitment")] {
            // Another one for each commitment of the server's, and the same whenever it is asked for.
            let digest = SHA256.hash("\(name) of \(player) to \(next.commitment.base64)".utf8)
            guard let secret = ShoeSecret(digest.bytes) else { preconditionFailure("a digest has as many bytes as a secret") }
            let commitment = secret.contribution(table: view.table, shoe: next.shoe, player: player, to: next.commitment)
            variables["\(who)_\(name)"] = .string(secret.base64)
            variables["\(who)_\(tag)"] = .string(commitment.base64)
        }
    }

    // MARK: Tables

    // Finding tables where a transcript can be played.

    /// Prepares the server for a transcript.
    func prepare(_ transcript: ServerKit.Transcript) throws {
        for case .given(let name) in transcript.needs where !options.given.contains(name) {
            throw Stop.skip("the host has to bring about \(name), and say so with --given \(name)")
        }
        var tables = 0
        for case .tables(let count) in transcript.needs { tables = count }
        let conditions = transcript.needs.filter { if case .rule = $0 { true } else { false } }
        if transcript.usesTable || transcript.usesOtherTable || transcript.needs.contains(.locked) || !conditions.isEmpty
            || tables > 0
        {
            try findTables(transcript, conditions, count: max(tables, transcript.usesOtherTable ? 2 : 1))
        }
        if variables.number(transcript.takes) == nil {
            // The server's first statement about itself.
            try greetUsher()
            dismissUsher()
        }
        guard let seconds = variables.number(transcript.takes) else {
            throw Stop.fail("\(transcript.takes.text) has no value")
        }
        guard seconds <= options.patience else {
            throw Stop.skip("it takes \(seconds) seconds, which is more than --patience allows")
        }
    }

    private func findTables(_ transcript: ServerKit.Transcript, _ conditions: [ServerKit.Need], count: Int) throws {
        try greetUsher()
        defer { dismissUsher() }
        let deadline = stage.now + options.tableSeconds * 1000
        while true {
            let tables = try lobby()
            let open = tables.filter { !$0.isLocked }
            guard open.count >= count else { throw Stop.skip("there are not \(count) tables that are open to everybody") }
            guard let best = open.first(where: { holds(conditions, at: $0) }) else {
                throw Stop.skip("there is no table where " + transcript.needs.compactMap(\.text).joined(separator: ", "))
            }
            let free = open.filter { $0.freeSeats == $0.seats && $0.watchers == 0 }
            let table = transcript.usesTable ? free.first { holds(conditions, at: $0) } : best
            if let table, free.count >= count || !transcript.usesTable {
                return try take(table, other: free.first { $0.name != table.name }, tables, transcript)
            }
            guard stage.now < deadline else { throw Stop.skip("somebody is at every table that would do") }
            // A player still there may be leaving.
            if case .closed = stage.next("usher", within: 50) { throw Stop.fail("the connection was closed") }
        }
    }

    /// A connection that sees to things before a transcript begins.
    private func greetUsher() throws {
        try connect("usher")
        try hear("usher", try ServerKit.Pattern(#"{"type":"hello",...}"#), isNext: true)
    }

    private func dismissUsher() {
        stage.cut("usher")
        peers["usher"] = nil
    }

    private func lobby() throws -> [TableSummary] {
        try send(Request(id: .text("lobby"), .lobby(follow: nil)).encoded(), by: "usher")
        let deadline = stage.now + limit
        while let (message, _) = try next("usher", until: deadline) {
            if case .ok(.text("lobby"), .lobby(_, _, let tables)) = message { return tables }
        }
        throw Stop.fail("the connection was closed")
    }

    private func take(
        _ table: TableSummary, other: TableSummary?, _ tables: [TableSummary], _ transcript: ServerKit.Transcript
    ) throws {
        variables["table"] = .string(table.name)
        if let other { variables["other"] = .string(other.name) }
        for (key, value) in table.rules.fieldValues { variables[key] = value.tree }
        variables["min"] = .integer(table.rules.minimumBet)
        variables["max"] = .integer(table.rules.maximumBet)
        variables["step"] = .integer(table.rules.betStep)
        guard transcript.needs.contains(.locked) else { return }
        guard let locked = tables.first(where: \.isLocked) else { throw Stop.skip("there is no table with a pass phrase") }
        guard let pass = options.pass else { throw Stop.skip("the pass phrase was not told, with --pass") }
        variables["locked"] = .string(locked.name)
        variables["pass"] = .string(pass)
    }

    private func holds(_ conditions: [ServerKit.Need], at table: TableSummary) -> Bool {
        conditions.allSatisfy { need in
            guard case .rule(let key, let sign, let value) = need,
                let actual = table.rules.fieldValues.first(where: { $0.0 == key })?.1.tree
            else { return false }
            if let one = actual.number.flatMap({ Int(exactly: $0) }), let other = Int(value) {
                return switch sign {
                case "<": one < other
                case ">": one > other
                case "<=": one <= other
                case ">=": one >= other
                case "!=": one != other
                default: one == other
                }
            }
            let isSame = (actual.string ?? actual.description) == value
            return sign == "!=" ? !isSame : isSame
        }
    }
}

extension ServerKit.Need {
    /// A condition in words.
    fileprivate var text: String? {
        if case .rule(let key, let sign, let value) = self { "\(key)\(sign)\(value)" } else { nil }
    }
}

extension RuleValue {
    fileprivate var tree: JSONTree {
        switch self {
        case .text(let text): .string(text)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .flag(let flag): .bool(flag)
        case .other: .null
        }
    }
}
