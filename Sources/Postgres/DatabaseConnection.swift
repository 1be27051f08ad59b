import Sockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A statement with a name under which a connection prepares it once.
struct Statement: Sendable {
    let name: String
    let sql: String
    /// The table of its rows, as faults name it.
    let table: String

    init(name: String, of table: String? = nil, sql: String) {
        (self.name, self.sql, self.table) = (name, sql, table.map { "bjserver.\($0)" } ?? "the answer '\(name)'")
    }
}

/// A session with a PostgreSQL server: blocking, one statement at a time, each with a deadline.
///
/// The login accepts only a server that keeps the promise of a durable commit: a primary of a known version, without a pooler,
/// with `fsync`, `full_page_writes` and `synchronous_commit` on. Every message is bounded in length and every wait in time,
/// since the server may be hostile.
///
/// The session ends with the object. After an error other than `.refused` the state of the session is unknown, and it must not
/// be used again.
final class DatabaseConnection: Sendable {
    private let session: Mutex<Session>

    private init(_ session: Session) { self.session = Mutex(session) }

    typealias RowReader = (inout DatabaseRow) throws(DatabaseError) -> Void

    /// The result of a statement.
    struct Outcome {
        /// Rows that it read or changed.
        var count = 0
        /// The first warning of the server.
        var warning: ServerNotice?
    }

    /// Milliseconds for one host, of all that a caller has.
    private static let hostTimeout = 3000

    /// Connects to the first host that is a primary.
    static func open(_ url: DatabaseURL, by deadline: Deadline) throws(DatabaseError) -> DatabaseConnection {
        var reasons: [String] = []
        for host in url.hosts {
            do throws(DatabaseError) {
                return DatabaseConnection(try Session(host, url, by: deadline.sooner(hostTimeout)))
            } catch {
                reasons.append("\(host): \(error)")
                // One of several hosts may be of use later.
                guard url.hosts.count == 1, case .unusable(let text, let state) = error else { continue }
                throw .unusable("\(host): \(text)", state: state)
            }
        }
        throw .away(reasons.joined(separator: "; "))
    }

    /// Runs one statement as a transaction of its own, sent whole.
    /// - Parameter body: gets each row, valid during the call. The first error that it throws is that of the call; the statement has had its effect.
    func execute(
        _ statement: Statement, _ parameters: [Parameter], by deadline: Deadline, _ body: RowReader = { _ in }
    ) throws(DatabaseError) -> Outcome {
        try session.withLock { session throws(DatabaseError) in try session.execute(statement, parameters, by: deadline, body) }
    }

    /// An SQL expression for the settings that would lose commits in a power cut, as text; empty if there are none. Checked with each renewal,
    /// since a reload may change the server's settings, and a pooler may drop the session's synchronous_commit.
    static let unsafeSettings =
        "concat_ws(', ', \(unsafe("fsync")), \(unsafe("full_page_writes")), \(unsafe("synchronous_commit")))"

    private static func unsafe(_ setting: String) -> String {
        "nullif('\(setting)=' || current_setting('\(setting)'), '\(setting)=on')"
    }

    /// - Parameter settings: the value of ``unsafeSettings``.
    static func check(_ settings: String) throws(DatabaseError) {
        guard !settings.isEmpty else { return }
        throw .unusable("the server has \(settings.printable(upTo: 300)): a power cut would lose hands and chips")
    }

    /// Runs statements without parameters as one transaction.
    func execute(script: String, by deadline: Deadline) throws(DatabaseError) {
        try session.withLock { session throws(DatabaseError) in try session.execute(script: script, by: deadline) }
    }
}

/// The state of a connection.
private struct Session {
    private let socket: OpenSocket
    private var decoder = MessageDecoder()
    private var encoder = MessageEncoder()
    /// Names of statements.
    private var prepared: Set<String> = []
    /// ``reports``, as the server has them.
    private var settings: [String: String] = [:]
    private static let reports = ["server_version", "in_hot_standby", "server_encoding"]
    /// The server's process, as it said at the login.
    private var process: Int32?
    /// Bytes of the answer under way.
    private var answered = 0
    /// Their bound: a login's, then a statement's: a row, and the other messages.
    private var mostAnswered = MessageDecoder.longest

