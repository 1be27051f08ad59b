import Snapshots

/// Measures snapshots beside the standard library's `CollectionDifference` on the same data.
func measureSnapshots(_ bench: Bench) {
    measureTables(bench)
    measureLists(bench)
    measureBuilding(bench)
}

// MARK: - A table

/// Identifiers like a card table's: small enums.
private enum TableSection: Hashable, Sendable {
    case dealer
    case seat(UInt8)
}

private enum TableItem: Hashable, Sendable {
    case status(UInt8)
    case card(UInt32)
}

private func measureTables(_ bench: Bench) {
    let numbers = (0..<8).map { section in (section: section, items: (0..<6).map { section * 6 + $0 }) }
    measureTable("Int", numbers, newItem: 99, bench)
    let table = (0..<8).map { number in
        let section: TableSection = number == 0 ? .dealer : .seat(UInt8(number))
        let cards = (1..<6).map { TableItem.card(UInt32(number * 6 + $0)) }
        return (section: section, items: [TableItem.status(UInt8(number))] + cards)
    }
    measureTable("enum", table, newItem: .card(99), bench)
    let names = numbers.map { content in (section: "section \(content.section)", items: content.items.map { "item \($0)" }) }
    measureTable("String", names, newItem: "item 99", bench)
}

private func measureTable<Section: Hashable & Sendable, Item: Hashable & Sendable>(
    _ kind: String, _ contents: [(section: Section, items: [Item])], newItem: Item, _ bench: Bench
) {
    var dealtContents = contents
    dealtContents[3].items.append(newItem)
    guard let before = try? Snapshot(contents), let rebuilt = try? Snapshot(dealtContents), let same = try? Snapshot(contents)
    else { return }
    var dealt = before
    guard (try? dealt.appendItems([newItem], toSection: contents[3].section)) != nil else { return }
    let difference = before.difference(to: dealt)
    let name = "table 8×6 of \(kind)"

    bench.measure("\(name): difference, one card dealt", calls: 20_000, limit: 1000) { consume(before.difference(to: dealt)) }
    bench.measure("\(name): difference, one card dealt, made from scratch", calls: 20_000) {
        consume(before.difference(to: rebuilt))
    }
    bench.measure("\(name): difference, unchanged copy", calls: 50_000, limit: 100) { consume(before.difference(to: before)) }
    bench.measure("\(name): difference, equal but made from scratch", calls: 20_000) { consume(before.difference(to: same)) }
    bench.measure("\(name): apply, one card dealt", calls: 20_000) { consume(try? before.applying(difference)) }
    bench.measure("\(name): equality, made from scratch", calls: 20_000) { consume(before == same) }
    bench.measure("\(name): copy and appendItems", calls: 20_000) {
        var copy = before
        try? copy.appendItems([newItem], toSection: contents[3].section)
        consume(copy)
    }
    bench.measure("\(name): make from contents", calls: 5_000) { consume(try? Snapshot(contents)) }
    let old = before.itemIdentifiers
    let new = dealt.itemIdentifiers
    bench.measure("\(name): CollectionDifference, one card dealt (flat)", calls: 5_000) { consume(new.difference(from: old)) }
}

// MARK: - Long lists

private func measureLists(_ bench: Bench) {
    measureList(5_000, deleted: 1_000, inserted: 1_000, moved: 200, runs: 41, beside: true, bench)
    measureList(100_000, deleted: 1_000, inserted: 1_000, moved: 200, runs: 11, beside: true, bench)
    // Without `CollectionDifference`, which would need gigabytes at this size.
    measureList(100_000, deleted: 20_000, inserted: 20_000, moved: 4_000, runs: 11, beside: false, bench)
    measureShuffle(100_000, bench)
}

private func measureList(
    _ count: Int, deleted: Int, inserted: Int, moved: Int, runs: Int, beside: Bool, _ bench: Bench
) {
    let name = "\(count) items, \(deleted) deleted, \(inserted) inserted, \(moved) moved"
    guard bench.mayMeasure(name) else { return }
    var generator = BenchGenerator(state: 7)
    let before = Array(0..<count)
    var after = before.shuffled(using: &generator)[deleted...].sorted()
    func place() -> Int { Int.random(in: 0..<after.count, using: &generator) }
    for _ in 0..<moved { after.insert(after.remove(at: place()), at: place()) }
    for item in count..<count + inserted { after.insert(item, at: place()) }
    measurePair(name, before, after, runs, bench)
    measurePair("\(name), String", before.map { "item \($0)" }, after.map { "item \($0)" }, runs, bench)
    if beside {
        bench.measure("\(name): CollectionDifference inferring moves", runs: 5, calls: 1) {
            consume(after.difference(from: before).inferringMoves())
        }
    }
}

private func measureShuffle(_ count: Int, _ bench: Bench) {
    guard bench.mayMeasure("\(count) items, shuffled") else { return }
    var generator = BenchGenerator(state: 8)
    let before = Array(0..<count)
    measurePair("\(count) items, shuffled", before, before.shuffled(using: &generator), 7, bench)
}

private func measurePair<Item: Hashable & Sendable>(
    _ name: String, _ before: [Item], _ after: [Item], _ runs: Int, _ bench: Bench
) {
    guard let old = try? Snapshot([(section: 0, items: before)]), let new = try? Snapshot([(section: 0, items: after)]) else {
        return
    }
    let difference = old.difference(to: new)
    guard (try? old.applying(difference)) == new else {
        return bench.report(Measurement(name: "WRONG", median: 0, least: 0, allocations: 0))
    }
    bench.measure("\(name): difference", runs: runs, calls: 1) { consume(old.difference(to: new)) }
    bench.measure("\(name): apply", runs: runs, calls: 1) { consume(try? old.applying(difference)) }
}

// MARK: - Building

private func measureBuilding(_ bench: Bench) {
    let items = Array(0..<10_000)
    build("10000 items: one appendItems", [items], bench)
    build("10000 items of String: one appendItems", [items.map { "item \($0)" }], bench)
    build("10000 items: 100 sections of 100", (0..<100).map { Array(items[$0 * 100..<$0 * 100 + 100]) }, bench)
    bench.measure("build 10000 items: one by one", runs: 5, calls: 1) {
        var snapshot = Snapshot<Int, Int>()
        try? snapshot.appendSections([0])
        for item in items { try? snapshot.appendItems([item]) }
        consume(snapshot)
    }
}

private func build<Item: Hashable & Sendable>(_ name: String, _ sections: [[Item]], _ bench: Bench) {
    bench.measure("build \(name)", calls: 3) {
        var snapshot = Snapshot<Int, Item>()
        for (section, items) in sections.enumerated() {
            try? snapshot.appendSections([section])
            try? snapshot.appendItems(items)
        }
        consume(snapshot)
    }
}

// MARK: - Data

private struct BenchGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}
