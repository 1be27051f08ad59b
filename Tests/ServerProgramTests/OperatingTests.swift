import Foundation
import Records
import TestKit
import Testing

@testable import ServerCore
@testable import bjserver

/// The advice of the operator's page, on a real folder.
@Suite(.ownThread) struct OperatingTests {
    private let scratch = DataScratch()

    @Test func aScrapeOfARealFolder_hasTheFiguresThatThePageNames() throws {
        let first = try DataServer(on: scratch)
        try first.account("ann")
        first.stop()
        let snapshot = try DataSnapshot(folder: scratch.path("data"))
        try snapshot.state.write(to: snapshot.folder, at: snapshot.last)
        let checkpoint = try #require(try scratch.files().first { $0.hasPrefix("checkpoint-") })
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: scratch.path("data/\(checkpoint)"))
        mkfifo(scratch.path("data/pipe"), 0o600)
        try FileManager.default.createDirectory(atPath: scratch.path("data/lost+found"), withIntermediateDirectories: true)
        let server = try DataServer(on: scratch, "--metrics 127.0.0.1:0")
        try server.account("bob")
        let peer = try #require(RawPeer(port: try server.shell.port("metrics on 127.0.0.1:")))
        peer.send("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r")
        var figures: [String: Double] = [:]
        while let line = peer.line() {
            let words = line.split(separator: " ")
            if words.count == 2, !line.hasPrefix("#") { figures[String(words[0])] = Double(words[1]) }
        }
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/bjserver/bjserver.docc/Operating.md")
        let advice = try #require(
            try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n\n").first {
                $0.hasPrefix("Watch `bj_disk_")
            })
        for name in advice.matches(of: /`(bj_\w+)`/).map({ String($0.output.1) }) {
            #expect(figures[name] ?? figures["\(name)_count"] != nil, "\(name)")
        }
        #expect(figures["bj_disk_stalled"] == 0)
        #expect(try #require(figures["bj_journal_sync_seconds_count"]) > 0)
        #expect(try #require(figures["bj_journal_bytes"]) > 1_000_000)
        #expect(try #require(figures["bj_data_free_bytes"]) > 0)
        #expect((3600..<7200).contains(try #require(figures["bj_checkpoint_age_seconds"])))
    }

    @Test func aServerThatMeasuresNothing_hasNoFiguresOfAFolder() {
        let page = Metrics().text
        for name in ["bj_journal_bytes", "bj_data_free_bytes", "bj_checkpoint_age_seconds"] {
            #expect(page.contains("\n\(name) -1\n"), "\(name)")
        }
    }
}
