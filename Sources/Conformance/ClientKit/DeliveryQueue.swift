import Sockets

extension ClientKit {
    /// Brings bytes to a client in the way that a scenario asks for. Confined to its loop.
    final class DeliveryQueue {
        /// Bound of the backlog, in bytes.
        private static let limit = 4 << 20

        private let connection: Connection
        private let delivery: Delivery
        private var waiting: [UInt8] = []
        private var sent = 0
        private var pieces = 0
        private var timer: LoopTimer?

        init(_ connection: Connection, _ delivery: Delivery) {
            self.connection = connection
            self.delivery = delivery
            timer = connection.loop.makeTimer { [weak self] in self?.goOn() }
        }

        func send(_ bytes: [UInt8]) {
            guard delivery != .atOnce else { return connection.send(bytes) }
            guard waiting.count - sent + bytes.count <= Self.limit else { return connection.abort() }
            waiting += bytes
            arm()
        }

        func close() { timer?.disarm() }

        private func arm() {
            let pause: Int64 =
                switch delivery {
                case .atOnce: 0
                case .pieces(_, let every): every
                case .gathered(let every): every
                }
            if timer?.deadline == nil, sent < waiting.count { timer?.arm(at: connection.loop.now + pause) }
        }

        private func goOn() {
            var count = waiting.count - sent
            if case .pieces(let sizes, _) = delivery {
                count = min(count, sizes[pieces % sizes.count])
                pieces += 1
            }
            connection.send(Array(waiting[sent..<sent + count]))
            sent += count
            if sent == waiting.count { (waiting, sent) = ([], 0) }
            arm()
        }
    }
}
