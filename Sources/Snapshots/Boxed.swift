/// Copy-on-write storage of a large value behind one reference.
///
/// An array of one element, which the compiler optimizes well.
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
