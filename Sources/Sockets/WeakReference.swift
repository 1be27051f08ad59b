/// A reference that does not keep its object alive, for a ``LoopConfined`` handle that a callback holds.
public struct WeakReference<Object: AnyObject> {
    public private(set) weak var object: Object?

    public init(_ object: Object) { self.object = object }
}
