import CommandLineKit
import Foundation
import ServerCore
import Sockets

/// A list of address blocks, one per line, as list providers publish them.
enum BanFile {
    /// Bytes of a file: a hundred for each ban.
    private static let byteLimit = 100 * BanList.limit

    /// Reads a file.
    /// - Parameter limit: the most blocks.
    static func read(_ path: String, limit: Int) throws(ConfigurationFault) -> [AddressBlock] {
        func fault(_ problem: String) -> ConfigurationFault { ConfigurationFault(description: "\(path): \(problem)") }
        do {
            return try parse(RegularFile.read(path, upTo: byteLimit), limit: limit)
        } catch Fault.line(let number, let text) {
            let shown = quoted(String(decoding: text, as: UTF8.self))
            throw fault("line \(number): \(shown) is not \(ValueFormat<AddressBlock>.addressBlock.expected)")
        } catch Fault.tooMany(let number) {
            throw fault("line \(number): more than \(limit) bans")
        } catch {
            throw ConfigurationFault(description: "\(error)")
        }
    }

    /// Why a text does not parse as a list of blocks.
    enum Fault: Error, Equatable {
        case line(Int, [UInt8])
        case tooMany(line: Int)
    }

    static func parse(_ bytes: [UInt8], limit: Int) throws(Fault) -> [AddressBlock] {
        var blocks: [AddressBlock] = []
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let text = trimmed(line.prefix { $0 != UInt8(ascii: "#") })
            guard !text.isEmpty else { continue }
            guard let block = AddressBlock(String(decoding: text, as: UTF8.self)) else { throw .line(number, Array(text)) }
            guard blocks.count < limit else { throw .tooMany(line: number) }
            blocks.append(block)
        }
        return blocks
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let text = line.drop(while: isSpace)
        return text.lastIndex { !isSpace($0) }.map { text[...$0] } ?? []
    }
}
