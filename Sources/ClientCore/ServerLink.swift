import ClientSession
import EventStreams
import Sockets

/// One connection to a server as a stream of bytes. Confined to its loop.
final class ServerLink: ConnectionHandler {
    /// Received bytes in chunks of any length. Fails when the connection does.
    let bytes = PassthroughSubject<[UInt8], LinkFailure>()

    private let loop: Loop
    private var connector: Connector?
    private var connection: Connection?
    /// Whether bytes are taken from the system.
    var isReading = true {
        didSet { connection?.isReading = isReading }
    }

    init(loop: Loop) { self.loop = loop }

    func open(host: String, port: Int) {
        connector = Connector.connect(host: host, port: port, loop: loop) { [weak self] result in
            guard let self else { return }
            connector = nil
            switch result {
            case .success(let connection):
                self.connection = connection
                connection.handler = self
            case .failure(let error): bytes.send(completion: .failure(.connection(error.description)))
            }
        }
    }

    func send(_ line: [UInt8]) { connection?.send(line) }

    /// Sends what is queued, then closes. The stream gets no completion.
    func close() {
        connector?.cancel()
        connector = nil
        connection?.handler = nil
        connection?.close()
        connection = nil
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) { self.bytes.send(Array(bytes)) }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        self.connection = nil
        bytes.send(completion: .failure(.connection(reason.description)))
    }
}
