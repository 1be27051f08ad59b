import CommandLineKit
import Foundation
import Wire

/// The options of `bjserver schema`.
struct SchemaOptions: Sendable {
    var language: Language = .jsonSchema

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
            The schema (draft 2020-12) and the tables in Protocol.md are generated from the same catalog. Each line of a connection is one \
            document: lines of a client match '#/$defs/client', lines of the server '#/$defs/server'. '--language python' prints a module \
            with a method per request, a table that applies diffs, and a bot.
            """)
        command.option(
            "--language", \.language, .choice, short: "l", help: "The format: a JSON Schema or a client module.")
        command.example("bjserver schema > schema.json", "all messages as a JSON Schema")
        command.example("bjserver schema --language python > blackjack.py", "a client module in Python")
        command.exitStatus(74, "The schema cannot be written.")
    }

    func run() -> Never {
        Console.print(String((language == .python ? Catalog.pythonModule : Catalog.schema()).dropLast()))
        exit(0)
    }
}
