import CommandLineKit
import Foundation
import Wire

/// What `bjserver schema` takes.
struct SchemaOptions: Sendable {
    var direction: Direction = .both

    enum Direction: String, CaseIterable, Sendable {
        case client, server, both
    }

    static let command = Command<SchemaOptions, ServerProgram>(
        "schema", "Prints a JSON Schema of every message.", defaults: SchemaOptions(), program: ServerProgram.schema
    ) { command in
        command.discussion(
            """
            The schema (draft 2020-12) comes from the catalog that Protocol.md's tables come from. Each line of a connection is one \
            document: a client's fits '#/$defs/client', a server's '#/$defs/server'.
            """)
        command.option("--direction", \.direction, .choice, short: "d", help: "Whose messages.")
        command.example("bjserver schema --direction client", "what a client may send")
        command.exitStatus(74, "the schema can't be written")
    }

    func run() -> Never {
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
