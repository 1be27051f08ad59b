/// A large part of a value, behind a reference with copy on write: a copy of the whole costs one retain. The compiler writes code to
/// copy, assign and destroy each field into every type that contains it, which was 60 % of this module in a debug build.
@propertyWrapper
package struct Boxed<Value> {
    private final class Storage {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    package var wrappedValue: Value {
        get { storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}

extension Boxed: @unchecked Sendable where Value: Sendable {}  // storage that two copies share is never written

extension Boxed: Equatable where Value: Equatable {
    package static func == (one: Self, other: Self) -> Bool {
        one.storage === other.storage || one.wrappedValue == other.wrappedValue
    }
}
