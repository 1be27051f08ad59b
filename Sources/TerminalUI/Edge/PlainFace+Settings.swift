import ClientCore
import ClientSession
import TableModel

/// Settings and the state of the session, in words.
extension PlainFace {
    /// Lists the settings, shows one, or changes it.
    func settle(_ field: ClientSettings.Field?, _ words: String?) {
        guard let field else {
            print(session.keptSettings.map { "Settings, kept in \(SafeText($0, columns: 400)):" } ?? "Settings of this session:")
            for field in ClientSettings.Field.allCases { print("  \(line(of: field)): \(SafeText(field.meaning)).") }
            return
        }
        guard let words else { return print("\(line(of: field)): \(SafeText(field.meaning)).") }
        if words == "default" { session.resetSetting(field) } else { session.change(field, to: words) }
        let place: SafeText = session.keptSettings == nil ? ", until you leave" : ""
        print("\(line(of: field))\(place).")
    }

    /// `suits 4`.
    private func line(of field: ClientSettings.Field) -> SafeText {
        "\(SafeText(field.rawValue)) \(SafeText(session.settings.words(of: field) ?? "none", columns: 40))"
    }

    /// The connection, the shoe and its proofs, the coach and the bets.
    var statusLines: [SafeText] {
        let state = session.state
        var lines = [link(state)]
        if let shoe = state.snapshot?.shoe, let left = state.snapshot?.cardsLeft {
            lines.append("Shoe \(shoe.number): \(left) of \(shoe.decks * 52) cards left.\(part(state.shoes.standing))")
        }
        let shoes = state.shoes
        lines.append("Shoes of this session: \(shoes.verified) verified, \(shoes.unproven) unproven, \(shoes.failed) not honest.")
        let coach: SafeText = session.coach.isOn ? "on" : "off"
        lines.append("The coach is \(coach). Your last bet is \(session.autoBet.isOn ? "" : "not ")made again in each round.")
        return lines
    }

    private func link(_ state: ClientState) -> SafeText {
        let options = session.options
        let server = options.title.map { SafeText($0) } ?? "\(SafeText("\(options.host):\(options.port)", columns: 80))"
        guard state.link == .loggedIn else { return "Not connected to \(server)." }
        if let since = state.silentSince {
            let seconds = max(0, session.client.loop.clock.now - since) / 1000
            return "Connected to \(server), which was last heard \(seconds) s ago."
        }
        let name = SafeText(state.login?.name ?? "", columns: 24)
        return "Connected to \(server) as \(name)\(state.roundTrip.map { ", \($0) ms away" } ?? "")."
    }

    private func part(_ standing: ShoeTally.Standing) -> SafeText {
        switch standing {
        case .none: ""
        case .included: " It was shuffled with your contribution."
        case .notIncluded: " It was shuffled without a contribution of yours."
        }
    }
}
