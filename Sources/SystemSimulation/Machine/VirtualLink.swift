/// One direction of a connection: what is on its way, and what has arrived and is unread.
struct VirtualPipe {
    enum Item {
        case bytes([UInt8])
        case finish
        case reset
    }

    var inFlight: [(arrival: Int64, item: Item)] = []
    /// Arrived and unread, from `start` on.
    var arrived: [UInt8] = []
    var start = 0
    var inFlightBytes = 0
    /// Bytes that may be on their way and unread together.
    var capacity: Int
    var isFinished = false
    var hasFinishArrived = false
    var lastArrival: Int64 = 0
    /// Whether the writer met a full pipe.
    var isBlocked = false

    var unread: Int { arrived.count - start }
    var room: Int { capacity - inFlightBytes - unread }

    /// - Returns: the time of its arrival, behind everything sent before.
    mutating func append(_ item: Item, notBefore earliest: Int64) -> Int64 {
        lastArrival = max(earliest, lastArrival)
        if case .bytes(let bytes) = item { inFlightBytes += bytes.count }
        inFlight.append((lastArrival, item))
        return lastArrival
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(unread, buffer.count)
        arrived.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
        start += count
        if start == arrived.count {
            arrived.removeAll(keepingCapacity: true)
            start = 0
        }
        return count
    }
}

/// A connection between a client and the server.
final class VirtualLink {
    let number: Int
    /// The server's end; -1 before it is accepted and after it is closed.
    var descriptor: Int32 = -1
    var toServer: VirtualPipe
    var toClient: VirtualPipe
    weak var client: (any NetworkClient)?
    let host: String
    /// Whether the client reads.
    var isClientReading = true
    /// Microseconds: nothing arrives in either direction before.
    var cloggedUntil: Int64 = 0
    /// The two ends do not hear of each other again.
    var isSevered = false
    /// The error that the server's next call meets; 0 for none.
    var serverError: Int32 = 0
    var resetsOnClose = false
    var observer: (() -> Void)?

    init(number: Int, host: String, client: any NetworkClient, capacity: (server: Int, client: Int)) {
        (self.number, self.host, self.client) = (number, host, client)
        toServer = VirtualPipe(capacity: capacity.server)
        toClient = VirtualPipe(capacity: capacity.client)
    }
}

/// A client's end of a connection. Calls come from the machine, never inside a call to it.
protocol NetworkClient: AnyObject {
    func connected()
    func received(_ bytes: UnsafeRawBufferPointer)
    /// There is room again after a send that did not take everything.
    func writable()
    /// The connection has ended, or could not be opened.
    func ended()
}
