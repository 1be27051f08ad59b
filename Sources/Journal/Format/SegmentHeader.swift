/// The first line of a segment.
package struct SegmentHeader: Equatable, Sendable {
    /// Identifies the host that the journal belongs to, over restarts.
    package var house: UInt64
    /// From 1, as in the file's name.
    package var segment: UInt64
    /// Epoch of the first frame.
    package var epoch: UInt64
    /// Sequence of the first frame.
    package var first: UInt64
    /// Checksum of the last frame before this segment; 0 for none.
    package var previous: UInt32
    /// Length of the file, prefilled before its name appears: a shorter one was shortened. Nil if the header does not say it.
    package var bytes: Int?

    /// Version of the format.
    static let version: UInt64 = 1
    /// Upper bound of a header's length.
    static let maximumBytes = 208

    func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: #"{"journal":"#.utf8)
        Text.append(Self.version, to: &bytes)
        bytes.append(contentsOf: #","house":""#.utf8)
        Text.append(hex: house, to: &bytes)
        bytes.append(contentsOf: #"","segment":"#.utf8)
        Text.append(segment, to: &bytes)
        bytes.append(contentsOf: #","epoch":"#.utf8)
        Text.append(epoch, to: &bytes)
        bytes.append(contentsOf: #","first":"#.utf8)
        Text.append(first, to: &bytes)
        bytes.append(contentsOf: #","previous":""#.utf8)
        Text.append(hex: previous, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        if let length = self.bytes {
            bytes.append(contentsOf: #","bytes":"#.utf8)
            Text.append(UInt64(length), to: &bytes)
        }
        let checksum = CRC32C.extended(over: bytes[start...])
        bytes.append(contentsOf: #","crc":""#.utf8)
        Text.append(hex: checksum, to: &bytes)
        bytes.append(contentsOf: "\"}\n".utf8)
    }

    package enum Reading: Equatable, Sendable {
        /// The header, and the offset of the first frame.
        case header(SegmentHeader, end: Int)
        /// Prepared, not yet used: a newline.
        case blank
        /// Written by a version that this one cannot read.
        case unsupported(version: UInt64)
        case damaged
    }

    package static func read(_ bytes: ArraySlice<UInt8>) -> Reading {
        guard let first = bytes.first else { return .damaged }
        if first == Text.newline { return .blank }
        var scanner = TextScanner(bytes)
        guard scanner.skip(#"{"journal":"#) != nil, let version = scanner.number() else { return .damaged }
        guard version == Self.version else {
            return isIntactLine(bytes) ? .unsupported(version: version) : .damaged
        }
        guard scanner.skip(#","house":""#) != nil, let house = scanner.hex(UInt64.self),
            scanner.skip(#"","segment":"#) != nil, let segment = scanner.number(),
            scanner.skip(#","epoch":"#) != nil, let epoch = scanner.number(),
            scanner.skip(#","first":"#) != nil, let sequence = scanner.number(),
            scanner.skip(#","previous":""#) != nil, let previous = scanner.hex(UInt32.self), scanner.skip("\"") != nil
        else { return .damaged }
        var length: Int?
        if scanner.skip(#","bytes":"#) != nil {
            guard let number = scanner.number(), let bytes = Int(exactly: number) else { return .damaged }
            length = bytes
        }
        let checked = scanner.index
        guard scanner.skip(#","crc":""#) != nil, let checksum = scanner.hex(UInt32.self), scanner.skip("\"}\n") != nil,
            CRC32C.extended(over: bytes[bytes.startIndex..<checked]) == checksum
        else { return .damaged }
        let header = SegmentHeader(
            house: house, segment: segment, epoch: epoch, first: sequence, previous: previous, bytes: length)
        return .header(header, end: scanner.index)
    }

    /// Every version's header ends with the checksum of the line before it.
    static func isIntactLine(_ bytes: ArraySlice<UInt8>) -> Bool {
        let ending = 19
        guard let newline = bytes.firstIndex(of: Text.newline), newline - bytes.startIndex > ending else { return false }
        let checked = newline + 1 - ending
        var scanner = TextScanner(bytes[checked...])
        guard scanner.skip(#","crc":""#) != nil, let checksum = scanner.hex(UInt32.self), scanner.skip("\"}\n") != nil else {
            return false
        }
        return CRC32C.extended(over: bytes[bytes.startIndex..<checked]) == checksum
    }
}
