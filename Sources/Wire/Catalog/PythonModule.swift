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
        return Catalog.requests.compactMap { request in
            request.reply.map {
                type(
                    typeName(request.type) + "Reply", constants: [("type", "ok"), ("to", request.type)], common + $0,
                    "`\(request.type)` was carried out")
            }
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
            let body =
                request.reply == nil ? "self.send\(call)" : "return cast(\(typeName(request.type))Reply, self.request\(call))"
            return """
                    def \(identifier(snake(request.type)))(\((["self"] + parameters).joined(separator: ", "))) -> \
                \(request.reply == nil ? "None" : typeName(request.type) + "Reply"):
                        \"""\(escaped(documentation.joined(separator: "\n\n        ")))\"""
                        \(body)
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
        case .object: "dict[str, Any]"
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
}
