/// A large value behind one reference, copied when it is changed while it is shared.
///
/// An array of one element does just that, and the compiler knows how to do it well.
@usableFromInline
struct Boxed<Value: Sendable>: Sendable {
    @usableFromInline var storage: [Value]

    @inlinable
    init(_ value: Value) { storage = [value] }

    @inlinable
    var value: Value {
        _read { yield storage[0] }
        _modify { yield &storage[0] }
    }
}
