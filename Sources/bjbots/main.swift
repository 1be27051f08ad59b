import CommandLineKit
import Dispatch
import Foundation

switch BotsProgram.command.parseOrExit() {
case .play(let options): Play(options).run()
case .simulate(let options): Simulate(options).run()
case .conform(let options): Conform(options).run()
}
