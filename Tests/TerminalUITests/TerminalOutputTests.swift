import Dispatch
import Synchronization
import TestKit
import Testing

@testable import TerminalUI

/// A terminal that takes nothing: the writer waits, its owner does not, and what waits has a bound.
@Suite(.ownThread, .timeLimit(.minutes(5)))
struct TerminalOutputTests {
    @Test func aStoppedTerminal_holdsABoundedText_andSaysWhatIsLeftOut() {
        let written = Mutex("")
        let (gate, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let output = TerminalOutput { text in
            begun.signal()
            gate.wait()
            written.withLock { $0 += text }
            return 0
        } idle: { _ in
        }
        output.send("first\n")
        begun.wait()
        let line = String(repeating: "x", count: 1000)
        let count = TerminalOutput.limit / 1000 + 100
        for number in 0..<count { output.send("\(number) \(line)\n") }
        output.finish(within: 1)
        #expect(!output.isIdle)
        for _ in 0..<3 { gate.signal() }
        output.finish(within: 60_000)
        let text = written.withLock { $0 }
        #expect(text.hasPrefix("first\n(") && text.hasSuffix("\n\(count - 1) \(line)\n"))
        #expect(text.contains("Some lines were dropped: the terminal was not read for too long.)"))
        #expect(text.utf8.count <= TerminalOutput.limit + 200)
    }

    @Test func aClosedTerminal_isReported_andNothingIsKept() {
        let failed = DispatchSemaphore(value: 0)
        let output = TerminalOutput { _ in
            5
        } idle: {
            if $0 == 5 { failed.signal() }
        }
        output.send("x")
        #expect(failed.wait(timeout: .now() + 60) == .success)
        output.finish(within: 60_000)
        #expect(output.isIdle)
    }
}
