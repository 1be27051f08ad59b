import Foundation
import ServerCore
import Sockets
import TestKit
import Testing

@testable import bjserver

private func sockets(_ names: [String]) -> [ActivatedSocket] {
    names.enumerated().map { ActivatedSocket(descriptor: Int32($0 + 3), name: $1) }
}

@Test func everySocketOfAServiceManager_isServedByItsName() throws {
    let all = try InheritedSockets(sockets(["unknown", "proxy", "game", "bj.socket", "metrics", "admin", "proxy", "players"]))
    #expect(all.players == [3, 5, 6, 10] && all.proxy == [4, 9] && all.metrics == [7] && all.admin == [8])
    #expect(try InheritedSockets([]).players.isEmpty)
}

@Test func aSocketWithAnotherName_isRefused_withTheNamesThatThereAre() {
    let error = #expect(throws: SocketError.self) { try InheritedSockets(sockets(["game", "http"])) }
    #expect(
        error?.description
            == "cannot take over the socket named \"http\" (descriptor 4): "
            + "FileDescriptorName= must be game, proxy, metrics or admin, or absent for players")
}

/// Listens on a free port of this machine.
private func listen() throws -> (handle: FileHandle, port: Int) {
    let (descriptor, port) = try Loopback.bound(backlog: 8)
    return (FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), port)
}

@Test(.ownThread) func twoSocketsOfAServiceManager_areBothServed() throws {
    let (players, port) = try listen()
    let (metrics, pages) = try listen()
    let words = [
        "-c", #"LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=game:metrics exec "$0" --data none 3<&0 4<&2 </dev/null 2>/dev/null"#,
        ShellServer.program,
    ]
    let process = Tool.process("/bin/sh", words)
    process.standardInput = players
    process.standardError = metrics
    let output = Pipe()
    process.standardOutput = output
    try process.start()
    defer { process.terminate() }
    var said = ""
    while said.split(separator: "\n").count < 3 {
        let data = output.fileHandleForReading.availableData
        try #require(!data.isEmpty)
        said += String(decoding: data, as: UTF8.self)
    }
    #expect(
        said == "listening on 127.0.0.1:\(port)\nmetrics on 127.0.0.1:\(pages)\ndata in memory: it ends with this process\n")
    let ann = try #require(RawPeer(port: port))
    #expect(ann.line(with: "hello") != nil)
    #expect(HealthCheck.run(host: "127.0.0.1", port: pages, timeout: 120_000) == .healthy)
}
