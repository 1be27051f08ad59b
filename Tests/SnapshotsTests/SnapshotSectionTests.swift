import Snapshots
import Testing

struct SnapshotSectionTests {
    @Test func appendSections_addsEmptySectionsAtTheEnd() throws {
        var snapshot = try named("A: a")
        try snapshot.appendSections(["C", "B"])
        #expect(line(snapshot) == "A: a | C: | B:")
        try snapshot.appendSections([])
        #expect(snapshot.numberOfSections == 3)
    }

    @Test func appendSections_isRefused_whenOneIsTwiceOrThereAlready() throws {
        let snapshot = try named("A: a")
        let twice = refusal(of: { edit throws(SnapshotError) in try edit.appendSections(["B", "B"]) }, on: snapshot)
        #expect(twice.error == .duplicateSection("B") && twice.isUnchanged)
        let there = refusal(of: { edit throws(SnapshotError) in try edit.appendSections(["B", "A"]) }, on: snapshot)
        #expect(there.error == .duplicateSection("A") && there.isUnchanged)
    }

    @Test func insertSectionsBefore_putsThemBeforeTheAnchor() throws {
        var snapshot = try named("A: a | B: b")
        try snapshot.insertSections(["X", "Y"], beforeSection: "B")
        #expect(line(snapshot) == "A: a | X: | Y: | B: b")
    }

    @Test func insertSectionsAfter_putsThemAfterTheAnchor() throws {
        var snapshot = try named("A: a | B: b")
        try snapshot.insertSections(["X", "Y"], afterSection: "B")
        #expect(line(snapshot) == "A: a | B: b | X: | Y:")
    }

    @Test func insertSections_isRefused_whenTheAnchorIsUnknownOrASectionIsThere() throws {
        let snapshot = try named("A: a | B: b")
        let unknown = refusal(
            of: { edit throws(SnapshotError) in try edit.insertSections(["X"], beforeSection: "C") }, on: snapshot)
        #expect(unknown.error == .unknownSection("C") && unknown.isUnchanged)
        let there = refusal(
            of: { edit throws(SnapshotError) in try edit.insertSections(["X", "B"], afterSection: "A") }, on: snapshot)
        #expect(there.error == .duplicateSection("B") && there.isUnchanged)
    }

    @Test func deleteSections_takesTheirItemsAlong_andIgnoresUnknownOnes() throws {
        var snapshot = try named("A: a | B: b c | C: d")
        snapshot.deleteSections(["B", "X", "B"])
        #expect(line(snapshot) == "A: a | C: d" && snapshot.numberOfItems == 2)
        #expect(!snapshot.contains("b"))
        snapshot.deleteSections(["X"])
        #expect(line(snapshot) == "A: a | C: d")
    }

    @Test(arguments: [
        ("A", "C", "B: b | A: a | C: c"), ("C", "A", "C: c | A: a | B: b"), ("B", "B", "A: a | B: b | C: c"),
        ("A", "B", "A: a | B: b | C: c"),
    ])
    func moveSectionBefore_takesItsItemsAlong(section: String, anchor: String, expected: String) throws {
        var snapshot = try named("A: a | B: b | C: c")
        try snapshot.moveSection(section, beforeSection: anchor)
        #expect(line(snapshot) == expected)
    }

    @Test(arguments: [
        ("A", "C", "B: b | C: c | A: a"), ("C", "A", "A: a | C: c | B: b"), ("B", "B", "A: a | B: b | C: c"),
        ("B", "A", "A: a | B: b | C: c"),
    ])
    func moveSectionAfter_takesItsItemsAlong(section: String, anchor: String, expected: String) throws {
        var snapshot = try named("A: a | B: b | C: c")
        try snapshot.moveSection(section, afterSection: anchor)
        #expect(line(snapshot) == expected)
    }

    @Test func moveSection_isRefused_whenEitherIsUnknown() throws {
        let snapshot = try named("A: a | B: b")
        let first = refusal(of: { edit throws(SnapshotError) in try edit.moveSection("X", beforeSection: "A") }, on: snapshot)
        #expect(first.error == .unknownSection("X") && first.isUnchanged)
        let second = refusal(of: { edit throws(SnapshotError) in try edit.moveSection("A", afterSection: "X") }, on: snapshot)
        #expect(second.error == .unknownSection("X") && second.isUnchanged)
    }
}
