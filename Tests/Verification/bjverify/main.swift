switch VerifyProgram.command.parseOrExit() {
case .crash(let options): options.run()
case .simulateSystem(let options): options.run()
}
