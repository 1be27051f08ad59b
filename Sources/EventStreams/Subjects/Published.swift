/// Publishes the changes of a property of a class: `$name` is the publisher of `name`.
///
/// The publisher gives the current value first. A change reaches subscribers before the property has it, as in Combine:
/// use the value that comes, not the property.
@propertyWrapper
public struct Published<Value> {
    final class Storage {
        let subject: CurrentValueSubject<Value, Never>
        /// What the property says: set when the subscribers know.
        private let current: Guarded<Value>
        /// What feeds the property, as long as it lives.
        let inflow = Guarded<[AnyCancellable]>([])
        /// Sends before each change, if the property is one of an `ObservableObject`.
        let objectWillChange = Guarded<ObservableObjectPublisher?>(nil)

        init(_ value: Value) {
            subject = CurrentValueSubject(value)
            current = Guarded(value)
        }

        var value: Value {
            get { current.withLock { $0 } }
            set {
                objectWillChange.withLock { $0 }?.send()
                subject.send(newValue)
                // Not `newValue`: a subscriber may have set the property meanwhile, and the last word is the one that counts.
                let latest = subject.value
                // Handed out, so that the old value is not let go of under the lock.
                _ = current.withLock { current in
                    defer { current = latest }
                    return current
                }
            }
        }
    }

    /// Emits the value and each change, and never ends.
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
    /// Feeds a `@Published` property as long as it lives, with no cancellable to keep and no cycle to break:
    /// `assign(to: &$name)`.
    public func assign(to published: inout Published<Output>.Publisher) {
        let storage = published.storage
        let feed = sink { [weak storage] in storage?.value = $0 }
        storage.inflow.withLock { $0.append(feed) }
    }
}
