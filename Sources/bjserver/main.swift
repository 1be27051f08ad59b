import Bots
import CommandLineKit
import Dispatch
import Foundation
import Rules
import ServerCore
import Sockets

switch ServerProgram.command.parseOrExit() {
case .serve(let options): Host(options).run()
case .rules(let name):
    let rules = ServerProgram.rules(named: name)
    for sentence in rules.sentences { Console.print(sentence) }
    Console.print(HouseEdge.sentence(for: rules))
case .schema(let options): options.run()
}
