import Dispatch

/// The clock that latencies are measured with: microseconds of the system's monotonic clock.
package enum Microclock {
    package static var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1000) }
}
