import Foundation

/// Waits for what another thread or process does, without a processor: a spinning test takes it from the very thing that it waits for.
public enum Waiting {
    /// Looks every millisecond until a condition holds.
    /// - Returns: false after two minutes by the clock, however long one look takes, so that a failing test ends too.
    public static func until(_ isTrue: () throws -> Bool) rethrows -> Bool {
        let end = DispatchTime.now() + .seconds(120)
        while DispatchTime.now() < end {
            if try isTrue() { return true }
            pause(milliseconds: 1)
        }
        return try isTrue()
    }

    /// Waits for a time of day, which a process that is stopped meanwhile misses.
    public static func until(_ date: Date) {
        while date > Date() { pause(milliseconds: Int32(clamping: Int(date.timeIntervalSinceNow * 1000) + 1)) }
    }

    private static func pause(milliseconds: Int32) { poll(nil, 0, milliseconds) }
}

/// Ends a stream when its last reference is gone.
public final class DeinitProbe: Sendable {
    private let continuation: AsyncStream<Never>.Continuation
    public init(_ continuation: AsyncStream<Never>.Continuation) { self.continuation = continuation }
    deinit { continuation.finish() }
}
