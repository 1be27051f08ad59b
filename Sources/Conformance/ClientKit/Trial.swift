import CommandLineKit
import Dispatch
import Foundation
import Sockets
import Synchronization
import Wire

extension ClientKit {
    /// The sockets, the client's process and the script of a ``Trial``. Confined to its loop.
    final class TrialDriver {
        /// How long a client may take to connect, in milliseconds.
        private static let connecting: Int64 = 10_000
        /// How often the process and the clocks are looked at, in milliseconds.
        private static let beat: Int64 = 20

        private let options: Trial.Options
        private let loop: Loop
        /// Judges times: after a stall the loop's own time stands at the deadline of a late timer, behind the client's.
        private let clock = LoopClock()
        private var script: any Script
        private var judge = Judge()
        private var listener: Listener?
        private var relays: [Relay] = []
        private var child: ChildProcess?
        private var timer: LoopTimer?
        private var began: Int64 = 0
        private var exitedAt: Int64?
        private var alarm: (moment: Int64, relay: Relay)?
        /// The rounds that the client has played to a result, by their numbers.
        private var rounds: Set<Int> = []
        /// The table at each revision, since a client may go on from any of them.
        private var views: [Place: ServerKit.Peer.View] = [:]
        private var completion: ((Trial.Outcome) -> Void)?

        private struct Place: Hashable {
            let epoch: String
            let revision: Int
        }

        init(_ scenario: Scenario, _ options: Trial.Options, _ loop: Loop) {
            self.options = options
            self.loop = loop
            script = scenario.makeScript()
        }

        func begin(_ completion: @escaping (Trial.Outcome) -> Void) {
            self.completion = completion
            began = clock.now
            timer = loop.makeTimer { [weak self] in self?.beat() }
            do {
                let listener = try Listener(host: "127.0.0.1", port: 0, loop: loop) { [weak self] in self?.accepted($0) }
                self.listener = listener
                let command = options.command.replacing("{host}", with: "127.0.0.1")
                    .replacing("{port}", with: String(listener.address.port))
                child = try ChildProcess(command)
            } catch {
                return finish(.failed("\(error)"))
            }
            timer?.arm(at: loop.now + Self.beat)
        }

        /// Polls the process and the time, which raise no event.
        private func beat() {
            guard completion != nil else { return }
            let now = clock.now
            timer?.arm(at: loop.now + Self.beat)
            if let alarm, now >= alarm.moment {
                self.alarm = nil
                handle(.alarm, alarm.relay)
            }
            if let ending = child?.ended, completion != nil {
                // Its last bytes are still on their way.
                exitedAt = exitedAt ?? now
                if now - (exitedAt ?? now) >= 300 { ended(ending) }
            }
            if relays.isEmpty, now - began > min(Self.connecting, options.timeout) {
                return finish(.failed("the client has not connected to 127.0.0.1:\(listener?.address.port ?? 0)"))
            }
            if now - began > options.timeout {
                let seconds = options.timeout / 1000
                finish(.failed("waited in vain for \(script.hope); after \(seconds) s \(judge.lastWords)"))
            }
        }

        private func ended(_ ending: SpawnedProcess.Ending) {
            var scene = scene(relays.last)
            let text = "the client ended (\(ending))"
            scene.ending = text
            if let relay = relays.last { perform(script.handle(.exited, scene), nil, relay) }
            finish(.failed("\(text) after \(rounds.count) rounds; missing: \(script.hope)"))
        }

        // MARK: Connections

        private func accepted(_ client: Connection) {
            guard completion != nil else { return client.abort() }
            let relay = Relay(relays.count + 1, client, script.delivery)
            relays.append(relay)
            let side = Relay.Side { [weak self, weak relay] bytes in
                if let relay { self?.heardClient(bytes, relay) }
            } ended: { [weak relay] in
                relay?.isOpen = false
                relay?.queue.close()
                relay?.dropServer()
            }
            relay.clientSide = side
            client.handler = side
            if let reason = judge.connected(relays.count) { return finish(.failed(reason)) }
            handle(.connected, relay)
            if relay.isOpen, completion != nil { reachServer(relay) }
        }

        private func reachServer(_ relay: Relay) {
            relay.connector = Connector.connect(host: options.host, port: options.port, loop: loop) {
                [weak self, weak relay] result in
                guard let self, let relay else { return }
                relay.connector = nil
                guard case .success(let server) = result else { return finish(.failed("the server behind the kit is gone")) }
                let side = Relay.Side { [weak self, weak relay] bytes in
                    if let relay { self?.heardServer(bytes, relay) }
                } ended: { [weak relay] in
                    relay?.server = nil
                    relay?.hangUp()
                }
                relay.serverSide = side
                server.handler = side
                relay.connected(server)
            }
        }

