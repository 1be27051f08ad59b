import CommandLineKit
import Foundation
import Wire

/// The options of `bjserver schema`.
struct SchemaOptions: Sendable {
    var direction: Direction = .both
    var language: Language = .jsonSchema

    enum Direction: String, CaseIterable, Sendable {
        case client, server, both
    }

    enum Language: String, CaseIterable, Sendable {
        case jsonSchema = "json-schema"
        case python
    }

    static let command = Command<SchemaOptions, ServerProgram>(
        "schema", "Prints every message as a JSON Schema, or as a client's code.", defaults: SchemaOptions(),
        program: ServerProgram.schema
    ) { command in
        command.discussion(
            """
            The schema (draft 2020-12) comes from the catalog that Protocol.md's tables come from. Each line of a connection is one \
            document: a client's fits '#/$defs/client', a server's '#/$defs/server'. With '--language python' it prints a module \
            instead: types, a method for each request, a table that applies diffs, and a bot that plays.
            """)
        command.option("--direction", \.direction, .choice, short: "d", help: "Whose messages.")
        command.option(
            "--language", \.language, .choice, short: "l",
            help: "A JSON Schema, or a client's module in this language; a module has both directions.")
        command.example("bjserver schema --direction client", "what a client may send")
        command.example("bjserver schema --language python > blackjack.py", "a client to begin with")
        command.exitStatus(74, "the schema can't be written")
    }

    func run() -> Never {
        if language == .python {
            Console.print(String(Catalog.pythonModule.dropLast()))
            exit(0)
        }
        let direction: Catalog.Direction? =
            switch direction {
            case .client: .client
            case .server: .server
            case .both: nil
            }
        Console.print(String(Catalog.schema(direction).dropLast()))
        exit(0)
    }
}
