import CommandLineKit
import Foundation
import Journal
import Postgres
import ServerCore

/// `bjserver store`: the tables of a database.
struct StoreOptions: Sendable {
    enum Verb: String, CaseIterable, Sendable {
        case create, status
    }

    var verb = Verb.status
    var url = ""
    var partitions: Int?
    var isForMissing = false

    static let command = Command<StoreOptions, ServerProgram>(
        "store", "Makes or shows the store of servers in a database.", defaults: StoreOptions(), program: checked
    ) { command in
        command.discussion(
            """
            'create' writes the tables of a new store to a database of PostgreSQL 15 or later, in the schema bjserver, and changes nothing \
            if there is one. Then a server, and its spares, start with '--data URL'. 'status' shows who owns each partition: a partition \
            has the tables and accounts of one server, and the other servers are its spares.

            URL is postgres://USER@HOST:PORT,HOST:PORT/DATABASE: of several hosts the one that is no standby is used. A folder of a \
            Unix-domain socket is '?host=/run/postgresql'. A password is never part of it: PGPASSFILE names a file of mode 0600 with lines \
            HOST:PORT:DATABASE:USER:PASSWORD, and PGPASSWORD is the password. The server logs in by SCRAM-SHA-256 or trust, without TLS: \
            across a network that is not yours, have a local proxy such as stunnel encrypt.

            Whoever can write to the database makes chips: give it a user and a database of its own.
            """)
        command.argument("VERB", \.verb, .choice, required: true, help: "create or status.")
        command.argument("URL", \.url, .data, required: true, help: "The database.")
        command.option("--partitions", \.partitions, .int(1...1), help: "With create: partitions of the store. Default: 1.")
        command.flag(
            "--if-missing", \.isForMissing, help: "With create: a store that is there is left as it is, without an error.")
        command.example("bjserver store create postgres://bj@db1,db2/bj", "tables for a server and its spares")
        command.example("bjserver store status postgres://bj@db1,db2/bj", "the server that owns them")
        command.dataStatuses(takes: false)
        command.exitStatus(DataFault.notCreated, "With create: there is a store already.")
    }

    private static func checked(_ options: StoreOptions) throws(UsageError) -> ServerProgram {
        if options.verb == .status, options.partitions != nil { throw UsageError("--partitions goes with create") }
        if options.verb == .status, options.isForMissing { throw UsageError("--if-missing goes with create") }
        return .store(options)
    }

    func run() -> Never {
        do throws(StorageError) {
            let url = try DataFiles.url(url)
            switch verb {
            case .create:
                if isForMissing, let found = try? PostgresStore(opening: url) {
                    Console.print("There is a store in \(found.url).")
                    exit(0)
                }
                let house = UInt64.random(in: .min ... .max)
                try PostgresStore.create(url, partitions: partitions ?? 1, house: house)
                Console.print("A store with 1 partition is made in \(url).")
            case .status: try show(try PostgresStore(opening: url))
            }
        } catch { DataFault.fail("bjserver store", RecoveryError(error)) }
        exit(0)
    }

    private func show(_ store: PostgresStore) throws(StorageError) {
        let status = try store.lease.status()
        Console.print("house \(String(store.house, radix: 16)), partitions \(store.partitions)")
        let owner = status.owner.map { "owner \($0)" } ?? "no owner"
        Console.print("partition 1: \(owner), epoch \(status.epoch), renewals \(status.renewals)")
        if store.waitsForNoStandby {
            Console.print(
                "No standby is synchronous (synchronous_standby_names): a promoted one may lack what players were told.")
        }
    }
}
