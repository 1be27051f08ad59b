import CommandLineKit
import Foundation
import LoadGenerator
import Sockets

/// `bjbots chaos`: a proxy for authors of clients and servers.
struct Chaos {
    static let command = Command<ChaosProxy.Options, BotsProgram>(
        "chaos", "Runs a proxy that makes client connections unreliable.", defaults: ChaosProxy.Options(),
        program: BotsProgram.chaos
    ) { command in
        command.discussion(
            """
            Relays connections to --listen to the server. A client that follows Protocol.md keeps playing with all \
            options, and its table never differs from the server's. Prints each cut, and each client that leaves without \
            'logout' or 'bye', with its last lines.
            """)
        command.argument("HOST:PORT", \.server, .endpoint(defaultPort: 2121), help: "The server.")
        command.option("--listen", \.listen, .endpoint(), short: "l", help: "Address for clients.")
        command.option("--seed", \.seed, .int(), help: "Seed of the random cuts and delays.")
        command.option("--cut", \.cut, .milliseconds(0...86_400_000), help: "Average time after which a connection is cut.")
        command.option("--delay", \.delay, .milliseconds(0...60_000), help: "Maximum delay of each line.")
        command.flag("--split", \.splits, help: "Sends each byte separately.")
        command.flag("--unknown", \.addsUnknown, help: "Adds messages, fields and items that a newer server could send.")
        command.example("bjbots chaos 127.0.0.1:2121 --cut 5s --split --unknown", "for a client at 127.0.0.1:2120")
        command.exitStatus(69, "The address to listen on cannot be used.")
        command.exitStatus(130, "Stopped by SIGINT.")
        command.exitStatus(143, "Stopped by SIGTERM.")
    }

    static func run(_ options: ChaosProxy.Options) -> Never {
        let loop = Loop(label: "bj.chaos")
        let proxy = LoopConfined(sending: ChaosProxy(options, loop: loop) { Console.print($0) }, on: loop)
        proxy.perform { proxy in
            Console.orFail("bjbots chaos", status: 69) { Console.print("listening on \(try proxy.start())") }
        }
        let signals = Signals.observe([SIGINT, SIGTERM]) { exit(128 + $0) }
        withExtendedLifetime((proxy, signals)) { dispatchMain() }
    }
}
