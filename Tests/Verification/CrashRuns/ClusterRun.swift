import CommandLineKit
import Foundation
import LoadGenerator
import RecoveryJudge

/// Several servers behind one address, one more than partitions. Players lose their connections and find an owner again; what they are told
/// is judged as after a kill. Of several partitions, they change tables between them.
public struct CrashCluster: Sendable {
    /// Where players find the owner.
    public var entry: (host: String, port: Int)
    /// The `--listen` addresses of the servers, numeric; the next port is for proxies, the one after it for metrics.
    public var members: [(host: String, port: Int)]
    /// The servers' `--data`; `{}` stands for a member's host.
    public var store: String
    /// Milliseconds.
    public var lease: Int
    public var partitions = 1
    /// A program that disturbs the database: called with `cut HOST`, `freeze HOST`, `heal HOST` or `restart`.
    public var disturb: String

    public init(
        entry: (host: String, port: Int), members: [(host: String, port: Int)], store: String, lease: Int, disturb: String
    ) {
        (self.entry, self.members, self.store, self.lease, self.disturb) = (entry, members, store, lease, disturb)
    }

    func store(of member: Int) -> String { store.replacing("{}", with: members[member].host) }
}

/// A fault of a cluster and its times, for a round: drawn from the seed. Milliseconds.
struct ClusterPlan: Equatable, Sendable {
    enum Fault: String, CaseIterable, Sendable {
        /// The owner is killed.
        case kill
        /// All servers are killed: a cold start.
        case killAll
        /// The owner is suspended for longer than a lease, then resumed.
        case pause
        /// The owner's connections to the database are closed, and refused, for longer than a lease.
        case cut
        /// The owner's connections to the database stay open and carry nothing.
        case freeze
        /// The database is killed, and started again.
        case restart
        /// The owner is asked to stop.
        case handOver
        /// The owner is asked to stop, and killed while it stops.
        case killAtHandOver
    }

    var fault: Fault
    /// Play before it.
    var after: Int64
    /// Beyond a lease.
    var length: Int64

    init(_ fault: Fault, _ random: inout SeededRandom) {
        self.fault = fault
        (after, length) = (Int64(50 + random.below(700)), Int64(200 + random.below(1500)))
    }
}

/// A server of a cluster.
final class ClusterMember {
    var process: ServerProcess?
    /// How it may end next; none while it must run.
    var endings: [SpawnedProcess.Ending] = []

    var isRunning: Bool { process.map { $0.ended == nil } ?? false }
    var isOwner: Bool { isRunning && process?.port != nil }
    var isUp: Bool { isOwner || process?.outputText.firstRange(of: "spare of ") != nil }
}

extension CrashRun {
    /// Milliseconds in which play resumes once a lease has passed, or the database is back; after a hand-over half of it. A machine that is
    /// slow or busy has six times as long as the slowest start of this run.
    private func resumption(share: Int = 1) -> Int {
        max((options.resumeLimit ?? 2000) / share, Int(6 * slowestStart))
    }

    func runCluster(_ cluster: CrashCluster) throws(CrashError) {
        members = cluster.members.map { _ in ClusterMember() }
        // The first start has no bound.
        (resumeLimit, started) = (nil, Self.now)
        try findEntry(cluster)
        if cluster.partitions > 1 {
            referee.hasSeveralServers = true
            for client in clients { client.player.homes = (0..<options.tables).map { CrashTables.name($0) } }
        }
        var isDisturbed = true
        // Each kind of fault comes once before one comes again.
        var deck: [ClusterPlan.Fault] = []
        while report.kills < options.kills {
            try fillMembers(cluster)
            if isDisturbed { try resume() }
            if deck.isEmpty { deck = ClusterPlan.Fault.allCases.shuffled(using: &random) }
            let plan = ClusterPlan(deck.removeLast(), &random)
            clusterPlan = plan
            try turn(for: plan.after)
            isDisturbed = try disturb(plan, cluster)
            report.kills += 1
            if report.kills % 10 == 0 { progress(current.progress) }
        }
        try fillMembers(cluster)
        if isDisturbed { try resume() }
        clusterPlan = nil
        if cluster.partitions > 1 { return try stopHouse() }
        for member in members { end(member, SIGKILL, as: .signal(SIGKILL)) }
        _ = try awaitEnds(milliseconds: 5000)
        referee.restarted()
        members = []
        resumeLimit = cluster.lease + 2 * resumption()
        started = Self.now
        server = try ServerProcess(options.server, words(of: 0, cluster))
        try wait("the server listens") { $0.server?.port != nil }
        try stop()
    }

