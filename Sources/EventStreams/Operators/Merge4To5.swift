// `merge` of four and five publishers of different types, attached in the order of their letters.

extension Publishers {
    /// Interleaves the values of four publishers.
    public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where
        A.Output == B.Output, A.Failure == B.Failure, B.Output == C.Output, B.Failure == C.Failure, C.Output == D.Output,
        C.Failure == D.Failure
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        public let a: A
        public let b: B
        public let c: C
        public let d: D

        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var merging = Merging(of: 4, to: subscriber)
            merging.add(a)
            merging.add(b)
            merging.add(c)
            merging.add(d)
        }

        public func merge<Z: Publisher>(with z: Z) -> Merge5<A, B, C, D, Z>
        where Z.Output == Output, Z.Failure == Failure {
            Merge5(a, b, c, d, z)
        }

        public func merge<Z: Publisher, Y: Publisher>(with z: Z, _ y: Y) -> Merge6<A, B, C, D, Z, Y>
        where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
            Merge6(a, b, c, d, z, y)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher>(with z: Z, _ y: Y, _ x: X) -> Merge7<A, B, C, D, Z, Y, X>
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure
        {
            Merge7(a, b, c, d, z, y, x)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher, W: Publisher>(with z: Z, _ y: Y, _ x: X, _ w: W) -> Merge8<
            A, B, C, D, Z, Y, X, W
        >
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure, W.Output == Output, W.Failure == Failure
        {
            Merge8(a, b, c, d, z, y, x, w)
        }
    }

    /// Interleaves the values of five publishers.
    public struct Merge5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>: Publisher
    where
        A.Output == B.Output, A.Failure == B.Failure, B.Output == C.Output, B.Failure == C.Failure, C.Output == D.Output,
        C.Failure == D.Failure, D.Output == E.Output, D.Failure == E.Failure
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        public let a: A
        public let b: B
        public let c: C
        public let d: D
        public let e: E

        public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
            self.e = e
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var merging = Merging(of: 5, to: subscriber)
            merging.add(a)
            merging.add(b)
            merging.add(c)
            merging.add(d)
            merging.add(e)
        }

        public func merge<Z: Publisher>(with z: Z) -> Merge6<A, B, C, D, E, Z>
        where Z.Output == Output, Z.Failure == Failure {
            Merge6(a, b, c, d, e, z)
        }

        public func merge<Z: Publisher, Y: Publisher>(with z: Z, _ y: Y) -> Merge7<A, B, C, D, E, Z, Y>
        where Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure {
            Merge7(a, b, c, d, e, z, y)
        }

        public func merge<Z: Publisher, Y: Publisher, X: Publisher>(with z: Z, _ y: Y, _ x: X) -> Merge8<A, B, C, D, E, Z, Y, X>
        where
            Z.Output == Output, Z.Failure == Failure, Y.Output == Output, Y.Failure == Failure, X.Output == Output,
            X.Failure == Failure
        {
            Merge8(a, b, c, d, e, z, y, x)
        }
    }
}

extension Publishers.Merge4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
extension Publishers.Merge5: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable {}
