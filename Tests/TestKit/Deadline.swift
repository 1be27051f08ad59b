import Dispatch
import Foundation
import Synchronization
import Testing

/// Ends waits that would last for ever, and says whose they were: a test that blocks can be ended by nothing else.
public enum Deadline {
    /// For a test that has its turn, in seconds. Longer than ``ofProgram``, at which the wait for a program ends.
    static let ofTest = 900
    /// For a program that a test starts, in seconds.
    public static let ofProgram = 600

    /// Does something after some seconds unless cancelled, and says why.
    static func set(
        _ seconds: Int, _ what: @escaping @Sendable () -> String?, expire: @escaping @Sendable () -> Void
    ) -> DispatchWorkItem {
        let item = DispatchWorkItem {
            guard let what = what() else { return }
            FileHandle.standardError.write(Data("== \(what) after \(seconds) s\n".utf8))
            expire()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: item)
        return item
    }
}

extension Process {
    /// One start at a time. Foundation learns of a child's end by a socket that the child holds open, and closes in a child only what was open when
    /// it looked: a server started beside a short program could inherit that program's socket, and hid its end for as long as the server ran.
    private static let starting = Mutex(())

    /// Starts the program. At its deadline it is killed, and whoever reads its output or waits for its end goes on, and fails.
    /// - Parameter seconds: nil for a server that runs as long as the tests.
    public func start(deadline seconds: Int? = Deadline.ofProgram) throws {
        try Self.starting.withLock { _ in try run() }
        guard let seconds else { return }
        let words = ([executableURL?.lastPathComponent ?? ""] + (arguments ?? [])).joined(separator: " ")
        let test = Test.current?.name ?? "A test"
        _ = Deadline.set(seconds) { [weak self] in
            self?.isRunning == true ? "\(test): '\(words)' has not ended" : nil
        } expire: { [processIdentifier] in
            kill(processIdentifier, SIGKILL)
        }
    }
}