    /// Older ones do not compress chunks, or do not report whether they are standbys.
    private static let oldestServer = 15
    /// The settings of a session. They override server settings that would lose a commit or abort a statement that waits for a standby. A
    /// statement that waits for a lock ends with its connection, so that retries do not use up the server's connections.
    private static let sessionSettings = [
        ("client_encoding", "UTF8"), ("application_name", "bjserver"), ("search_path", "bjserver"), ("statement_timeout", "0"),
        ("lock_timeout", "0"), ("idle_in_transaction_session_timeout", "0"), ("default_transaction_isolation", "read committed"),
        ("default_transaction_read_only", "off"), ("synchronous_commit", "on"), ("client_min_messages", "warning"),
        ("client_connection_check_interval", "2000"),
    ]

    init(_ host: DatabaseURL.Host, _ url: DatabaseURL, by deadline: Deadline) throws(DatabaseError) {
        socket = try OpenSocket(to: host, by: deadline)
        encoder.startup([("user", url.user), ("database", url.database)] + Self.sessionSettings)
        try socket.sendAll(encoder.bytes, by: deadline)
        do throws(DatabaseError) {
            try logIn(host, url, by: deadline)
        } catch {
            guard case .refused(let state, let text) = error else { throw error }
            // PgBouncer's words.
            guard !text.hasPrefix("unsupported startup parameter") else { throw Self.pooler }
            // Too many connections, starting, stopping; unlike a wrong name or password.
            throw ["28", "3D", "42"].contains(state.prefix(2)) ? .unusable(text, state: state) : .away("\(error)")
        }
        mostAnswered = MessageDecoder.longestRow + MessageDecoder.longest
        let version = settings["server_version"]?.prefix { $0.isNumber }
        guard let version = version.flatMap({ Int($0) }), version >= Self.oldestServer else {
            throw .unusable("the server is older than PostgreSQL \(Self.oldestServer)")
        }
        guard settings["in_hot_standby"] == "off" else {
            throw settings["in_hot_standby"] == nil ? Self.pooler : .away("a standby")
        }
        let encoding = settings["server_encoding"] ?? "none"
        guard encoding == "UTF8" else {
            throw .unusable(
                "the database \(url.database) has the encoding \(encoding.printable(upTo: 300)), which cannot store all names: create one with "
                    + "CREATE DATABASE \(url.database) ENCODING 'UTF8' TEMPLATE template0")
        }
        var (settings, process) = ("", Int64(0))
        _ = try execute(Self.settingsCheck, [], by: deadline) { row throws(DatabaseError) in
            settings = try row.text("settings")
            process = try row.int("process", in: DatabaseRow.anyInt)
        }
        // Between statements a pooler gives the session to others; it makes up the process that it tells.
        guard self.process.map({ Int64($0) }) == process else { throw Self.pooler }
        try DatabaseConnection.check(settings)
    }

    private static let pooler = DatabaseError.unusable(
        "a pooler such as PgBouncer drops session settings: connect to the server itself")

    /// The state of a login: the server asks, proves and accepts in this order, or accepts at once.
    private enum Login {
        case begun, proven, accepted
        case asked(SCRAM)
        case answered(SCRAM)
    }

