import TableEngine
import TableModel
import Wire

/// The whole house: who is connected, who they are, and the tables. Lines, time and chance go in, lines come out through its
/// ``Environment``; it does no input or output of its own. Confined to whoever calls it.
public final class Casino {
    /// What the casino knows of a connection.
    struct Session {
        var player: PlayerID?
        /// The table watched, by its index.
        var watching: Int?
        /// When it connected, then when a line last came from it.
        var heard: Int64
    }

    let configuration: CasinoConfiguration
    unowned let environment: any Environment
    var accounts = Accounts()
    var sessions: [ConnectionID: Session] = [:]
    let hosts: [TableHost]
    /// Told of each revision of each table as it is sent: for those who judge the house from within the package.
    package var onPublish: ((_ table: String, _ revision: Int, TableSnapshot) -> Void)?

    /// - Parameter environment: outlives the casino.
    public init(configuration: CasinoConfiguration, environment: any Environment) {
        self.configuration = configuration
        self.environment = environment
        hosts = configuration.tables.enumerated().map { index, setting in
            let pace = Pace(settledMilliseconds: configuration.settledMilliseconds)
            return TableHost(
                name: setting.name, index: index, table: Table(rules: setting.rules, pace: pace), environment: environment)
        }
        for host in hosts { host.onFacts = { [unowned self, unowned host] in settle($0, at: host) } }
    }

    /// A peer has connected: it is greeted, or sent away when the house is full.
    public func connected(_ connection: ConnectionID, at now: Int64) {
        guard sessions.count < configuration.maximumConnections else {
            send(.error(Refusal(id: nil, type: nil, .serverFull).fatal), to: connection)
            environment.close(connection)
            return
        }
        sessions[connection] = Session(player: nil, watching: nil, heard: now)
        environment.remind(.connection(connection), at: now + configuration.loginMilliseconds)
        let hello = Hello(
            server: configuration.serverName, time: now, maximumLine: WireLimits.requestBytes,
            idleSeconds: Int(configuration.idleMilliseconds / 1000))
        send(.hello(hello), to: connection)
    }

    /// A whole line has come.
    public func received(_ line: UnsafeBufferPointer<UInt8>, from connection: ConnectionID, at now: Int64) {
        guard sessions[connection] != nil else { return }
        sessions[connection]?.heard = now
        let request = Request(line: line)
        let refusal: Refusal
        do {
            return try carryOut(request.message.get(), request.id, from: connection, at: now)
        } catch let error as ProtocolError {
            refusal = Refusal(id: request.id, type: request.type, error)
        } catch let error as CasinoRefusal {
            refusal = Refusal(id: request.id, type: request.type, error)
        } catch let error as Rejection {
            refusal = Refusal(id: request.id, type: request.type, error)
        } catch {
            preconditionFailure("requests are refused by these types alone: \(error)")
        }
        send(.error(refusal), to: connection)
        environment.log(.debug, "refused", [LogField("conn", connection), LogField("code", refusal.code)])
        // A table's deadline may have passed before the command that it refused.
        if let session = sessions[connection], let index = session.player.flatMap({ accounts[$0]?.table }) ?? session.watching {
            publish(index)
        }
    }

    /// A line longer than allowed is coming: where the next one starts can't be known any more.
    public func receivedTooLongLine(from connection: ConnectionID) {
        guard sessions[connection] != nil else { return }
        send(.error(Refusal(id: nil, type: nil, ProtocolError.lineTooLong(limit: WireLimits.requestBytes))), to: connection)
        environment.close(connection)
    }

    /// The peer is gone. The player's seat and chips are kept for a while.
    public func disconnected(_ connection: ConnectionID, at now: Int64) {
        guard let session = sessions.removeValue(forKey: connection) else { return }
        environment.remind(.connection(connection), at: nil)
        if let index = session.watching { hosts[index].removeViewer(connection) }
        guard let id = session.player, let account = accounts[id], account.connection == connection else { return }
        accounts.update(id) { $0.connection = nil }
        // Who has neither a seat nor won or lost a chip leaves nothing behind that is worth keeping a name for.
        if account.table == nil && account.chips == configuration.startingChips { return accounts.close(id) }
        environment.remind(.player(id), at: now + configuration.holdMilliseconds)
        if let index = account.table {
            _ = try? hosts[index].perform(.disconnected(player: id), at: now)
            publish(index)
        }
    }

    /// The moment of a reminder has come.
    public func remind(_ reminder: Reminder, at now: Int64) {
        switch reminder {
        case .table(let index): tick(index, at: now)
        case .connection(let connection): checkSilence(of: connection, at: now)
        case .player(let id): expire(id, at: now)
        }
    }

    /// Ends every connection with a word of the reason.
    public func sayGoodbye(code: String, message: String) {
        for connection in sessions.keys.sorted() {
            send(.bye(code: code, message: message), to: connection)
            environment.close(connection)
        }
    }

    private func checkSilence(of connection: ConnectionID, at now: Int64) {
        guard let session = sessions[connection] else { return }
        let isLoggedIn = session.player != nil
        // Before the login the clock is not set back by whatever is sent: it bounds how long a stranger holds a connection.
        let deadline = session.heard + configuration.idleMilliseconds
        guard !isLoggedIn || deadline <= now else { return environment.remind(.connection(connection), at: deadline) }
        let (code, message) = isLoggedIn ? ("idle", "Nothing was heard for too long.") : ("login_timeout", "Nobody logged in.")
        send(.bye(code: code, message: message), to: connection)
        environment.close(connection)
    }

    private func expire(_ id: PlayerID, at now: Int64) {
        guard let account = accounts[id], account.connection == nil else { return }
        accounts.update(id) { $0.isExpired = true }
        guard let index = account.table else { return accounts.close(id) }
        _ = try? hosts[index].perform(.leave(player: id), at: now)
        publish(index)
    }

    /// Runs what is due at a table.
    func tick(_ index: Int, at now: Int64) {
        _ = try? hosts[index].perform(.tick, at: now)
        publish(index)
    }

    /// Books what facts mean outside the table: who takes chips home.
    private func settle(_ facts: [Fact], at host: TableHost) {
        for fact in facts {
            guard case .left(let id, let chips) = fact, let account = accounts[id] else { continue }
            accounts.returnChips(id, chips)
            environment.log(
                .info, "left", [LogField("table", host.name), LogField("name", account.name), LogField("chips", chips)])
            if account.isExpired { accounts.close(id) }
        }
    }

    func publish(_ index: Int) {
        guard hosts[index].publish() else { return }
        onPublish?(hosts[index].name, hosts[index].revision, hosts[index].shown)
    }

    func send(_ message: ServerMessage, to connection: ConnectionID) { environment.send(message.encoded(), to: connection) }
}

extension Refusal {
    /// The same refusal as the last word on its connection.
    fileprivate var fatal: Refusal {
        var copy = self
        copy.isFatal = true
        return copy
    }
}