    private func words(of index: Int, _ cluster: CrashCluster) -> [String] {
        let (host, port) = cluster.members[index]
        return [
            "--listen", "\(host):\(port)", "--proxy-listen", "\(host):\(port + 1)", "--metrics", "\(host):\(port + 2)", "--data",
            cluster.store(of: index), "--lease", "\(cluster.lease)ms",
        ] + commonWords
    }

    /// Restarts the servers that have ended, after checking that their end was expected.
    private func fillMembers(_ cluster: CrashCluster) throws(CrashError) {
        var began: Int64?
        for (index, member) in members.enumerated() {
            if !member.endings.isEmpty {
                try wait("member \(index) ends") { _ in !member.isRunning }
                guard let ended = member.process?.ended, member.endings.contains(ended) else {
                    let ended = member.process?.ended.map { "\($0)" } ?? "nothing"
                    throw CrashError("member \(index) ended with \(ended) instead of \(member.endings)\(clusterLog)")
                }
                (member.process, member.endings) = (nil, [])
            }
            guard !member.isRunning else { continue }
            if let ended = member.process?.ended { throw CrashError("member \(index) ended, \(ended)\(clusterLog)") }
            report.starts += 1
            began = Self.now
            member.process = try ServerProcess(options.server, words(of: index, cluster))
        }
        try wait("all members are up") { $0.members.allSatisfy(\.isUp) }
        if let began { slowestStart = max(slowestStart, Double(Self.now - began) / 1000) }
        try wait("each partition has an owner") { $0.members.count(where: \.isOwner) >= cluster.partitions }
    }

    /// Audits the whole house while everybody plays, then stops the servers in order and audits it again.
    private func stopHouse() throws(CrashError) {
        try turn(for: 100)
        try audit(isPlaying: true)
        let owners = members.filter(\.isOwner)
        // A spare would take over.
        for member in members where !member.isOwner { end(member, SIGTERM, as: .status(0)) }
        try wait("the spares end") { run in !run.members.contains { $0.isRunning && !$0.isOwner } }
        for owner in owners { owner.process?.signal(SIGTERM) }
        try wait("SIGTERM ends the servers") { _ in !owners.contains(where: \.isRunning) }
        for owner in owners { try checkStop(of: owner.process) }
        for client in clients { lose(client, for: Self.stepTimeout) }
        referee.restarted()
        report.stops += 1
        try audit()
    }

    /// - Returns: whether the players have lost their connections.
    private func disturb(_ plan: ClusterPlan, _ cluster: CrashCluster) throws(CrashError) -> Bool {
        let owners = members.indices.filter { members[$0].isOwner }
        guard let index = owners.count > 1 ? owners.randomElement(using: &random) : owners.first,
            let process = members[index].process
        else {
            throw CrashError("no server owns the partition\(clusterLog)")
        }
        let (owner, host) = (members[index], cluster.members[index].host)
        report.faults[plan.fault.rawValue, default: CrashReport.Fault()].count += 1
        started = Self.now
        resumeLimit = cluster.lease + resumption()
        // A successor's tables may be shown to those who keep their connections, before the others have lost theirs.
        if cluster.partitions > 1 { referee.restarted(Set((0..<options.tables).map(CrashTables.name))) }
        switch plan.fault {
        case .kill: end(owner, SIGKILL, as: .signal(SIGKILL))
        case .killAll: for member in members { end(member, SIGKILL, as: .signal(SIGKILL)) }
        case .pause: process.signal(SIGSTOP)
        case .handOver:
            resumeLimit = resumption(share: cluster.partitions > 1 ? 1 : 2)
            end(owner, SIGTERM, as: .status(0))
        case .killAtHandOver:
            end(owner, SIGTERM, as: .status(0), .signal(SIGKILL))
            try turn(for: plan.length % 60)
            process.signal(SIGKILL)
        case .cut, .freeze: try call(cluster.disturb, [plan.fault.rawValue, host])
        case .restart: try call(cluster.disturb, ["restart"])
        }
        let isSlow = [.pause, .cut, .freeze, .restart].contains(plan.fault)
        // With one partition all connections end by themselves; with several most stay, and the players do not wait for them.
        let grace: Int64 = cluster.partitions == 1 ? 1500 : 500
        let wait = cluster.partitions == 1 || isSlow ? Int64(cluster.lease) + grace : 300
        let haveEnded = try awaitEnds(milliseconds: wait)
        if haveEnded {
            let isSucceeded = if plan.fault == .restart { try haveSuccessors(owners.map { members[$0] }, cluster) } else { true }
            if isSucceeded || cluster.partitions > 1 { referee.restarted() }
        }
        switch plan.fault {
        case .pause, .cut, .freeze:
            guard haveEnded else { throw CrashError("the owner's players keep their connections\(clusterLog)") }
            // Judged when the former owner runs again, beside the new one.
            let others = members.filter { $0 !== owner }
            try self.wait("a spare takes over") { _ in others.count(where: \.isOwner) == cluster.partitions }
            try resume()
            try turn(for: plan.length)
            if plan.fault == .pause { process.signal(SIGCONT) } else { try call(cluster.disturb, ["heal", host]) }
            owner.endings = [.status(75)]
            return false
        case .restart: if !haveEnded { try awaitAnswers() }
        case .kill, .killAll, .handOver, .killAtHandOver: break
        }
        return haveEnded
    }

