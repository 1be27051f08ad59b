/// An object that announces its changes.
///
/// The default `objectWillChange` emits before any `@Published` property changes.
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    /// Emits before the object changes.
    var objectWillChange: ObjectWillChangePublisher { get }
}

/// Emits at each `send()`. The default publisher of an `ObservableObject`.
public final class ObservableObjectPublisher: Publisher {
    public typealias Output = Void
    public typealias Failure = Never

    private let subject = PassthroughSubject<Void, Never>()

    public init() {}

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        subject.subscribe(subscriber)
    }

    public func send() {
        subject.send()
    }
}

extension ObservableObjectPublisher: Sendable {}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// The publisher shared by all `@Published` properties, including those of superclasses.
    ///
    /// Without such properties each call returns a new one: declare `objectWillChange` explicitly.
    public var objectWillChange: ObservableObjectPublisher {
        var properties: [any PublishedProperty] = []
        var mirror: Mirror? = Mirror(reflecting: self)
        while let level = mirror {
            properties += level.children.compactMap { $0.value as? any PublishedProperty }
            mirror = level.superclassMirror
        }
        let publisher = properties.lazy.compactMap { $0.objectWillChange }.first ?? ObservableObjectPublisher()
        for property in properties { property.objectWillChange = publisher }
        return publisher
    }
}

/// A stored property found by `ObservableObject`.
private protocol PublishedProperty {
    var objectWillChange: ObservableObjectPublisher? { get nonmutating set }
}

extension Published: PublishedProperty {
    fileprivate var objectWillChange: ObservableObjectPublisher? {
        get { storage.objectWillChange.withLock { $0 } }
        nonmutating set { storage.objectWillChange.withLock { $0 = newValue } }
    }
}
