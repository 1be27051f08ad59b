switch BotsProgram.command.parseOrExit() {
case .play(let options): options.run()
case .simulate(let options): Simulate(options).run()
case .odds(let options): options.run()
case .chart(let options): options.run()
case .load(let options): options.run()
case .chaos(let options): Chaos.run(options)
}
