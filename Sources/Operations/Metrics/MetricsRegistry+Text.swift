extension MetricsRegistry {
    /// The media type of ``text``.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// All metrics in Prometheus's text format, version 0.0.4.
    public var text: String {
        var text = ""
        for family in collect() {
            text += "# HELP \(family.name) \(Self.escaped(help: family.help))\n# TYPE \(family.name) \(family.type)\n"
            for sample in family.samples() {
                text += family.name + sample.suffix
                if !sample.labels.isEmpty {
                    let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped(label: $0.value))\"" }
                    text += "{\(labels.joined(separator: ","))}"
                }
                text += " \(sample.value)\n"
            }
        }
        return text
    }

    /// Help texts escape line breaks.
    static func escaped(help: String) -> String { escaped(help, quotes: false) }

    /// Label values escape quotes as well.
    static func escaped(label: String) -> String { escaped(label, quotes: true) }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\"" where quotes: "\\\""
            default: String(scalar)
            }
        }.joined()
    }
}
