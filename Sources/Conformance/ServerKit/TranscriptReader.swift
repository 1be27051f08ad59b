extension ServerKit {
    /// Reads the transcripts of a text, and their shared definitions.
    struct TranscriptReader {
        private struct Scene {
            let parameter: String
            var lines: [String] = []
        }

        private var scenes: [String: Scene] = [:]
        private var openScene: String?

        /// Scenes that name each other multiply.
        private static let mostSteps = 10_000
        private(set) var transcripts: [Transcript] = []

        /// Reads a file. Scenes of files before it are known.
        mutating func read(_ text: String, file: String) throws(Mistake) {
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                let line = line.trimmingSpaces
                if line.isEmpty || line.hasPrefix("#") { continue }
                do {
                    try read(line)
                } catch {
                    throw Mistake("\(file):\(number + 1): \(error)")
                }
            }
            if let openScene { throw Mistake("\(file): \(openScene) has no end") }
        }

        private mutating func read(_ line: String) throws(Mistake) {
            if let openScene {
                if line == "end" { self.openScene = nil } else { scenes[openScene]?.lines.append(line) }
                return
            }
            if line.hasPrefix("define ") {
                let words = line.split(separator: " ").map(String.init)
                guard words.count == 3, scenes[words[1]] == nil else { throw Mistake("define NAME WHO, each name once") }
                scenes[words[1]] = Scene(parameter: words[2])
                openScene = words[1]
                return
            }
            if line.hasPrefix("== ") {
                let name = String(line.dropFirst(3))
                guard !transcripts.contains(where: { $0.name == name }) else { throw Mistake("\(name) is there twice") }
                transcripts.append(Transcript(name: name))
                return
            }
            guard !transcripts.isEmpty else { throw Mistake("steps before the first == name") }
            if line.hasPrefix("needs:") {
                for need in line.dropFirst(6).split(separator: ",") {
                    transcripts[transcripts.count - 1].needs.append(try Need(need.trimmingSpaces))
                }
            } else if line.hasPrefix("takes:") {
                transcripts[transcripts.count - 1].takes = try Self.term(line.dropFirst(6).trimmingSpaces)
            } else {
                try add(line, depth: 0)
            }
        }

        private mutating func add(_ line: String, depth: Int) throws(Mistake) {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            if words.count == 2, let scene = scenes[words[0]] {
                guard depth < 8 else { throw Mistake("scenes inside each other for ever") }
                for inner in scene.lines { try add(inner.replacing(scene.parameter, with: words[1]), depth: depth + 1) }
                return
            }
            guard transcripts[transcripts.count - 1].steps.count < Self.mostSteps else {
                throw Mistake("a transcript has at most \(Self.mostSteps) steps, those of its scenes included")
            }
            transcripts[transcripts.count - 1].steps.append(Step(action: try Self.action(line), text: line))
            transcripts[transcripts.count - 1].text += line + "\n"
        }

        static func term(_ text: String) throws(Mistake) -> Term {
            // A rule's key may stand without its mark where nothing but a number makes sense.
            var reader = PatternReader(text.first?.isLetter == true ? "$" + text : text)
            let term = try reader.term()
            guard reader.isAtEnd else { throw reader.mistake("nothing more") }
            return term
        }

        private static func action(_ line: String) throws(Mistake) -> Step.Action {
            let who = String(line.prefix { $0.isLetter || $0.isNumber || $0 == "+" })
            let rest = String(line.dropFirst(who.count))
            for (mark, make) in marks where rest.hasPrefix(mark + " ") {
                return try make(who, String(rest.dropFirst(mark.count + 1)))
            }
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch (words.first, words.count) {
            case ("connect", 2): return .connect(words[1])
            case ("cut", 2): return .cut(words[1])
            case ("within", 2): return .within(try term(words[1]))
            case ("let", 3) where words[2].hasPrefix("= "): return .set(words[1], try term(String(words[2].dropFirst(2))))
            default: break
            }
            guard words.count >= 2 else { throw Mistake("no step: \(line)") }
            switch words[1] {
            case "closed" where words.count == 2: return .closed(who)
            case "reckons" where words.count == 2: return .reckons(who)
            case "keeps" where words.count == 3: return .keeps(who, words[2])
            case "sees" where words.count == 3: return .sees(who, try Pattern(words[2]))
            case "plays" where words.count == 3: return try plays(who, words[2])
            default: throw Mistake("no step: \(line)")
            }
        }

        private static let marks: [(String, @Sendable (String, String) throws(Mistake) -> Step.Action)] = [
            (">>", { who, text throws(Mistake) in .sendRaw(who, text) }),
            (">", { who, text throws(Mistake) in .send(who, text) }),
            ("<!", { who, text throws(Mistake) in .hearNext(who, try Pattern(text)) }),
            ("<?", { who, text throws(Mistake) in .mayHear(who, try Pattern(text)) }),
            ("<", { who, text throws(Mistake) in .hear(who, try Pattern(text)) }),
        ]

        /// `20 hit,stand until {…}`
        private static func plays(_ who: String, _ text: String) throws(Mistake) -> Step.Action {
            let words = text.split(separator: " ", maxSplits: 3).map(String.init)
            guard words.count == 4, words[2] == "until", let rounds = Int(words[0]), (0...1_000_000).contains(rounds) else {
                throw Mistake("WHO plays ROUNDS ACTIONS until PATTERN, with 0 to 1000000 rounds")
            }
            return .plays(
                who.split(separator: "+").map(String.init), rounds: rounds,
                actions: words[1].split(separator: ",").map(String.init), until: try Pattern(words[3]))
        }
    }
}

extension ServerKit.Need {
    init(_ text: String) throws(ServerKit.Mistake) {
        if text == "locked" {
            self = .locked
        } else if text.hasPrefix("given ") {
            self = .given(String(text.dropFirst(6)))
        } else if text.hasPrefix("tables>="), let count = Int(text.dropFirst(8)) {
            self = .tables(count)
        } else {
            for sign in ["<=", ">=", "!=", "<", ">", "="] {
                guard let range = text.firstRange(of: sign) else { continue }
                self = .rule(key: String(text[..<range.lowerBound]), sign: sign, value: String(text[range.upperBound...]))
                return
            }
            throw ServerKit.Mistake("no need: \(text)")
        }
    }
}

extension StringProtocol {
    /// Without spaces at either end.
    var trimmingSpaces: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
