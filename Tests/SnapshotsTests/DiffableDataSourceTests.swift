import Snapshots
import Testing

/// A data source whose cells count how often they were made or updated, with a log of the view's updates.
private final class Recorder {
    final class Cell {
        var text: String
        init(_ text: String) { self.text = text }
    }

    typealias Source = DiffableDataSource<String, String, Cell>

    var log: [String] = []
    private(set) lazy var source = Source { [unowned self] item, existing in
        log.append(existing == nil ? "make \(item)" : "configure \(item)")
        guard let existing else { return Cell(item) }
        existing.text += "'"
        return existing
    }

    func listen() {
        source.onUpdate = { [unowned self] change, isAnimated in
            log.append("\(isAnimated ? "animate" : "set") \(line(change.finalSnapshot))")
        }
    }

    func askForAllCells() {
        for item in source.snapshot().itemIdentifiers { _ = source.cell(for: item) }
    }
}

struct DiffableDataSourceTests {
    @Test func apply_showsTheSnapshot_tellsTheView_andThenCallsTheCompletion() throws {
        let recorder = Recorder()
        recorder.listen()
        recorder.source.apply(try named("A: a b | B:")) { recorder.log.append("done") }
        recorder.source.apply(try named("A: b"), animatingDifferences: false)
        #expect(recorder.log == ["animate A: a b | B:", "done", "set A: b"])
    }

    @Test func apply_insideAnApply_waitsForItsTurn() throws {
        let recorder = Recorder()
        recorder.listen()
        let inner = try named("A: c")
        let last = try named("A: d")
        recorder.source.apply(try named("A: b")) {
            recorder.source.apply(inner) { recorder.log.append("inner done") }
            recorder.source.apply(last)
            recorder.log.append("outer done, still \(line(recorder.source.snapshot()))")
        }
        #expect(
            recorder.log == [
                "animate A: b", "outer done, still A: b", "animate A: c", "inner done", "animate A: d",
            ])
    }

    @Test func aDifference_isApplied_behindWhatIsQueued_andOneThatDoesNotFitChangesNothing() throws {
        let recorder = Recorder()
        recorder.listen()
        let longer = try named("A: a b c")
        recorder.source.apply(try named("A: a b")) {
            recorder.askForAllCells()
            recorder.source.apply(longer)
            try? recorder.source.apply(.init(deletedItems: ["a"], reconfiguredItems: ["b"]))
        }
        recorder.askForAllCells()
        #expect(
            recorder.log == [
                "animate A: a b", "make a", "make b", "animate A: a b c", "animate A: b c", "configure b", "make c",
            ])
        #expect(throws: SnapshotError.unknownItem("a")) { try recorder.source.apply(.init(deletedItems: ["c", "a"])) }
        #expect(recorder.source.snapshot() == (try named("A: b c")))
    }

    @Test func apply_insideItsOwnCompletionManyTimes_isNoRecursion() throws {
        let source = DiffableDataSource<Int, Int, Int> { item, _ in item }
        var rounds = 0
        func again() {
            rounds += 1
            guard rounds < 20_000 else { return }
            source.apply(SmallSnapshot(), completion: again)
        }
        again()
        #expect(rounds == 20_000)
    }

    @Test func snapshot_isWhatIsShown_withNothingMarked() throws {
        let source = DiffableDataSource<String, String, String> { item, _ in item }
        #expect(source.snapshot() == NamedSnapshot())
        var snapshot = try named("A: a")
        try snapshot.reloadItems(["a"])
        source.apply(snapshot)
        #expect(source.snapshot() == snapshot && source.snapshot().reloadedItemIdentifiers.isEmpty)
    }

    @Test func sectionsAndItems_areCounted_andFoundByTheirPosition() throws {
        let source = DiffableDataSource<String, String, String> { item, _ in item }
        source.apply(try named("A: a b | B: c"))
        #expect(source.itemIdentifier(for: ItemPath(item: 0, section: 1)) == "c")
        #expect(source.itemIdentifier(for: ItemPath(item: 1, section: 1)) == nil)
        #expect(source.numberOfSections == 2)
        #expect(source.numberOfItems(inSection: 0) == 2 && source.numberOfItems(inSection: 2) == 0)
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
        #expect(recorder.source.cell(at: ItemPath(item: 1, section: 0))?.text == "a")
        #expect(recorder.source.cell(at: ItemPath(item: 3, section: 0)) == nil)
    }

    @Test func cell_isMadeAnewWhenReloaded_andKeptButBroughtUpToDateWhenReconfigured() throws {
        let recorder = Recorder()
        recorder.source.apply(try named("A: a b | B: c"))
        recorder.askForAllCells()
        let kept = recorder.source.cell(for: "b")
        recorder.log = []
        var next = recorder.source.snapshot()
        try next.reloadItems(["a"])
        try next.reconfigureItems(["b"])
        try next.reloadSections(["B"])
        recorder.source.apply(next)
        recorder.askForAllCells()
        recorder.askForAllCells()
        #expect(recorder.log == ["make a", "configure b", "make c"])
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
