import Foundation
import Referee
import Wire

/// The run's loop: what is ready is read, and everybody whose time has come acts.
extension CrashRun {
    func turn(for milliseconds: Int64) throws(CrashError) {
        let end = Self.now + milliseconds * 1000
        while Self.now < end, server?.ended == nil { try turn(until: end) }
    }

    /// One turn, which waits for input until then at most, in microseconds.
    func turn(until end: Int64, isPlaying: Bool = true) throws(CrashError) {
        let wakes = isPlaying ? peers.compactMap(wake) : []
        let wait = max(0, min(wakes.min() ?? end, end) - Self.now)
        poll(
            peers.compactMap(\.descriptor) + (server?.descriptors ?? []), peers.filter(\.hasOutput).compactMap(\.descriptor),
            milliseconds: Int32(min(50, (wait + 999) / 1000)))
        if isInterrupted() { throw CrashError("interrupted", isSetup: true) }
        server?.read()
        for peer in peers where peer.descriptor != nil {
            peer.flush()
            let isOpen = peer.read { received($0, peer) }
            if !isOpen { lose(peer, for: Int64(peer.player.below(30)) * 1000) }
        }
        if let finding = referee.findings.first { throw failure(finding) }
        guard isPlaying else { return }
        for peer in peers { act(peer) }
    }

    func poll(_ inputs: [Int32], _ outputs: [Int32], milliseconds: Int32) {
        var list = inputs.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        list += outputs.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        _ = Foundation.poll(&list, nfds_t(list.count), milliseconds)
    }

    /// The time at which a peer acts without input; nil for one that waits for input.
    private func wake(_ peer: CrashPeer) -> Int64? {
        switch peer.stage {
        case .away(let until): until == .max ? nil : until
        case .playing, .loggingIn: referee.isAnswered(peer.index) ? peer.wake : nil
        default: nil
        }
    }

    private func failure(_ first: RecoveryFinding) -> CrashError {
        let findings = referee.findings.prefix(8).map { "  \($0)" }.joined(separator: "\n")
        let concerned = peers.first { $0.player.name == first.player } ?? peers.first { $0.player.home == first.player }
        let lines = concerned.map { "\nlast lines of \($0.player.name):\n  " + $0.transcript.joined(separator: "\n  ") } ?? ""
        return CrashError("\(referee.findings.count) broken promises\n\(findings)\(lines)")
    }

    /// Closes a connection from this side, or takes note of its end; the player comes back after that many microseconds.
    func lose(_ peer: CrashPeer, for microseconds: Int64) {
        if case .away = peer.stage { return }
        peer.close()
        referee.disconnected(peer.index)
        peer.stage = .away(until: Self.now + microseconds)
        loseShoeRequests(peer)
    }

    private func received(_ line: UnsafeBufferPointer<UInt8>, _ peer: CrashPeer) {
        referee.received(line, by: peer.index)
        if let message = try? ServerMessage(line: line) {
            switch message {
            case .ok(_, .sit):
                peer.shoes.satDown()
                peer.shownShoes = CrashPeer.ShownShoes()
            case .ok(_, .login(let login)): noteLogin(login, peer)
            case .ok(let id, let reply): answered(id, .success(reply), peer)
            case .error(let refusal): answered(refusal.id, .failure(refusal), peer)
            default: break
            }
        }
        watchShoes(peer)
        switch peer.stage {
        case .connecting:
            peer.stage = .loggingIn
            logIn(peer)
        case .loggingIn:
            if referee.isLoggedIn(peer.index) {
                peer.stage = .watching
                watch(peer)
            } else {
                // Refused for the moment, such as between two loops.
                peer.wake = Self.now + 5000
            }
        case .watching:
            guard referee.shown(to: peer.index) != nil else {
                // Refused where the seat was given up meanwhile.
                if referee.isAnswered(peer.index), !referee.awaitsSnapshot(peer.index) { watch(peer) }
                return
            }
            peer.stage = .watched
            if !isGathering { beginRepeating(peer) }
        case .repeating: repeatNext(peer)
        case .away, .watched, .playing: break
        }
    }

    private func logIn(_ peer: CrashPeer) { send(peer.player.login, peer) }

    private func watch(_ peer: CrashPeer) { send(.watch(table: peer.player.home, pass: CrashTables.pass), peer) }

    @discardableResult func send(_ message: ClientMessage, _ peer: CrashPeer) -> Request {
        let request = peer.player.request(message)
        report.requests += 1
        referee.sent(request, by: peer.index)
        peer.send(request)
        return request
    }

    // MARK: Repeating

    func beginRepeating(_ peer: CrashPeer) {
        guard peer.stage == .watched else { return }
        peer.stage = .repeating
        // An unanswered one is sent twice: both answers must be the same.
        peer.repeats = referee.answered(by: peer.index).map { ($0, true) }
        peer.repeats += referee.unanswered(by: peer.index).flatMap { [($0, false), ($0, true)] }
        for _ in 0..<4 { repeatNext(peer) }
    }

    private func repeatNext(_ peer: CrashPeer) {
        guard !peer.repeats.isEmpty else {
            guard referee.isAnswered(peer.index) else { return }
            peer.stage = .playing
            return watchShoes(peer)
        }
        let next = peer.repeats.removeFirst()
        if next.wasAnswered {
            // Behind its first answer.
            guard referee.isAnswered(peer.index) || referee.unanswered(by: peer.index).allSatisfy({ $0.id != next.request.id })
            else {
                return peer.repeats.insert(next, at: 0)
            }
            guard referee.remembers(next.request, by: peer.index) else { return repeatNext(peer) }
            referee.repeated(next.request, by: peer.index)
        } else {
            referee.sent(next.request, by: peer.index)
        }
        report.requests += 1
        peer.send(next.request)
    }

    // MARK: Playing

    private func act(_ peer: CrashPeer) {
        let now = Self.now
        switch peer.stage {
        case .away(let until): if until <= now { connect(peer) }
        case .loggingIn:
            if peer.wake <= now, referee.isAnswered(peer.index), !referee.isLoggedIn(peer.index) { logIn(peer) }
        case .playing:
            guard peer.wake <= now, referee.isAnswered(peer.index) else { return }
            peer.wake = now + Int64(peer.player.below(6000))
            play(peer)
        default: break
        }
    }

    private func play(_ peer: CrashPeer) {
        switch peer.player.move(at: referee.shown(to: peer.index), seats: referee.seats(of: peer.index).sorted()) {
        case .rest: break
        case .send(let messages): for message in messages { send(message, peer) }
        case .hangUp(let pause): lose(peer, for: pause * 1000)
        }
    }
}
