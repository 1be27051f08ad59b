import Foundation
import TestKit
import Testing

/// A service manager's part: it listens, and hands the socket to the server that it starts.
@Test(.ownThread) func aServerTakesOverTheSocketThatAServiceManagerListensOn_andKeepsItsPort() throws {
    let (listener, port) = try Loopback.bound(backlog: 8)
    // Who connects before the server runs is not refused: the connection waits for it.
    let early = try #require(RawPeer(port: port))
    let server = try ShellServer(
        #"LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" --listen 127.0.0.1:1 --data none 3<&0 </dev/null"#,
        input: FileHandle(fileDescriptor: listener, closeOnDealloc: true))
    #expect(try server.port() == port)
    #expect(early.line()?.hasPrefix("{\"type\":\"hello\"") == true)
}
