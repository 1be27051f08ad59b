import Sockets

/// Listening sockets from the service manager, by purpose.
struct InheritedSockets: Equatable {
    private(set) var players: [Int32] = []
    private(set) var proxy: [Int32] = []
    private(set) var metrics: [Int32] = []
    private(set) var admin: [Int32] = []

    /// - Throws: for an unknown name: clients of an unserved socket would wait for ever.
    init(_ sockets: [ActivatedSocket]) throws(SocketError) {
        for socket in sockets {
            switch socket.name {
            // Without FileDescriptorName= systemd passes the unit's name.
            case "game", "players", "unknown": players.append(socket.descriptor)
            case let name where name.hasSuffix(".socket"): players.append(socket.descriptor)
            case "proxy": proxy.append(socket.descriptor)
            case "metrics": metrics.append(socket.descriptor)
            case "admin": admin.append(socket.descriptor)
            default:
                throw SocketError(
                    operation: "take over",
                    subject: "the socket named \"\(socket.name.prefix(40))\" (descriptor \(socket.descriptor))",
                    reason: "FileDescriptorName= must be game, proxy, metrics or admin, or absent for players")
            }
        }
    }
}
