import Operations
import Rules
import Sockets
import TableModel
import Wire

/// What a server measures of itself. Counted where it happens, on whichever loop; what is cheaper to look up than to count is brought up
/// to date by ``Server/measure()`` before it is shown.
public final class ServerMetrics: Sendable {
    public let registry: MetricsRegistry

    // Connections
    let connections: Gauge
    let accepted: Counter
    let refusedConnections: CounterFamily<ConnectionRefusal>
    let addressRefusals: CounterFamily<AddressRefusal>
    let addressBans: Counter
    let disconnects: CounterFamily<DisconnectReason>
    let players: GaugeFamily<PlayerState>
    let outboundQueue: Gauge
    let evictions: Counter
    let lingering: Gauge
    let acceptFailures: Counter

    // Games
    let tables: GaugeFamily<TableActivity>
    let seats: GaugeFamily<SeatState>
    let rounds: Counter
    let hands: CounterFamily<HandOutcome>
    let timeouts: Counter
    let voided: Counter
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
    let draining: Gauge
    private let reloads: CounterFamily<ReloadResult>

    /// 1, 2 and 5 in each decade, from 5 µs to 1 s, in nanoseconds.
    private static let durations = [5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000, 1_000_000].map {
        $0 * 1_000
    }
    /// From 1 ms to a minute, in milliseconds.
    private static let lags = [1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 60_000]

    /// - Parameter version: of the program.
    public init(registry: MetricsRegistry = MetricsRegistry(), version: String = "") {
        self.registry = registry
        registry.info(
            "bj_build_info", "What is running: always 1.",
            labels: [("version", version), ("protocol", String(WireLimits.version))])
        connections = registry.gauge("bj_connections", "Connections that are open.")
        accepted = registry.counter("bj_connections_accepted_total", "Connections that were let in.")
        refusedConnections = registry.counters(
            "bj_connections_refused_total", "Connections that were not let in, by reason.", label: "reason")
        addressRefusals = registry.counters(
            "bj_address_refusals_total",
            "Requests that were refused because their address had no budget left, by what it was for.",
            label: "activity")
        addressBans = registry.counter(
            "bj_address_bans_total", "Times that an address was kept out for a while after too many refusals.")
        disconnects = registry.counters("bj_disconnects_total", "Connections that ended, by reason.", label: "reason")
        players = registry.gauges("bj_players", "Players who are known, by whether they are there.", label: "state")
        outboundQueue = registry.gauge("bj_outbound_queue_bytes", "Bytes that wait for clients to read them.")
        evictions = registry.counter("bj_viewers_evicted_total", "Connections that were closed because they did not read.")
        lingering = registry.gauge("bj_connections_lingering", "Connections that were not let in and are not closed yet.")
        acceptFailures = registry.counter(
            "bj_accept_failures_total", "Times that the system refused to accept a connection, for want of descriptors or memory."
        )
        tables = registry.gauges("bj_tables", "Tables, by what they are doing.", label: "state")
        seats = registry.gauges("bj_seats", "Seats, by who sits there.", label: "state")
        rounds = registry.counter("bj_rounds_total", "Rounds that were dealt.")
        hands = registry.counters("bj_hands_total", "Hands that were settled, by outcome.", label: "outcome")
        timeouts = registry.counter("bj_turn_timeouts_total", "Decisions that the clock took for a player.")
        voided = registry.counter("bj_rounds_voided_total", "Rounds that were given up and whose bets went back.")
        chipsInPlay = registry.gauge("bj_chips_in_play", "Chips at tables, in front of players and in bets.")
        imbalance = registry.gauge("bj_ledger_imbalance_chips", "Bank, accounts, tables and house added up: always 0.")
        errors = registry.counters("bj_protocol_errors_total", "Requests that were refused, by code.", label: "code")
        actionDuration = registry.histogram(
            "bj_action_duration_seconds", "From a player's line to its answer and the differences being on their way.", digits: 9,
            Histogram(bounds: Self.durations))
        collapses = registry.counter(
            "bj_viewers_collapsed_total", "Times that differences kept from a slow viewer were sent to it as one.")
        broadcastLag = registry.histogram(
            "bj_broadcast_lag_seconds", "How long differences were kept from a viewer that did not read, when it had caught up.",
            digits: 3, Histogram(bounds: Self.lags))
        loopLag = registry.gauge(
            "bj_loop_lag_seconds", "How long the slowest loop took to get to something new when this was asked.", digits: 9)
        loops = registry.gauge("bj_loops", "Loops that share the tables.")
        draining = registry.gauge("bj_draining", "Whether the server is about to stop: 1 if so.")
        reloads = registry.counters(
            "bj_config_reloads_total", "Times the configuration was read again, by result.", label: "result")
    }
}

extension ServerMetrics {
    /// The configuration was read again.
    public func noteReload(_ result: ReloadResult) { reloads[result].add() }
}

/// Why a connection was not let in.
public enum ConnectionRefusal: Int, MetricLabel {
    case full, tooManyFromAddress, tooFast, banned, proxyHeader, proxyNotTrusted
}

/// What was refused to an address that had no budget left.
enum AddressRefusal: Int, MetricLabel { case logIn, ask, talk, secret }

/// Why a connection ended.
public enum DisconnectReason: Int, MetricLabel {
    // The peer's doing
    case peerClosed, failed
    // What it asked for
    case loggedOut, replaced
    // What it did not do in time
    case loginTimeout, idle, noPulse, outboundLimit, outboundTotal, outboundStalled
    // What it did
    case lineTooLong, rateLimited
    // What the host did
    case kicked, banned, shuttingDown
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

/// Whether a player is there.
public enum PlayerState: Int, MetricLabel { case here, away }

/// What a table is doing, by the words on the wire.
public struct TableActivity: MetricLabel {
    public let rawValue: Int
    public init?(rawValue: Int) {
        guard RoundPhase.allCases.indices.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    init(_ phase: RoundPhase) {
        guard let index = RoundPhase.allCases.firstIndex(of: phase) else {
            preconditionFailure("every phase is among all of them")
        }
        rawValue = index
    }

    public static let allCases = RoundPhase.allCases.map(Self.init)
    public var labelValue: String { RoundPhase.allCases[rawValue].rawValue }
}

/// Who sits in a seat.
public enum SeatState: Int, MetricLabel { case free, player, bot, away }

/// How reading the configuration again ended.
public enum ReloadResult: Int, MetricLabel { case applied, refused }

/// The outcomes of hands, by their words on the wire.
public struct HandOutcome: MetricLabel {
    public let rawValue: Int
    public init?(rawValue: Int) {
        guard Outcome(rawValue: UInt8(clamping: rawValue)) != nil else { return nil }
        self.rawValue = rawValue
    }

    init(_ outcome: Outcome) { rawValue = Int(outcome.rawValue) }
    public static let allCases = Outcome.allCases.map(Self.init)
    public var labelValue: String { Outcome(rawValue: UInt8(clamping: rawValue))?.name ?? "" }
}

/// The codes that requests are refused with.
public struct RefusalCode: MetricLabel {
    public let rawValue: Int
    public init?(rawValue: Int) {
        guard Self.codes.indices.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// nil for a code that no client is told.
    init?(_ code: ErrorCode) {
        guard let index = Self.indices[code] else { return nil }
        rawValue = index
    }

    private static let codes = ErrorCode.allCases.filter { !$0.isInternal }
    private static let indices = Dictionary(uniqueKeysWithValues: codes.enumerated().map { ($1, $0) })
    public static let allCases = codes.indices.compactMap { Self(rawValue: $0) }
    public var labelValue: String { Self.codes[rawValue].rawValue }
}
