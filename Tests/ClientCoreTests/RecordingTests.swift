import ClientCore
import TableModel
import Testing
import Wire

/// Files that anybody may have written.
struct RecordingTests {
    private static let whole = #"{"type":"snapshot","table":"main","epoch":"e","rev":4,"items":{"round":3,"phase":"waiting"}}"#

    private static func diff(_ from: Int, _ round: Int, check: UInt32? = nil) -> String {
        #"{"type":"diff","from":\#(from),"to":\#(from + 1),\#(check.map { #""check":\#($0),"# } ?? "")"items":{"round":\#(round)}}"#
    }

    private static func read(_ lines: [String], header: String = RecordedLine.header) throws -> (notes: [String], rounds: [Int]) {
        let recording = try Recording(Array(([header] + lines).joined(separator: "\n").utf8) + [0x0A])
        var (reader, notes, rounds) = (RecordingReader(recording), [String](), [Int]())
        while let update = reader.next() {
            switch update.event {
            case .note(let text): notes.append(text)
            case .table(let change): rounds.append(change.new.round?.number ?? -1)
            default: Issue.record("\(update.event)")
            }
        }
        #expect(recording.moments.count == notes.count + rounds.count)
        return (notes, rounds)
    }

    @Test func whatFollows_isShown_andWhatIsMissing_isSaid_once() throws {
        let good = TableSnapshot([.round(4), .phase(.waiting)]).check
        let lines = ["# why", "0 < \(Self.whole)", "5 > {}", "5 < \(Self.diff(4, 4, check: good))", "9 < \(Self.diff(4, 9))"]
        #expect(try Self.read(lines) == (["why"], [3, 4]))
        #expect(try Self.read(["0 < # why"]).notes[0].hasPrefix("Line 2 is no message: "), "a server has no comments")
        let gap = try Self.read(["0 < \(Self.whole)", "1 < \(Self.diff(6, 8))", "1 < \(Self.diff(7, 9))", "2 < \(Self.whole)"])
        #expect(gap.rounds == [3, 3] && gap.notes.count == 1 && gap.notes[0].hasPrefix("Changes are missing here"))
        let wrong = try Self.read(["0 < \(Self.whole)", "1 < \(Self.diff(4, 4, check: good ^ 1))", "2 < \(Self.diff(5, 6))"])
        #expect(wrong.rounds == [3] && wrong.notes.count == 1 && wrong.notes[0].hasPrefix("The table differs"))
        #expect(try Self.read(["# why", #"7 < {"type":"dif"#]).notes[1].hasPrefix("Line 3 is no message: "))
    }

    @Test func aCommentOfAnyLength_isShownAsTheLengthOfAChat() throws {
        let lines = "\(RecordedLine.header)\n# \(String(repeating: "e", count: 1000))\n"
        var reader = RecordingReader(try Recording(Array(lines.utf8)))
        _ = reader.next()
        #expect(reader.caption?.utf8.count == ChatText.maximumBytes)
    }

    @Test(arguments: [
        ("", 1, "not a recording: '# blackjack recording 1' is missing"),
        ("{}\n", 1, "not a recording: '# blackjack recording 1' is missing"),
        ("H\n0 < {}\n1 < {", 3, "cut: the line has no end"),
        ("H\n0 < {}\n\n", 3, "neither 'MS < MESSAGE' nor a comment behind '#'"),
        ("H\n-1 < {}\n", 2, "neither 'MS < MESSAGE' nor a comment behind '#'"),
        ("H\n99999999999999999 < {}\n", 2, "neither 'MS < MESSAGE' nor a comment behind '#'"),
        ("H\n5 < {}\n4 < {}\n", 3, "the time goes back"),
        (
            "H\n0 < \(String(repeating: "x", count: WireLimits.eventBytes + 1))\n", 2,
            "too long: a message has at most 1048576 bytes"
        ),
        (
            "H" + String(repeating: "\n", count: 1 << 20 + 1), 1 << 20 + 1,
            "too long: a recording has at most 64 MiB and 1048576 lines"
        ),
    ])
    func aFileThatIsNone_isRefusedByItsLine(_ text: String, line: Int, reason: String) throws {
        let bytes = Array(text.replacing(/^H/, with: RecordedLine.header).utf8)
        let error = #expect(throws: Recording.Unreadable.self) { try Recording(bytes) }
        #expect(error?.line == line && error?.reason == reason, "\(String(describing: error))")
    }
}