    private mutating func logIn(_ host: DatabaseURL.Host, _ url: DatabaseURL, by deadline: Deadline) throws(DatabaseError) {
        var login = Login.begun
        while true {
            switch (login, try receive(by: deadline)) {
            case (_, .error(let notice)): throw .refused(state: notice.state, text: notice.text)
            case (_, .notice), (.accepted, .other): break
            case (.accepted, .process(let number)): process = number
            case (.accepted, .ready): return
            case (.begun, .authenticated) where url.login == .proof:
                throw .unusable(
                    "the server does not ask for a password, but require_auth is scram-sha-256: it may be the wrong server")
            case (.begun, .authenticated), (.proven, .authenticated): login = .accepted
            case (.begun, .sasl(let mechanisms)):
                let client = try client(mechanisms, for: host, url)
                encoder.removeAll()
                encoder.saslInitialResponse(mechanism: SCRAM.mechanism, client.first)
                try socket.sendAll(encoder.bytes, by: deadline)
                login = .asked(client)
            case (.asked(var client), .saslContinue(let message)):
                encoder.removeAll()
                encoder.saslResponse(try proven { () throws(SCRAM.Refusal) in try client.response(to: message) })
                try socket.sendAll(encoder.bytes, by: deadline)
                login = .answered(client)
            case (.answered(let client), .saslFinal(let message)):
                try proven { () throws(SCRAM.Refusal) in try client.check(message) }
                login = .proven
            case (.begun, .otherAuthentication(let number)):
                throw Self.method([3: "password", 5: "md5"][number] ?? "number \(number)")
            // Without the server's proof it is not known to be the server.
            default: throw .unusable("the server ended the login without proof, or out of order")
            }
        }
    }

    private func client(
        _ mechanisms: [String], for host: DatabaseURL.Host, _ url: DatabaseURL
    ) throws(DatabaseError) -> SCRAM {
        guard url.login != DatabaseURL.Login.none else {
            throw .unusable("the server asks for a password, but require_auth is none")
        }
        guard mechanisms.contains(SCRAM.mechanism) else { throw Self.method(mechanisms.joined(separator: ", ")) }
        guard let password = try url.password(for: host) else {
            throw .unusable(
                "the server asks for a password: set PGPASSWORD, or PGPASSFILE or ~/.pgpass with a line for "
                    + "\(host.isFolder ? host.name : "\(host)")", state: DatabaseURL.noPassword)
        }
        do throws(SASLprep.Refusal) {
            return SCRAM(
                password: try SASLprep.prepared(password),
                nonce: Base64.encode((0..<18).map { _ in UInt8.random(in: .min ... .max) }))
        } catch { throw .unusable(error.text, state: DatabaseURL.noPassword) }
    }

    private func proven<Value>(_ body: () throws(SCRAM.Refusal) -> Value) throws(DatabaseError) -> Value {
        do throws(SCRAM.Refusal) { return try body() } catch { throw .unusable(error.text) }
    }

    private static func method(_ name: String) -> DatabaseError {
        .unusable(
            "the server asks for the login method \(name); supported are scram-sha-256 and trust. Set password_encryption = "
                + "'scram-sha-256', set the user's password again, and use scram-sha-256 in pg_hba.conf")
    }

    private static let settingsCheck = Statement(
        name: "settings", sql: "SELECT \(DatabaseConnection.unsafeSettings), pg_backend_pid()::int8")

    // MARK: Statements

    mutating func execute(
        _ statement: Statement, _ parameters: [Parameter], by deadline: Deadline, _ body: DatabaseConnection.RowReader
    ) throws(DatabaseError) -> DatabaseConnection.Outcome {
        encoder.removeAll()
        if !prepared.contains(statement.name) { encoder.parse(statement.name, statement.sql, parameters) }
        encoder.execute(statement.name, parameters)
        return try exchange(statement, by: deadline, body)
    }

    mutating func execute(script: String, by deadline: Deadline) throws(DatabaseError) {
        encoder.removeAll()
        encoder.query(script)
        _ = try exchange(nil, by: deadline) { _ in }
    }

