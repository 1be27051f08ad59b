/// Something that can be told to stop. Cancelling twice is the same as once, and safe from anywhere, callbacks included.
public protocol Cancellable {
    func cancel()
}

extension Cancellable {
    /// Keeps it among the others.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(AnyCancellable(self))
    }

    /// Keeps it among the others.
    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(AnyCancellable(self))
    }
}

/// A cancellable that cancels when the last reference to it goes away.
public final class AnyCancellable: Cancellable, Hashable {
    private let action: Guarded<(() -> Void)?>

    public init(_ cancel: @escaping () -> Void) {
        action = Guarded(cancel)
    }

    public init<C: Cancellable>(_ canceller: C) {
        action = Guarded { canceller.cancel() }
    }

    deinit {
        cancel()
    }

    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool {
        lhs === rhs
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(self)
    }

    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(self)
    }
}

// Sendable: its action is behind a lock and runs once; to cancel from any thread is part of every subscription's contract.
extension AnyCancellable: @unchecked Sendable {}
