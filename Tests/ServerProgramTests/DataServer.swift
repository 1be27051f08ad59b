import Foundation
import Journal
import ServerCore
import TestKit
import Testing

extension DataSnapshot {
    /// Of a folder.
    init(folder path: String) throws {
        try self.init(FileStorage(path: path, creating: false))
    }
}

/// A server on a data folder, and the commands about that folder, as an operator uses them.
final class DataServer {
    private static let accounts = ["ann": "a1", "bob": "b2", "eve": "e3"]

    let shell: ShellServer
    let port: Int
    private let socket: String

    /// - Parameters:
    ///   - folder: for the data.
    ///   - port: that of a server before; 0 for any.
    ///   - more: words of the command line.
    init(on folder: DataScratch, data: String = "data", port: Int = 0, _ more: String = "") throws {
        socket = folder.path("\(data)/admin.sock")
        shell = try ShellServer(
            "exec \"$0\" --listen 127.0.0.1:\(port) --data '\(folder.path(data))' --create "
                + "--settle 0s "
                + "--request-rate 100000 \(more) 2>\"$1/log\"")
        self.port = try shell.port()
    }

    static func secret(_ name: String) -> String { String(repeating: accounts[name] ?? "00", count: 32) }

    /// A player with the name's own secret.
    func player(_ name: String, secret: String? = nil) throws -> RawPeer {
        let peer = try #require(RawPeer(port: port))
        peer.send(#"{"type":"login","name":"\#(name)","secret":"\#(secret ?? Self.secret(name))","id":"l"}"#)
        return peer
    }

    /// A player who has an account that lasts, with 1,000 chips, and no seat.
    @discardableResult
    func account(_ name: String) throws -> RawPeer {
        let peer = try player(name)
        peer.send(#"{"type":"sit"}"#)
        peer.send(#"{"type":"leave","id":"gone"}"#)
        _ = try #require(peer.line(with: #""id":"gone""#))
        _ = try AdminClient.ask(["enable", name], path: socket, milliseconds: 120_000)
        return peer
    }

    /// Ends it at once, as a power cut would.
    func kill() { shell.end(SIGKILL) }

    /// Ends it in order: seats and hands are kept.
    func stop() { shell.end(SIGTERM) }
}

/// A folder that goes with the test, and programs that run in it.
final class DataScratch {
    // Short: the path of a socket has at most 107 bytes.
    private let url = URL(filePath: "/tmp/bj-\(UUID().uuidString.prefix(8))")

    init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Runs one of our programs, or the one at a path, to its end.
    func run(_ program: String, _ arguments: [String], input: String = "") throws -> Tool.Ending {
        try Tool.run(program, arguments, input: input, environment: ["XDG_CONFIG_HOME": path("config")])
    }

    /// Files of the data folder, sorted.
    func files(_ folder: String = "data") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }

    /// Flips a bit of the first text that a file has.
    func damage(_ file: String, at text: String) throws {
        let url = URL(filePath: path(file))
        var data = try Data(contentsOf: url)
        let range = try #require(data.range(of: Data(text.utf8)))
        data[range.lowerBound] ^= 1
        try data.write(to: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
