@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int) -> Int

/// libFuzzer's mutation hook: replaces a number by an extreme one in a quarter of the calls, otherwise mutates as libFuzzer does.
@_cdecl("LLVMFuzzerCustomMutator")
public func changeInput(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32) -> Int {
    let bytes = UnsafeMutableBufferPointer(start: start, count: most)
    if seed & 3 == 0, count > 0, let changed = ExtremeNumbers.replaceOne(in: bytes, count: count, seed: seed >> 2) {
        return changed
    }
    return mutate(start, count, most)
}
