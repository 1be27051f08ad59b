import CommandLineKit
import Dispatch
import Foundation

/// The process between `bjclient host` and its `bjserver`, as the leader of their group: starts the server again after a crash, and has the door
/// beside it. It outlives the window, and ends with the server.
enum Keeper {
    /// The first argument of its process, which `bjclient host` alone starts.
    static let word = "keep"

    /// Starts one in a group of its own, which no key of this terminal stops.
    /// - Parameters:
    ///   - log: the descriptor that all three write to.
    ///   - door: the words after `bjclient door`; nil for none.
    static func start(_ own: String, log: Int32, server: [String], door: [String]?) -> SpawnedProcess? {
        let words = [word, "\(server.count)"] + server + (door ?? [])
        return SpawnedProcess(own, words, output: log, errors: log, leadsGroup: true)
    }

    /// - Parameter words: as ``start(_:log:server:door:)`` has them, after the first.
    static func run(_ own: String, _ words: [String]) -> Never {
        let count = words.first.flatMap { Int($0) } ?? 0
        let (server, door) = (words.dropFirst().prefix(count), words.dropFirst(1 + count))
        guard let program = server.first else { exit(64) }
        if !door.isEmpty { DispatchQueue.global().async { [door = Array(door)] in _ = keep(own, ["door"] + door) } }
        let ending = keep(program, Array(server.dropFirst()))
        // The door, and what is left of the group; this process, too.
        signal(SIGTERM, SIG_IGN)
        kill(0, SIGTERM)
        if case .status(let status) = ending { exit(status) }
        Console.fail("bjclient", "bjserver ended by \(ending), and is not started again", status: 69)
    }

    private static let (attempts, time) = (3, Duration.seconds(600))

    /// Runs a program until it ends by itself or by a signal of somebody; after a crash again, at most three times in ten minutes.
    private static func keep(_ program: String, _ words: [String]) -> SpawnedProcess.Ending {
        var endings: [ContinuousClock.Instant] = []
        while true {
            guard let process = SpawnedProcess(program, words, output: 1, errors: 2) else {
                Console.printError("bjclient: \(program): \(String(cString: strerror(errno)))")
                return .status(69)
            }
            let ending = process.wait()
            let crashes = [SIGKILL, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]
            endings = endings.filter { $0.duration(to: .now) < time } + [.now]
            guard case .signal(let number) = ending, crashes.contains(number), endings.count <= attempts else { return ending }
            Console.printError("bjclient: \(program) ended by \(ending), and is started again")
        }
    }
}
