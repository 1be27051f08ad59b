import ClientCore
import CommandLineKit
import Dispatch
import Foundation
import ServerCore
import Sockets
import TerminalUI

/// `bjclient door`: a port for people who have `nc` or `telnet` and no program of ours.
struct DoorOptions: Sendable {
    /// From the command line, else from the environment.
    var server: Endpoint?
    var listen = Endpoint(host: "127.0.0.1", port: 2122)
    var proxy: ProxyAddress?

    static let command = Command<DoorOptions, ClientProgram>(
        "door", "Lets people join by nc or telnet, without a client.", defaults: DoorOptions(), program: checked
    ) { door in
        door.discussion(
            """
            Each connection plays in plain mode: it is asked for a name and the table's pass phrase, and reads the commands of 'help'. Output is \
            ASCII. The account ends with the connection. 'bjclient host' starts a door by itself.

            At most \(Door.Bounds().callers) people are connected, \(Door.Bounds().callersOfAddress) of an address; when all places are taken, a newcomer gets \
            that of the oldest connection without a seat. The connection is not encrypted.

            With --proxy the server knows each caller's address, and its limits and bans apply to callers. Without it they apply to the door.
            """)
        door.argument(
            "HOST:PORT", \.server, ClientProgram.serverAddress,
            help: "The server. Default: the environment variable BJ_SERVER, else 127.0.0.1:2121.")
        door.option(
            "--listen", \.listen, .endpoint(), short: "l", help: "Address to listen on. An empty host is all local addresses.")
        door.option(
            "--proxy", \.proxy, .proxyAddress, help: "The server's --proxy-listen.")
        door.example("bjclient door --listen :2122", "friends join by 'nc HOST 2122'")
        door.exitStatus(69, "The address cannot be listened on.")
    }

    private static func checked(_ given: DoorOptions) throws(UsageError) -> ClientProgram {
        var options = given
        if given.server == nil { options.server = try ClientProgram.serverOfEnvironment() }
        return .door(options)
    }

    /// Milliseconds for which a stop waits for the server's answers to logouts.
    private static let goodbyeTime = 1500

    func run() -> Never {
        let server = server ?? ClientProgram.ownServer
        let loop = Loop(label: "bj.client")
        let door = loop.performAndWait { [proxy] in
            let door = Door(loop: loop, host: server.host, port: Int(server.port)) { peer in
                proxy?.route(of: peer.ip, port: UInt16(clamping: peer.port))
            }
            return LoopConfined(door, on: loop)
        }
        let address = Console.orFail("bjclient", status: 69) { [listen] in
            try door.performAndWait { try $0.listen(host: listen.host, port: Int(listen.port)) }
        }
        Console.print("door on \(address)")
        let signals = Signals.observe([SIGINT, SIGTERM, SIGHUP, SIGQUIT], on: loop.queue) { _ in
            door.value.close()
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Self.goodbyeTime)) { exit(0) }
        }
        withExtendedLifetime((signals, door)) { dispatchMain() }
    }
}

extension ProxyAddress {
    /// The way of a player with this address through this process.
    func route(of address: IPAddress?, port: UInt16) -> ProxyRoute {
        ProxyRoute(self, header: ProxyHeader(source: address.map { .init($0, port) }).bytes)
    }
}
