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
        var lastSight: (view: Peer.View?, sight: Pattern)?

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
            for (name, secret) in Self.secrets { variables[name] = .text(secret) }
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
            case .send(let who, let text): try send(Array(try replacingTerms(text).utf8) + [10], by: who)
            case .sendRaw(let who, let text): try send(try Self.unescaped(try replacingTerms(text)), by: who)
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

        func connect(_ who: String) throws {
            try stage.connect(who)
            peers[who] = Peer()
            // One name for all connections of the same actor: `ann` and `ann2` are one player if the transcript says so.
            if variables[who] == nil { variables[who] = .text("\(who)-\(options.run)-\(number)") }
            // A guest, unless the transcript says `let ann_secret = $secret`.
            if variables[who + "_secret"] == nil { variables[who + "_secret"] = .null }
        }

        func send(_ bytes: [UInt8], by who: String) throws {
            guard peers[who]?.isOpen == true else { throw Stop.fail("\(who) has no connection") }
            stage.send(bytes, by: who)
        }

        /// The next message on a connection; nil when it was closed.
        func next(_ who: String, until deadline: Int) throws -> (message: ServerMessage, value: Pattern)? {
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
                    let text = String(decoding: line, as: UTF8.self)
                    guard let value = try? Pattern(text) else { throw Peer.Breach(reason: "no JSON: \(text)") }
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
                variables["idleSeconds"] = .number(String(hello.idleSeconds))
                variables["burst"] = .number(String(hello.limits.burst))
            case .ok(_, .login(let login)):
                if case .text(let digits)? = variables[who + "_secret"] { secrets[login.name] = AccountSecret(digits) }
            case .ok(_, .done("logout")): if let login { secrets[login.name] = nil }
            default: break
            }
        }

        // MARK: The end

        /// Nothing more may have been said than was expected: a ping's answer is the next reply.
        private func finish() throws {
            for who in peers.keys.sorted() where peers[who]?.isOpen == true {
                try send(Array("{\"type\":\"ping\",\"id\":\"the end\"}\n".utf8), by: who)
                let end: Pattern = .object(
                    [.init(key: "type", value: .text("ok")), .init(key: "id", value: .text("the end"))], isOpen: true)
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
