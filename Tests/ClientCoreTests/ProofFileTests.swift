import ClientCore
import Fairness
import Foundation
import Rules
import TestKit
import Testing

/// Proof files as `bjclient verify` reads and judges them: damaged, incomplete.
struct ProofFileTests {
    /// A shoe of one deck: 27 cards of it were seen, or all and some of the 46 discards that were reshuffled.
    private func report(isReshuffled: Bool = false) throws -> ShoeReport {
        var house = try ShoeHouse()
        if isReshuffled { house.playReshuffled() } else { house.playAShoe() }
        return try #require(house.verified.first)
    }

    private func text(isReshuffled: Bool = false) throws -> String {
        ProofFile(try report(isReshuffled: isReshuffled), nil).text
    }

    private func refusal(_ text: String) -> String? {
        do throws(ProofFile.Unreadable) {
            _ = try ProofFile(text: text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("\"segment\":0", "\"segment\":-1", "orders[0]"),
        ("\"segment\":1", "\"segment\":0", "orders[1]"),
        ("\"first\":0", "\"first\":1", "orders[0]"),
        ("\"count\":52", "\"count\":104", "orders[0]"),
        ("\"count\":52", "\"count\":9223372036854775807", "orders[0]"),
        ("\"first\":52", "\"first\":-1", "orders[1]"),
        ("[0,46]", "[-1,46]", "orders[1]"), ("[0,46]", "[1,46]", "orders[1]"), ("[0,46]", "[46,0]", "'seen' is damaged"),
        ("\"segment\":1,\"shoe\":1", "\"segment\":1,\"shoe\":-9223372036854775808", "orders[1]"),
        ("\"orders\":", "\"order\":", "'orders' is missing"), ("[null,", "[52,", "faces"), ("{\"1\":[", "{\"2\":[", "faces"),
        ("\"list\":\"", "\"list\":\"!", "'seen' is damaged"),
    ])
    func damagedAnnouncements_areRefused(old: String, new: String, fault: String) throws {
        let text = try text(isReshuffled: true)
        let start = try #require(text.range(of: "\"seen\":")).lowerBound
        let changed = text[..<start] + text[start...].replacing(old, with: new, maxReplacements: 1)
        #expect(refusal(text) == nil)
        try #require(changed != text, "\(old)")
        #expect(refusal(String(changed))?.contains(fault) == true, "\(refusal(String(changed)) ?? "accepted")")
    }

    /// A client that missed the rounds before notes the range as it was announced.
    @Test(arguments: [10, 53, 60_000])
    func anImpossibleRangeThatWasAnnounced_isEvidence(first: Int) throws {
        var file = ProofFile(try report(isReshuffled: true), nil)
        file.watched.orders[1].first = first
        file.watched.orders[1].discards = nil
        let verdict = ProofVerdict(try ProofFile(text: file.text))
        #expect(verdict.conclusion == "not honest")
        #expect(
            verdict.fault == "the reshuffled cards (1) begin with card \(first + 1) instead of card 53")
        file.proof = nil
        file.fault = verdict.fault
        #expect(ProofVerdict(try ProofFile(text: file.text)).fault == verdict.fault)
    }

    @Test func rulesThatContradict_areInTheFile() throws {
        var house = try ShoeHouse(lies: [{ $0.rules.rules = HouseRules() }])
        house.playAShoe()
        guard case .contradicted(let report, let fault)? = house.findings.first else {
            Issue.record("\(house.findings)")
            return
        }
        let verdict = ProofVerdict(try ProofFile(text: ProofFile(report, fault).text))
        #expect(verdict.fault == ShoeFault.rulesDiffer.description && verdict.lines.count == 4, "\(verdict.lines)")
        let digest = try #require(report.watched.rules?.digest.base64)
        #expect(verdict.lines[2].hasSuffix(digest) && verdict.lines[3] == "committed to \(digest)")
    }

    @Test func otherRules_areEvidence_andNoneAreRefused() throws {
        var file = ProofFile(try report(), nil)
        file.watched.rules?.digest = SHA256.hash([])
        #expect(ProofVerdict(try ProofFile(text: file.text)).fault == ShoeFault.secret.description)
        file.watched.rules = nil
        #expect(refusal(file.text)?.hasPrefix("'seen' has no 'rules'") == true)
    }

    @Test func everyPartThatIsMissing_isSaid() throws {
        let whole = ProofFile(try report(), nil)
        #expect(ProofVerdict(whole).conclusion == "verified")
        #expect(!ProofVerdict(whole).lines.contains { $0.contains("not compared") })
        func missing(_ change: (inout WatchedShoe) -> Void) throws -> (line: String?, conclusion: String) {
            var file = whole
            change(&file.watched)
            let verdict = ProofVerdict(try ProofFile(text: file.text))
            return (verdict.lines.first { $0.hasPrefix("not compared: ") }, verdict.conclusion)
        }
        for (name, change) in [
            ("your contribution", { $0.own = nil }), ("the list", { $0.list = nil }), ("the mix", { $0.mixed = nil }),
        ] as [(String, (inout WatchedShoe) -> Void)] {
            let result = try missing(change)
            #expect(result.line == "not compared: " + name && result.conclusion == "verified")
        }
        let unordered = try missing { $0.orders = [] }
        #expect(unordered.line == "not compared: the order's digest" && unordered.conclusion.hasPrefix("consistent"))
    }

