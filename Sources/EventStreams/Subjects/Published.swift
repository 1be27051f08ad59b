/// Publishes the changes of a class's property: `$name` is the publisher of `name`. It emits the current value first; as in Combine, a change
/// is emitted before the property is set: use the emitted value.
@propertyWrapper
public struct Published<Value> {
    final class Storage {
        let subject: CurrentValueSubject<Value, Never>
        /// The property's value, set after the subscribers received it.
        private let current: Guarded<Value>
        /// Assigned publishers, retained for the property's lifetime.
        let inflow = Guarded<[AnyCancellable]>([])

        init(_ value: Value) {
            subject = CurrentValueSubject(value)
            current = Guarded(value)
        }

        var value: Value {
            get { current.withLock { $0 } }
            set {
                subject.send(newValue)
                // Not `newValue`: a subscriber may have set the property again, and the last value wins.
                let latest = subject.value
                // Returned from the closure, so that the old value is released outside the lock.
                _ = current.withLock { current in
                    defer { current = latest }
                    return current
                }
            }
        }
    }

    /// Emits the value and each change; never completes.
    public struct Publisher: EventStreams.Publisher {
        public typealias Output = Value
        public typealias Failure = Never

        let storage: Storage

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
            storage.subject.subscribe(subscriber)
        }
    }

    var storage: Storage

    public init(wrappedValue: Value) {
        storage = Storage(wrappedValue)
    }

    public init(initialValue: Value) {
        self.init(wrappedValue: initialValue)
    }

    public var projectedValue: Publisher {
        mutating get { Publisher(storage: storage) }
        set { storage = newValue.storage }
    }

    @available(*, unavailable, message: "@Published is only available on properties of classes")
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    public static subscript<EnclosingSelf: AnyObject>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
    ) -> Value {
        get { object[keyPath: storageKeyPath].storage.value }
        set { object[keyPath: storageKeyPath].storage.value = newValue }
    }
}

extension Publisher where Failure == Never {
    /// Assigns values for the property's lifetime, without a cancellable or a retain cycle: `assign(to: &$name)`.
    public func assign(to published: inout Published<Output>.Publisher) {
        let storage = published.storage
        let feed = sink { [weak storage] in storage?.value = $0 }
        storage.inflow.withLock { $0.append(feed) }
    }
}
