extension Catalog {
    /// A Python module from the catalog: types of every message and item, a method for each request, and a client that plays. Python 3.11, the
    /// standard library alone; the same text at every call.
    public static var pythonModule: String {
        [
            PythonModule.head, PythonModule.definitions, PythonModule.events, PythonModule.replies, PythonModule.items,
            PythonModule.connectionHead + PythonModule.requests, PythonModule.tail,
        ].joined(separator: "\n\n\n") + "\n"
    }
}

/// The parts of the module that the catalog gives; ``PythonModule/head`` and the like are the fixed ones.
enum PythonModule {
    /// Type aliases and types of what several messages have in common.
    static var definitions: String {
        Catalog.definitions.map { definition in
            let name = typeName(definition.name.rawValue)
            let comment = comments(definition.explanation)
            switch definition.shape {
            case .object(let fields): return type(name, constants: [], fields, definition.explanation)
            case .openWord(let words):
                let known = words.map { "    \(quoted($0.name)): \(quoted($0.explanation))," }
                return "\(comment)\n\(name) = str\n\(constantName(definition.name.rawValue)) = {\n"
                    + known.joined(separator: "\n") + "\n}"
            default: return "\(comment)\n\(name) = \(expression(definition.shape))"
            }
        }.joined(separator: "\n\n")
    }

    static var events: String {
        Catalog.events.filter { $0.type != "ok" }.map {
            type(typeName($0.type), constants: [("type", $0.type)], $0.fields, $0.explanation)
        }.joined(separator: "\n\n")
    }

    static var replies: String {
        let common = Catalog.events.first { $0.type == "ok" }?.fields.filter { $0.name != "to" } ?? []
        return Catalog.requests.map {
            type(
                typeName($0.type) + "Reply", constants: [("type", "ok"), ("to", $0.type)], common + $0.reply,
                "`\($0.type)` was carried out")
        }.joined(separator: "\n\n")
    }

    /// Types of the items that are objects; the others are numbers and strings.
    static var items: String {
        Catalog.items.compactMap { item in
            guard case .object(let fields) = item.shape else { return nil }
            let name = String(item.example.prefix { $0.isLetter })
            return type(typeName(name) + "Item", constants: [], fields, "`\(item.example)`: \(item.explanation)")
        }.joined(separator: "\n\n")
    }

    /// One method for each request.
    static var requests: String {
        Catalog.requests.map { request in
            let fields = request.fields.filter(\.isRequired) + request.fields.filter { !$0.isRequired }
            let parameters = fields.map { field in
                "\(identifier(field.name)): \(annotation(field.shape))" + (field.isRequired ? "" : " | None = None")
            }
            let arguments = fields.map { "\(identifier($0.name))=\(identifier($0.name))" }
            let call = "(" + ([quoted(request.type)] + arguments).joined(separator: ", ") + ")"
            let documentation =
                [sentence(request.explanation) + " (\(request.need.explanation))"]
                + fields.map { "\(identifier($0.name)): \($0.explanation)" }
            return """
                    def \(identifier(snake(request.type)))(\((["self"] + parameters).joined(separator: ", "))) -> \
                \(typeName(request.type))Reply:
                        \"""\(escaped(documentation.joined(separator: "\n\n        ")))\"""
                        return cast(\(typeName(request.type))Reply, self.request\(call))
                """
        }.joined(separator: "\n\n")
    }

    // MARK: Pieces

    /// A `TypedDict`, by its functional form: JSON's keys may be Python's keywords.
    private static func type(
        _ name: String, constants: [(String, String)], _ fields: [Field], _ explanation: String
    ) -> String {
        let fixed = constants.map { "    \(quoted($0.0)): Literal[\(quoted($0.1))]," }
        let open = fields.map { field in
            let type = expression(field.shape)
            return comments(field.explanation, indent: 4)
                + "\n    \(quoted(field.name)): \(field.isRequired ? type : "NotRequired[\(type)]"),"
        }
        return "\(comments(explanation))\n\(name) = TypedDict(\(quoted(name)), {\n\((fixed + open).joined(separator: "\n"))\n})"
    }

    /// A shape as an expression, evaluated where it stands: a name that comes later is in quotes.
    private static func expression(_ shape: Shape) -> String {
        switch shape {
        case .text, .openWord: "str"
        case .word(let words): "Literal[\(words.map(quoted).joined(separator: ", "))]"
        case .whole: "int"
        case .number: "float"
        case .flag: "bool"
        case .anything: "Any"
        case .list(let element): "list[\(expression(element))]"
        case .tuple: "list[Any]"
        case .object, .dictionary: "dict[str, Any]"
        case .either(let shapes):
            // Each kind once, in its order.
            "Union[\(shapes.map(expression).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(separator: ", "))]"
        case .reference(let name): quoted(typeName(name.rawValue))
        }
    }