    @Test func cardsWithoutAnOrder_areOfTheProofsOrderOnly() throws {
        var file = ProofFile(try report(), nil)
        file.watched.orders = []
        #expect(ProofVerdict(file).lines.contains("27 of 52 cards seen, each in its place of the proof's order"))
    }

    @Test func noTextOfAFile_isALineOfTheVerdict() throws {
        var file = ProofFile(try report(), nil)
        (file.watched.table, file.proof, file.fault) = ("main\r\nverified", nil, "no fault\u{2028}verified")
        let verdict = ProofVerdict(try ProofFile(text: file.text))
        #expect(verdict.lines == ["table main verified, shoe \(file.watched.shoe)"] && verdict.fault == "no fault verified")
    }

    @Test func segmentsThatWereNotSeen_haveToBeOfTheShoe() throws {
        var file = ProofFile(try report(isReshuffled: true), nil)
        file.watched.orders.removeLast()
        let segment = try #require(file.proof?.segments.first)
        #expect(ProofVerdict(file).fault == nil)
        #expect(ProofVerdict(file).lines.contains { $0.hasPrefix("not compared:") && $0.contains("reshuffled cards") })
        for segments in [
            [ShoeProof.Segment(number: 1, first: 52, discards: 0..<53)],
            [segment, .init(number: 2, first: 52 + segment.discards.count, discards: 3..<40)],
            [.init(number: 2, first: 52, discards: 0..<9)], [.init(number: 1, first: 60, discards: 0..<9)],
        ] {
            file.proof?.segments = segments
            #expect(ProofVerdict(file).fault == ShoeFault.segment(shoe: 1, number: segments.count).description)
        }
    }

    @Test func theErrorNamesTheMissingMember() throws {
        #expect(refusal(try text().replacing("\"secret\":", with: "\"Secret\":"))?.contains("secret") == true)
    }
}

struct ProofFolderTests {
    private let scratch = ScratchFolder()

    private func report(_ number: Int, table: String = "main") -> ShoeReport {
        var watched = WatchedShoe(
            table: table, shoe: number, rules: nil, commitment: SHA256.hash([UInt8(truncatingIfNeeded: number)]))
        watched.note(25, at: 7, ofShoe: number)
        return ShoeReport(watched: watched)
    }

    @Test func evidence_isTheUsersAlone_andReadBack() throws {
        var proofs = ProofFolder(path: scratch.path + "/a/b")
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

    @Test func theFirstFilesStay_eightOfARun() throws {
        for run in 0..<ProofFolder.limit / ProofFolder.runLimit + 1 {
            var proofs = ProofFolder(path: scratch.path)
            for number in 0..<ProofFolder.runLimit where run < ProofFolder.limit / ProofFolder.runLimit {
                _ = try proofs.store(report(number), .shuffledEarly)
            }
            // In the end the folder is full, before that the run has had its share.
            #expect(throws: ProofFolder.Failure.self) { try proofs.store(report(100), .shuffledEarly) }
        }
        let names = try scratch.names()
        #expect(names.count == ProofFolder.limit && !names.contains { $0.hasPrefix("main-100-") })
        #expect(names.count { $0.hasPrefix("main-3-") } == ProofFolder.limit / ProofFolder.runLimit, "no run replaces another's")
    }

    @Test func aShoeHasOneFile_whichItsProofCompletesOnce() throws {
        var (proofs, house) = (ProofFolder(path: scratch.path), try ShoeHouse())
        house.playAShoe()
        let proved = try #require(house.verified.first)
        var bare = proved
        bare.proof = nil
        let path = try proofs.store(bare, .shuffledEarly)
        let length = try String(contentsOfFile: path, encoding: .utf8).count
        for other in [proved, report(1), bare] { #expect(try proofs.store(other, .secret) == path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == ProofFile(proved, .secret).text && length > 0)
        #expect(try scratch.names().count == 1)
    }

    @Test func aFolderThatCannotBeMade_isSaid() {
        var proofs = ProofFolder(path: "/dev/null/x")
        #expect(throws: ProofFolder.Failure.self) { try proofs.store(report(1), .secret) }
        #expect(ProofFolder(environment: [:]) == nil)
        #expect(ProofFolder(environment: ["XDG_STATE_HOME": "/s"])?.path == "/s/bjclient/proofs")
        #expect(ProofFolder(environment: ["HOME": "/h", "XDG_STATE_HOME": "s"])?.path == "/h/.local/state/bjclient/proofs")
    }
}
