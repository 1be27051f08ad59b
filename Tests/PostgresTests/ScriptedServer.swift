import Foundation
import Journal
import Sockets
import Synchronization
import TestKit

@testable import Postgres

/// A server that speaks the protocol and answers each statement as a test says.
final class ScriptedServer: Sendable {
    enum Answer {
        case bytes([UInt8])
        /// Ends the connection.
        case cut
        /// Never answers.
        case freeze
        /// Answers without end.
        case flood([UInt8])

        /// A statement that changed or read so many rows.
        static func rows(_ count: Int) -> Answer { .bytes(message("C", text("INSERT 0 \(count)")) + ready) }
        /// A statement that read one row.
        static func row(_ values: [[UInt8]?]) -> Answer {
            .bytes(PostgresTests.row(values) + message("C", text("SELECT 1")) + ready)
        }
        static func error(_ state: String) -> Answer { .bytes(notice("E", severity: "ERROR", state: state, "refused") + ready) }
    }

    static let ready = message("Z", [0x49])
    /// The end of a login by trust, of the process 7.
    static let greeting = message("R", number(0)) + settings + message("K", number(7) + number(1)) + ready
    static let settings = settings(standby: false)

    static func settings(standby: Bool, encoding: String = "UTF8") -> [UInt8] {
        [("server_version", "15.4"), ("in_hot_standby", standby ? "on" : "off"), ("server_encoding", encoding)]
            .flatMap { message("S", text($0) + text($1)) }
    }

    static func int8(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    let folder: String
    let url: DatabaseURL
    private let listener: Int32
    private let greeting: Answer
    private let connections = Mutex<[Int32]>([])
    /// Names of the statements, in the order in which they came.
    private let log = Mutex<[String]>([])
    private let answer: @Sendable (_ statement: String, _ number: Int) -> Answer?

    var statements: [String] { log.withLock { $0.filter { $0 != "settings" } } }

    /// - Parameters:
    ///   - greeting: the answer to the start of a session, and to each message of its login.
    ///   - answer: to the statement of this name, and its number among those of the name, from 1; nil: the usual one, as of a change of one row.
    init(
        greeting: Answer = .bytes(greeting), _ answer: @escaping @Sendable (_ statement: String, _ number: Int) -> Answer?
    ) throws {
        (self.answer, self.greeting) = (answer, greeting)
        let folder = FileManager.default.temporaryDirectory.appending(path: "bj-fake-\(UUID().uuidString.prefix(8))").path
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        url = try DatabaseURL("postgres://bj@/bj?host=\(folder)")
        #if canImport(Glibc)
            listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            listener = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        let status = try SocketAddress(unixPath: "\(folder)/.s.PGSQL.5432").withPointer { bind(listener, $0, $1) }
        guard status == 0, listen(listener, 16) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        DispatchQueue(label: "fake.accept").async { [self] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                connections.withLock { $0.append(connection) }
                DispatchQueue(label: "fake.connection").async { [self] in serve(connection) }
            }
        }
    }

    /// Ends all connections and the listening.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        connections.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func serve(_ connection: Int32) {
        defer { shutdown(connection, Int32(SHUT_RDWR)) }
        func receive(_ count: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            var done = 0
            while done < count {
                let got = bytes.withUnsafeMutableBytes { recv(connection, $0.baseAddress! + done, count - done, 0) }
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return nil }
                done += got
            }
            return bytes
        }
        func length() -> Int? { receive(4).map { $0.reduce(0) { $0 << 8 | Int($1) } - 4 } }
        guard let startup = length(), receive(startup) != nil else { return }
        guard send(greeting, over: connection) else { return }
        var statement = ""
        while let type = receive(1)?.first, let length = length(), let body = receive(length) {
            switch Character(Unicode.Scalar(type)) {
            case "B": statement = String(decoding: body.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            case "Q": statement = "script"
            case "p": guard send(greeting, over: connection) else { return }
            default: break
            }
            guard type == UInt8(ascii: "S") || type == UInt8(ascii: "Q") else { continue }
            let number = log.withLock { log in
                log.append(statement)
                return log.count { $0 == statement }
            }
            let usual = statement == "settings" ? Answer.row([[], Self.int8(7)]) : .rows(1)
            guard send(answer(statement, number) ?? usual, over: connection) else { return }
        }
    }

    /// - Returns: false when the connection is to end.
    private func send(_ answer: Answer, over connection: Int32) -> Bool {
        switch answer {
        case .bytes(let bytes): Loopback.send(bytes, over: connection)
        case .cut: return false
        case .freeze: break
        case .flood(let message):
            let bytes = Array(repeatElement(message, count: max(1, 1 << 16 / message.count)).joined())
            while Loopback.send(bytes, over: connection) {}
            return false
        }
        return true
    }
}

/// The error of a storage that a call throws.
func failure<Value>(_ body: () throws -> Value) -> JournalError? {
    do { _ = try body() } catch { return error as? JournalError }
    return nil
}

extension JournalError {
    var kind: StorageError.Kind {
        if case .fenced = self { .fenced } else { isLost ? .lost : isUnavailable ? .unavailable : .failed }
    }

    var sqlState: String? { storage?.sqlState }

    var code: Int32? { storage?.code }

    /// The database's words, without the operation and the file that precede them.
    var text: String? {
        guard case .lost(let reason) = self, let start = reason.firstRange(of: ": ")?.upperBound else { return storage?.text }
        return String(reason[start...])
    }
}
