import Foundation

extension ServerKit {
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
