// Declarations of Apple's module Foundation, as far as the sources use it. No body is ever run.
@_exported import Darwin
@_exported import Dispatch
public struct Data: Sendable, Hashable, RandomAccessCollection, Codable {
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(i: Int) -> UInt8 { 0 }
    public init() {}
    public init<S: Sequence>(_ s: S) where S.Element == UInt8 {}
    public init(contentsOf: URL) throws {}
    public func write(to url: URL) throws {}
    public mutating func append<S: Sequence>(contentsOf s: S) where S.Element == UInt8 {}
}
public struct Date: Sendable, Comparable, Codable, Hashable {
    public init() {}
    public init(timeIntervalSince1970: Double) {}
    public init(timeIntervalSinceNow: Double) {}
    public var timeIntervalSince1970: Double { 0 }
    public var timeIntervalSinceNow: Double { 0 }
    public func timeIntervalSince(_ d: Date) -> Double { 0 }
    public static let distantPast = Date()
    public static func < (a: Date, b: Date) -> Bool { false }
}
public struct URL: Sendable, Hashable { public init(filePath: String) {}; public init(fileURLWithPath: String) {}; public var path: String { "" } }
public class JSONEncoder {
    public init() {}
    public struct OutputFormatting: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let prettyPrinted = OutputFormatting(rawValue: 1), sortedKeys = OutputFormatting(rawValue: 2), withoutEscapingSlashes = OutputFormatting(rawValue: 8) }
    public var outputFormatting: OutputFormatting = []
    public func encode<T: Encodable>(_ v: T) throws -> Data { Data() }
}
public class JSONDecoder { public init() {}; public func decode<T: Decodable>(_ t: T.Type, from: Data) throws -> T { fatalError() } }
public class NSError: Error, @unchecked Sendable { public var domain: String { "" }; public var code: Int { 0 }; public var localizedDescription: String { "" } }
public let NSPOSIXErrorDomain = "", NSCocoaErrorDomain = "", NSUnderlyingErrorKey = ""
public let NSFilePathErrorKey = ""
public struct POSIXError: Error { public enum Code: Int32, Sendable { case ENOENT = 2, EEXIST = 17 }; public var code: Code { .ENOENT }; public var errorCode: Int { 0 } ; public var localizedDescription: String { "" } }
public struct CocoaError: Error {
    public struct Code: RawRepresentable, Hashable, Sendable { public var rawValue: Int; public init(rawValue: Int) { self.rawValue = rawValue }
      public static let fileNoSuchFile = Code(rawValue: 4), fileReadNoSuchFile = Code(rawValue: 260), fileWriteFileExists = Code(rawValue: 516) }
    public var code: Code { .fileNoSuchFile }; public var userInfo: [String: Any] { [:] }; public var underlying: (any Error)? { nil }; public var localizedDescription: String { "" }
    public var filePath: String? { nil }
}
public struct FileAttributeKey: Hashable, Sendable { public static let posixPermissions = FileAttributeKey(), size = FileAttributeKey(), modificationDate = FileAttributeKey(), type = FileAttributeKey() }
public class FileManager: @unchecked Sendable {
    public static let `default` = FileManager()
    public func contents(atPath: String) -> Data? { nil }
    public func contentsOfDirectory(atPath: String) throws -> [String] { [] }
    public func fileExists(atPath: String) -> Bool { false }
    public func createDirectory(atPath: String, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil) throws {}
    public func attributesOfItem(atPath: String) throws -> [FileAttributeKey: Any] { [:] }
    public func removeItem(atPath: String) throws {}
    public func createFile(atPath: String, contents: Data?, attributes: [FileAttributeKey: Any]? = nil) -> Bool { false }
}
public class ProcessInfo: @unchecked Sendable { public static let processInfo = ProcessInfo(); public var environment: [String: String] { [:] }; public var processIdentifier: Int32 { 0 }; public var arguments: [String] { [] }; public var activeProcessorCount: Int { 1 }
   public var systemUptime: Double { 0 } }
