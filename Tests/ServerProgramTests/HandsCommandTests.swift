import Foundation
import TestKit
import Testing

/// An account's hands: as `bjclient history` brings them, and as the journal has them.
@Suite(.ownThread, .timeLimit(.minutes(3)))
struct HandsCommandTests {
    @Test func theHandsThatAClientBrings_areThoseOfTheJournal() throws {
        let (home, other) = (ScratchFolder(), ScratchFolder())
        let server = try ShellServer(#"exec "$0" --listen 127.0.0.1:0 --data "$1/data" --create --settle 0s 2> "$1/log""#)
        let address = "127.0.0.1:\(try server.port())"
        func client(_ words: [String], _ home: ScratchFolder, input: String = "") throws -> Tool.Ending {
            try Tool.run("bjclient", words, input: input, environment: ["HOME": home.path])
        }
        let play = String(repeating: "bet 10\nno\nstand\n", count: 24)
        _ = try client([address, "--plain", "--name", "ann"], home, input: play)
        let all = try client(["history", address, "--name", "ann", "--csv"], home)
        let journal = try Tool.run("bjserver", ["history", server.folder.path + "/data", "--player", "ann", "--csv"])
        try #require(all.status == 0 && journal.status == 0, "\(all) \(journal)")
        func lines(_ text: String) -> [Substring] { text.split(separator: "\r\n") }
        #expect(lines(all.output).first == lines(journal.output).first && lines(all.output).count > 21, "\(all)")
        // Newest first, and oldest first; the hands of a round in their order.
        #expect(lines(all.output).sorted() == lines(journal.output).sorted())
        let rounds = try Tool.run("bjserver", ["history", server.folder.path + "/data", "--json"]).output
        let dealt = try client(["replay", home.file("rounds.json", rounds)], home)
        let count = rounds.split(separator: "\n").count
        #expect(dealt.status == 0 && count > 20 && dealt.output.matches(of: /\nRound \d+\.\n/).count == count, "\(dealt)")
        let last = try client(["history", address, "--json", "--last", "3"], home)
        #expect(last.status == 0 && last.output.split(separator: "\n").count == 3, "\(last)")
        #expect(last.output.split(separator: "\n").allSatisfy { $0.hasPrefix(#"{"table":"main","round":"#) }, "\(last)")
        let told = try client(["history", address, "--last", "1"], home)
        #expect(told.status == 0 && told.output.contains(", main, round ") && told.output.contains("bet 10: "), "\(told)")
        for words in [["history", address], ["history", address, "--name", "ann"]] {
            let unknown = try client(words, other)
            #expect(unknown.status == 77 && unknown.errors.contains("bjclient accounts import"), "\(unknown)")
        }
        #expect(try client(["accounts"], other).output.isEmpty, "no account was made")
        server.end(SIGKILL)
        #expect(try client(["history", address, "--name", "ann"], home).status == 69)
        #expect(try client(["history", "--csv", "--json"], home).status == 64)
    }
}
