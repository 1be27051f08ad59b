/// A poller's slots: the target of each watched descriptor, and the poller's own content. Freed slots are used again, the last freed first.
///
/// `EpollPoller` has a table of its own, which is read for every event of a busy server.
struct PollSlots<Content> {
    private struct Slot {
        var target: (any PollTarget)?
        var generation: UInt32 = 0
        var content: Content?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    /// The tokens of all slots in use, in the order of the slots.
    var tokens: [PollToken] {
        slots.indices.filter { slots[$0].target != nil }.map { PollToken(slot: $0, generation: slots[$0].generation) }
    }

    mutating func insert(_ target: any PollTarget, _ content: (PollToken) -> Content) -> PollToken {
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        let token = PollToken(slot: slot, generation: slots[slot].generation)
        slots[slot].target = target
        slots[slot].content = content(token)
        return token
    }

    /// Ends a slot's use: its tokens expire.
    /// - Returns: its content; nil for an expired token.
    mutating func remove(_ token: PollToken) -> Content? {
        guard isCurrent(token) else { return nil }
        defer {
            slots[token.slot] = Slot(generation: token.generation &+ 1)
            free.append(token.slot)
        }
        return slots[token.slot].content
    }

    /// The current token of a slot; nil for a free one.
    func token(ofSlot slot: Int) -> PollToken? {
        slots[slot].target == nil ? nil : PollToken(slot: slot, generation: slots[slot].generation)
    }

    /// nil for an expired token.
    func target(_ token: PollToken) -> (any PollTarget)? { isCurrent(token) ? slots[token.slot].target : nil }

    /// No effect for an expired token.
    mutating func transfer(_ token: PollToken, to target: any PollTarget) {
        if isCurrent(token) { slots[token.slot].target = target }
    }

    /// The content; nil for an expired token, whose new content is dropped.
    subscript(token: PollToken) -> Content? {
        get { isCurrent(token) ? slots[token.slot].content : nil }
        set { if isCurrent(token) { slots[token.slot].content = newValue } }
    }

    private func isCurrent(_ token: PollToken) -> Bool {
        slots.indices.contains(token.slot) && slots[token.slot].generation == token.generation
            && slots[token.slot].target != nil
    }
}
