import Rules

// The shortcut through requests that are written as usual: known keys of at most seven bytes, each once, in any order and with any space,
// whose values are whole numbers, truths, and strings without escapes in ASCII. See `LineCursor`.

extension ClientMessage {
    /// Reads a line, to its very end.
    @inline(__always)
    static func shortcut(_ line: UnsafeBufferPointer<UInt8>) throws(Detour) -> (id: RequestID?, message: ClientMessage) {
        var cursor = try LineCursor(line)
        var (type, action): (UInt64, UInt64) = (0, 0)
        var (amount, seat, hand): (Int?, Int?, Int?) = (nil, nil, nil)
        var (turn, round): (Int?, Int?) = (nil, nil)
        var id: RequestID?
        var rest = OtherMembers()
        var seen: UInt32 = 0
        cursor.skipSpace()
        try cursor.expect(UInt8(ascii: "{"))
        repeat {
            cursor.skipSpace()
            try cursor.expect(UInt8(ascii: "\""))
            let key = try cursor.shortText()
            cursor.skipSpace()
            try cursor.expect(UInt8(ascii: ":"))
            cursor.skipSpace()
            switch key {
            case wordOf("type"):
                try seen.note(0)
                type = try cursor.shortString()
            case wordOf("id"):
                try seen.note(1)
                id = try cursor.requestID()
            case wordOf("action"):
                try seen.note(2)
                action = try cursor.shortString()
            case wordOf("amount"):
                try seen.note(3)
                amount = try cursor.integer(in: WireRange.chips)
            case wordOf("seat"):
                try seen.note(4)
                seat = try cursor.integer(in: WireRange.seat)
            case wordOf("hand"):
                try seen.note(5)
                hand = try cursor.integer(in: WireRange.hand)
            case wordOf("turn"):
                try seen.note(17)
                turn = try cursor.integer(in: WireRange.revision)
            case wordOf("round"):
                try seen.note(18)
                round = try cursor.integer(in: WireRange.revision)
            default: try rest.take(key, &cursor, &seen)
            }
            cursor.skipSpace()
        } while cursor.take(UInt8(ascii: ","))
        try cursor.expect(UInt8(ascii: "}"))
        cursor.skipSpace()
        guard cursor.isAtEnd else { throw Detour() }
        switch type {
        case wordOf("act"): return (id, .act(try Action(word: action), seat: seat, hand: hand, amount: amount, turn: turn))
        case wordOf("bet"):
            guard let amount else { throw Detour() }
            return (id, .bet(amount: amount, seat: seat, round: round))
        default: return (id, try rest.message(type, seat))
        }
    }
}

/// The members of requests that are not made at every turn. Strings are left where they lie until it is sure that they are wanted.
private struct OtherMembers {
    private var table: UnsafeBufferPointer<UInt8>?
    private var pass: UnsafeBufferPointer<UInt8>?
    private var epoch: UnsafeBufferPointer<UInt8>?
    private var name: UnsafeBufferPointer<UInt8>?
    private var token: UnsafeBufferPointer<UInt8>?
    private var text: UnsafeBufferPointer<UInt8>?
    private var revision: Int?
    private var chat: Int?
    private var version: Int?
    private var isBot: Bool?
    private var follow: Bool?

