import Foundation
import TestKit
import Testing

#if canImport(Glibc)
    private let streamType = Int32(SOCK_STREAM.rawValue)
#else
    private let streamType = SOCK_STREAM
#endif

/// A service manager's part: it listens, and hands the socket to the server that it starts.
@Test(.ownThread) func aServerTakesOverTheSocketThatAServiceManagerListensOn_andKeepsItsPort() throws {
    let listener = socket(AF_INET, streamType, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &address) { pointer in
        try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            try #require(bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0)
        }
    }
    let port = UInt16(bigEndian: address.sin_port)

    // Who connects before the server runs is not refused: the connection waits for it.
    let early = socket(AF_INET, streamType, 0)
    defer { close(early) }
    let status = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(early, $0, length) }
    }
    try #require(status == 0)

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