    /// A shape in a signature, which is never evaluated: no quotes.
    private static func annotation(_ shape: Shape) -> String {
        if case .reference(let name) = shape { return typeName(name.rawValue) }
        if case .list(.reference(let name)) = shape { return "list[\(typeName(name.rawValue))]" }
        return expression(shape)
    }

    private static let keywords: Set<String> = ["from", "pass", "is", "in", "class", "def", "global", "not", "or", "and", "if"]

    /// A field's or request's name; a keyword gets an underscore, which `send` takes off again.
    private static func identifier(_ name: String) -> String { keywords.contains(name) ? name + "_" : name }

    private static func typeName(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// `sitOut` as `sit_out`.
    private static func snake(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }

    private static func constantName(_ name: String) -> String { snake(name).uppercased() + "S" }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { $0 += $1 == "\\" || $1 == "\"" ? "\\\($1)" : String($1) }
    }

    /// Comment lines of at most 110 characters.
    private static func comments(_ text: String, indent: Int = 0) -> String {
        let start = String(repeating: " ", count: indent) + "#"
        var lines: [String] = []
        var line = start
        for word in text.split(whereSeparator: \.isWhitespace) {
            if line.count + 1 + word.count > 110, line != start {
                lines.append(line)
                line = start
            }
            line += " " + word
        }
        return (lines + [line]).joined(separator: "\n")
    }

    // MARK: Client

    // The fixed parts of the generated client: a connection, a table that applies diffs, and a bot of 50 lines.

    private static let modules = ["json", "re", "socket", "sys", "time", "zlib"].map { "import \($0)" }.joined(separator: "\n")

    static let head = #"""
        """Blackjack over TCP, version 1 of the protocol: its messages, and a client that plays. Protocol.md explains them.

        Generated by `bjserver schema --language python`; needs Python 3.11 or later and its standard library alone.

            python3 blackjack.py HOST PORT [ROUNDS] [NAME]
        """
        from __future__ import annotations

        \#(modules)
        from typing import Any, Callable, Literal, NotRequired, TypedDict, Union, cast
        """#

    static let connectionHead = #"""
        class Refused(Exception):
            """A request was refused, and has changed nothing. `error` is the whole answer."""

            def __init__(self, error: Error) -> None:
                super().__init__(f"{error.get('to')}: {error['code']}: {error['message']}")
                self.error = error


        class Closed(Exception):
            """The connection has ended; `reason` is the code of the server's `bye`, if it said one."""

            def __init__(self, reason: str | None) -> None:
                super().__init__(reason or "closed")
                self.reason = reason


        class Connection:
            """A connection to a server. Every event that arrives, also while a reply is awaited, goes to `on_event` first.

            When the server restarts, a player with a secret comes back to the same hand, and an open request is sent again."""

            def __init__(self, host: str, port: int, on_event: Callable[[dict[str, Any]], None] = lambda event: None) -> None:
                self.on_event = on_event
                self.last_id = 0
                self.address = (host, port)
                self.account: dict[str, Any] = {}  # the login that opens it
                self.connect()

            def connect(self) -> None:
                self.socket = socket.create_connection(self.address, timeout=60)
                self.lines = self.socket.makefile("rb")

            def come_back(self) -> None:
                """Connects, logs in and asks for the table again, with growing pauses."""
                for pause in (0.25, 0.5, 1, 2, 4, 8, 8):
                    time.sleep(pause)
                    try:
                        self.connect()
                        if "table" in self.request("login", **self.account):
                            self.request("watch")
                        return
                    except (OSError, Closed):
                        self.socket.close()
                raise Closed("restart")

            def send(self, type: str, **fields: Any) -> None:
                """Sends a request; fields that are None are left out."""
                message = {name.rstrip("_"): value for name, value in fields.items() if value is not None}
                self.socket.sendall(json.dumps({"type": type, **message}).encode() + b"\n")

            def receive(self) -> dict[str, Any]:
                """Waits for the next line, and passes an event on."""
                line = self.lines.readline()
                if not line.endswith(b"\n"):
                    raise Closed(None)
                message = json.loads(line)
                if message["type"] == "bye" and (message["code"] != "restart" or not self.account):
                    raise Closed(message["code"])
                elif message["type"] == "bye":
                    self.come_back()
                elif message["type"] not in ("ok", "error"):
                    self.on_event(message)
                return message

