import Foundation
import Rules
import Snapshots
import TableModel
import Wire

/// Measures the codec beside Foundation's on the same typical messages: a player's action, its reply, and the diff that follows, with one more
/// card, the hand's total and the shoe's count.
enum WireMeasurements {
    static let action = Array(#"{"type":"act","action":"hit","turn":91,"id":7}"#.utf8)
    static let reply = Array(#"{"type":"ok","id":7,"to":"act","rev":1042}"#.utf8)
    static let diff = Array(
        #"{"type":"diff","from":1041,"to":1042,"items":{"left":212,"t3.1":"17","c11":["3.1","TD"]}}"#.utf8)
    /// The same action as other languages' libraries encode it.
    static let spacedAction = Array(#"{"id": 7, "type": "act", "action": "hit", "turn": 91}"#.utf8)

    static func run(_ bench: Bench) {
        decoding(bench)
        encoding(bench)
        framing(bench)
        besideFoundation(bench)
    }

    private static func decoding(_ bench: Bench) {
        var understood = 0
        bench.measure("wire: action decoded", calls: 20_000, limit: 320) {
            action.withUnsafeBufferPointer { line in
                let request = Request(line: line)
                if case .success = request.message { understood += 1 }
            }
        }
        bench.measure("wire: action decoded, other order, spaces", calls: 20_000) {
            spacedAction.withUnsafeBufferPointer { line in
                let request = Request(line: line)
                if case .success = request.message { understood += 1 }
            }
        }
        bench.measure("wire: diff of 3 operations decoded", calls: 20_000) {
            diff.withUnsafeBufferPointer { consume(try? ServerMessage(line: $0)) }
        }
        bench.measure("wire: reply decoded", calls: 20_000) {
            reply.withUnsafeBufferPointer { consume(try? ServerMessage(line: $0)) }
        }
        consume(understood)
    }

    private static func encoding(_ bench: Bench) {
        guard let message = diff.withUnsafeBufferPointer({ try? ServerMessage(line: $0) }) else { return }
        var bytes: [UInt8] = []
        bench.measure("wire: diff of 3 operations encoded", calls: 20_000, limit: 150) {
            bytes.removeAll(keepingCapacity: true)
            message.encode(into: &bytes)
        }
        let done = ServerMessage.ok(id: .number(7), .applied("act", at: 1042))
        bench.measure("wire: reply encoded", calls: 20_000) {
            bytes.removeAll(keepingCapacity: true)
            done.encode(into: &bytes)
        }
        let request = Request(id: .number(7), .act(.hit, seat: nil, hand: nil, amount: nil, turn: 91))
        bench.measure("wire: action encoded", calls: 20_000) {
            bytes.removeAll(keepingCapacity: true)
            request.encode(into: &bytes)
        }
    }

    private static func framing(_ bench: Bench) {
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 119) + [UInt8(ascii: "\n")]
        let chunk = Array(repeatElement(line, count: 600).joined().prefix(64 * 1024))
        var framer = LineFramer(limit: WireLimits.requestBytes)
        var lines = 0
        // The limit is 2 GB/s: 512 ns per KiB.
        bench.measure("wire: lines of 120 bytes cut, a KiB in chunks of 64", calls: 200, per: 64, limit: 512) {
            _ = chunk.withUnsafeBytes { bytes in
                framer.append(bytes) { _ in
                    lines += 1
                    return true
                }
            }
        }
        consume(lines)
        let data = Data(chunk)
        bench.measure("Foundation: lines of 120 bytes cut by Data.split, a KiB in chunks of 64", runs: 5, calls: 20, per: 64) {
            consume(data.split(separator: UInt8(ascii: "\n")))
        }
    }

    private static func besideFoundation(_ bench: Bench) {
        let (decoder, encoder, data) = (JSONDecoder(), JSONEncoder(), Data(action))
        bench.measure("Foundation: action decoded", calls: 2_000) { consume(try? decoder.decode(Act.self, from: data)) }
        guard let act = try? decoder.decode(Act.self, from: data) else { return }
        bench.measure("Foundation: action encoded", calls: 2_000) { consume(try? encoder.encode(act)) }
    }

    /// An action for Foundation's coders: a plain type without checks of bounds.
    private struct Act: Codable {
        var type: String
        var action: String
        var id: Int
    }
}
