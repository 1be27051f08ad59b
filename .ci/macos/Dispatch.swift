// Declarations of Apple's module Dispatch, as far as the sources use it. No body is ever run.
@_exported import Darwin
public struct DispatchTime: Comparable, Sendable {
    public let rawValue: UInt64
    public static func now() -> DispatchTime { DispatchTime(uptimeNanoseconds: 0) }
    public static let distantFuture = DispatchTime(uptimeNanoseconds: .max)
    public init(uptimeNanoseconds: UInt64) { rawValue = uptimeNanoseconds }
    public var uptimeNanoseconds: UInt64 { rawValue }
    public static func < (a: DispatchTime, b: DispatchTime) -> Bool { a.rawValue < b.rawValue }
    public func distance(to other: DispatchTime) -> DispatchTimeInterval { .never }
    public func advanced(by n: DispatchTimeInterval) -> DispatchTime { self }
}
public struct DispatchWallTime: Comparable, Sendable {
    public static func now() -> DispatchWallTime { DispatchWallTime() }
    public static func < (a: DispatchWallTime, b: DispatchWallTime) -> Bool { false }
}
public enum DispatchTimeInterval: Equatable, Sendable { case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never }
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public enum DispatchTimeoutResult: Sendable { case success, timedOut }
public struct DispatchQoS: Equatable, Sendable {
    public static let background = DispatchQoS(), utility = DispatchQoS(), `default` = DispatchQoS(), userInitiated = DispatchQoS(), userInteractive = DispatchQoS(), unspecified = DispatchQoS()
    public enum QoSClass: Sendable { case background, utility, `default`, userInitiated, userInteractive, unspecified }
}
public struct DispatchWorkItemFlags: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let barrier = DispatchWorkItemFlags(rawValue: 1), enforceQoS = DispatchWorkItemFlags(rawValue: 32)
}
open class DispatchObject {
    init() {}
    public func setTarget(queue: DispatchQueue?) {} }
public class DispatchWorkItem {
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], block: @escaping @convention(block) () -> Void) {}
    public func perform() {}
    public func cancel() {}
    public func wait() {}
}
public final class DispatchSpecificKey<T>: Sendable { public init() {} }
public enum DispatchPredicate: Sendable { case onQueue(DispatchQueue), onQueueAsBarrier(DispatchQueue), notOnQueue(DispatchQueue) }
public func dispatchPrecondition(condition: @autoclosure () -> DispatchPredicate) {}
open class DispatchQueue: DispatchObject, @unchecked Sendable {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let concurrent = Attributes(rawValue: 1), initiallyInactive = Attributes(rawValue: 2)
    }
    public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }
    public class var main: DispatchQueue { DispatchQueue(label: "") }
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { main }
    public convenience init(label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [], autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil) { self.init(0) }
    init(_ x: Int) { super.init() }
    public var label: String { "" }
    public func async(group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], execute work: @escaping @Sendable @convention(block) () -> Void) {}
    public func async(execute workItem: DispatchWorkItem) {}
    public func asyncAfter(deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], execute work: @escaping @Sendable @convention(block) () -> Void) {}
    public func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {}
    public func sync(execute block: () -> Void) {}
    public func sync<T>(execute work: () throws -> T) rethrows -> T { try work() }
    public func sync<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T { try work() }
    public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
    public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}
    public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
    public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
}
public class DispatchGroup: DispatchObject, @unchecked Sendable {
    public override init() { super.init() }
    public func enter() {}
    public func leave() {}
    public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
    public func notify(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue, execute work: @escaping @Sendable @convention(block) () -> Void) {}
}
public class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    public init(value: Int) { super.init() }
    @discardableResult public func signal() -> Int { 0 }
    public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { .success }
}
public protocol DispatchSourceProtocol: AnyObject {
    func cancel()
    func resume()
    func activate()
    func suspend()
    func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@convention(block) () -> Void)?)
    func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@convention(block) () -> Void)?)
    func setRegistrationHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@convention(block) () -> Void)?)
    var handle: UInt { get }
    var data: UInt { get }
    var isCancelled: Bool { get }
}
extension DispatchSourceProtocol {
    public func setEventHandler(handler: (@convention(block) () -> Void)?) {}
    public func setCancelHandler(handler: (@convention(block) () -> Void)?) {}
    public func setRegistrationHandler(handler: (@convention(block) () -> Void)?) {}
}
public protocol DispatchSourceRead: DispatchSourceProtocol {}
public protocol DispatchSourceWrite: DispatchSourceProtocol {}
public protocol DispatchSourceSignal: DispatchSourceProtocol {}
public protocol DispatchSourceTimer: DispatchSourceProtocol {
    func schedule(deadline: DispatchTime, repeating interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
    func schedule(wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
}
extension DispatchSourceTimer {
    public func schedule(deadline: DispatchTime, leeway: DispatchTimeInterval = .nanoseconds(0)) {}
    public func schedule(deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never, leeway: DispatchTimeInterval = .nanoseconds(0)) {}
    public func schedule(deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)) {}
}
open class DispatchSource: DispatchObject {
    public struct TimerFlags: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }; public static let strict = TimerFlags(rawValue: 1) }
    public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil) -> any DispatchSourceTimer { fatalError() }
    public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead { fatalError() }
    public class func makeWriteSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceWrite { fatalError() }
    public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceSignal { fatalError() }
}

public func + (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime { time }
extension DispatchSourceTimer {
    public func schedule(wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never, leeway: DispatchTimeInterval = .nanoseconds(0)) {}
}

public func dispatchMain() -> Never { fatalError() }
