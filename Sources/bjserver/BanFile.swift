import CommandLineKit
import Foundation
import ServerCore
import Sockets

/// A list of address blocks, one per line, as list providers publish them.
enum BanFile {
    /// Reads a file of at most so many blocks, and a hundred bytes for each.
    static func read(_ path: String, limit: Int) throws(ConfigurationFault) -> [AddressBlock] {
        let bytes: [UInt8]
        do { bytes = try RegularFile.read(path, upTo: 100 * BanList.limit) } catch {
            throw ConfigurationFault(description: "\(error)")
        }
        do { return try parse(bytes, limit: limit) } catch { throw ConfigurationFault(description: "\(path): \(error)") }
    }

    static func parse(_ bytes: [UInt8], limit: Int) throws(ConfigurationFault) -> [AddressBlock] {
        var blocks: [AddressBlock] = []
        let lines = String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in zip(1..., lines) {
            let text = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard !text.isEmpty else { continue }
            guard let block = AddressBlock(text) else {
                let expected = ValueFormat<AddressBlock>.addressBlock.expected
                throw ConfigurationFault(description: "line \(number): \(quoted(text)) is not \(expected)")
            }
            guard blocks.count < limit else {
                throw ConfigurationFault(description: "line \(number): more than \(limit) bans")
            }
            blocks.append(block)
        }
        return blocks
    }
}
