import Wire

/// Effects for the shell around a ``SessionStateMachine``, to be performed in order.
public enum SessionAction: Equatable, Sendable {
    /// Open a connection to the server. There is none at this point.
    case connect
    /// Send what is queued, then close the connection or give up opening it.
    case close
    case send(Request)
    /// Call ``SessionStateMachine/tick(at:)`` at this time. Replaces an earlier one; a tick too early or too many does no harm.
    case arm(at: Int64)
    /// Tell subscribers. ``SessionStateMachine/status`` is the state after it.
    case publish(SessionEvent)
    /// Look for the secret of a name at a house, and call ``SessionStateMachine/secretFound(_:for:at:)``, with nil for none.
    case findSecret(house: String, name: String)
    /// Make a secret for a name that is free at a house, store it durably, and call ``SessionStateMachine/secretFound(_:for:at:)``, or
    /// ``SessionStateMachine/secretFailed(_:at:)``. The account may exist from the login on, so the secret is stored before it.
    case makeSecret(house: String, name: String)
    /// The outcome of a submitted request: exactly one for each, `pong` excepted.
    case answer(id: Int, Result<Reply, Refusal>)
}

/// Published to the subscribers of a session.
public enum SessionEvent: Equatable, Sendable {
    /// ``SessionStatus/link`` changed.
    case link
    /// A message to apply. A diff starts from the revision before ``SessionStatus/position``; nothing was missed in between.
    case message(ServerMessage)
    /// A diff did not start from the revision held: what is missing was asked for.
    case outOfSync
    /// No table is followed: it closed, or the player is no longer wanted there.
    case leftTable
    /// The server became silent or was heard again: see ``SessionStatus/silentSince``.
    case silence
    /// The server refused a request for now: it is sent again after `retryAfter`.
    case postponed(Refusal)
    /// A message without effect: of an unknown type, or contained in a reply that was asked for.
    case skipped
}

/// Why the holder of the table could not apply a diff.
public enum TableFault: Equatable, Sendable {
    /// It names a thing that is not there.
    case doesNotFit
    /// The table after it has another check value.
    case wrongCheck
}

extension Refusal {
    /// The code of refusals by the client itself; no server sends it.
    static let notConnected = "not_connected"

    /// Whether the client itself refused, for want of a connection: the server may never have got the request.
    package var isLocal: Bool { code == Self.notConnected }
}