            def request(self, type: str, **fields: Any) -> dict[str, Any]:
                """Sends a request and waits for its reply. Asks again, a few times, where that may succeed."""
                for attempt in range(5):
                    self.last_id += 1
                    number, message, asked = self.last_id, {}, None
                    while message.get("id") != number or message["type"] not in ("ok", "error"):
                        if asked is not self.socket:  # also after a restart: its effect is once
                            asked = self.socket
                            self.send(type, id=number, **fields)
                        message = self.receive()
                        if message["type"] == "error" and message.get("fatal"):
                            raise Refused(cast(Error, message))
                    if message["type"] == "ok":
                        if type == "login" and fields.get("secret"):
                            self.account = fields
                        return message
                    if not message.get("retryable") or attempt == 4:
                        break
                    time.sleep(message.get("retryAfter", 500) / 1000)
                raise Refused(cast(Error, message))


        """#

    static let tail = #"""
        class Table:
            """A table as the server shows it: items by name, kept up to date by diffs, proved by check values."""

            def __init__(self) -> None:
                self.name, self.epoch, self.rev = "", "", -1
                self.torn = False  # a diff or a check value does not fit: ask `watch`
                self.items: dict[str, Any] = {}

            def get(self, item: str, default: Any = None) -> Any:
                """The content of an item, such as "phase", "p3" or "t3.1"."""
                return self.items.get(item, default)

            def check(self) -> int:
                """The check value: the sum of the CRC-32 of each item as compact JSON with sorted keys."""
                return sum(
                    zlib.crc32(json.dumps({item: content}, separators=(",", ":"), sort_keys=True, ensure_ascii=False)[1:-1].encode())
                    for item, content in self.items.items()) % 2**32

            def take(self, event: dict[str, Any]) -> None:
                """Takes a snapshot or a diff; other events are none of a table's business."""
                if event["type"] == "snapshot":
                    self.name, self.epoch, self.rev = event["table"], event["epoch"], event["rev"]
                    self.items, self.torn = event["items"], False
                elif event["type"] == "diff" and not self.torn:
                    self.torn = event["from"] != self.rev
                    if self.torn:
                        return
                    if event.get("clear"):
                        self.items = {item: content for item, content in self.items.items() if not ROUND.fullmatch(item)}
                    self.items.update(event["items"])
                    self.items = {item: content for item, content in self.items.items() if content is not None}
                    self.rev = event["to"]
                    self.torn = "check" in event and event["check"] != self.check()


        ROUND = re.compile(r"clock|dealer|[cai]\d+|[btr]\d.*")  # what goes with a round


        def choose(table: Table, seat: int, ask: AItem) -> Action:
            """A dealer's strategy: hits until 17, never insures, splits or doubles. Here is where your own begins."""
            if "decline" in ask["actions"]:
                return "decline"
            total = int(table.get(f"t{seat}.{ask['hand']}", "0").split()[-1])
            return "hit" if total < 17 and "hit" in ask["actions"] else "stand"


        def play(host: str, port: int, rounds: int, name: str) -> None:
            table = Table()
            connection = Connection(host, port, table.take)
            chips = connection.login(name, bot=True, version=1)["chips"]
            seat = connection.sit()["seat"]
            seen = 0  # the revision that shows the last request's effect
            played, dealt = 0, None  # rounds that are over, and the one that is being played
            while played < rounds:
                if table.torn:
                    connection.watch()
                connection.receive()
                if table.torn or table.rev < seen:
                    continue
                ask, phase, number = table.get(f"a{seat}"), table.get("phase"), table.get("round")
                if table.get(f"r{seat}.1") is not None and dealt == number:
                    played, dealt = played + 1, None
                elif table.get(f"t{seat}.1") is not None and phase not in ("settled", "waiting", "betting"):
                    dealt = number
                try:
                    if ask:
                        reply = connection.act(choose(table, seat, ask), hand=ask["hand"], turn=ask["turn"])
                    elif played < rounds and (phase == "waiting" or phase == "betting" and table.get(f"b{seat}.1") is None):
                        reply = connection.bet(table.get("rules")["minimumBet"], round=number)
                    else:
                        continue
                    seen = reply["rev"]
                except Refused as refusal:  # the clock was faster, or somebody else: the next diff shows it
                    print(refusal, file=sys.stderr)
            connection.leave()
            print(f"{played} rounds, {chips} chips at first")
            connection.logout()


        if __name__ == "__main__":
            if len(sys.argv) < 3:
                sys.exit(__doc__)
            rounds, name = (sys.argv[3:] + ["20", "python"][len(sys.argv) - 3:])[:2]
            play(sys.argv[1], int(sys.argv[2]), int(rounds), name)
        """#
}
