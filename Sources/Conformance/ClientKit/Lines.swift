import Wire

extension ClientKit {
    /// Lines that a server could say, made of its own. Each has its end, also where several are one after the other.
    enum Lines {
        /// Changes a line of the server; the line comes and goes with its end.
        typealias Change = @Sendable ([UInt8], ServerMessage) -> [UInt8]

        /// A field in front of all others and one behind them.
        static func withUnknownFields(_ line: [UInt8]) -> [UInt8] {
            let front = "{\"x-later\":{\"deep\":[{\"a\":null},[1,-2.5e3,\"\\u00e9\"]],\"type\":\"error\"},"
            let back = ",\"x-new\":[true,{\"to\":\"login\"}]}\n"
            return Array(front.utf8) + line.dropFirst().dropLast(2) + Array(back.utf8)
        }

        static let unknownMessages = Array(
            """
            {"type":"x-weather","sky":["clear",{"wind":3}],"id":1,"to":"bet","code":"none"}
            {"text":"soon","at":1.5e3,"type":"x-tournament"}

            """.utf8)

        /// Chat and a note, placed behind a change of the table.
        static let withTalk: Change = { line, message in
            switch message {
            case .snapshot, .diff:
                line
                    + ServerMessage.chat(
                        ChatLine(sequence: 1, name: "Zo\u{eb}", text: "\u{a1}Ol\u{e9}! \u{4f60}\u{597d} \u{1f0a1}", time: 1)
                    )
                    .encoded()
                    + ServerMessage.note("Zo\u{eb} (seat 7) laughs \u{1f600}.").encoded()
            default: line
            }
        }

        static func hello(_ line: [UInt8], _ message: ServerMessage, _ change: (inout Hello) -> Void) -> [UInt8] {
            guard case .hello(var hello) = message else { return line }
            change(&hello)
            return ServerMessage.hello(hello).encoded()
        }

        static func replacing(_ part: String, with other: String, in line: [UInt8]) -> [UInt8] {
            Array(String(decoding: line, as: UTF8.self).replacing(part, with: other).utf8)
        }

        static func refusal(
            of request: Request?, _ code: String, _ message: String, retryAfter: Int? = nil, versions: ClosedRange<Int>? = nil,
            isRetryable: Bool = false, isFatal: Bool = false
        ) -> [UInt8] {
            ServerMessage.error(
                Refusal(
                    id: request?.id, type: request?.type, code: code, message: message, retryAfter: retryAfter,
                    versions: versions, isRetryable: isRetryable, isFatal: isFatal)
            ).encoded()
        }

        static func goodbye(_ code: String, _ message: String) -> [UInt8] {
            ServerMessage.bye(code: code, message: message).encoded()
        }

        /// Text of the client for a terminal: without control and format characters, shortened.
        static func shown(_ bytes: some Sequence<UInt8>, upTo limit: Int = 160) -> String {
            var text = ""
            for scalar in String(decoding: Array(bytes.prefix(limit * 4)), as: UTF8.self).unicodeScalars {
                guard text.unicodeScalars.count < limit else { return text + "\u{2026}" }
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                    text += "\\u{" + String(scalar.value, radix: 16) + "}"
                default: text.unicodeScalars.append(scalar)
                }
            }
            return text
        }
    }
}
