extension JSONValue {
    /// The value as it is part of a check value: no spaces, the keys of each object in alphabetical order, numbers as they were written.
    var compactText: String {
        get throws(JSONError) {
            var bytes: [UInt8] = []
            try appendCompact(to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func appendCompact(to bytes: inout [UInt8]) throws(JSONError) {
        switch line.first(token) {
        case UInt8(ascii: "{"): try appendObject(to: &bytes)
        case UInt8(ascii: "["):
            var elements = try array()
            bytes.append(UInt8(ascii: "["))
            var isFirst = true
            while let element = elements.next() {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                try element.appendCompact(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case UInt8(ascii: "\""): JSONWriter.append(to: &bytes) { $0.quoted(line.text(token)) }
        default: bytes += line.raw(token)
        }
    }

    private func appendObject(to bytes: inout [UInt8]) throws(JSONError) {
        var members: [(key: String, text: [UInt8])] = []
        try object().eachMember { key, value throws(JSONError) in
            var text: [UInt8] = []
            try value.appendCompact(to: &text)
            members.append((key, text))
        }
        members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(to: &bytes) { $0.quoted(member.key) }
            bytes.append(UInt8(ascii: ":"))
            bytes += member.text
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension JSONWriter {
    /// A string by itself.
    fileprivate mutating func quoted(_ text: String) {
        room(1)
        put(UInt8(ascii: "\""))
        append(escaping: text)
        room(1)
        put(UInt8(ascii: "\""))
    }
}
