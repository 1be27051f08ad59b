import Fairness
import Foundation
import Sockets
import TestKit
import Testing

@testable import ServerCore

/// Takes a relay as another server does, and says only what a test has it say.
private final class ScriptedOwner {
    private let listener: Int32
    let address: String
    private(set) var descriptor: Int32 = -1

    init() throws {
        let (listener, port) = try Loopback.bound(backlog: 8)
        (self.listener, address) = (listener, "127.0.0.1:\(port)")
    }

    /// Takes the next relay, with its header and the line that caused it.
    /// - Returns: its key.
    func accept() throws -> [UInt8] {
        descriptor = Foundation.accept(listener, nil, nil)
        var (all, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            try #require(count > 0)
            all += bytes.prefix(count)
            var parser = ProxyHeaderParser()
            guard let (header, used) = try parser.parse(all), all[used...].contains(UInt8(ascii: "\n")) else { continue }
            return try #require(header.introduction?.key)
        }
    }

    func send(_ bytes: [UInt8]) { Loopback.send(bytes, over: descriptor) }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit { for descriptor in [descriptor, listener] { close(descriptor) } }
}

#if canImport(Glibc)
    private let quietly = Int32(MSG_NOSIGNAL)
#else
    private let quietly: Int32 = 0
#endif

/// Bytes that show where in a stream they are, without 0.
private struct Pattern {
    static let bytes: [UInt8] = (0..<64_256).map { (index: Int) -> UInt8 in UInt8(index % 251) + 1 }
    private(set) var count = 0

    /// Sends until the peer takes nothing for a second, or has taken as many as there may be.
    /// - Returns: false if the connection has ended.
    mutating func fill(_ descriptor: Int32, upTo limit: Int) -> Bool {
        while count < limit {
            let rest = Self.bytes[(count % Self.bytes.count)...]
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, quietly | Int32(MSG_DONTWAIT)) }
            if sent > 0 {
                count += sent
                continue
            }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard errno == EAGAIN || errno == EWOULDBLOCK else { return false }
            if poll(&waiting, 1, 1000) == 0 { return true }
        }
        return true
    }

    /// Receives as many bytes as were sent.
    /// - Returns: whether they are those.
    func isReceived(by descriptor: Int32) -> Bool {
        var (received, bytes) = (0, [UInt8](repeating: 0, count: 1 << 15))
        while received < count {
            let more = recv(descriptor, &bytes, min(bytes.count, count - received), 0)
            guard more > 0 else { return false }
            let start = received % 251
            guard bytes[..<more] == Self.bytes[start..<start + more] else { return false }
            received += more
        }
        return true
    }
}

