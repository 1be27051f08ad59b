import CommandLineKit
import Foundation
import LoadGenerator

/// Options of `bjbots compare`.
struct CompareOptions: Sendable {
    var a = ""
    var b = ""

    static let command = Command<CompareOptions, BotsProgram>(
        "compare", "Sets two load reports side by side.", defaults: CompareOptions(), program: BotsProgram.compare
    ) { command in
        command.argument("A.json", \.a, .path, required: true, help: "A report of 'bjbots load --json'.")
        command.argument("B.json", \.b, .path, required: true, help: "Another one, as a rule a later one.")
        command.example("bjbots compare before.json after.json", "what a change has brought")
        command.exitStatus(65, "a file is no report")
    }

    func run() -> Never {
        do {
            Console.print(try Comparison((a, Load.read(a)), (b, Load.read(b))).text)
            exit(0)
        } catch {
            Console.fail("bjbots", error, status: 65)
        }
    }
}
