import Rules
import Sockets
import TableModel
import Wire

/// The metrics of a server. Counters are updated where events happen, on any loop; gauges that are cheaper to compute on demand
/// are updated by ``Server/measure(timeout:)``.
public final class ServerMetrics: Sendable {
    public let registry: MetricsRegistry

    // Connections
    let connections: Gauge
    let accepted: Counter
    let refusedConnections: CounterFamily<ConnectionRefusal>
    let addressRefusals: CounterFamily<AddressRefusal>
    let disconnects: CounterFamily<DisconnectReason>
    let players: GaugeFamily<PlayerState>
    let accounts: Gauge
    let accountsLimit: Gauge
    let expiredAccounts: Counter
    let outboundQueue: Gauge
    let evictions: Counter
    let lingering: Gauge
    let acceptFailures: Counter
    let relayed: Gauge
    let relayFailures: Counter

    // Games
    let tables: GaugeFamily<TableActivity>
    let seats: GaugeFamily<SeatState>
    let rounds: Counter
    let hands: CounterFamily<HandOutcome>
    let timeouts: Counter
    let voided: Counter
    let ceremonies: Counter
    let voidAttempts: Counter
    let chipsInPlay: Gauge
    let imbalance: Gauge

    // The protocol
    let errors: CounterFamily<RefusalCode>
    let actionDuration: Histogram
    let collapses: Counter
    let broadcastLag: Histogram

    // The server
    let loopLag: Gauge
    let loops: Gauge
    let stalls: Counter
    let stalled: Gauge
    let journalBytes: Gauge
    let journalSyncs: Histogram
    let checkpointAge: Gauge
    let freeBytes: Gauge
    let checkpointFailures: Counter
    let draining: Gauge
    private let reloads: CounterFamily<ReloadResult>

    /// Buckets of 1, 2 and 5 per decade, 5 µs to 1 s, in nanoseconds.
    private static let durations = [5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000, 1_000_000].map {
        $0 * 1_000
    }
    /// Buckets from 1 ms to 60 s, in milliseconds.
    private static let lags = [1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 60_000]

    /// Buckets from 100 µs to 10 s, in microseconds.
    private static let syncs = [
        100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000,
    ]

    /// - Parameter version: the program's version.
    public init(registry: MetricsRegistry = MetricsRegistry(), version: String = "") {
        self.registry = registry
        registry.info(
            "bj_build_info", "Build information; always 1.",
            labels: [("version", version), ("protocol", String(WireLimits.version))])
        connections = registry.gauge("bj_connections", "Open connections.")
        accepted = registry.counter("bj_connections_accepted_total", "Admitted connections.")
        refusedConnections = registry.counters(
            "bj_connections_refused_total", "Refused connections, by reason.", label: "reason")
        addressRefusals = registry.counters(
            "bj_address_refusals_total",
            "Requests refused because their address had no budget left, by activity.",
            label: "activity")
        disconnects = registry.counters("bj_disconnects_total", "Ended connections, by reason.", label: "reason")
        players = registry.gauges("bj_players", "Known players, by presence.", label: "state")
        accounts = registry.gauge(
            "bj_accounts", "Accounts with a secret, of players here or not; of several servers those of the house.")
        accountsLimit = registry.gauge("bj_accounts_limit", "The bound on accounts.")
        expiredAccounts = registry.counter(
            "bj_accounts_expired_total", "Accounts that never played and have gone, after a week or to make room.")
        outboundQueue = registry.gauge("bj_outbound_queue_bytes", "Bytes queued for clients.")
        evictions = registry.counter("bj_viewers_evicted_total", "Connections closed because the peer read too slowly.")
        lingering = registry.gauge("bj_connections_lingering", "Refused connections that are not closed yet.")
        acceptFailures = registry.counter(
            "bj_accept_failures_total", "Failures to accept a connection for lack of descriptors or memory."
        )
        relayed = registry.gauge(
            "bj_relayed_connections", "Connections of clients that are relayed to another server of the house.")
        relayFailures = registry.counter(
            "bj_relay_failures_total",
            "Relays that ended for the other server: not reached, no answer, or one that makes no sense.")
        tables = registry.gauges("bj_tables", "Tables, by phase.", label: "state")
        seats = registry.gauges("bj_seats", "Seats, by occupant.", label: "state")
        rounds = registry.counter("bj_rounds_total", "Rounds dealt.")
        hands = registry.counters("bj_hands_total", "Hands settled, by outcome.", label: "outcome")
        timeouts = registry.counter("bj_turn_timeouts_total", "Decisions made by time-out.")
        voided = registry.counter("bj_rounds_voided_total", "Voided rounds, whose bets were returned.")
        ceremonies = registry.counter("bj_shoe_ceremonies_total", "Keys of shoes made in ceremonies.")
        voidAttempts = registry.counter(
            "bj_shoe_attempts_void_total", "Void attempts of ceremonies: a reveal was withheld, or a contributor got up.")
        chipsInPlay = registry.gauge("bj_chips_in_play", "Chips of players and bets at tables.")
        imbalance = registry.gauge("bj_ledger_imbalance_chips", "Sum of bank, accounts, tables and house; always 0.")
        errors = registry.counters("bj_protocol_errors_total", "Refused requests, by error code.", label: "code")
        actionDuration = registry.histogram(
            "bj_action_duration_seconds", "Time from reading an action to queuing its answer and diffs.", digits: 9,
            Histogram(bounds: Self.durations))
        collapses = registry.counter(
            "bj_viewers_collapsed_total", "Collapsed diffs sent to slow viewers.")
        broadcastLag = registry.histogram(
            "bj_broadcast_lag_seconds", "Time for which diffs were held back from a slow viewer.",
            digits: 3, Histogram(bounds: Self.lags))
        loopLag = registry.gauge(
            "bj_loop_lag_seconds", "Latency of the slowest loop when last measured.", digits: 9)
        loops = registry.gauge("bj_loops", "Number of loops.")
        checkpointFailures = registry.counter(
            "bj_checkpoint_failures_total", "Checkpoints that could not be written, or whose journal could not be read.")
        stalls = registry.counter("bj_disk_stalls_total", "Stalls of a loop: records waited too long for the disk.")
        stalled = registry.gauge("bj_disk_stalled", "1 while records wait too long for disk or database: play stands still.")
        journalBytes = registry.gauge("bj_journal_bytes", "Bytes of the journal's segments and checkpoints; -1 if unknown.")
        journalSyncs = registry.histogram(
            "bj_journal_sync_seconds", "Time of a sync of the journal.", digits: 6, Histogram(bounds: Self.syncs))
        checkpointAge = registry.gauge(
            "bj_checkpoint_age_seconds",
            "Time since the newest checkpoint; 0 before the first, -1 if unknown. Grows on a quiet server.")
        freeBytes = registry.gauge("bj_data_free_bytes", "Bytes left on the data folder's disk; -1 if unknown, as of a database.")
        // Of a spare, which measures nothing, too.
        for gauge in [journalBytes, checkpointAge, freeBytes] { gauge.set(-1) }
        draining = registry.gauge("bj_draining", "1 while the server is draining or stopping.")
        reloads = registry.counters(
            "bj_config_reloads_total", "Reloads of the configuration, by result.", label: "result")
    }
}

