import Foundation
import Journal
import Rules
import ServerCore
import Sockets
import Synchronization
import TestKit
import Testing

/// A server whose journal is on a disk that the test holds up.
private struct JournaledServer {
    let running: RunningServer
    let storage: HeldStorage
    var server: Server { running.server }
    var metrics: Metrics { server.metrics }
    let log: DurableLog

    init(
        on storage: HeldStorage = HeldStorage(), tables: Int = 1, change: (inout Server.Options) -> Void = { _ in },
        log write: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) throws {
        self.storage = storage
        running = try RunningServer(
            seed: nil, storage: storage,
            change: {
                $0.tables = (0..<tables).map { .init(name: "t\($0)", rules: .patient) }
                $0.lobbyMilliseconds = 0
            }, options: change, log: write)
        log = try #require(running.server.journal)
        server.waitUntilDurable()
    }

    /// A peer that has asked for an account.
    func player(_ name: String = "ann", id: Int = 1) throws -> RawPeer {
        let peer = try #require(RawPeer(port: running.port))
        let secret = String(repeating: name == "ann" ? "5a" : "6b", count: 32)
        peer.send(#"{"type":"login","id":\#(id),"name":"\#(name)","secret":"\#(secret)"}"#)
        return peer
    }

    func stop() {
        storage.release()
        running.stopNow()
    }
}

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct DurabilityTests {
    @Test func aReply_leavesOnceItsRecordsAreOnTheDisk_andSoDoesWhatOthersAreToldMeanwhile() throws {
        let running = try JournaledServer(tables: 2) { $0.stallMilliseconds = 3_600_000 }
        defer { running.stop() }
        let (ann, bob) = (try running.player("ann"), try running.player("bob"))
        for peer in [ann, bob] { #expect(peer.line(with: #""to":"login""#) != nil) }
        bob.send(#"{"type":"watch","id":2,"table":"t1"}"#)
        #expect(bob.line(with: "snapshot") != nil)
        running.server.waitUntilDurable()
        running.storage.hold()
        ann.send(#"{"type":"sit","id":3,"table":"t0"}"#)
        running.storage.waitForSync()
        // It records nothing, and is counted when it is answered.
        bob.send(#"{"type":"watch","id":4,"table":"none"}"#)
        #expect(Waiting.until { running.metrics.text.contains(#"code="no_such_table"} 1"#) })
        // The end of that tick.
        running.server.inspect { _ in }
        #expect(!ann.hasInput && !bob.hasInput && running.log.durable < running.log.appended)
        #expect(!running.server.waitUntilDurable(milliseconds: 1))
        running.storage.release()
        #expect(ann.line(with: #""to":"sit""#)?.contains(#""seat":1"#) == true)
        #expect(bob.line(with: "no_such_table") != nil)
    }

    @Test func aSeededServer_givesEachStartOfItsTables_anEpochOfItsOwn() throws {
        var (storage, epochs) = (FaultStorage(), [Substring]())
        for start in 0..<3 {
            let running = try JournaledServer(on: HeldStorage(storage)) { $0.seed = 7 }
            let peer = try running.player()
            peer.send(#"{"type":"watch","id":2}"#)
            let snapshot = try #require(peer.line(with: #""type":"snapshot""#), "start \(start)")
            epochs.append(try #require(snapshot.firstMatch(of: /"epoch":"([^"]+)"/)).output.1)
            running.stop()
            storage = running.storage.base.survivors(.everything, seed: 0)
        }
        #expect(Set(epochs).count == 3, "\(epochs)")
    }

    @Test func aTableWithoutViewers_isWrittenToo() throws {
        let running = try JournaledServer()
        let ann = try running.player()
        ann.send(#"{"type":"sit","id":2}"#)
        #expect(ann.line(with: #""to":"sit""#) != nil)
        let before = running.log.appended
        ann.reset()
        #expect(Waiting.until { running.log.appended > before })
        running.stop()
        let segment = String(decoding: running.storage.base.content(of: "segment-0000000001.log") ?? [], as: UTF8.self)
        #expect(segment.contains(#"{"fact":"disconnected","account":1"#))
    }

    @Test func aStalledDisk_stopsInputAndClocks_andCostsNobodyTheConnection() throws {
        let running = try JournaledServer { $0.stallBytes = 2000 }
        let ann = try running.player()
        ann.send(#"{"type":"sit","id":2}"#)
        #expect(ann.line(with: #""to":"sit""#) != nil)
        #expect(ann.line(with: #""type":"snapshot""#) != nil)
        running.server.waitUntilDurable()
        running.storage.hold()
        let count = 400
        for number in 0..<count { ann.send(#"{"type":"sitOut","out":\#(number % 2 == 0),"id":\#(10 + number)}"#) }
        running.storage.waitForSync()
        #expect(Waiting.until { running.log.waitingBytes > 2000 })
        running.server.measure()
        let stalled = running.metrics.text
        #expect(stalled.contains("bj_disk_stalled 1\n") && !stalled.contains("bj_journal_bytes 0\n"))
        #expect(ann.line()?.contains(#""kind":"stalled""#) == true)
        // The loop has stopped reading: a bounded number of records waits.
        #expect(running.log.waitingBytes < 100_000 && !ann.hasInput)
        running.storage.release()
        for number in 0..<count {
            let reply = try #require(ann.line(with: #""type":"ok""#))
            #expect(reply.contains(#""id":\#(10 + number),"#))
        }
        running.server.measure()
        let calm = running.metrics.text
        #expect(calm.contains("bj_disk_stalled 0\n") && !calm.contains("bj_journal_sync_seconds_count 0\n"))
        running.stop()
        let names = try running.storage.names().filter { $0.hasPrefix("segment") }
        let all = names.map { String(decoding: running.storage.base.content(of: $0) ?? [], as: UTF8.self) }.joined()
        #expect(all.contains(#"{"fact":"postponed""#))
    }

    /// Only statements that are true without the disk pass the gate.
    @Test func aStalledDisk_isToldToPlayers_andToNewcomersAfterTheirGreeting() throws {
        let running = try JournaledServer(tables: 2) { $0.stallMilliseconds = 20 }
        defer { running.stop() }
        let ann = try running.player()
        ann.send(#"{"type":"sit","id":2,"table":"t1"}"#)
        #expect(ann.line(with: #""type":"snapshot""#) != nil)
        running.server.waitUntilDurable()
        running.storage.hold()
        ann.send(#"{"type":"bet","id":3,"amount":10,"round":0}"#)
        #expect(ann.line()?.hasPrefix(#"{"type":"notice","kind":"stalled","name":"host","time":"#) == true)
        let bob = try running.player("bob", id: 4)
        #expect(bob.line()?.hasPrefix(#"{"type":"hello""#) == true)
        #expect(bob.line()?.contains(#""kind":"stalled""#) == true)
        #expect(!ann.hasInput && !bob.hasInput && running.log.durable < running.log.appended)
        running.storage.release()
        #expect(ann.line()?.contains(#""to":"bet""#) == true)
        #expect(bob.line()?.contains(#""to":"login""#) == true)
    }

    /// Nobody is left to answer, and nothing was promised: requests are performed for connections that are there.
    @Test func inputHeldByAStall_isDropped_withItsConnection() throws {
        let running = try JournaledServer { $0.stallBytes = 2000 }
        let (ann, bob) = (try running.player("ann"), try running.player("bob"))
        for peer in [ann, bob] { #expect(peer.line(with: #""to":"login""#) != nil) }
        ann.send(#"{"type":"sit","id":2}"#)
        #expect(ann.line(with: #""to":"sit""#) != nil)
        running.server.waitUntilDurable()
        running.storage.hold()
        let count = 400
        for number in 0..<count { ann.send(#"{"type":"sitOut","out":\#(number % 2 == 0),"id":\#(10 + number)}"#) }
        #expect(Waiting.until { running.metrics.text.contains("bj_disk_stalls_total 1") })
        bob.send(#"{"type":"sit","id":2}"#)
        bob.send(#"{"type":"bet","id":3,"amount":10,"round":0}"#)
        bob.reset()
        #expect(Waiting.until { running.metrics.text.contains("bj_connections 1\n") })
        running.storage.release()
        for number in 0..<count {
            #expect(ann.line(with: #""type":"ok""#)?.contains(#""id":\#(10 + number),"#) == true)
        }
        let again = try running.player("bob", id: 4)
        let login = try #require(again.line(with: #""to":"login""#))
        #expect(login.contains(#""chips":1000"#) && !login.contains("seats"))
        running.stop()
    }

    @Test func linesOfTheLastTicks_areLogged_onceTheyAreOnTheDisk() throws {
        let events = Mutex<[String]>([])
        let running = try JournaledServer(log: { line in events.withLock { $0.append("\(line.event)") } })
        let guest = try #require(RawPeer(port: running.running.port))
        guest.send(#"{"type":"login","name":"guest"}"#)
        guest.send(#"{"type":"sit","table":"t0"}"#)
        _ = try #require(guest.line(with: "snapshot"))
        running.storage.hold()
        let done = DispatchSemaphore(value: 0)
        running.server.stop { done.signal() }
        _ = try #require(guest.line(with: #""bye""#))
        guest.close()
        // The loop ends while the record of the guest's end waits.
        #expect(Waiting.until { events.withLock { $0.contains("stopped") } })
        #expect(!events.withLock { $0.contains("gone") })
        running.storage.release()
        done.wait()
        #expect(events.withLock { $0.suffix(3) } == ["stopped", "gone", "left"])
    }
}
