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

        /// A statement that changed or read so many rows.
        static func rows(_ count: Int) -> Answer { .bytes(message("C", text("INSERT 0 \(count)")) + ready) }
        static func error(_ state: String) -> Answer { .bytes(notice("E", severity: "ERROR", state: state, "refused") + ready) }
    }

    static let ready = message("Z", [0x49])
    let folder: String
    let url: DatabaseURL
    private let listener: Int32
    private let isStandby = Atomic(false)
    private let connections = Mutex<[Int32]>([])
    /// Names of the statements, in the order in which they came.
    private let log = Mutex<[String]>([])
    private let answer: @Sendable (_ statement: String, _ number: Int) -> Answer

    var statements: [String] { log.withLock { $0.filter { $0 != "settings" } } }

    /// - Parameter answer: to the statement of this name, and its number among those of the name, from 1.
    init(standby: Bool = false, _ answer: @escaping @Sendable (_ statement: String, _ number: Int) -> Answer) throws {
        self.answer = answer
        isStandby.store(standby, ordering: .relaxed)
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
                guard got > 0 else { return nil }
                done += got
            }
            return bytes
        }
        func length() -> Int? { receive(4).map { $0.reduce(0) { $0 << 8 | Int($1) } - 4 } }
        guard let startup = length(), receive(startup) != nil else { return }
        let standby = isStandby.load(ordering: .relaxed) ? "on" : "off"
        let settings = message("S", text("server_version") + text("15.4")) + message("S", text("in_hot_standby") + text(standby))
        Loopback.send(message("R", number(0)) + settings + Self.ready, over: connection)
        var statement = ""
        while let type = receive(1)?.first, let length = length(), let body = receive(length) {
            switch Character(Unicode.Scalar(type)) {
            case "B": statement = String(decoding: body.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            case "Q": statement = "script"
            default: break
            }
            guard type == UInt8(ascii: "S") || type == UInt8(ascii: "Q") else { continue }
            let number = log.withLock { log in
                log.append(statement)
                return log.count { $0 == statement }
            }
            guard statement != "settings" else {
                Loopback.send(row([[]]) + message("C", text("SELECT 1")) + Self.ready, over: connection)
                continue
            }
            switch answer(statement, number) {
            case .bytes(let bytes): Loopback.send(bytes, over: connection)
            case .cut: return
            case .freeze: continue
            }
        }
    }
}

/// The error of a storage that a call throws.
func failure<Value>(_ body: () throws -> Value) -> StorageError? {
    do { _ = try body() } catch { return error as? StorageError }
    return nil
}
