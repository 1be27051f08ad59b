import Dispatch
import Foundation
import Sockets
import TestKit
import Testing

@Test(.ownThread) func aSignalIsObserved_fromTheMomentThatItsObservationHasBegun() {
    for number in [SIGUSR1, SIGUSR2, SIGHUP] {
        let came = DispatchSemaphore(value: 0)
        let sources = Signals.observe([number], on: DispatchQueue(label: "test.signals")) { if $0 == number { came.signal() } }
        kill(getpid(), number)
        #expect(came.wait(timeout: .now() + 60) == .success, "signal \(number)")
        for source in sources { source.cancel() }
    }
}
