@testable import Wire

/// Reads a line as a request.
func request(_ line: some Sequence<UInt8>) -> Request { Array(line).withUnsafeBufferPointer { Request(line: $0) } }
func request(_ line: String) -> Request { request(line.utf8) }

/// Reads a line as a message of a server.
func event(_ line: some Sequence<UInt8>) throws(ProtocolError) -> ServerMessage {
    try Array(line).withUnsafeBufferPointer { line throws(ProtocolError) in try ServerMessage(line: line) }
}
func event(_ line: String) throws(ProtocolError) -> ServerMessage { try event(line.utf8) }

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