extension ServerMetrics {
    /// Counts a reload of the configuration.
    public func noteReload(_ result: ReloadResult) { reloads[result].add() }
}

/// Why a connection was refused.
enum ConnectionRefusal: Int, MetricLabel {
    case full, tooManyFromAddress, tooFast, banned, proxyHeader, proxyNotTrusted
}

/// The activity refused to an address without budget.
enum AddressRefusal: Int, MetricLabel { case logIn, ask, talk, secret, claim }

/// Why a connection ended.
public enum DisconnectReason: Int, MetricLabel {
    // By the peer
    case peerClosed, failed
    // By request
    case loggedOut, replaced
    // By a time-out or a limit on the peer's reading
    case loginTimeout, idle, noPulse, outboundLimit, outboundTotal, outboundStalled
    // By misuse
    case lineTooLong, rateLimited
    // By the host
    case kicked, banned, shuttingDown, restart
}

extension DisconnectReason {
    init(_ code: GoodbyeCode) {
        self =
            switch code {
            case .loginTimeout: .loginTimeout
            case .idle: .idle
            case .noPulse: .noPulse
            case .replaced: .replaced
            case .loggedOut: .loggedOut
            case .shuttingDown: .shuttingDown
            case .restart: .restart
            case .tooSlow: .outboundStalled
            case .rateLimited: .rateLimited
            case .kicked: .kicked
            case .banned: .banned
            }
    }

    init(_ reason: EndReason) {
        self =
            switch reason {
            case .peerClosed, .closed: .peerClosed
            case .outboundLimit: .outboundLimit
            case .outboundTotal: .outboundTotal
            case .outboundStalled: .outboundStalled
            case .failed: .failed
            }
    }
}

/// Whether a player is connected.
enum PlayerState: Int, MetricLabel { case here, away }

/// A table's phase, with the wire protocol's name as label.
struct TableActivity: MetricLabel {
    let rawValue: Int
    init?(rawValue: Int) {
        guard RoundPhase.allCases.indices.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    init(_ phase: RoundPhase) {
        guard let index = RoundPhase.allCases.firstIndex(of: phase) else {
            preconditionFailure("every phase is among all of them")
        }
        rawValue = index
    }

    static let allCases = RoundPhase.allCases.map(Self.init)
    var labelValue: String { RoundPhase.allCases[rawValue].rawValue }
}

/// The occupant of a seat.
enum SeatState: Int, MetricLabel { case free, player, bot, away }

/// The result of a reload of the configuration.
public enum ReloadResult: Int, MetricLabel { case applied, refused }

/// The outcome of a hand, with the wire protocol's name as label.
struct HandOutcome: MetricLabel {
    let rawValue: Int
    init?(rawValue: Int) {
        guard Outcome(rawValue: UInt8(clamping: rawValue)) != nil else { return nil }
        self.rawValue = rawValue
    }

    init(_ outcome: Outcome) { rawValue = Int(outcome.rawValue) }
    static let allCases = Outcome.allCases.map(Self.init)
    var labelValue: String { Outcome(rawValue: UInt8(clamping: rawValue))?.name ?? "" }
}

/// The error code of a refused request.
struct RefusalCode: MetricLabel {
    let rawValue: Int
    init?(rawValue: Int) {
        guard Self.codes.indices.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// nil for a code that is never sent.
    init?(_ code: ErrorCode) {
        guard let index = Self.indices[code] else { return nil }
        rawValue = index
    }

    private static let codes = ErrorCode.allCases.filter { !$0.isInternal }
    private static let indices = Dictionary(uniqueKeysWithValues: codes.enumerated().map { ($1, $0) })
    static let allCases = codes.indices.compactMap { Self(rawValue: $0) }
    var labelValue: String { Self.codes[rawValue].rawValue }
}