        private func heardClient(_ bytes: UnsafeRawBufferPointer, _ relay: Relay) {
            relay.fromClient.append(bytes) { line in
                guard completion != nil, relay.isOpen else { return false }
                let request = Request(line: line, isPedantic: true)
                let text = Array(line)
                if let reason = judge.hear(text, request, relay.limits, at: clock.now) {
                    finish(.failed(reason))
                } else {
                    handle(.fromClient(text, request, line: judge.lineCount), relay)
                }
                return true
            }
            if relay.fromClient.isOverLimit { finish(.failed("a line without an end: more than \(Relay.lineLimit) bytes")) }
        }

        private func heardServer(_ bytes: UnsafeRawBufferPointer, _ relay: Relay) {
            relay.fromServer.append(bytes) { line in
                guard completion != nil, relay.isOpen else { return false }
                let text = Array(line)
                let before = relay.peer.view
                do throws(ServerKit.Peer.Breach) {
                    let message = try relay.peer.hear(text)
                    if isReply(message, relay) { return true }
                    keepView(relay)
                    countRounds(relay)
                    handle(.fromServer(text + [UInt8(ascii: "\n")], message, before: before), relay)
                } catch {
                    finish(.failed("the server behind the kit breaks the protocol: \(error.reason)"))
                }
                return true
            }
        }

        /// Counts a reply. - Returns: whether it is to a request of the kit.
        private func isReply(_ message: ServerMessage, _ relay: Relay) -> Bool {
            switch message {
            case .ok(_, .watch(_, let catchUp)), .ok(_, .sit(_, _, let catchUp, _)):
                let known = relay.known.isEmpty ? KnownTable() : relay.known.removeFirst()
                // Diffs that follow start at the client's revision, which may be behind the server's.
                if known.epoch == catchUp.epoch, let revision = known.revision,
                    let view = views[Place(epoch: catchUp.epoch, revision: revision)]
                {
                    relay.peer.view = view
                }
                return relay.takesReply()
            case .error(let refusal):
                if ["watch", "sit"].contains(refusal.type), !relay.known.isEmpty { relay.known.removeFirst() }
                return relay.takesReply()
            case .ok: return relay.takesReply()
            default: return false
            }
        }

        private func keepView(_ relay: Relay) {
            guard let view = relay.peer.view else { return }
            if views.count >= 4096 { views = [:] }
            views[Place(epoch: view.epoch, revision: view.revision)] = view
        }

        private func countRounds(_ relay: Relay) {
            guard let snapshot = relay.peer.view?.snapshot, snapshot.phase == .settled, let round = snapshot.round else { return }
            if scene(relay).hands.contains(where: { snapshot.result($0) != nil }) { rounds.insert(round.number) }
        }

        // MARK: The script

        private func scene(_ relay: Relay?) -> Scene {
            Scene(
                now: clock.now, connection: relay?.number ?? 0, rounds: rounds.count, peer: relay?.peer ?? .init(),
                waiting: relay?.unanswered ?? 0)
        }

        private func handle(_ event: Event, _ relay: Relay) { perform(script.handle(event, scene(relay)), event, relay) }

        private func perform(_ effects: [Effect], _ event: Event?, _ relay: Relay) {
            for effect in effects where completion != nil {
                switch effect {
                case .pass: pass(event, relay)
                case .show(let bytes): if relay.isOpen { relay.show(bytes) }
                case .ask(let bytes): relay.ask(bytes, isOwn: true)
                case .cut: relay.cut()
                case .hangUp: relay.hangUp()
                case .wake(let delay): alarm = (clock.now + delay, relay)
                case .finish(let verdict): finish(verdict)
                }
            }
        }

        private func pass(_ event: Event?, _ relay: Relay) {
            switch event {
            case .fromServer(let line, _, _): if relay.isOpen { relay.show(line) }
            case .fromClient(let line, let request, _):
                switch request.message {
                case .success(.watch(_, _, let known)), .success(.sit(_, _, _, let known)): relay.known.append(known)
                default: break
                }
                relay.ask(line + [UInt8(ascii: "\n")], isOwn: false)
            case .connected, .alarm, .exited, nil: break
            }
        }

