import Wire

/// Waits for the lines that a transcript expects.
extension ServerKit.Performer {
    func hear(_ who: String, _ pattern: ServerKit.Pattern, isNext: Bool) throws {
        let deadline = stage.now + limit
        while true {
            guard let (message, value) = try next(who, until: deadline) else { throw Stop.fail("the connection was closed") }
            if pattern.fits(value, &variables) {
                peers[who]?.optional = []
                return
            }
            var attempt = variables
            if peers[who]?.optional.contains(where: { $0.fits(value, &attempt) }) == true { continue }
            let isReply = ServerKit.Peer.isReply(message)
            if isNext || isReply { throw Stop.fail("the server said \(value)") }
        }
    }

    func expectClosed(_ who: String) throws {
        let deadline = stage.now + limit
        while let (message, value) = try next(who, until: deadline) {
            var attempt = variables
            if peers[who]?.optional.contains(where: { $0.fits(value, &attempt) }) == true { continue }
            if ServerKit.Peer.isReply(message) { throw Stop.fail("the server said \(value)") }
        }
    }

    func see(_ who: String, _ pattern: ServerKit.Pattern) throws {
        let deadline = stage.now + limit
        while !sees(who, pattern) {
            do {
                try takeNews(who, until: deadline)
            } catch Stop.fail(let reason) {
                throw Stop.fail("\(reason); \(who) saw \(peers[who]?.sight.description ?? "nothing")")
            }
        }
    }

    /// Whether the table looks like this to somebody now.
    func sees(_ who: String, _ pattern: ServerKit.Pattern) -> Bool {
        guard let peer = peers[who] else { return false }
        if lastSight?.view != peer.view { lastSight = (peer.view, peer.sight) }
        return lastSight.map { pattern.fits($0.sight, &variables) } ?? false
    }

    /// Takes one line, which must not be a reply.
    func takeNews(_ who: String, until deadline: Int) throws {
        guard let (message, value) = try next(who, until: deadline) else { throw Stop.fail("the connection was closed") }
        var attempt = variables
        if peers[who]?.optional.contains(where: { $0.fits(value, &attempt) }) == true { return }
        if ServerKit.Peer.isReply(message) { throw Stop.fail("the server said \(value)") }
    }

    // MARK: Sending

    /// Replaces each `$name` by its value, as JSON.
    func replacingTerms(_ text: String) throws -> String {
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "$") {
            result += rest[..<mark]
            let after = rest[rest.index(after: mark)...]
            let length = after.prefix { $0.isLetter || $0.isNumber || "_$+-*/".contains($0) }
            guard length.first?.isLetter == true else {
                result += "$"
                rest = after
                continue
            }
            let term = try ServerKit.TranscriptReader.term("$" + length)
            guard let value = variables.value(term) else { throw Stop.fail("\(term.text) has no value") }
            result += value.description
            rest = after[length.endIndex...]
        }
        return result + rest
    }

    /// Bytes of a text with escapes: `\n`, `\r`, `\t`, `\\`, `\xFF`, and `\(ab*3)` for `ababab`.
    static func unescaped(_ text: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "t"): bytes.append(9)
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "x"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                    throw Stop.fail("\\x takes two digits")
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "("):
                guard let end = rest.firstIndex(of: UInt8(ascii: ")")), let star = rest[..<end].lastIndex(of: UInt8(ascii: "*")),
                    let count = Int(String(decoding: rest[(star + 1)..<end], as: UTF8.self)), (0...100_000).contains(count)
                else { throw Stop.fail("\\(text*count) is meant") }
                let unit = try unescaped(String(decoding: rest[..<star], as: UTF8.self))
                for _ in 0..<count { bytes += unit }
                rest = rest[(end + 1)...]
            default: throw Stop.fail("no escape that is known")
            }
        }
        return bytes
    }
}
