import Foundation
import TestKit
import Testing

@testable import bjserver

/// One house over the servers of two partitions, as an operator starts them. Table `main` is of partition 1, `friends` of partition 2.
@Suite(.ownThread, .serialized, .postgres)
final class HouseTests {
    private let database: PostgresServer
    private let scratch: DataScratch
    private static let tables = "--table main --table friends"

    init() throws {
        (database, scratch) = (try PostgresServer(), DataScratch())
        let made = try scratch.run("bjserver", ["store", "create", database.url(), "--partitions", "2"])
        #expect(made.status == 0 && made.output.contains("A store with 2 partitions"))
    }

    deinit { database.remove() }

    private func server(_ partition: Int, _ more: String = tables) throws -> ShellServer {
        try ShellServer(
            "exec \"$0\" --listen 127.0.0.1:0 --request-rate 1000 --proxy-listen 127.0.0.1:0 --data '\(database.url())&partition=\(partition)' --lease 5s "
                + "--settle 0s --admin '\(scratch.path("\(partition).sock"))' \(more) 2>\"$1/log\"")
    }

    private func run(_ words: String...) throws -> Tool.Ending { try scratch.run("bjserver", words) }

    private func stop(_ servers: ShellServer...) { for server in servers { server.end(SIGTERM) } }

    /// Asks again, as a client does, while another server is on its way.
    private func ask(_ peer: RawPeer, _ request: String, _ id: String) throws -> String {
        var answer = ""
        _ = try Waiting.until {
            let id = "\(id)\(UInt32.random(in: .min ... .max))"
            peer.send(request.replacing("ID", with: id))
            answer = try #require(peer.line(with: "\"id\":\"\(id)\""))
            return !answer.contains("on_the_way")
        }
        return answer
    }

    @Test func aPlayerOfOneServer_playsAtTheTablesOfBoth_andTheAuditFindsEachAccountInOnePlace() throws {
        let (first, second) = (try server(1), try server(2))
        let port = try first.port()
        _ = try second.port()
        let ann = try #require(RawPeer(port: port))
        let login = #"{"type":"login","name":"ann","secret":"\#(DataServer.secret("ann"))","id":"ID"}"#
        #expect(try ask(ann, login, "l").contains(#""chips":1000"#))
        for table in ["main", "friends", "main", "friends"] {
            #expect(
                Waiting.until {
                    (try? ask(ann, #"{"type":"sit","table":"\#(table)","id":"ID"}"#, "s"))?.contains(#""ok""#) == true
                })
            #expect(try ask(ann, #"{"type":"leave","id":"ID"}"#, "v").contains(#""ok""#))
        }
        let audit = try run("audit", database.url())
        #expect(audit.status == 0 && audit.text.contains("house: accounts 1, 1 in partitions"), "\(audit)")
        #expect(try run("audit", database.url(), "--json").text.contains(#""accountsInPartitions":1"#))
        // Her last seat was at the table of the second server.
        for command in ["account", "kick"] {
            let elsewhere = try run("ctl", "--socket", scratch.path("1.sock"), command, "ann")
            #expect(elsewhere.text.contains("ann is on another server of the house: ask 127.0.0.1:"), "\(elsewhere)")
        }
        let refused = try run("ctl", "--socket", scratch.path("1.sock"), "owner", "friends")
        #expect(
            refused.status == 1 && refused.text.contains("Table friends belongs to partition 2: ask its server, 127.0.0.1:"),
            "\(refused)")
        _ = try run("ctl", "--socket", scratch.path("2.sock"), "enable", "ann")
        stop(first, second)
        #expect(try run("audit", database.url()).status == 0)
        let all = try run("history", database.url())
        let one = try run("accounts", database.url() + "&partition=2", "export", "ann")
        #expect(all.status == 64 && all.text.contains("name one in the URL with ?partition=1"), "\(all)")
        #expect(one.status == 0, "\(one)")
    }

