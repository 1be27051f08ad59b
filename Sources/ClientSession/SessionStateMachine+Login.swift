import Wire

// MARK: Logging in

extension SessionStateMachine {
    /// Logs in under a name, at once or as soon as there is a connection.
    /// - Parameters:
    ///   - invite: a code of the host, for a new account of a closed house; nil for the one of the options.
    ///   - asNewPlayer: whether the player of earlier logins is forgotten.
    public mutating func logIn(
        as name: String, invite: String? = nil, asNewPlayer: Bool = false, at now: Int64
    ) -> [SessionAction] {
        options.name = name
        if let invite { options.invite = invite }
        if asNewPlayer { lastLogin = nil }
        guard dialog != nil else { return [] }
        var actions: [SessionAction] = []
        logIn(&actions)
        finish(at: now, &actions)
        return actions
    }

    /// The answer to ``SessionAction/findSecret(house:name:)`` and ``SessionAction/makeSecret(house:name:)``.
    /// - Parameter secret: nil for a name without a secret here: it is asked for if it is free.
    public mutating func secretFound(_ secret: AccountSecret?, for name: String, at now: Int64) -> [SessionAction] {
        guard case .findingSecret(of: name) = dialog?.login, let house = lastHello?.house else { return [] }
        var actions: [SessionAction] = []
        if let secret {
            found = (house, name, secret)
            askForLogin(name, secret)
        } else {
            let id = ask(.available(name: name))
            dialog?.login = .checking(id: id, name: name)
        }
        finish(at: now, &actions)
        return actions
    }

    /// No secret can be kept: without one no account may be claimed, so the session ends.
    public mutating func secretFailed(_ reason: String, at now: Int64) -> [SessionAction] {
        guard case .open = phase else { return [] }
        var actions: [SessionAction] = []
        end(reason, &actions)
        actions.append(.publish(.link))
        return actions
    }

    mutating func logIn(_ actions: inout [SessionAction]) {
        guard let name = options.name, let house = lastHello?.house, !queue.isFull else { return }
        switch options.credential {
        case .guest: askForLogin(name, nil)
        case .secret(let secret): askForLogin(name, secret)
        case .kept:
            if let found, found.house == house, found.name == name { return askForLogin(name, found.secret) }
            dialog?.login = .findingSecret(of: name)
            actions.append(.findSecret(house: house, name: name))
        }
    }

    private mutating func askForLogin(_ name: String, _ secret: AccountSecret?) {
        let id = ask(
            .login(
                name: name, secret: secret, invite: options.invite, isBot: options.isBot, version: WireLimits.version,
                contributes: options.contributes))
        switch dialog?.login {
        case .anonymous, .findingSecret, .checking, .asked: dialog?.login = .asked(id: id)
        case .leaving, .done, nil: break
        }
    }

    /// The reply to the question whether a name is free, if the session has asked it.
    mutating func answeredAvailable(_ isFree: Bool, _ entry: RequestQueue.Entry?, _ actions: inout [SessionAction]) {
        guard case .checking(let id, let name) = dialog?.login, id == entry?.id, let house = lastHello?.house else { return }
        if isFree {
            dialog?.login = .findingSecret(of: name)
            actions.append(.makeSecret(house: house, name: name))
        } else {
            let refusal = Refusal(
                id: .number(id), type: "login", .nameTaken,
                message: "Somebody has this name, and no secret for it is stored here.")
            loginRefused(entry, code: refusal.code, &actions)
            actions.append(.publish(.message(.error(refusal))))
        }
    }

    /// - Parameter code: of the refusal.
    mutating func loginRefused(_ entry: RequestQueue.Entry?, code: String, _ actions: inout [SessionAction]) {
        // Asked for again before another login.
        found = nil
        // A first name that is refused is not asked for again without being told to, unless a server that stops has refused it.
        if lastLogin == nil, code != ErrorCode.draining.rawValue { options.name = nil }
        switch dialog?.login {
        case .asked(let id) where id == entry?.id, .checking(let id, _) where id == entry?.id: break
        default: return
        }
        dialog?.login = .anonymous
        fail(where: { $0.delivery != .sent && $0.message.needsLogin }, &actions)
    }
}