        func finish(_ verdict: Verdict) {
            guard let completion else { return }
            self.completion = nil
            timer?.disarm()
            child?.kill()
            listener?.close()
            for relay in relays { relay.cut() }
            completion(
                Trial.Outcome(verdict: verdict, milliseconds: Int(clock.now - began), output: child?.lastLines(20) ?? []))
            relays = []
        }
    }

    /// Plays one scenario: starts the client, relays it to a real server, and judges it.
    ///
    /// Runs on a loop of its own; ``run()`` blocks the calling thread.
    public final class Trial: Sendable {
        public struct Options: Sendable {
            /// The real server behind the kit.
            public var host: String
            public var port: Int
            /// Starts the client, by `/bin/sh`; `{host}` and `{port}` are replaced.
            public var command: String
            /// How long a scenario may take, in milliseconds.
            public var timeout: Int64 = 30_000

            public init(host: String, port: Int, command: String) {
                self.host = host
                self.port = port
                self.command = command
            }
        }

        /// The result of a trial.
        public struct Outcome: Sendable {
            public let verdict: Verdict
            public let milliseconds: Int
            /// The last lines that the client has printed, fit for a terminal.
            public let output: [String]
        }

        private let driver: LoopConfined<TrialDriver>

        public init(_ scenario: Scenario, options: Options) {
            let loop = Loop(label: "bj.conform.client")
            driver = LoopConfined(sending: TrialDriver(scenario, options, loop), on: loop)
        }

        /// Plays it to its end, which comes within ``Options/timeout``.
        public func run() -> Outcome {
            let box = Mutex<Outcome?>(nil)
            let done = DispatchSemaphore(value: 0)
            driver.perform { driver in
                driver.begin { outcome in
                    box.withLock { $0 = outcome }
                    done.signal()
                }
            }
            done.wait()
            driver.loop.stop()
            guard let outcome = box.withLock({ $0 }) else { preconditionFailure("a trial that has ended has an outcome") }
            return outcome
        }

        /// Ends it from any thread, with its client.
        public func breakOff() { driver.perform { $0.finish(.failed("broken off")) } }
    }

    /// The rules of every scenario: each line is a request by the schema and within the limits of `hello`; no flood of lines
    /// or connections.
    struct Judge {
        /// Connections in one scenario.
        private static let connections = 40
        /// Lines within a second; a client that minds its limits is far below.
        private static let lines = 400

        /// Lines that the client has sent, over all connections.
        private(set) var lineCount = 0
        private(set) var last: [UInt8] = []
        private var second: (start: Int64, lines: Int) = (0, 0)

        /// Takes a line. - Returns: its fault, or nil.
        mutating func hear(_ line: [UInt8], _ request: Request, _ limits: Hello.Limits, at now: Int64) -> String? {
            lineCount += 1
            last = line
            if now - second.start >= 1000 { second = (now, 0) }
            second.lines += 1
            guard second.lines <= Self.lines else { return "a flood: more than \(Self.lines) lines in a second" }
            let reason: String
            switch request.message {
            case .failure(let error): reason = error.message
            case .success(let message):
                if line.count > limits.line {
                    reason = "\(line.count) bytes, where 'hello' allows \(limits.line)"
                } else if case .text(let text) = request.id, text.utf8.count > limits.id {
                    reason = "an 'id' of \(text.utf8.count) bytes, where 'hello' allows \(limits.id)"
                } else if let text = Self.tooLong(message, limits) {
                    reason = text
                } else {
                    return nil
                }
            }
            return "line \(lineCount) is no request that may be sent (\(reason)): \(Lines.shown(line))"
        }

        private static func tooLong(_ message: ClientMessage, _ limits: Hello.Limits) -> String? {
            switch message {
            case .login(let name, _, _, _, _, _, _) where name.utf8.count > limits.name:
                "a name of \(name.utf8.count) bytes, where 'hello' allows \(limits.name)"
            case .chat(let text) where text.utf8.count > limits.chat:
                "a chat of \(text.utf8.count) bytes, where 'hello' allows \(limits.chat)"
            default: nil
            }
        }

        /// The fault in a number of connections, or nil.
        func connected(_ count: Int) -> String? {
            count > Self.connections ? "a storm: more than \(Self.connections) connections" : nil
        }

        /// The client's last line, as a hint where it stopped.
        var lastWords: String {
            lineCount == 0 ? "the client has sent nothing" : "its last line was \(lineCount): \(Lines.shown(last))"
        }
    }
}
