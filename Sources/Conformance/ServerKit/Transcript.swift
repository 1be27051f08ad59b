import CommandLineKit
import Foundation

extension ServerKit {
    /// One transcript of a file: `== name`, its needs, its steps. A line that begins with `#` is a remark.
    ///
    /// - needs:
    ///
    /// ```
    /// needs: minimumBet>1, surrender=late      a condition on the table: rules, seats
    /// needs: tables>=2                         open tables without players
    /// needs: locked                            a table whose pass phrase the performer has
    /// needs: given crowded                     a condition that only the host can bring about, and declares
    /// takes: decisionSeconds+1                 seconds that it waits for a clock
    /// ```
    ///
    /// - steps, one a line; `WHO` is any name of a connection:
    ///
    /// ```
    /// connect WHO                  opens a connection
    /// cut WHO                      ends it without a word
    /// WHO> {"type":"ping"}         sends a line; $name is replaced by its value, as JSON
    /// WHO>> {"type":"pi            sends bytes without an end of line; \n \r \t \\ \xFF \(a*5000) are escapes
    /// WHO< {"type":"ok",...}       the next reply (ok, error, hello, bye), skipping events;
    ///                              or, for an event (diff, chat …), the next one that matches
    /// WHO<! {"type":"diff",...}    the very next line
    /// WHO<? {"type":"error",...}   a line that may come, or not, before the next one that is expected
    /// WHO closed                   the server closes the connection
    /// WHO sees {"phase":"waiting",...}   waits until the table looks like this to WHO: items by name, sections as a whole
    /// WHO plays 20 hit,stand until {…}   bets, and answers by the first of these that is legal, until the table looks like this;
    ///                              at most this many rounds. `ann+bob plays …` for several. 0 rounds: never bets
    /// WHO reckons                  sets $server, $shoe and, once it is closed, $list from the item `next` that WHO sees, and
    ///                              $WHO_contribution with $WHO_commitment, $WHO_other with $WHO_other_commitment; skips the rest
    ///                              where there is no such item
    /// WHO keeps OTHER              WHO has the table as OTHER had it
    /// let name = $a+5              gives a name to a number
    /// within 5                     seconds that each step after it may take at most
    /// define NAME WHO … end        steps under a name, outside of any transcript; `NAME ann` plays them for ann
    /// ```
    ///
    /// - patterns: `*` is anything, `...` allows further fields or elements, `a|b` is either, `!a` anything else, `$name` is the value of the
    ///   name, or sets it. `$WHO` is a unique player's name; `$WHO_round` and `$WHO_turn` are the round and the question
    ///   of WHO's table when WHO sends a line, and keep their values while none is shown; `$table`, `$other` are tables where nobody is;
    ///   `$minimumBet` and so on, with `$min`, `$max`, `$step` for short, are rules.
    public struct Transcript: Equatable, Sendable {
        public let name: String
        var needs: [Need] = []
        /// Seconds that it has to wait for clocks.
        var takes = Term(first: .number(0))
        var steps: [Step] = []
        /// The text of all steps, searched for the features in use.
        var text = ""

        /// Whether it uses a table.
        var usesTable: Bool { text.firstRange(of: "$table") != nil }
        var usesOtherTable: Bool { text.firstRange(of: "$other") != nil }
    }

    /// A condition for playing a transcript.
    enum Need: Equatable, Sendable {
        /// A rule of the table, or its number of seats, compared with a value.
        case rule(key: String, sign: String, value: String)
        case tables(Int)
        case locked
        case given(String)
    }

    /// One line of a transcript.
    struct Step: Equatable, Sendable {
        enum Action: Equatable, Sendable {
            case connect(String)
            case cut(String)
            case send(String, String)
            case sendRaw(String, String)
            case hear(String, Pattern)
            case hearNext(String, Pattern)
            case mayHear(String, Pattern)
            case closed(String)
            case sees(String, Pattern)
            case plays([String], rounds: Int, actions: [String], until: Pattern)
            case keeps(String, String)
            case reckons(String)
            case set(String, Term)
            case within(Term)
        }

        let action: Action
        /// As it is written.
        let text: String
    }

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
            try ServerKit.read(text.first?.isLetter == true ? "$" + text : text) { parser throws(FileError) in try parser.term() }
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

    /// A set of transcripts.
    public struct TranscriptSet: Sendable {
        public let transcripts: [Transcript]

        /// Reads the texts in this order; definitions are known to later texts.
        public init(_ files: [(name: String, text: String)]) throws(Mistake) {
            var reader = TranscriptReader()
            for file in files { try reader.read(file.text, file: file.name) }
            transcripts = reader.transcripts
        }

        /// The transcripts that are in this program.
        public static func builtIn() -> TranscriptSet {
            do {
                return try TranscriptSet(files)
            } catch {
                preconditionFailure("our own transcripts can be read: \(error)")
            }
        }

        /// The transcripts of a folder's files, by their names, after the scenes that are in this program.
        public static func folder(_ path: String) throws -> TranscriptSet {
            let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".transcript") }.sorted()
            guard !names.isEmpty else { throw Mistake("no file of \(path) ends in .transcript") }
            // Scenes come first, since the rest uses them; a folder's own scenes replace ours.
            let shared = files[0].name
            var texts = names.contains(shared) ? [] : [files[0]]
            for name in names.filter({ $0 == shared }) + names.filter({ $0 != shared }) {
                texts.append((name, try String(contentsOfFile: path + "/" + name, encoding: .utf8)))
            }
            return try TranscriptSet(texts)
        }

        /// The transcripts whose names match one of the patterns, in which `*` is any text; all without patterns.
        public func only(_ patterns: [String]) -> [Transcript] {
            guard !patterns.isEmpty else { return transcripts }
            return transcripts.filter { transcript in patterns.contains { Self.fits(transcript.name, $0) } }
        }

        static func fits(_ name: String, _ pattern: String) -> Bool {
            let parts = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
            guard parts.count > 1 else { return name == pattern }
            guard name.hasPrefix(parts[0]) else { return false }
            var rest = name.dropFirst(parts[0].count)
            for part in parts.dropFirst().dropLast() {
                guard let range = rest.firstRange(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
            return rest.hasSuffix(parts[parts.count - 1])
        }

        /// In the order in which they are read and played.
        static let files: [(name: String, text: String)] = [
            ("scenes.transcript", text(PackageResources.scenes_transcript)),
            ("lines.transcript", text(PackageResources.lines_transcript)),
            ("requests.transcript", text(PackageResources.requests_transcript)),
            ("players.transcript", text(PackageResources.players_transcript)),
            ("lobby.transcript", text(PackageResources.lobby_transcript)),
            ("past.transcript", text(PackageResources.past_transcript)),
            ("seats.transcript", text(PackageResources.seats_transcript)),
            ("bets.transcript", text(PackageResources.bets_transcript)),
            ("play.transcript", text(PackageResources.play_transcript)),
            ("shoes.transcript", text(PackageResources.shoes_transcript)),
        ]

        private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
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
