import Sockets
import TestKit
import Testing

@Test(.ownThread) func aProxyIsBelievedIfItIsTrusted_andItsPlayerHasHisOwnAddress() async throws {
    let server = try RunningServer()
    let trusted = try #require(AddressBlock("127.0.0.0/8"))
    let port = try server.server.startProxyListener(host: "127.0.0.1", port: 0, trusted: [trusted]).port
    let peer = try #require(RawPeer(port: port))
    peer.send(Array("PROXY TCP4 192.0.2.7 198.51.100.1 5000 2121\r\n{\"type\":\"login\",\"name\":\"eve\"}\n".utf8))
    #expect(peer.line()?.contains("\"hello\"") == true && peer.line()?.contains("\"eve\"") == true)
    #expect(server.server.players.rows.first?[6] == "192.0.2.7")
    // The ban is of the player's address, not of the proxy's.
    let block = try #require(AddressBlock("192.0.2.0/24"))
    #expect(server.server.ban([block], seconds: 3_600).closed == 1)
    #expect(peer.line()?.contains("\"banned\"") == true)
    let again = try #require(RawPeer(port: port))
    again.send(Array("PROXY TCP4 192.0.2.8 198.51.100.1 5000 2121\r\n".utf8))
    #expect(again.line()?.contains("\"banned\"") == true)
    // What is no header is closed without a word.
    let stranger = try #require(RawPeer(port: port))
    stranger.send(#"{"type":"login","name":"mallory"}"#)
    #expect(stranger.line() == nil)
    let closed = try RunningServer()
    let mistrusted = try #require(
        RawPeer(port: closed.server.startProxyListener(host: "127.0.0.1", port: 0, trusted: []).port))
    mistrusted.send(Array("PROXY UNKNOWN\r\n".utf8))
    #expect(mistrusted.line() == nil)
    for (server, reason) in [(server, "header"), (closed, "not_trusted")] {
        let text = server.server.metrics.text
        #expect(text.contains("bj_connections_refused_total{reason=\"proxy_\(reason)\"} 1"))
        await server.stop()
    }
}

@Test(.ownThread) func proxiesThatSayNothingMakeRoomForOthers() async throws {
    let server = try RunningServer()
    let trusted = try #require(AddressBlock("127.0.0.0/8"))
    let port = try server.server.startProxyListener(host: "127.0.0.1", port: 0, trusted: [trusted], capacity: 2).port
    let silent = try (0..<3).map { _ in try #require(RawPeer(port: port)) }
    silent[1].send(Array("PROXY".utf8))
    let late = try #require(RawPeer(port: port))
    late.send(Array("PROXY TCP4 192.0.2.7 198.51.100.1 5000 2121\r\n".utf8))
    #expect(late.line()?.contains("\"hello\"") == true)
    // The oldest two are closed; the third still may say whom it speaks for.
    #expect(silent[0].line() == nil && silent[1].line() == nil)
    silent[2].send(Array("PROXY TCP4 192.0.2.8 198.51.100.1 5000 2121\r\n".utf8))
    #expect(silent[2].line()?.contains("\"hello\"") == true)
    await server.stop()
}

@Test(.ownThread) func manyBansAreTakenOver_andEachSourceKeepsItsOwn() async throws {
    let count = BanList.limit
    let local = try #require(AddressBlock("127.0.0.1"))
    let blocks: [AddressBlock] = (0..<count).compactMap { (index: Int) -> AddressBlock? in
        let bytes: [UInt8] = [10, UInt8(index >> 16), UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index)]
        return IPAddress(bytes: bytes).flatMap { AddressBlock($0, prefix: 32) }
    }
    let server = try RunningServer(bans: Set(blocks))
    let peer = try #require(RawPeer(port: server.port))
    #expect(peer.line()?.contains("hello") == true)
    #expect(server.server.ban([local], seconds: nil).closed == 1 && peer.line()?.contains("banned") == true)
    #expect(server.server.bans.count == count + 1)
    let last = server.server.unban(blocks[count - 1])
    #expect(!last.isLifted && last.left?.source == .configuration && last.left?.block == blocks[count - 1])
    #expect(RawPeer(port: server.port)?.line()?.contains("banned") == true)
    let result = server.server.unban(local)
    #expect(result.isLifted && result.left == nil)
    #expect(RawPeer(port: server.port)?.line()?.contains("hello") == true)
    await server.stop()
}

@Test(.ownThread) func aSecondOrderToStop_endsItAtOnce_withEveryBetGivenBack() async throws {
    let server = try RunningServer(seed: 36)
    let ann = try server.asked("ann")
    #expect(server.server.state == .ready)
    server.server.drain(timeout: 86_400_000) {}
    await withCheckedContinuation { done in server.server.stopNow { done.resume() } }
    #expect(server.server.state == .stopping)
    #expect(ann.line(with: "\"bye\"")?.contains("shutting_down") == true)
    #expect(server.ledger.imbalance == 0 && server.ledger.tables == 0)
}
