import WireLaws

@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int) -> Int

/// What libFuzzer calls to change an input: every fourth time a number becomes an extreme one, otherwise libFuzzer does as it likes.
@_cdecl("LLVMFuzzerCustomMutator")
public func changeInput(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32) -> Int {
    let bytes = UnsafeMutableBufferPointer(start: start, count: most)
    if seed & 3 == 0, count > 0, let changed = ExtremeNumbers.replaceOne(in: bytes, count: count, seed: seed >> 2) {
        return changed
    }
    return mutate(start, count, most)
}
