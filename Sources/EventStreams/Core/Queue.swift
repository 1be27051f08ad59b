/// FIFO queue: amortised O(1), without allocation at its working size.
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

    /// Reclaims the free slots in front once they equal those in use.
    private mutating func compact() {
        if isEmpty {
            removeAll()
        } else if head >= 32, head >= count {
            slots.removeFirst(head)
            head = 0
        }
    }
}
