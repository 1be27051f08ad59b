/// First in, first out, in amortised constant time and without allocation once it has grown to its working size.
@usableFromInline
struct Queue<Element> {
    @usableFromInline var slots: ContiguousArray<Element?> = []
    @usableFromInline var head = 0

    @inlinable
    init() {}

    var count: Int { slots.count - head }
    @inlinable var isEmpty: Bool { slots.count == head }
    var first: Element? { isEmpty ? nil : slots[head] }

    @inlinable
    mutating func append(_ element: Element) {
        slots.append(element)
    }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer { compact() }
        let element = slots[head]
        slots[head] = nil
        head += 1
        return element
    }

    mutating func removeFirst() {
        popFirst()
    }

    mutating func removeAll() {
        slots.removeAll(keepingCapacity: true)
        head = 0
    }

    /// Gives back the slots in front when they are as many as the ones in use.
    private mutating func compact() {
        if isEmpty {
            removeAll()
        } else if head >= 32, head >= count {
            slots.removeFirst(head)
            head = 0
        }
    }
}
