/// A strict reader of Prometheus's text format, version 0.0.4, written from its specification: what it accepts, a scraper accepts.
struct ExpositionReader {
    struct Sample {
        var name: String
        var labels: [String: String]
        var value: String
    }

    struct Family {
        var name: String
        var help: String
        var type: String
        var samples: [Sample] = []
    }

    struct Fault: Error { let reason: String }

    static func read(_ text: String) throws -> [Family] {
        guard text.isEmpty || text.hasSuffix("\n") else { throw Fault(reason: "the last line ends in a line break") }
        var families: [Family] = []
        var help: (name: String, text: String)?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# HELP ") {
                let words = line.dropFirst(7).split(separator: " ", maxSplits: 1)
                guard words.count == 2 else { throw Fault(reason: "no help: \(line)") }
                help = (String(words[0]), try unescaped(words[1], quotes: false))
            } else if line.hasPrefix("# TYPE ") {
                let words = line.dropFirst(7).split(separator: " ")
                guard words.count == 2, let about = help, about.name == words[0] else {
                    throw Fault(reason: "no help before: \(line)")
                }
                guard ["counter", "gauge", "histogram"].contains(words[1]) else { throw Fault(reason: "type: \(line)") }
                guard !families.contains(where: { $0.name == about.name }) else { throw Fault(reason: "twice: \(line)") }
                families.append(Family(name: about.name, help: about.text, type: String(words[1])))
                help = nil
            } else {
                let sample = try self.sample(line)
                guard let last = families.indices.last else { throw Fault(reason: "no type before: \(line)") }
                let suffixes = families[last].type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                guard suffixes.contains(where: { families[last].name + $0 == sample.name }) else {
                    throw Fault(reason: "name: \(line)")
                }
                families[last].samples.append(sample)
            }
        }
        for family in families { try check(family) }
        return families
    }

    private static func check(_ family: Family) throws {
        guard !family.samples.isEmpty else { throw Fault(reason: "\(family.name) has no sample") }
        if family.type == "counter" {
            guard family.name.hasSuffix("_total"), family.samples.allSatisfy({ !$0.value.hasPrefix("-") }) else {
                throw Fault(reason: "\(family.name) is no counter")
            }
        }
        let keys = family.samples.map { "\($0.name)\($0.labels.sorted { $0.key < $1.key })" }
        guard Set(keys).count == keys.count else { throw Fault(reason: "\(family.name) has one sample twice") }
        guard family.type == "histogram" else { return }
        let buckets = family.samples.filter { $0.name.hasSuffix("_bucket") }
        let bounds = buckets.compactMap { Double($0.labels["le"] ?? "") }
        let counts = buckets.compactMap { Double($0.value) }
        guard buckets.last?.labels["le"] == "+Inf", bounds == bounds.sorted(), counts == counts.sorted(),
            bounds.count == buckets.count,
            family.samples.last?.value == buckets.last?.value
        else { throw Fault(reason: "\(family.name) is no histogram") }
    }

    private static func sample(_ line: Substring) throws -> Sample {
        let name = line.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == ":" }
        guard name.first?.isNumber == false else { throw Fault(reason: "name: \(line)") }
        var rest = line.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let label = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                rest = rest.dropFirst(label.count)
                guard !label.isEmpty, rest.hasPrefix("=\"") else { throw Fault(reason: "label: \(line)") }
                rest = rest.dropFirst(2)
                var value = ""
                while let character = rest.first, character != "\"" {
                    value.append(character)
                    rest = rest.dropFirst()
                    if character == "\\", let next = rest.popFirst() { value.append(next) }
                }
                guard rest.popFirst() == "\"" else { throw Fault(reason: "quotes: \(line)") }
                guard labels.updateValue(try unescaped(value[...], quotes: true), forKey: String(label)) == nil else {
                    throw Fault(reason: "label twice: \(line)")
                }
                if rest.first == "," { rest = rest.dropFirst() }
            }
            rest = rest.dropFirst()
        }
        guard rest.first == " ", Double(rest.dropFirst()) != nil else { throw Fault(reason: "value: \(line)") }
        return Sample(name: String(name), labels: labels, value: String(rest.dropFirst()))
    }

    private static func unescaped(_ text: Substring, quotes: Bool) throws -> String {
        var result = ""
        var rest = text
        while let character = rest.popFirst() {
            guard character == "\\" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "\\": result.append("\\")
            case "n": result.append("\n")
            case "\"" where quotes: result.append("\"")
            default: throw Fault(reason: "escape: \(text)")
            }
        }
        return result
    }
}
