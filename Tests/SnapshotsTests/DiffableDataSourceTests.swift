import Snapshots
import Testing

/// A data source whose log says which cells were made or updated.
private final class Recorder {
    final class Cell {
        var text: String
        init(_ text: String) { self.text = text }
    }

    var log: [String] = []
    private(set) lazy var source = DiffableDataSource<String, String, Cell> { [unowned self] item, existing in
        log.append(existing == nil ? "make \(item)" : "configure \(item)")
        guard let existing else { return Cell(item) }
        existing.text += "'"
        return existing
    }

    func askForAllCells() {
        for item in source.snapshot().itemIdentifiers { _ = source.cell(for: item) }
    }
}

struct DiffableDataSourceTests {
    @Test func apply_showsTheSnapshot_withoutMarks_andGivesTheDifference() throws {
        let source = DiffableDataSource<String, String, String> { item, _ in item }
        #expect(source.snapshot() == NamedSnapshot())
        source.apply(try named("A: a b | B:"))
        var snapshot = try named("A: b")
        try snapshot.reconfigureItems(["b"])
        let difference = source.apply(snapshot)
        #expect(difference == NamedDifference(deletedSections: ["B"], deletedItems: ["a"], reconfiguredItems: ["b"]))
        #expect(source.snapshot() == snapshot && source.snapshot().reconfiguredItemIdentifiers.isEmpty)
    }

    @Test func aDifference_isApplied_andOneThatDoesNotFitChangesNothing() throws {
        let recorder = Recorder()
        recorder.source.apply(try named("A: a b"))
        recorder.askForAllCells()
        let difference = NamedDifference(
            deletedItems: ["a"], insertedItems: [.init(item: "c", section: "A", index: 1)], reconfiguredItems: ["b"])
        try recorder.source.apply(difference)
        recorder.askForAllCells()
        #expect(recorder.log == ["make a", "make b", "configure b", "make c"])
        #expect(throws: SnapshotError.unknownItem("a")) { try recorder.source.apply(.init(deletedItems: ["c", "a"])) }
        #expect(recorder.source.snapshot() == (try named("A: b c")))
    }

    @Test func cell_isMadeOnce_keptWhenItMoves_andForgottenWhenItsItemGoes() throws {
        let recorder = Recorder()
        recorder.source.apply(try named("A: a b | B: c"))
        recorder.askForAllCells()
        recorder.source.apply(try named("B: c a"))
        recorder.askForAllCells()
        #expect(recorder.log == ["make a", "make b", "make c"])
        recorder.source.apply(try named("B: c a b"))
        recorder.askForAllCells()
        #expect(recorder.log == ["make a", "make b", "make c", "make b"])
        #expect(recorder.source.cell(for: "x") == nil)
    }

    @Test func cell_isKeptButBroughtUpToDate_onceWhenReconfigured_andMadeAnewForAnItemThatReturns() throws {
        let recorder = Recorder()
        recorder.source.apply(try named("A: a b"))
        recorder.askForAllCells()
        let kept = recorder.source.cell(for: "b")
        recorder.log = []
        for _ in 0..<2 {
            var next = recorder.source.snapshot()
            try next.reconfigureItems(["b", "a"])
            recorder.source.apply(next)
        }
        _ = recorder.source.cell(for: "b")
        recorder.source.apply(try named("A: b"))
        recorder.source.apply(try named("A: a b"))
        for _ in 0..<2 { recorder.askForAllCells() }
        #expect(recorder.log == ["configure b", "make a"])
        #expect(recorder.source.cell(for: "b") === kept && kept?.text == "b'")
    }

    @Test func cell_isNotKept_whenTheProviderAppliesASnapshotWithoutTheItem() throws {
        var made = 0
        var source: DiffableDataSource<Int, Int, Int>?
        source = DiffableDataSource { item, _ in
            made += 1
            source?.apply(SmallSnapshot())
            return item
        }
        source?.apply(try SmallSnapshot([(section: 0, items: [1])]))
        #expect(source?.cell(for: 1) == 1 && source?.cell(for: 1) == nil && made == 1)
        source = nil
    }
}
