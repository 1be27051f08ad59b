import ClientCore
import Fairness
import Foundation
import TestKit
import Testing

struct ProofFolderTests {
    private let scratch = ScratchFolder()

    private func report(_ number: Int, table: String = "main") -> ShoeReport {
        var watched = WatchedShoe(
            table: table, shoe: number, rules: nil, commitment: SHA256.hash([UInt8(truncatingIfNeeded: number)]))
        watched.note(25, at: 7, ofShoe: number)
        return ShoeReport(watched: watched)
    }

    @Test func evidence_isTheUsersAlone_andReadBack() throws {
        let proofs = ProofFolder(path: scratch.path + "/a/b")
        let path = try proofs.store(report(3, table: "../x y"), .shuffledEarly)
        #expect(path.hasPrefix(scratch.path + "/a/b/___x_y-3-") && path.hasSuffix(".json"))
        for (file, mode) in [(path, 0o600), (scratch.path + "/a/b", 0o700)] {
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == mode)
        }
        let file = try ProofFile(text: String(contentsOfFile: path, encoding: .utf8))
        #expect(file.watched == report(3, table: "../x y").watched && file.proof == nil)
        #expect(ProofVerdict(file).fault == "the shoe was shuffled before the cut card")
        #expect(try proofs.store(report(3, table: "../x y"), .shuffledEarly) == path)
    }

    @Test func theOldestFilesAreRemoved() throws {
        let proofs = ProofFolder(path: scratch.path)
        var last = ""
        for number in 0..<ProofFolder.limit + 5 { last = try proofs.store(report(number), .shuffledEarly) }
        #expect(try scratch.names().count == ProofFolder.limit && FileManager.default.fileExists(atPath: last))
    }

    @Test func aFolderThatCannotBeMade_isSaid() {
        #expect(throws: ProofFolder.Failure.self) { try ProofFolder(path: "/dev/null/x").store(report(1), .secret) }
        #expect(ProofFolder(environment: [:]) == nil)
        #expect(ProofFolder(environment: ["XDG_STATE_HOME": "/s"])?.path == "/s/bjclient/proofs")
        #expect(ProofFolder(environment: ["HOME": "/h", "XDG_STATE_HOME": "s"])?.path == "/h/.local/state/bjclient/proofs")
    }
}
