import CommandLineKit
import Dispatch
import Foundation

switch BotsProgram.command.parseOrExit() {
case .play(let options): Play(options).run()
}
