import Sockets

/// The sockets that a service manager listens on for this server, by what they are for.
struct InheritedSockets: Equatable {
    private(set) var players: [Int32] = []
    private(set) var proxy: [Int32] = []
    private(set) var metrics: [Int32] = []
    private(set) var admin: [Int32] = []

    /// - Throws: for a name that says nothing to this server: a socket that nobody serves would keep its peers waiting for ever.
    init(_ sockets: [ActivatedSocket]) throws(SocketError) {
        for socket in sockets {
            switch socket.name {
            // Without FileDescriptorName= systemd gives the unit's own name.
            case "game", "players", "unknown": players.append(socket.descriptor)
            case let name where name.hasSuffix(".socket"): players.append(socket.descriptor)
            case "proxy": proxy.append(socket.descriptor)
            case "metrics": metrics.append(socket.descriptor)
            case "admin": admin.append(socket.descriptor)
            default:
                throw SocketError(
                    operation: "take over",
                    subject: "the socket named \"\(socket.name.prefix(40))\" (descriptor \(socket.descriptor))",
                    reason: "a name is game, proxy, metrics or admin, or none for players (FileDescriptorName=)")
            }
        }
    }
}
