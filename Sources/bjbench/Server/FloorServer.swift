import CFloor
import CommandLineKit
import Foundation

/// The least that any server of this protocol must do, in C: one epoll loop that answers each line with a reply and a diff of fixed
/// bytes to seven connections, without parsing, game or journal (`CFloor`). ``ServerComparison`` starts this program a second time with
/// `BJ_BENCH_FLOOR` set, drives both servers with the same load in turn, and reports the ratio of their processor time: the price of
/// everything above system calls, independent of the machine's speed.
enum FloorServer {
    /// Serves for ever if the environment asks for the floor.
    static func runIfAsked() {
        guard let setting = ProcessInfo.processInfo.environment[ServerComparison.floorVariable] else { return }
        let numbers = setting.split(separator: ",").compactMap { Int32($0) }
        guard numbers.count == 3, numbers.allSatisfy({ $0 > 0 }) else {
            Console.fail("bjbench", "\(ServerComparison.floorVariable) is set by bjbench only", status: 64)
        }
        let code = floor_serve(numbers[0], numbers[1], numbers[2]) { Console.print("listening on 127.0.0.1:\($0)") }
        Console.fail("bjbench", "the floor: \(String(cString: strerror(code)))", status: 74)
    }
}
