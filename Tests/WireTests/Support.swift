import CommandLineKit
import TestKit
import Testing

@testable import Wire

extension JSONTree {
    init(_ text: String) throws { try self.init(parsing: text.utf8) }

    static func digits(_ text: String) -> JSONTree { JSONTree(.number(text)) }
}

/// Reads a line as a request.
func request(_ line: some Sequence<UInt8>) -> Request { Array(line).withUnsafeBufferPointer { Request(line: $0) } }
func request(_ line: String) -> Request { request(line.utf8) }

/// Reads a line as a message of a server.
func event(_ line: some Sequence<UInt8>) throws(ProtocolError) -> ServerMessage {
    try Array(line).withUnsafeBufferPointer { line throws(ProtocolError) in try ServerMessage(line: line) }
}
func event(_ line: String) throws(ProtocolError) -> ServerMessage { try event(line.utf8) }

/// Expects the laws of the codec to hold for one line.
func expectLaws(of line: [UInt8], in session: inout LawfulSession) {
    do throws(BrokenLaw) { try session.take(line) } catch {
        Issue.record("\(error): \(String(decoding: line, as: UTF8.self)), seed \(Seed.value)")
    }
}

/// The lines of a stream that arrives in chunks, and whether one was too long.
func cut(
    _ chunks: some Sequence<some Sequence<UInt8>>, limit: Int = WireLimits.eventBytes, stopAfter: Int = .max
) -> (lines: [[UInt8]], isOverLimit: Bool) {
    var framer = LineFramer(limit: limit)
    var lines: [[UInt8]] = []
    for chunk in chunks {
        _ = Array(chunk).withUnsafeBytes { bytes in
            framer.append(bytes) { line in
                lines.append(Array(line))
                return lines.count < stopAfter
            }
        }
    }
    return (lines, framer.isOverLimit)
}

/// Why a line is not one JSON value; nil when it is.
func refusal(_ line: some Sequence<UInt8>) -> JSONError? {
    Array(line).withUnsafeBufferPointer { line in
        do throws(JSONError) {
            try JSONValue.read(line) { _ throws(JSONError) in }
            return nil
        } catch {
            return error
        }
    }
}

/// Reads something of a line that is one JSON value.
func read<Value>(_ line: String, _ body: (JSONValue) throws(JSONError) -> Value) throws(JSONError) -> Value {
    try Array(line.utf8).withUnsafeBufferPointer { line throws(JSONError) in try JSONValue.read(line, body) }
}

/// The text of a line, its end included; traps for what is not UTF-8, as nothing of ours may be.
func text(_ line: [UInt8]) -> String {
    guard let text = String(validating: line, as: UTF8.self) else { fatalError("a line that is not UTF-8: \(line)") }
    return text
}
