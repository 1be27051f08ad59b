import Snapshots

/// A view in its simplest form: a list that plays steps, and says when one does not fit what it shows.
struct StepPlayer<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    private(set) var shown: [(section: Section, items: [Item])]
    private(set) var misfits: [SnapshotStep<Section, Item>] = []
    private var liftedItems: Set<Item> = []
    private var liftedSections: [Section: [Item]] = [:]

    init(_ snapshot: Snapshot<Section, Item>) { shown = snapshot.contents }

    var isHoldingNothing: Bool { liftedItems.isEmpty && liftedSections.isEmpty }

    mutating func play(_ steps: [SnapshotStep<Section, Item>]) {
        for step in steps where !fits(step) { misfits.append(step) }
    }

    private mutating func fits(_ step: SnapshotStep<Section, Item>) -> Bool {
        switch step {
        case .deleteItem(let item, let path): take(item, path)
        case .liftItem(let item, let path): take(item, path) && liftedItems.insert(item).inserted
        case .insertItem(let item, let path): put(item, path)
        case .dropItem(let item, let path): liftedItems.remove(item) != nil && put(item, path)
        case .deleteSection(let section, let index): take(section, index) != nil
        case .liftSection(let section, let index): lift(section, index)
        case .insertSection(let section, let index): put(section, [], index)
        case .dropSection(let section, let index): drop(section, index)
        case .reloadItem(let item, let path), .reconfigureItem(let item, let path): has(item, path)
        case .reloadSection(let section, let index): shown.indices.contains(index) && shown[index].section == section
        }
    }

    private func has(_ item: Item, _ path: ItemPath) -> Bool {
        shown.indices.contains(path.section) && shown[path.section].items.indices.contains(path.item)
            && shown[path.section].items[path.item] == item
    }

    private mutating func take(_ item: Item, _ path: ItemPath) -> Bool {
        guard has(item, path) else { return false }
        shown[path.section].items.remove(at: path.item)
        return true
    }

    private mutating func put(_ item: Item, _ path: ItemPath) -> Bool {
        guard shown.indices.contains(path.section), (0...shown[path.section].items.count).contains(path.item) else {
            return false
        }
        shown[path.section].items.insert(item, at: path.item)
        return true
    }

    private mutating func take(_ section: Section, _ index: Int) -> [Item]? {
        guard shown.indices.contains(index), shown[index].section == section else { return nil }
        return shown.remove(at: index).items
    }

    private mutating func lift(_ section: Section, _ index: Int) -> Bool {
        guard let items = take(section, index) else { return false }
        liftedSections[section] = items
        return true
    }

    private mutating func drop(_ section: Section, _ index: Int) -> Bool {
        guard let items = liftedSections.removeValue(forKey: section) else { return false }
        return put(section, items, index)
    }

    private mutating func put(_ section: Section, _ items: [Item], _ index: Int) -> Bool {
        guard (0...shown.count).contains(index) else { return false }
        shown.insert((section, items), at: index)
        return true
    }
}
