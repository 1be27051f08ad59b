import Sockets

/// Measures the cost of sending, kernel included.
final class SocketMeasurements: ConnectionHandler, @unchecked Sendable {  // confined to one loop's queue at a time
    private var accepted: [Connection] = []
    private var connected: [Connection] = []

    static func run(_ bench: Bench) {
        guard bench.mayMeasure("sockets:") else { return }
        let (loop, peers, table) = (Loop(label: "bench.table"), Loop(label: "bench.seats"), SocketMeasurements())
        let listening = loop.performAndWait {
            try? Listener(host: "127.0.0.1", port: 0, loop: loop) {
                $0.handler = table
                table.accepted.append($0)
            }.address.port
        }
        guard let port = listening else { return }
        peers.performAndWait {
            for _ in 1...7 {
                Connector.connect(host: "127.0.0.1", port: port, loop: peers) { result in
                    guard case .success(let connection) = result else { return }
                    connection.handler = table
                    table.connected.append(connection)
                }
            }
        }
        while loop.performAndWait({ table.accepted.count }) < 7 {}
        let line = [UInt8](repeating: UInt8(ascii: "-"), count: 230)
        bench.measure("sockets: a tick with nothing to do", calls: 1000) { loop.performAndWait {} }
        bench.measure("sockets: a line to each of seven connections", calls: 1000) {
            loop.performAndWait { for connection in table.accepted { connection.send(line) } }
        }
        loop.stop()
        peers.stop()
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {}
    func connection(_ connection: Connection, endedBy reason: EndReason) {}
}
