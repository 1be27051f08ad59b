import CommandLineKit

FloorServer.runIfAsked()
switch BenchProgram.command.parseOrExit() {
case .libraries(let filter, let json): LibraryMeasurements.run(filter: filter, json: json)
case .compare(let options): BenchCompare(options: options).run()
case .brokers(let options): BrokerComparison(options: options).run()
case .server(let options): ServerComparison(options: options).run()
case .start(let options): StartMeasurement(options: options).run()
case .journal(let options): JournalMeasurement(options: options).run()
}