    /// - Parameter statement: nil for a script.
    private mutating func exchange(
        _ statement: Statement?, by deadline: Deadline, _ body: DatabaseConnection.RowReader
    ) throws(DatabaseError) -> DatabaseConnection.Outcome {
        try socket.sendAll(encoder.bytes, by: deadline)
        answered = 0
        var outcome = DatabaseConnection.Outcome()
        var refusal: ServerNotice?
        var fault: DatabaseError?
        while true {
            switch try receive(by: deadline) {
            // Stays prepared if its execution fails.
            case .parsed: if let statement { prepared.insert(statement.name) }
            case .row(let values):
                guard let statement, fault == nil else { continue }
                var row = DatabaseRow(values, of: statement)
                do throws(DatabaseError) { try body(&row) } catch { fault = error }
            case .complete(let count): outcome.count = count
            case .notice(let notice) where notice.severity == "WARNING": outcome.warning = outcome.warning ?? notice
            // Also in answer to no statement: the server stops. A victim of a deadlock is repeated, as one in doubt is.
            case .error(let notice) where notice.isFatal || notice.state == "40P01":
                throw .away("\(notice.text) (SQLSTATE \(notice.state))")
            case .error(let notice): refusal = refusal ?? notice
            case .ready:
                if let refusal { throw .refused(state: refusal.state, text: refusal.text) }
                if let fault { throw fault }
                return outcome
            default: break
            }
        }
    }

    private mutating func receive(by deadline: Deadline) throws(DatabaseError) -> BackendMessage {
        while true {
            let message: BackendMessage?
            do throws(ProtocolViolation) { message = try decoder.next() } catch { throw .away(error.text) }
            switch message {
            case .parameter(let name, let value)?: if Self.reports.contains(name) { settings[name] = value }
            case let message?: return message
            case nil:
                answered += try socket.receive(into: &decoder, by: deadline)
                guard answered <= mostAnswered else { throw .away("the server's answer is longer than \(mostAnswered) bytes") }
            }
        }
    }
}

// MARK: - Sockets

/// Closed with the object, or with the process. The server is told, so that it logs no lost connection.
private final class OpenSocket: Sendable {
    private let socket: BlockingSocket
    private static let open = Mutex<Set<Int32>>([])
    private static let endsAtExit: Void = { atexit { OpenSocket.open.withLock { $0.forEach(OpenSocket.terminate) } } }()

    init(to host: DatabaseURL.Host, by deadline: Deadline) throws(DatabaseError) {
        socket = try Self.connected(to: host, by: deadline)
        _ = Self.endsAtExit
        Self.open.withLock { [socket] in _ = $0.insert(socket.descriptor) }
    }

    deinit {
        Self.open.withLock { [socket] in
            Self.terminate(socket.descriptor)
            $0.remove(socket.descriptor)
        }
    }

    /// Sends Terminate. In the midst of a message it ends one that the server drops: a statement has effect only with the Sync behind it.
    private static func terminate(_ descriptor: Int32) {
        _ = [UInt8(ascii: "X"), 0, 0, 0, 4].withUnsafeBytes { Descriptor.send(descriptor, $0) }
    }

    private static func connected(to host: DatabaseURL.Host, by deadline: Deadline) throws(DatabaseError) -> BlockingSocket {
        do throws(SocketError) {
            guard host.isFolder else { return try .connect(host: host.name, port: Int(host.port), by: deadline) }
            return try BlockingSocket(to: SocketAddress(unixPath: host.description), host.description, by: deadline)
        } catch {
            throw error.code == ENAMETOOLONG ? .unusable("the path of the socket is too long") : .away(error.reason)
        }
    }

    private static func failure(_ error: SocketError) -> DatabaseError {
        .away(error.code == ETIMEDOUT ? "the server is not responding" : error.reason)
    }

    func sendAll(_ bytes: [UInt8], by deadline: Deadline) throws(DatabaseError) {
        do throws(SocketError) { try socket.send(bytes, by: deadline) } catch { throw Self.failure(error) }
    }

    /// - Returns: the number of bytes received.
    func receive(into decoder: inout MessageDecoder, by deadline: Deadline) throws(DatabaseError) -> Int {
        let count: Int
        do throws(SocketError) {
            count = try socket.receive(by: deadline) { decoder.append($0) }
        } catch { throw Self.failure(error) }
        guard count > 0 else { throw .away("the server closed the connection") }
        return count
    }
}
