import CommandLineKit
import Journal
import Postgres
import ServerCore

/// `bjserver store`: the tables of a database.
struct StoreOptions: DataCommand {
    static let program = "bjserver store"

    enum Verb: String, CaseIterable, Sendable {
        case create, status
    }

    var verb = Verb.status
    var url = ""
    var partitions: Int?
    var isForMissing = false
    var folder: String { url }

    static let command = Command<StoreOptions, ServerProgram>(
        "store", "Creates or shows the servers' store in a database.", defaults: StoreOptions(), program: checked
    ) { command in
        command.discussion(
            """
            'create' writes the tables of a new store, in the schema bjserver of a database of PostgreSQL 15 or later; an \
            existing store is not changed. Servers then start with '--data URL': each owns the first free partition, and \
            further servers are spares. 'status' shows the owner of each partition, the age of its lease by the database's \
            clock and its address for other servers, and lists the spares.

            The partitions of a store form one house: one list of tables, and one account per player on all servers. \
            --partitions is the number of servers that share the work. It cannot be changed later. A partition without a server has \
            no tables.

            URL is postgres://USER@HOST:PORT,HOST:PORT/DATABASE; of several hosts, the primary is used. For a \
            Unix-domain socket, append '?host=/run/postgresql'. The password is taken from PGPASSWORD, else from the file that \
            PGPASSFILE names, else from ~/.pgpass (lines HOST:PORT:DATABASE:USER:PASSWORD, mode 0600). The server logs in with \
            SCRAM-SHA-256, or without a password unless the URL has '?require_auth=scram-sha-256'. There is no TLS: on a \
            network that you do not control, use a local proxy such as stunnel ('install-files' writes a sample). The encoding must be UTF8; \
            connection poolers are refused.

            Anyone with write access to the database can create chips: give it a separate user and database.
            """)
        command.argument("VERB", \.verb, .choice, required: true, help: "create or status.")
        command.argument("URL", \.url, .data, required: true, help: "The database.")
        command.option(
            "--partitions", \.partitions, .int(PostgresStore.partitionCounts),
            help: "With create: the number of partitions. Default: 1.")
        command.flag(
            "--if-missing", \.isForMissing, help: "With create: succeeds without a change if there is a store.")
        command.example("bjserver store create postgres://bj@db1,db2/bj", "a store for a server and its spares")
        command.example(
            "bjserver store create postgres://bj@db/bj --partitions 2", "a store for two servers and their spares")
        command.example("bjserver store status postgres://bj@db1,db2/bj", "show its owners and spares")
        command.dataStatuses(takes: false)
        command.exitStatus(DataFault.notCreated, "With create: the store exists already.")
    }

    private static func checked(_ options: StoreOptions) throws(UsageError) -> ServerProgram {
        if options.verb == .status, options.partitions != nil { throw UsageError("--partitions is valid with create only") }
        if options.verb == .status, options.isForMissing { throw UsageError("--if-missing is valid with create only") }
        return .data(options)
    }

    func run() throws(JournalError) {
        let url = try DataFiles.url(url)
        switch verb {
        case .create:
            if isForMissing, let found = try? PostgresStore(opening: url) {
                Console.print(
                    "There is already a store with \(found.partitions == 1 ? "1 partition" : "\(found.partitions) partitions") in \(found.url)."
                )
                return
            }
            let house = UInt64.random(in: .min ... .max)
            let count = partitions ?? 1
            try PostgresStore.create(url, partitions: count, house: house)
            Console.print("Created a store with \(count) \(count == 1 ? "partition" : "partitions") in \(url).")
        case .status: try show(try PostgresStore(opening: url))
        }
    }

    /// - Parameter age: seconds since the last renewal. A living owner renews each second, or more often.
    private static func owner(_ name: String?, age: Int64?) -> String {
        guard let name else { return "no owner" }
        let age = max(0, age ?? 0)
        let fault =
            age > Int64(ServeOptions().lease / 1000)
            ? " (lease expired: dead or disconnected, unless its --lease is longer)" : ""
        return "owner \(Console.visible(name)), renewed \(age) s ago\(fault)"
    }

    private func show(_ store: PostgresStore) throws(JournalError) {
        let accounts = store.partitions > 1 ? ", accounts \(try store.accounts())" : ""
        Console.print("house \(String(store.house, radix: 16)), partitions \(store.partitions)\(accounts)")
        var spares = try store.servers()
        for (partition, lease) in store.leases() {
            let status = try lease.status()
            if let owner = status.owner.flatMap({ $0.split(separator: " ").first }) { spares.removeAll { $0 == owner } }
            let notice = try lease.notice()
            let relay = notice.relay.map { ", relays to \(Console.visible($0))" } ?? ""
            Console.print(
                "partition \(partition): \(Self.owner(status.owner, age: notice.age)), epoch \(status.epoch), renewals "
                    + "\(status.renewals)\(relay)")
        }
        for spare in spares { Console.print("spare \(Console.visible(spare))") }
        if store.waitsForNoStandby {
            Console.print(
                "No standby is synchronous (synchronous_standby_names): a promoted one may lack the last hands.")
        }
    }
}
