import Wire

/// Watches a busy table and reads a byte now and then, so that diffs pile up at the server.
struct SlowReader: HostileBehaviour {
    var pause: Int64 { 10_000 }
    /// A small one, so that the system does not read in its stead.
    var receiveBuffer: Int32? { 4096 }

    mutating func begin(_ peer: HostilePeer) {
        peer.appetite = .oneByte
        peer.login()
        guard let table = peer.ground.tables.randomElement(using: &peer.random) else { return }
        peer.ask(.watch(table: table))
    }

    mutating func step(_ peer: HostilePeer) {}
}

/// Sends requests byte by byte.
struct DripSender: HostileBehaviour {
    private var rest: ArraySlice<UInt8> = []
    var pause: Int64 { 10_000 }

    mutating func begin(_ peer: HostilePeer) { rest = [] }

    mutating func step(_ peer: HostilePeer) {
        if rest.isEmpty { rest = Request(id: .text("drip"), .ping).encoded()[...] }
        if let byte = rest.popFirst() { peer.send(CollectionOfOne(byte)) }
    }
}

/// Connects and says nothing, ever.
struct HalfOpen: HostileBehaviour {
    var pause: Int64 { 1_000_000 }
    mutating func step(_ peer: HostilePeer) {}
}

/// Connects and goes, over and over, now in order and now not.
struct ReconnectStorm: HostileBehaviour {
    var pause: Int64 { 10_000 }
    var receiveBuffer: Int32? { nil }

    mutating func step(_ peer: HostilePeer) {
        peer.cut(abruptly: peer.random.below(2) == 0)
        peer.connect()
    }
}

/// Says a few right things and cuts the connection in the midst of a byte sequence, at random.
struct CutConnection: HostileBehaviour {
    private var isOpen = false
    var receiveBuffer: Int32? { nil }

    mutating func step(_ peer: HostilePeer) {
        if isOpen, peer.isConnected {
            peer.cut(abruptly: true)
            isOpen = false
            return
        }
        peer.connect()
        isOpen = true
        var words = Request(
            id: .number(1), .login(name: peer.name, secret: peer.secret, isBot: true, version: WireLimits.version)
        )
        .encoded()
        if let table = peer.ground.playground.randomElement(using: &peer.random) {
            words += Request(id: .number(2), .sit(table: table, seat: nil)).encoded()
            words += Request(id: .number(3), .bet(amount: 10, seat: nil)).encoded()
        }
        peer.send(words.prefix(1 + peer.random.below(words.count)))
    }
}
