import Dispatch
import Sockets
import TestKit
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Test(.ownThread) func aSignalIsObserved_fromTheMomentThatItsObservationHasBegun() {
    for number in [SIGUSR1, SIGUSR2, SIGHUP] {
        let came = DispatchSemaphore(value: 0)
        let sources = Signals.observe([number], on: DispatchQueue(label: "test.signals")) { if $0 == number { came.signal() } }
        kill(getpid(), number)
        #expect(came.wait(timeout: .now() + 60) == .success, "signal \(number)")
        for source in sources { source.cancel() }
    }
}
