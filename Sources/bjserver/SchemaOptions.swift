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
        "schema", "Prints all messages as a JSON Schema, or as client code.", defaults: SchemaOptions(),
        program: ServerProgram.schema
    ) { command in
        command.discussion(
            """
            The schema (draft 2020-12) and Protocol.md's tables come from the same catalog. Each line of a connection is one \
            document: a client's matches '#/$defs/client', a server's '#/$defs/server'. '--language python' prints a module \
            instead: types, a method per request, a table that applies diffs, and a bot.
            """)
        command.option("--direction", \.direction, .choice, short: "d", help: "Whose messages.")
        command.option(
            "--language", \.language, .choice, short: "l",
            help: "Format: a JSON Schema, or a client module in a language, which covers both directions.")
        command.example("bjserver schema --direction client", "messages from clients")
        command.example("bjserver schema --language python > blackjack.py", "a client module in Python")
        command.exitStatus(74, "the schema cannot be written")
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