    @inline(never)
    mutating func take(_ key: UInt64, _ cursor: inout LineCursor, _ seen: inout UInt32) throws(Detour) {
        switch key {
        case wordOf("table"):
            try seen.note(6)
            table = try cursor.quoted(maximum: WireLimits.tableNameBytes)
        case wordOf("pass"):
            try seen.note(7)
            pass = try cursor.quoted(maximum: WireLimits.passBytes)
        case wordOf("epoch"):
            try seen.note(8)
            epoch = try cursor.quoted(maximum: WireLimits.epochBytes)
        case wordOf("rev"):
            try seen.note(9)
            revision = try cursor.integer(in: WireRange.revision)
        case wordOf("chat"):
            try seen.note(19)
            chat = try cursor.integer(in: WireRange.revision)
        case wordOf("name"):
            try seen.note(10)
            name = try cursor.quoted(maximum: .max)
        case wordOf("token"):
            try seen.note(11)
            token = try cursor.quoted(maximum: WireLimits.tokenBytes)
        case wordOf("bot"):
            try seen.note(12)
            isBot = try cursor.flag()
        case wordOf("version"):
            try seen.note(13)
            version = try cursor.integer(in: WireRange.version)
        case wordOf("follow"):
            try seen.note(14)
            follow = try cursor.flag()
        case wordOf("text"):
            try seen.note(15)
            text = try cursor.quoted(maximum: ChatText.maximumBytes)
        default: throw Detour()
        }
    }

    @inline(never)
    func message(_ type: UInt64, _ seat: Int?) throws(Detour) -> ClientMessage {
        switch type {
        case wordOf("login"):
            guard let name else { throw Detour() }
            return .login(name: string(name), token: string(token), isBot: isBot ?? false, version: version ?? WireLimits.version)
        case wordOf("lobby"): return .lobby(follow: follow)
        case wordOf("rules"): return .rules(table: string(table))
        case wordOf("sit"): return .sit(table: string(table), seat: seat, pass: string(pass))
        case wordOf("watch"): return .watch(table: string(table), pass: string(pass))
        case wordOf("resume"):
            guard let epoch, let revision else { throw Detour() }
            return .resume(table: string(table), epoch: string(epoch), revision: revision, chat: chat, pass: string(pass))
        case wordOf("sitOut"): return .sitOut
        case wordOf("sitIn"): return .sitIn
        case wordOf("leave"): return .leave
        case wordOf("logout"): return .logout
        case wordOf("chat"):
            guard let text else { throw Detour() }
            return .chat(text: string(text))
        case wordOf("ping"): return .ping
        case wordOf("pong"): return .pong
        default: throw Detour()
        }
    }

    private func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private func string(_ bytes: UnsafeBufferPointer<UInt8>?) -> String? { bytes.map { string($0) } }
}

extension UInt32 {
    /// Notes that a key was there; each may be but once.
    @inline(__always)
    fileprivate mutating func note(_ bit: UInt32) throws(Detour) {
        guard self & 1 << bit == 0 else { throw Detour() }
        self |= 1 << bit
    }
}

extension LineCursor {
    /// A string of at most seven bytes, as a word.
    @inline(__always)
    fileprivate mutating func shortString() throws(Detour) -> UInt64 {
        try expect(UInt8(ascii: "\""))
        return try shortText()
    }

    /// The inside of a string in ASCII.
    fileprivate mutating func quoted(maximum: Int) throws(Detour) -> UnsafeBufferPointer<UInt8> {
        try expect(UInt8(ascii: "\""))
        let (bytes, isASCII) = try text()
        guard isASCII, bytes.count <= maximum else { throw Detour() }
        return bytes
    }

    fileprivate mutating func flag() throws(Detour) -> Bool {
        if take("true") { return true }
        try expect("false")
        return false
    }

    /// The id of a request or of a reply.
    @inline(__always)
    mutating func requestID() throws(Detour) -> RequestID {
        guard byte == UInt8(ascii: "\"") else { return .number(try integer()) }
        return try textID()
    }

    @inline(never)
    private mutating func textID() throws(Detour) -> RequestID {
        .text(String(decoding: try quoted(maximum: RequestID.maximumBytes), as: UTF8.self))
    }
}

extension Action {
    /// The action of a name of at most seven bytes; the longer ones are rare.
    @inline(__always)
    fileprivate init(word: UInt64) throws(Detour) {
        switch word {
        case wordOf("hit"): self = .hit
        case wordOf("stand"): self = .stand
        case wordOf("double"): self = .double
        case wordOf("split"): self = .split
        case wordOf("decline"): self = .decline
        default: throw Detour()
        }
    }
}
