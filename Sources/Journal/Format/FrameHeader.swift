/// The line before the records of a frame.
package struct FrameHeader: Equatable, Sendable {
    package var epoch: UInt64
    package var sequence: UInt64
    /// The highest sequence known durable when the frame was written.
    package var durable: UInt64
    /// Length of the records.
    package var bytes: Int
    /// Checksum of the frame before; seeds this one's, so that a frame can be checked alone.
    package var previous: UInt32
    /// CRC-32C of the header up to `,"crc"` and of the records.
    package var checksum: UInt32

    /// Upper bound of a header's length: four numbers of at most 20 digits, and the rest.
    static let maximumBytes = 168

    /// Appends a frame; returns its checksum.
    static func append(
        epoch: UInt64, sequence: UInt64, durable: UInt64, records: ArraySlice<UInt8>, previous: UInt32, to bytes: inout [UInt8]
    ) -> UInt32 {
        let start = bytes.count
        bytes.append(contentsOf: #"{"epoch":"#.utf8)
        Text.append(epoch, to: &bytes)
        bytes.append(contentsOf: #","sequence":"#.utf8)
        Text.append(sequence, to: &bytes)
        bytes.append(contentsOf: #","durable":"#.utf8)
        Text.append(durable, to: &bytes)
        bytes.append(contentsOf: #","bytes":"#.utf8)
        Text.append(UInt64(records.count), to: &bytes)
        bytes.append(contentsOf: #","previous":""#.utf8)
        Text.append(hex: previous, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        let checksum = CRC32C.extended(CRC32C.extended(previous, over: bytes[start...]), over: records)
        bytes.append(contentsOf: #","crc":""#.utf8)
        Text.append(hex: checksum, to: &bytes)
        bytes.append(contentsOf: "\"}\n".utf8)
        bytes.append(contentsOf: records)
        return checksum
    }

    /// The frame at the start of `bytes`, with the range of its records; nil if it is not one or its checksum is wrong.
    package static func read(_ bytes: ArraySlice<UInt8>) -> (header: FrameHeader, records: Range<Int>)? {
        var scanner = TextScanner(bytes)
        guard scanner.skip(#"{"epoch":"#) != nil, let epoch = scanner.number(),
            scanner.skip(#","sequence":"#) != nil, let sequence = scanner.number(),
            scanner.skip(#","durable":"#) != nil, let durable = scanner.number(),
            scanner.skip(#","bytes":"#) != nil, let count = scanner.number(),
            scanner.skip(#","previous":""#) != nil, let previous = scanner.hex(UInt32.self), scanner.skip("\"") != nil
        else { return nil }
        let checked = scanner.index
        guard scanner.skip(#","crc":""#) != nil, let checksum = scanner.hex(UInt32.self), scanner.skip("\"}\n") != nil,
            count <= UInt64(bytes.endIndex - scanner.index)
        else { return nil }
        let records = scanner.index..<scanner.index + Int(count)
        let text = CRC32C.extended(previous, over: bytes[bytes.startIndex..<checked])
        guard CRC32C.extended(text, over: bytes[records]) == checksum else { return nil }
        let header = FrameHeader(
            epoch: epoch, sequence: sequence, durable: durable, bytes: Int(count), previous: previous, checksum: checksum)
        return (header, records)
    }
}
