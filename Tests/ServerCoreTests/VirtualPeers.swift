import Records
import TableEngine

@testable import ServerCore

/// Peers that a test plays: each has a numbered connection.
extension VirtualServer {
    /// Connects, and drops the greeting.
    func greet(_ connection: ConnectionID) {
        connect(connection)
        _ = take(connection)
    }

    /// Connects, and logs in with the secret that belongs to the name.
    func connect(_ connection: ConnectionID, as name: String) {
        connect(connection)
        receive(login(name), from: connection)
    }

    /// Connects, and logs in without a secret.
    func connect(_ connection: ConnectionID, asGuest name: String) {
        connect(connection)
        receive(#"{"type":"login","name":"\#(name)"}"#, from: connection)
    }

    /// Logs a player in over a new connection; returns the lines after `hello`.
    @discardableResult
    func enter(_ name: String, _ connection: ConnectionID, _ more: String = "") -> String {
        greet(connection)
        return say(login(name).dropLast() + more + "}", connection)
    }

    /// Logs a player in, who sits down; returns the lines after the login's.
    /// - Parameter table: nil for any.
    @discardableResult
    func seat(_ name: String, _ connection: ConnectionID, at table: String? = nil) -> String {
        enter(name, connection)
        return sit(connection, at: table)
    }

    /// As ``seat(_:_:at:)``, without a secret.
    @discardableResult
    func seat(guest name: String, _ connection: ConnectionID, at table: String? = nil) -> String {
        connect(connection, asGuest: name)
        _ = take(connection)
        return sit(connection, at: table)
    }

    private func sit(_ connection: ConnectionID, at table: String?) -> String {
        say(#"{"type":"sit"\#(table.map { ",\"table\":\"\($0)\"" } ?? "")}"#, connection)
    }

    /// One line after the other.
    func receive(_ lines: [String], from connection: ConnectionID) {
        for line in lines { receive(line, from: connection) }
    }

    /// A peer's line; returns the lines sent to the peer since the last time.
    func answers(to line: String, _ connection: ConnectionID) -> [String] {
        receive(line, from: connection)
        return take(connection)
    }

    /// As ``answers(to:_:)``, in one text.
    @discardableResult
    func say(_ line: String, _ connection: ConnectionID) -> String { answers(to: line, connection).joined(separator: "\n") }

    /// As ``answers(to:_:)``, the first line alone.
    func answer(to line: String, _ connection: ConnectionID) -> String { answers(to: line, connection).first ?? "" }

    /// As ``answers(to:_:)``, the last line alone.
    func reply(to line: String, _ connection: ConnectionID) -> String { answers(to: line, connection).last ?? "" }
}

/// An environment whose clock, timers and chance are the test's.
protocol VirtualEnvironment: Environment {
    var timers: [TimerID: Int64] { get set }
    var entropy: SeededStream { get set }
}

extension VirtualEnvironment {
    func setTimer(_ timer: TimerID, at deadline: Int64?) { timers[timer] = deadline }

    /// The timer that goes off first.
    var nextTimer: (id: TimerID, deadline: Int64)? {
        timers.min { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }.map { ($0.key, $0.value) }
    }

    func randomBytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: entropy.next64() >> 56) } }

    /// Appends a record, and reads it back.
    func record(_ write: (inout [UInt8]) -> Void, into records: inout [UInt8]) -> Record? {
        let start = records.count
        write(&records)
        return try? Record(line: Array(records[start...]))
    }

    var isRecording: Bool { true }
    func handOver() {}
    func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> [LogField]) {}
}
