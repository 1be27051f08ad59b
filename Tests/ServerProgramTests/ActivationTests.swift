import Foundation
import TestKit
import Testing

/// A service manager's part: it listens, and hands the socket to the server that it starts.
@Test(.ownThread) func aServerTakesOverTheSocketThatAServiceManagerListensOn_andKeepsItsPort() throws {
    let (listener, port) = try Loopback.bound(backlog: 8)
    // Who connects before the server runs is not refused: the connection waits for it.
    let early = try Loopback.connect(to: port)
    defer { close(early) }

    let process = Process()
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "bjserver").path
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
        "-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" --listen 127.0.0.1:1 --data none 3<&0 </dev/null", program,
    ]
    process.standardInput = FileHandle(fileDescriptor: listener, closeOnDealloc: true)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.start()
    defer { process.terminate() }
    let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(said.hasPrefix("listening on 127.0.0.1:\(port)\n"))

    var limit = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(early, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(early, &buffer, buffer.count, 0)
    #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self).hasPrefix("{\"type\":\"hello\""))
}
