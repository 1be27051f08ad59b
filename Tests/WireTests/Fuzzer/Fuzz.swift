/// libFuzzer's entry point. The first byte chooses how the rest, a stream, is split into chunks. A trap or a broken law ends the
/// process, and libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let seed = input.first else { return 0 }
    do throws(BrokenLaw) {
        try LawCheck.check(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: input.dropFirst())), chunkedBy: seed)
    } catch {
        fatalError("broken: \(error)")
    }
    return 0
}
