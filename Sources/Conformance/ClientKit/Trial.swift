import Dispatch
import Sockets
import Synchronization
import Wire

extension ClientKit {
    /// Plays one scenario: starts the client, relays it to a real server, and judges it.
    ///
    /// Runs on a loop of its own; ``run()`` blocks the calling thread.
    public final class Trial: Sendable {
        public struct Options: Sendable {
            /// The real server behind the kit.
            public var host: String
            public var port: Int
            /// Starts the client, by `/bin/sh`; `{host}` and `{port}` are replaced.
            public var command: String
            /// How long a scenario may take, in milliseconds.
            public var timeout: Int64 = 30_000

            public init(host: String, port: Int, command: String) {
                self.host = host
                self.port = port
                self.command = command
            }
        }

        /// The result of a trial.
        public struct Outcome: Sendable {
            public let verdict: Verdict
            public let milliseconds: Int
            /// The last lines that the client has printed, fit for a terminal.
            public let output: [String]
        }

        private let driver: LoopConfined<TrialDriver>

        public init(_ scenario: Scenario, options: Options) {
            let loop = Loop(label: "bj.conform.client")
            driver = LoopConfined(sending: TrialDriver(scenario, options, loop), on: loop)
        }

        /// Plays it to its end, which comes within ``Options/timeout``.
        public func run() -> Outcome {
            let box = Mutex<Outcome?>(nil)
            let done = DispatchSemaphore(value: 0)
            driver.perform { driver in
                driver.begin { outcome in
                    box.withLock { $0 = outcome }
                    done.signal()
                }
            }
            done.wait()
            driver.loop.stop()
            guard let outcome = box.withLock({ $0 }) else { preconditionFailure("a trial that has ended has an outcome") }
            return outcome
        }

        /// Ends it from any thread, with its client.
        public func breakOff() { driver.perform { $0.finish(.failed("broken off")) } }
    }
}