    @Test func aWholeHouse_isDrainedByOneCommand() throws {
        let (first, second) = (try server(1), try server(2))
        let ann = try #require(RawPeer(port: try first.port()))
        _ = try second.port()
        let spare = try server(1)
        #expect(spare.waits(forLog: "role=spare"))
        let drained = try run("ctl", "--socket", scratch.path("2.sock"), "drain", "--house")
        #expect(drained.status == 0, "\(drained)")
        #expect(ann.line(with: #""bye""#)?.contains("shutting_down") == true)
        for server in [first, second, spare] {
            #expect(server.status() == 0 && server.log.contains("ctl drain --house"), "\(server.log)")
        }
        let alone = try DataServer(on: scratch)
        #expect(try scratch.control("drain", "--house").errors.contains("no other servers"))
        alone.stop()
    }

    @Test func aFolderMovesToTwoPartitions_withEachAccountAndBan_andNoPartitionMovesBack() throws {
        let alone = try DataServer(on: scratch, Self.tables)
        let ann = try alone.player("ann")
        ann.send(#"{"type":"login","name":"ann","secret":"\#(DataServer.secret("ann"))","id":"i"}"#)
        _ = try #require(ann.line(with: #""id":"i""#))
        ann.send(#"{"type":"sit","table":"main","id":"s"}"#)
        _ = try #require(ann.line(with: #""id":"s""#))
        #expect(try scratch.control("ban", "192.0.2.7").status == 0)
        #expect(try scratch.control("credit", "ann", "5").status == 1, "she has a seat")
        alone.stop()
        let url = database.url()
        #expect(try run("backup", scratch.path("data"), url).status == 64)
        let moved = try run("backup", scratch.path("data"), url + "&partition=1")
        #expect(moved.status == 0 && moved.output.contains("1 accounts, 2 tables"), "\(moved)")
        let again = try run("backup", scratch.path("data"), url + "&partition=2")
        #expect(again.status == 73, "\(again)")
        let audit = try run("audit", url)
        #expect(audit.status == 0 && audit.text.contains("house: accounts 1, 1 in partitions"), "\(audit)")
        let (first, second) = (try server(1), try server(2))
        let (_, port) = (try first.port(), try second.port())
        let peer = try #require(RawPeer(port: port))
        let login = #"{"type":"login","name":"ann","secret":"\#(DataServer.secret("ann"))","id":"ID"}"#
        let entered = try ask(peer, login, "l")
        #expect(entered.contains(#""table":"main","seats":[1]"#), "the seat goes along: \(entered)")
        #expect(
            Waiting.until { (try? run("ctl", "--socket", scratch.path("2.sock"), "bans"))?.text.contains("192.0.2.7") == true })
        stop(first, second)
        #expect(try run("audit", url).status == 0)
        for source in [url, url + "&partition=1"] {
            let back = try run("backup", source, scratch.path("back"))
            #expect(back.status == 64 && back.errors.contains("cannot be backed up"), "\(back)")
        }
    }

    @Test func aTableWithAHandInPlay_isNotStartedInAnotherPartition() throws {
        // With cards that leave the hands in play.
        let (first, second) = (try server(1, "\(Self.tables) --seed 5"), try server(2))
        let port = try first.port()
        let (ann, bob) = (try #require(RawPeer(port: port)), try #require(RawPeer(port: port)))
        for (peer, name) in [(ann, "ann"), (bob, "bob")] {
            let login = #"{"type":"login","name":"\#(name)","secret":"\#(DataServer.secret(name))","id":"ID"}"#
            #expect(try ask(peer, login, "l").contains(#""ok""#))
            #expect(try ask(peer, #"{"type":"sit","table":"main","id":"ID"}"#, "s").contains(#""ok""#))
        }
        for peer in [ann, bob] {
            #expect(try ask(peer, #"{"type":"bet","amount":10,"round":0,"id":"ID"}"#, "b").contains(#""ok""#))
        }
        stop(first)
        let settings = scratch.path("bj.json")
        try Data(#"{"tables":[{"name":"main","partition":2},{"name":"friends","partition":1}]}"#.utf8)
            .write(to: URL(filePath: settings))
        let moved = try server(1, "--config '\(settings)'")
        moved.process.waitUntilExit()
        let isRefused = moved.log.contains("table main has hands in play here, but the configuration moves it to partition 2")
        #expect(moved.process.terminationStatus == 65 && isRefused, "\(moved.log)")
        // Nobody has to wait for its lease.
        #expect(try run("store", "status", database.url()).text.contains("partition 1: no owner"))
        let again = try server(1)
        _ = try again.port()
        stop(again, second)
        #expect(try run("audit", database.url()).status == 0)
    }

    @Test func aServerThatOthersCannotReach_isRefused() throws {
        func start(_ words: String...) throws -> Tool.Ending {
            try scratch.run("bjserver", ["--listen", "127.0.0.1:0", "--data", database.url()] + words)
        }
        let settings = scratch.path("moved.json")
        try Data(#"{"tables":[{"name":"a","partition":3}]}"#.utf8).write(to: URL(filePath: settings))
        let alone = try start()
        #expect(alone.status == 65 && alone.errors.contains("set --proxy-listen"), "\(alone)")
        for _ in 0..<4 {
            let moved = try start("--proxy-listen", "127.0.0.1:0", "--config", settings)
            #expect(moved.status == 65 && moved.errors.contains("table a names partition 3, but there are 2"), "\(moved)")
        }
        #expect(try run("store", "status", database.url()).text.contains("partition 1: no owner, epoch 0"), "none was claimed")
        let wildcard = try start("--proxy-listen", ":0")
        #expect(wildcard.status == 65 && wildcard.errors.contains("--advertise HOST:PORT"), "\(wildcard)")
        #expect(try run("audit", database.url() + "&partition=3").text.contains("but no partition 3"))
    }
}

struct HousePartitionTests {
    /// Fixed for ever: a hand is where the name says.
    @Test func aTablesName_givesItsPartition_andItsSettingAnotherOne() throws {
        let partitions = ["main", "high", "low", "friends"].map { TableSpec.partition(ofTable: $0, of: 64) }
        #expect(partitions == [49, 23, 3, 8])
        #expect(["main", "high", "low", "friends"].map { TableSpec.partition(ofTable: $0, of: 2) } == [1, 1, 1, 2])
        #expect(TableSpec.partition(ofTable: "main", of: 1) == 1)
        var options = ServeOptions()
        options.tables = [TableSpec(name: "main"), TableSpec(name: "friends"), TableSpec(name: "vip", partition: 2)]
        let configuration = try ServerConfiguration(options, [])
        let (one, two) = (try configuration.hosted(by: 1, of: 2), try configuration.hosted(by: 2, of: 2))
        #expect(one.tables.map(\.name) == ["main"] && two.tables.map(\.name) == ["friends", "vip"])
        #expect(one.tablesElsewhere == ["friends": 2, "vip": 2] && two.tablesElsewhere == ["main": 1])
        #expect { try configuration.hosted(by: 1, of: 1) } throws: {
            "\($0)" == "table vip names partition 2, but there is only one"
        }
        #expect(one.doubts.isEmpty)
        let lone = try configuration.hosted(by: 1, of: 4)
        #expect(
            lone.doubts == ["tables: partition 3 has no table, so its server is idle: see \"partition\" of a table"]
        )
    }

    /// Within three standard deviations of equal shares.
    @Test(arguments: ["low", "main"], [2, 3, 4, 8])
    func numberedTables_areSharedByThePartitions(name: String, count: Int) {
        var tables = Array(repeating: 0, count: count)
        for number in 1...100 { tables[TableSpec.partition(ofTable: "\(name)-\(number)", of: count) - 1] += 1 }
        let share = 100 / Double(count)
        let bound = 3 * (share * (1 - 1 / Double(count))).squareRoot()
        #expect(tables.allSatisfy { abs(Double($0) - share) <= bound }, "\(tables)")
    }
}
