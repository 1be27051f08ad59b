import Wire

extension ClientKit {
    /// The rules of every scenario: each line is a request by the schema and within the limits of `hello`; no flood of lines
    /// or connections.
    struct Judge {
        /// Connections in one scenario.
        private static let connections = 40
        /// Lines within a second; a client that minds its limits is far below.
        private static let lines = 400

        /// Lines that the client has sent, over all connections.
        private(set) var lineCount = 0
        private(set) var last: [UInt8] = []
        private var second: (start: Int64, lines: Int) = (0, 0)

        /// Takes a line. - Returns: its fault, or nil.
        mutating func hear(_ line: [UInt8], _ request: Request, _ limits: Hello.Limits, at now: Int64) -> String? {
            lineCount += 1
            last = line
            if now - second.start >= 1000 { second = (now, 0) }
            second.lines += 1
            guard second.lines <= Self.lines else { return "a flood: more than \(Self.lines) lines in a second" }
            let reason: String
            switch request.message {
            case .failure(let error): reason = error.message
            case .success(let message):
                if line.count > limits.line {
                    reason = "\(line.count) bytes, where 'hello' allows \(limits.line)"
                } else if case .text(let text) = request.id, text.utf8.count > limits.id {
                    reason = "an 'id' of \(text.utf8.count) bytes, where 'hello' allows \(limits.id)"
                } else if let text = Self.tooLong(message, limits) {
                    reason = text
                } else {
                    return nil
                }
            }
            return "line \(lineCount) is no request that may be sent (\(reason)): \(Lines.shown(line))"
        }

        private static func tooLong(_ message: ClientMessage, _ limits: Hello.Limits) -> String? {
            switch message {
            case .login(let name, _, _, _, _, _) where name.utf8.count > limits.name:
                "a name of \(name.utf8.count) bytes, where 'hello' allows \(limits.name)"
            case .chat(let text) where text.utf8.count > limits.chat:
                "a chat of \(text.utf8.count) bytes, where 'hello' allows \(limits.chat)"
            default: nil
            }
        }

        /// The fault in a number of connections, or nil.
        func connected(_ count: Int) -> String? {
            count > Self.connections ? "a storm: more than \(Self.connections) connections" : nil
        }

        /// The client's last line, as a hint where it stopped.
        var lastWords: String {
            lineCount == 0 ? "the client has sent nothing" : "its last line was \(lineCount): \(Lines.shown(last))"
        }
    }
}
