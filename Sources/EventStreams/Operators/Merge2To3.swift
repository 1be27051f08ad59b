// `merge` of two and three publishers of different types, attached in the order of their letters.

extension Publishers {
    /// Interleaves the values of two publishers.
    public struct Merge<A: Publisher, B: Publisher>: Publisher
    where A.Output == B.Output, A.Failure == B.Failure {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        public let a: A
        public let b: B

        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var merging = Merging(of: 2, to: subscriber)
            merging.add(a)
            merging.add(b)
        }

        public func merge<Z: Publisher>(with z: Z) -> Merge3<A, B, Z>
        where Z.Output == Output, Z.Failure == Failure {
            Merge3(a, b, z)
        }

        public func merge<Z: Publisher, Y: Publisher>(with z: Z, _ y: Y) -> Merge4<A, B, Z, Y>
        where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
            Merge4(a, b, z, y)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher>(with z: Z, _ y: Y, _ x: X) -> Merge5<A, B, Z, Y, X>
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure
        {
            Merge5(a, b, z, y, x)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher>(with z: Z, _ y: Y, _ x: X, _ w: W) -> Merge6<
            A, B, Z, Y, X, W
        >
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure, W.Output == Output, W.Failure == Failure
        {
            Merge6(a, b, z, y, x, w)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher>(
            with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V
        ) -> Merge7<A, B, Z, Y, X, W, V>
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure, W.Output == Output, W.Failure == Failure, V.Output == Output, V.Failure == Failure
        {
            Merge7(a, b, z, y, x, w, v)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher, U: Publisher>(
            with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V, _ u: U
        ) -> Merge8<A, B, Z, Y, X, W, V, U>
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure, W.Output == Output, W.Failure == Failure, V.Output == Output, V.Failure == Failure,
            U.Output == Output, U.Failure == Failure
        {
            Merge8(a, b, z, y, x, w, v, u)
        }
    }

    /// Interleaves the values of three publishers.
    public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Output == B.Output, A.Failure == B.Failure, B.Output == C.Output, B.Failure == C.Failure {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        public let a: A
        public let b: B
        public let c: C

        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var merging = Merging(of: 3, to: subscriber)
            merging.add(a)
            merging.add(b)
            merging.add(c)
        }

        public func merge<Z: Publisher>(with z: Z) -> Merge4<A, B, C, Z>
        where Z.Output == Output, Z.Failure == Failure {
            Merge4(a, b, c, z)
        }

        public func merge<Z: Publisher, Y: Publisher>(with z: Z, _ y: Y) -> Merge5<A, B, C, Z, Y>
        where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
            Merge5(a, b, c, z, y)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher>(with z: Z, _ y: Y, _ x: X) -> Merge6<A, B, C, Z, Y, X>
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure
        {
            Merge6(a, b, c, z, y, x)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher>(with z: Z, _ y: Y, _ x: X, _ w: W) -> Merge7<
            A, B, C, Z, Y, X, W
        >
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure, W.Output == Output, W.Failure == Failure
        {
            Merge7(a, b, c, z, y, x, w)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher, V: Publisher>(
            with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V
        ) -> Merge8<A, B, C, Z, Y, X, W, V>
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure, W.Output == Output, W.Failure == Failure, V.Output == Output, V.Failure == Failure
        {
            Merge8(a, b, c, z, y, x, w, v)
        }
    }
}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
