import ClientCore
import ClientSession
import Wire

/// The name to log in with, and what becomes of a name that is refused.
extension TableSession {
    /// Handles refusals of the login.
    func refused(_ refusal: Refusal) {
        switch (refusal.type, refusal.code) {
        case ("login", _) where isAskingForName: break
        case ("login", "name_taken"): fail("the name \(triedName) is taken: \(wayIn)")
        case ("login", "wrong_secret"):
            fail(
                """
                the secret stored here does not open \(triedName): it is another player's account. Choose another name with --name, or \
                bring the account from the device that has it: 'bjclient accounts export'
                """)
        case ("login", "invite_needed"):
            fail("this house is closed: a new account needs an unused code of the host, --invite CODE")
        case ("login", _): fail(LinkNarrator.refusal(refusal))
        default: break
        }
    }

    /// The ways to play where a name is taken.
    private var wayIn: SafeText {
        guard let other = accountElsewhere else {
            return "choose another with --name; if it is you, bring your account from elsewhere with 'bjclient accounts import'"
        }
        let (from, to) = (SafeText(other.server, columns: 80), SafeText(address, columns: 80))
        return """
            you have it at \(from), and this server says that it is the same house. 'bjclient accounts export \(triedName) --server \(from) | \
            bjclient accounts import --server \(to)' uses that account here
            """
    }

    private var address: String { AccountFile.address(host: options.host, port: options.port) }

    /// The player's account under the name tried, at another address of what this server says is its house; nil for none.
    var accountElsewhere: AccountConsent? {
        guard let house = state.hello?.house else { return nil }
        return try? options.accounts?.consent(for: options.name.first, house: house, server: address)
    }

    /// True while the join form is shown: it handles refusals itself.
    private var isAskingForName: Bool { nameSuggestion != nil && state.login == nil }

    private var triedName: SafeText { SafeText(state.login?.name ?? options.name.first, columns: 24) }

    /// Retries with a suffix when an assumed name is taken.
    func triesOtherName(after refusal: Refusal) -> Bool {
        guard refusal.type == "login", refusal.code == "name_taken" || refusal.code == "wrong_secret", !isAskingForName,
            options.name.isAssumed
        else { return false }
        if attempts == 1, accountElsewhere != nil { face?.say(Sentence(.link, "The name \(triedName) is taken: \(wayIn).")) }
        attempts += 1
        guard attempts <= 9 else { return false }
        // Leaves room for the longest suffix within the limit.
        var base = options.name.first
        while base.utf8.count > PlayerName.maximumBytes - 2 || base.count > PlayerName.maximumCharacters - 2 { base.removeLast() }
        client.logIn(as: "\(base)-\(attempts)")
        return true
    }

    /// At a terminal a name that somebody else has is no reason to start again.
    func asksForOtherName(after refusal: Refusal, _ update: ClientUpdate) -> Bool {
        guard refusal.type == "login", refusal.code == "name_taken" || refusal.code == "wrong_secret", !isAskingForName,
            state.login == nil, lastWord == nil, face?.askForName(triedName, update) == true
        else { return false }
        nameSuggestion = options.name.first
        return true
    }
}

extension TableSession.Options {
    /// Without a name, a viewer is a guest: nobody is asked, and no window in which the player's account is in use is ended.
    var forViewers: Self {
        guard case .watch = wish, case .asked = name else { return self }
        var options = self
        options.name = .assumed("guest-\(Int.random(in: 1000...9999))")
        (options.accounts, options.isNamelessViewer) = (nil, true)
        return options
    }
}

extension TableSession.Name {
    /// The first name to try without a form.
    var first: String {
        switch self {
        case .given(let name), .assumed(let name): name
        case .asked(let suggestion): suggestion.isEmpty ? "player" : suggestion
        }
    }

    var isAssumed: Bool { if case .given = self { false } else { true } }
}
