import Measuring

extension LoadReport {
    /// The report as one page that needs nothing else: no script, no font, no picture from anywhere. Each figure carries the path of the same
    /// figure in ``json`` and its exact value.
    public var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Load report: \(escaped(target))</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <h1>Load report</h1>
        <p class="sub">\(escaped(target)) · \(escaped(server)) · \(escaped(started)) · \(figure("seconds", seconds, fixed(seconds, 1))) s · seed \(seed)\
        \(isInterrupted ? " · interrupted" : "")</p>
        \(banner)
        \(tiles)
        <section class="plots">\(plots.map(\.html).joined(separator: "\n"))</section>
        \(latencyTable)
        \(thresholdTable)
        \(violationList)
        \(errorTable)
        \(hostileTable)
        <h2>Plan</h2>
        <ul>\(plan.map { "<li>\(escaped($0))</li>" }.joined())</ul>
        </body>
        </html>

        """
    }

    /// A figure with its exact value and its path in the JSON.
    private func figure(_ path: String, _ value: Double, _ shown: String) -> String {
        "<data data-path=\"\(path)\" value=\"\(JSONTree.text(of: (value * 1000).rounded() / 1000))\">\(escaped(shown))</data>"
    }

    private func count(_ path: String, _ value: Int) -> String { figure(path, Double(value), grouped(value)) }

    private func time(_ path: String, _ microseconds: Double) -> String {
        figure(path, microseconds, spoken(microseconds: microseconds))
    }

    private var banner: String {
        var notes: [(String, String)] = []
        if violationCount > 0 {
            notes.append(("bad", "\(grouped(violationCount)) violations of the game's laws"))
        }
        let failed = verdicts.filter { !$0.holds }.count
        if failed > 0 { notes.append(("bad", "\(failed) of \(verdicts.count) thresholds failed")) }
        if let invalid { notes.append(("bad", "INVALID: \(invalid)")) }
        notes += warnings.map { ("warn", $0) }
        if !notes.contains(where: { $0.0 == "bad" }) {
            let held = verdicts.isEmpty ? "" : ", all \(verdicts.count) thresholds held"
            notes.insert(("good", "No violations\(held)"), at: 0)
        }
        return notes.map { "<p class=\"note \($0.0)\">\(escaped($0.1))</p>" }.joined(separator: "\n")
    }

    private var tiles: String {
        let entries: [(String, String)] =
            [
                ("latency p50", time("latency.corrected.p50", Double(latency.corrected.value(at: 50)))),
                ("latency p99", time("latency.corrected.p99", Double(latency.corrected.value(at: 99)))),
                ("latency max", time("latency.corrected.max", Double(latency.corrected.max))),
                ("actions/s", figure("rates.actions", actionsPerSecond, grouped(Int(actionsPerSecond.rounded())))),
                ("rounds/s", figure("rates.rounds", roundsPerSecond, fixed(roundsPerSecond, 1))),
                ("rounds", count("counts.rounds", rounds)), ("bots", count("bots.honest", honestBots)),
                ("hostile", count("bots.hostile", hostileBots)), ("errors", count("counts.errors", errorCount)),
                ("violations", count("counts.violations", violationCount)),
                ("shoes verified", count("shoes.verified", shoes.verified)),
                ("shoes failed", count("shoes.failed", shoes.failed)),
                ("generator, an action", time("processor.generatorPerAction", generatorPerAction)),
            ] + (serverPerAction.map { [("server, an action", time("processor.serverPerAction", $0))] } ?? [])
        return "<section class=\"tiles\">"
            + entries.map { "<div><b>\($0.1)</b><span>\($0.0)</span></div>" }.joined() + "</section>"
    }

    private var latencyTable: String {
        let rows: [(String, String, Histogram)] = [
            ("corrected", "latency.corrected", latency.corrected), ("raw", "latency.raw", latency.raw),
            ("generator lag", "latency.lag", latency.lag), ("join", "join.corrected", join.corrected),
        ]
        let body = rows.map { name, path, histogram in
            let cells = Self.percentiles.map { time("\(path).\($0.key)", Double(histogram.value(at: $0.percentile))) }
            let rest = [time("\(path).max", Double(histogram.max)), time("\(path).mean", histogram.mean)]
            return row([escaped(name), count("\(path).count", Int(histogram.count))] + cells + rest)
        }
        let heads = ["latency", "count"] + Self.percentiles.map(\.name) + ["max", "mean"]
        return """
            <h2>Latency</h2>
            \(table(heads, body))
            <p class="sub">Corrected: from the moment that an action was meant to be sent until its effect was seen; raw: from the moment that it \
            was sent. Waited for a bot: \(count("counts.waitedForBot", waitedForBot)); unanswered: \
            \(count("latency.unanswered", latency.unanswered)); disconnects: \(count("counts.disconnects", disconnects)).</p>
            """
    }

    private var thresholdTable: String {
        guard !verdicts.isEmpty else { return "" }
        let rows = verdicts.enumerated().map { index, verdict in
            row([
                verdict.holds ? "<span class=\"ok\">held</span>" : "<span class=\"no\">failed</span>",
                escaped(verdict.threshold.text),
                verdict.value.map { figure("thresholds.\(index).value", $0, Self.shown(verdict)) } ?? Self.shown(verdict),
            ])
        }
        return "<h2>Thresholds</h2>" + table(["", "threshold", "figure"], rows, style: "words")
    }

    private var violationList: String {
        guard violationCount > 0 else { return "" }
        let items = violations.prefix(50).map { "<li>\(escaped($0.description))</li>" }.joined()
        return "<h2>Violations</h2><ul class=\"bad\">\(items)</ul>"
    }

    private var errorTable: String {
        guard !errors.isEmpty else { return "" }
        // Their names have dots and spaces in them, so they carry no path.
        let rows = errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { row([escaped($0.key), grouped($0.value)]) }
        return "<h2>Errors</h2>" + table(["error", "times"], rows, style: "words")
    }

    private var hostileTable: String {
        guard !hostile.isEmpty else { return "" }
        let rows = HostileKind.allCases.compactMap { kind in
            hostile[kind].map { tally in
                let path = "hostile.\(kind.rawValue)"
                let answers = tally.answers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                    .map { "\(escaped($0.key)) \(grouped($0.value))" }.joined(separator: ", ")
                return row([
                    kind.rawValue, count("\(path).bots", tally.bots), count("\(path).connections", tally.connections),
                    count("\(path).sent", tally.sent), count("\(path).cutOff", tally.cutOff),
                    "<span class=\"wide\">\(answers)</span>",
                ])
            }
        }
        return "<h2>Hostile bots</h2>" + table(["kind", "bots", "connections", "sent", "cut off", "answers"], rows)
    }

    private func row(_ cells: [String]) -> String { "<tr>" + cells.map { "<td>\($0)</td>" }.joined() + "</tr>" }

    private func table(_ heads: [String], _ rows: [String], style: String = "figures") -> String {
        "<div class=\"scroll\"><table class=\"\(style)\"><thead><tr>"
            + heads.map { $0 == "answers" ? "<th class=\"wide\">\($0)</th>" : "<th>\($0)</th>" }.joined() + "</tr></thead><tbody>"
            + rows.joined(separator: "\n") + "</tbody></table></div>"
    }

    private static let style = """
        :root{--bg:#fbfbfa;--fg:#1c1f23;--dim:#646b75;--line:#dfe2e6;--card:#fff;--c1:#2563c9;--c2:#c2570c;--c3:#8a8f98;--good:#1a7f45;--bad:#b42318;--warn:#8a6100}
        @media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e6e8eb;--dim:#9aa2ad;--line:#2c3138;--card:#1c2025;--c1:#6aa5ff;--c2:#f0944d;--c3:#7f8792;--good:#5cc98a;--bad:#ff8a7d;--warn:#e2b84d}}
        *{box-sizing:border-box}
        body{margin:0 auto;padding:1.2rem 1rem 3rem;max-width:68rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
        h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:1.8rem 0 .5rem}
        .sub{color:var(--dim);margin:.2rem 0 1rem;overflow-wrap:anywhere}
        .note{margin:.4rem 0;padding:.5rem .8rem;border-left:4px solid;background:var(--card);border-radius:4px}
        .good{border-color:var(--good)}.bad{border-color:var(--bad)}.warn{border-color:var(--warn)}
        .ok{color:var(--good)}.no{color:var(--bad);font-weight:600}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(46%,11rem),1fr));gap:.6rem;margin:1rem 0}
        .tiles div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.55rem .7rem}
        .tiles b{display:block;font-size:1.12rem;white-space:nowrap}.tiles span{color:var(--dim);font-size:.82rem}
        .plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem}
        figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.7rem}
        figcaption{display:flex;flex-wrap:wrap;gap:.2rem 1rem;justify-content:space-between;margin-bottom:.3rem}
        .legend{color:var(--dim);font-size:.85rem}.legend span{margin-left:.8rem;white-space:nowrap}
        .legend i{display:inline-block;width:.9rem;height:3px;margin-right:.3rem;vertical-align:middle;border-radius:2px}
        i.c1{background:var(--c1)}i.c2{background:var(--c2)}i.c3{background:var(--c3)}
        svg{display:block;width:100%;height:auto}
        path{fill:none;stroke-width:1.8;stroke-linejoin:round}path.c1{stroke:var(--c1)}path.c2{stroke:var(--c2)}path.c3{stroke:var(--c3)}
        .grid{stroke:var(--line);stroke-width:1}.tick{fill:var(--dim);font-size:11px}
        .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
        th,td{text-align:right;padding:.3rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap}
        th:first-child,td:first-child,.words th,.words td,th.wide,td:has(.wide){text-align:left}
        th{color:var(--dim);font-weight:500}span.wide{display:block;white-space:normal;min-width:15rem}
        """
}
