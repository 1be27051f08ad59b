import CFloor
import CommandLineKit
import Foundation

/// This program as the floor, started by ``ServerComparison`` beside the real server.
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