extension String {
    public enum Encoding: Sendable { case utf8 }
    public init(contentsOfFile: String, encoding: Encoding) throws { self = "" }
    public init(contentsOf: URL, encoding: Encoding) throws { self = "" }
}
extension StringProtocol {
    public func trimmingCharacters(in: CharacterSet) -> String { "" }
    public func components(separatedBy: String) -> [String] { [] }
    public func write(toFile: String, atomically: Bool, encoding: String.Encoding) throws {}
    public func replacingOccurrences(of: String, with: String) -> String { "" }
}
public struct CharacterSet: Sendable { public static let whitespaces = CharacterSet(), whitespacesAndNewlines = CharacterSet() }
extension Error { public var localizedDescription: String { "" } }
public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable { public init(booleanLiteral: Bool) {}; public init(_ v: Bool) {}; public var boolValue: Bool { false } }
extension FileManager { public func fileExists(atPath: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { false } }

public struct UUID: Sendable, Hashable {
    public init() {}
    public var uuidString: String { "" }
}
extension FileManager {
    public var currentDirectoryPath: String { "" }
    public var temporaryDirectory: URL { URL(filePath: "") }
    public func destinationOfSymbolicLink(atPath: String) throws -> String { "" }
}
extension URL {
    public func appending(path: String) -> URL { self }
    public func appendingPathComponent(_ component: String) -> URL { self }
}
extension Date {
    public struct ISO8601FormatStyle: Sendable { public static let iso8601 = ISO8601FormatStyle() }
    public func formatted(_ style: ISO8601FormatStyle) -> String { "" }
}
public class FileHandle: @unchecked Sendable {
    public static let standardError = FileHandle(), nullDevice = FileHandle(), standardOutput = FileHandle(), standardInput = FileHandle()
    public var fileDescriptor: Int32 { 0 }
    public var availableData: Data { Data() }
    public init() {}
    public init(forWritingTo: URL) throws {}
    public init?(forReadingAtPath: String) {}
    public func write(_ data: Data) {}
    public func readDataToEndOfFile() -> Data { Data() }
    public func readToEnd() throws -> Data? { nil }
    public func read(upToCount: Int) throws -> Data? { nil }
    public func close() throws {}
    public func closeFile() {}
}
public class Pipe: @unchecked Sendable {
    public init() {}
    public var fileHandleForReading: FileHandle { FileHandle() }
    public var fileHandleForWriting: FileHandle { FileHandle() }
}
public class Process: @unchecked Sendable {
    public init() {}
    public var executableURL: URL?
    public var arguments: [String]?
    public var environment: [String: String]?
    public var currentDirectoryURL: URL?
    public var standardInput: Any?
    public var standardOutput: Any?
    public var standardError: Any?
    public var isRunning: Bool { false }
    public var processIdentifier: Int32 { 0 }
    public var terminationStatus: Int32 { 0 }
    public func run() throws {}
    public func waitUntilExit() {}
    public func terminate() {}
    public func interrupt() {}
}
public class Bundle: @unchecked Sendable {
    public static let main = Bundle()
    public var executableURL: URL? { nil }
    public var bundleURL: URL { URL(filePath: "") }
    public var executablePath: String? { nil }
}
public class Thread: @unchecked Sendable { public static func sleep(forTimeInterval: Double) {} }
public typealias TimeInterval = Double
extension FileManager {
    public func isExecutableFile(atPath: String) -> Bool { false }
    public func removeItem(at: URL) throws {}
    public func createDirectory(at: URL, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil) throws {}
}
extension URL {
    public func deletingLastPathComponent() -> URL { self }
    public var lastPathComponent: String { "" }
    public init(fileURLWithPath: String, isDirectory: Bool) {}
}
extension String.Encoding { public static let ascii = String.Encoding.utf8 }