    private func end(_ member: ClusterMember, _ signal: Int32, as endings: SpawnedProcess.Ending...) {
        member.process?.signal(signal)
        member.endings = endings
    }

    /// Runs a program that disturbs the database, to its end.
    private func call(_ program: String, _ words: [String]) throws(CrashError) {
        let process = try ServerProcess(program, words)
        try finish(process, "\(program) \(words.joined(separator: " "))", isSetup: true) { () throws(CrashError) in
            try turn(until: Self.now + 10_000, isPlaying: false)
        }
        if words == ["restart"] { started = Self.now }
    }

    /// Reads everything until all connections have ended, or until it is clear that the owner stays.
    private func awaitEnds(milliseconds: Int64) throws(CrashError) -> Bool {
        let end = Self.now + milliseconds * 1000
        let count = clients.count { $0.descriptor != nil }
        while clients.contains(where: { $0.descriptor != nil }), Self.now < end {
            try turn(until: Self.now + 5000, isPlaying: false)
        }
        let left = clients.filter { $0.descriptor != nil }
        // Of several partitions only some connections end by themselves.
        if left.count == count, count > 0, options.cluster?.partitions == 1 { return false }
        for client in left { lose(client, for: 0) }
        for client in clients { (client.stage, client.returned) = (.away(until: Self.now), .max) }
        return true
    }

    /// Players who keep their connections get their answers in time.
    private func awaitAnswers() throws(CrashError) {
        let end = started + Int64(resumeLimit ?? 0) * 1000
        while let waiting = clients.first(where: { !referee.isAnswered($0.index) }) {
            guard Self.now < end else { throw CrashError("\(waiting.player.name) was not answered in time\(clusterLog)") }
            try turn(until: Self.now + 5000, isPlaying: false)
        }
    }

    /// Whether other members go on in place of owners whose database was away. An owner that goes on remembers more than what is stored.
    private func haveSuccessors(_ owners: [ClusterMember], _ cluster: CrashCluster) throws(CrashError) -> Bool {
        func count(_ event: String, _ owner: ClusterMember) -> Int {
            owner.process?.errorText.split(separator: "\n").count { $0.firstRange(of: event) != nil } ?? 0
        }
        let end = Self.now + Self.stepTimeout
        while Self.now < end {
            let successors = members.count { member in member.isOwner && !owners.contains { $0 === member } }
            let left = owners.filter {
                !$0.isRunning || count("event=lease_renewed", $0) < count("event=lease_in_doubt", $0)
            }
            if left.count == successors {
                for owner in left { owner.endings = [.status(75)] }
                return !left.isEmpty
            }
            try turn(until: Self.now + 5000, isPlaying: false)
        }
        throw CrashError("no server took over\(clusterLog)")
    }

    var clusterLog: String {
        members.enumerated().map { index, member in
            member.process?.read()
            let lines = member.process?.errorText.split(separator: "\n").filter { $0.firstRange(of: " name=") == nil } ?? []
            return "\nend of the log of member \(index), without lines of players:\n  "
                + lines.suffix(8).joined(separator: "\n  ")
        }.joined()
    }
}