@Suite(.ownThread)
struct RelayTests {
    /// A client floods while it is moved at random: to another server, on to a third by way of the first, back to the first.
    @Test func everyLineIsAnsweredOnce_inOrder_howeverAConnectionMoves() async throws {
        var random = SeededGenerator()
        let house = try House(3)
        let peer = try house.connect()
        #expect(peer.line()?.contains("\"hello\"") == true)
        var (sent, moves, answered) = (0, [0, 0, 0, 0], 0)
        while moves.min().map({ $0 < 8 }) ?? true {
            var bytes: [UInt8] = []
            for _ in 0..<random.below(40) {
                sent += 1
                bytes += Array("{\"type\":\"ping\",\"id\":\(sent)}\n".utf8)
            }
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + random.below(rest.count))
                rest = rest.dropFirst(piece.count)
                peer.send(Array(piece))
                let target = 1 + random.below(3)
                // From the first, on to another one, and back; a relay that does not begin counts for none.
                if random.below(3) == 0, let from = house.move(to: target) { moves[target == 1 ? 3 : from - 1] += 1 }
            }
            while answered < sent {
                answered += 1
                let line = peer.line() ?? "nothing"
                #expect(line.hasPrefix("{\"type\":\"ok\",\"id\":\(answered),\"to\":\"ping\""), "\(line), BJ_SEED=\(Seed.value)")
                guard line.contains("\"id\":\(answered),") else { return }
            }
        }
        peer.close()
        #expect(Waiting.until { house.metric("bj_relayed_connections") == 0 && house.metric("bj_connections") == 0 })
        #expect(
            (1...3).allSatisfy { house.metric("bj_connections", $0) == 0 && house.metric("bj_relay_failures_total", $0) == 0 })
        await house.stop()
    }

    @Test func anOwnerThatIsNotReached_isAnsweredOnTheWay_andTheAccountIsBack() async throws {
        let house = try House(2)
        let peer = try house.logIn("ann")
        let closed = try ClosedPort()
        // Nobody there, itself, no port at all.
        for (id, address) in ["127.0.0.1:\(closed.number)", try #require(house.relays[1]), "nowhere"].enumerated() {
            house.relays[2] = address
            peer.send("{\"type\":\"sit\",\"table\":\"t2\",\"id\":\(id + 1)}\n{\"type\":\"ping\",\"id\":\"p\(id)\"}")
            let line = peer.line(with: "\"id\":\(id + 1),")
            #expect(line?.contains("\"on_the_way\"") == true && line?.contains("\"retryAfter\":500") == true, "\(line ?? "-")")
            #expect(peer.line(with: "\"id\":\"p\(id)\"")?.contains("\"ok\"") == true)
        }
        #expect(house.metric("bj_relay_failures_total") == 3)
        peer.send("{\"type\":\"sit\",\"table\":\"t1\",\"id\":9}")
        #expect(peer.line(with: "\"id\":9,")?.contains("\"ok\"") == true)
        await house.stop()
    }

    /// It takes the connection, and says nothing, or bytes with a zero that no server says.
    @Test(arguments: ["", "0garbage\n", "{\"type\":0"])
    func anOwnerThatMakesNoSense_costsTheConnection(said: String) async throws {
        let house = try House(2) { $0.relayMilliseconds = 500 }
        let peer = try house.logIn("ann")
        let owner = try ScriptedOwner()
        house.relays[2] = owner.address
        peer.send("{\"type\":\"sit\",\"table\":\"t2\",\"id\":1}")
        let key = try owner.accept()
        let answer = said.utf8.map { $0 == UInt8(ascii: "0") ? 0 : $0 } + (said.isEmpty ? [] : key)
        owner.send(answer)
        #expect(peer.isClosedByServer())
        #expect(Waiting.until { house.metric("bj_relay_failures_total") == 1 && house.metric("bj_relayed_connections") == 0 })
        await house.stop()
    }

    /// The owner may have carried the login and what follows it out: the connection ends, and nothing is refused.
    @Test func anOwnerThatEndsBeforeItAnswersALogin_endsTheConnection() async throws {
        let house = try House(2)
        let ann = try house.logIn("ann", at: 2)
        let owner = try ScriptedOwner()
        house.relays[2] = owner.address
        let again = try house.connect()
        #expect(again.line()?.contains("\"hello\"") == true)
        again.send(House.login("ann") + "\n{\"type\":\"sit\",\"table\":\"t2\",\"id\":1}")
        _ = try owner.accept()
        owner.hangUp()
        #expect(again.line() == nil)
        ann.close()
        await house.stop()
    }

    /// Its bytes wait with the sender, not in the server; none is lost.
    @Test(arguments: ["client", "owner"])
    func anEndThatDoesNotRead_holdsTheOtherUp_throughARelay(idle: String) async throws {
        let house = try House(2)
        let peer = try house.logIn("ann")
        let owner = try ScriptedOwner()
        house.relays[2] = owner.address
        peer.send("{\"type\":\"sit\",\"table\":\"t2\",\"id\":1}")
        _ = try owner.accept()
        owner.send(Array("{}\n".utf8))
        #expect(peer.line(with: "{}") != nil)
        let (sender, receiver) = idle == "client" ? (owner.descriptor, peer.descriptor) : (peer.descriptor, owner.descriptor)
        // The kernel takes some 20 MB on two connections.
        let limit = 64 << 20
        var pattern = Pattern()
        #expect(pattern.fill(sender, upTo: limit) && pattern.count < limit, "\(pattern.count) bytes")
        house.servers[0].measure()
        #expect(house.metric("bj_outbound_queue_bytes") > 0)
        #expect(pattern.isReceived(by: receiver))
        #expect(house.metric("bj_relayed_connections") == 1 && house.metric("bj_relay_failures_total") == 0)
        peer.close()
        await house.stop()
    }

    @Test func anOwnerWhoseLeaseIsInDoubt_takesNoRelay_andEndsThoseThatItHas() async throws {
        let house = try House(2)
        let (ann, bob) = (try house.logIn("ann"), try house.logIn("bob"))
        ann.send("{\"type\":\"sit\",\"table\":\"t2\",\"id\":1}")
        #expect(ann.line(with: "\"id\":1,")?.contains("\"ok\"") == true)
        house.servers[1].doubtLease(true)
        #expect(ann.isClosedByServer())
        bob.send("{\"type\":\"sit\",\"table\":\"t2\",\"id\":1}\n{\"type\":\"ping\",\"id\":2}")
        #expect(bob.line(with: "\"id\":1,")?.contains("\"on_the_way\"") == true)
        #expect(bob.line(with: "\"id\":2,")?.contains("\"ok\"") == true)
        house.servers[1].doubtLease(false)
        var id = 2
        // Its loop may take the next relay before it knows.
        #expect(
            Waiting.until {
                id += 1
                bob.send("{\"type\":\"sit\",\"table\":\"t2\",\"id\":\(id)}")
                return bob.line(with: "\"id\":\(id),")?.contains("\"ok\"") == true
            })
        let again = try house.connect()
        again.send(House.login("ann"))
        #expect(again.line(with: "\"to\":\"login\"")?.contains("\"table\":\"t2\"") == true)
        await house.stop()
    }

    @Test func anIntroduction_isBelievedOfTrustedServersAlone_forItsOwnPartition_andATicketOnce() async throws {
        let house = try House(2)
        func introduce(_ introduction: RelayIntroduction, _ lines: String, at address: String?) throws -> RawPeer {
            let port = try #require(address?.split(separator: ":").last.flatMap { Int($0) })
            let peer = try #require(RawPeer(port: port))
            peer.send(ProxyHeader.introducing(IPAddress("192.0.2.7"), introduction).bytes + Array((lines + "\n").utf8))
            return peer
        }
        let ann = try house.logIn("ann")
        let ticket = Array(UInt8(0)..<16)
        house.servers[0].inspect { shard in
            for account in shard.accounts.values { shard.depart(account, ticket: SHA256.hash(ticket)) }
        }
        #expect(Waiting.until { house.rows.rows.first?.place == 0 })
        var introduction = RelayIntroduction(key: ticket.reversed())
        (introduction.partition, introduction.ticket, introduction.loginName) = (1, ticket, "ann")
        // For another partition.
        #expect(try introduce(introduction, "{\"type\":\"sit\"}", at: house.relays[2]).line() == nil)
        introduction.partition = 2
        let first = try introduce(introduction, "{\"type\":\"sit\",\"id\":1}", at: house.relays[2])
        #expect(first.line()?.hasPrefix("{\"type\":\"ok\",\"id\":1,\"to\":\"sit\",\"table\":\"t2\"") == true)
        // The ticket is used.
        #expect(try introduce(introduction, "{\"type\":\"sit\",\"id\":1}", at: house.relays[2]).line() == nil)
        #expect(house.servers[1].players.rows.first?[6] == "192.0.2.7")
        // Malformed.
        introduction.loginName = "\n"
        #expect(try introduce(introduction, "", at: house.relays[2]).line() == nil)
        let text = house.servers[1].metrics.text
        #expect(text.contains(#"bj_connections_refused_total{reason="proxy_header"} 1"#))
        for peer in [ann, first] { peer.close() }
        await house.stop()
    }

    @Test func aServerThatStops_saysGoodbyeToItsRelays_andTheOwnerToItsPlayers() async throws {
        let house = try House(3)
        let peers = try ["ann", "bob", "cid"].map { try house.logIn($0) }
        for (index, peer) in peers.enumerated() {
            peer.send("{\"type\":\"sit\",\"table\":\"t\(index + 1)\",\"id\":1}")
            #expect(peer.line(with: "\"id\":1,")?.contains("\"ok\"") == true)
        }
        // A relayed connection counts at both servers.
        #expect(house.metric("bj_relayed_connections") == 2 && house.metric("bj_connections") == 3)
        #expect(house.metric("bj_connections", 2) == 1 && house.metric("bj_connections", 3) == 1)
        await house.servers[1].stop()
        #expect(peers[1].sees("\"shutting_down\"") && peers[1].isClosedByServer())
        await withCheckedContinuation { done in house.servers[0].suspend { done.resume() } }
        for index in [0, 2] { #expect(peers[index].sees("\"restart\"") && peers[index].isClosedByServer()) }
        await house.servers[2].stop()
    }

    /// As `printf … | nc` does.
    @Test func aClientThatSendsNoMore_getsItsAnswersThroughARelay() async throws {
        let house = try House(2)
        let peer = try house.connect()
        peer.send(
            "{\"type\":\"login\",\"name\":\"ann\"}\n{\"type\":\"sit\",\"table\":\"t2\",\"id\":1}\n{\"type\":\"ping\",\"id\":2}")
        peer.sendNoMore()
        #expect(peer.line(with: "\"id\":1,")?.contains("\"ok\"") == true)
        #expect(peer.line(with: "\"id\":2,") != nil && peer.isClosedByServer())
        #expect(Waiting.until { house.metric("bj_connections") == 0 && house.metric("bj_connections", 2) == 0 })
        await house.stop()
    }
}
