import Sockets

/// Measures the cost of sending, kernel included.
enum SocketMeasurements {
    static func run(_ bench: Bench) {
        guard bench.mayMeasure("sockets:") else { return }
        let (loop, peers) = (Loop(label: "bench.table"), Loop(label: "bench.seats"))
        let accepted = LoopConfined(sending: Connections(), on: loop)
        let connected = LoopConfined(sending: Connections(), on: peers)
        let listening = accepted.performAndWait { accepted in
            try? Listener(host: "127.0.0.1", port: 0, loop: loop) { accepted.add($0) }.address.port
        }
        guard let port = listening else { return }
        connected.performAndWait { connected in
            for _ in 1...7 {
                Connector.connect(host: "127.0.0.1", port: port, loop: peers) { result in
                    if case .success(let connection) = result { connected.add(connection) }
                }
            }
        }
        while accepted.performAndWait({ $0.all.count }) < 7 {}
        let line = [UInt8](repeating: UInt8(ascii: "-"), count: 230)
        bench.measure("sockets: a tick with nothing to do", calls: 1000) { loop.performAndWait {} }
        bench.measure("sockets: a line to each of seven connections", calls: 1000) {
            accepted.performAndWait { for connection in $0.all { connection.send(line) } }
        }
        loop.stop()
        peers.stop()
    }

    /// One side's connections. Confined to its loop.
    private final class Connections: ConnectionHandler {
        private(set) var all: [Connection] = []

        func add(_ connection: Connection) {
            connection.handler = self
            all.append(connection)
        }

        func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {}
        func connection(_ connection: Connection, endedBy reason: EndReason) {}
    }
}
