import Foundation

#if canImport(Darwin)
    // `mach_task_self_` is a variable there, though nobody writes it.
    @preconcurrency import Darwin
#endif

/// Metrics of the process under the standard names of Prometheus client libraries.
public enum ProcessMetrics {
    /// Adds the metrics; they are read at each scrape. Metrics from `/proc` exist on Linux only.
    public static func add(to registry: MetricsRegistry) {
        let seconds = registry.counter("process_cpu_seconds_total", "CPU time of this process, user and system.", digits: 6)
        registry.beforeEachScrape { seconds.add(max(0, cpuMicroseconds() - seconds.value)) }
        let resident = registry.gauge("process_resident_memory_bytes", "Resident memory of this process.")
        registry.beforeEachScrape { resident.set(residentBytes() ?? 0) }
        let limit = registry.gauge("process_max_fds", "Limit on open file descriptors.")
        registry.beforeEachScrape { limit.set(descriptorLimit()) }
        #if os(Linux)
            let open = registry.gauge("process_open_fds", "Open file descriptors.")
            registry.beforeEachScrape { open.set(openDescriptors()) }
            if let start = startMilliseconds() {
                registry.gauge("process_start_time_seconds", "Start time of this process, in seconds since 1970.", digits: 3).set(
                    start)
            }
        #endif
    }

    static func cpuMicroseconds() -> Int {
        var usage = rusage()
        #if canImport(Glibc)
            let status = getrusage(RUSAGE_SELF.rawValue, &usage)
        #else
            let status = getrusage(RUSAGE_SELF, &usage)
        #endif
        guard status == 0 else { return 0 }
        let seconds = Int(usage.ru_utime.tv_sec) + Int(usage.ru_stime.tv_sec)
        return seconds * 1_000_000 + Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec)
    }

    private static func descriptorLimit() -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        #else
            guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return 0 }
        #endif
        return Int(clamping: limit.rlim_cur)
    }

    #if os(Linux)
        static func residentBytes() -> Int? {
            // The second field counts pages.
            let words = text("/proc/self/statm").split(separator: " ")
            return words.count > 1 ? Int(words[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
        }

        private static func openDescriptors() -> Int {
            // Subtracts the descriptor of the listing itself.
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { max(0, $0.count - 1) } ?? 0
        }

        private static func startMilliseconds() -> Int? {
            // Field 22, in clock ticks since boot. The name in field 2 may hold spaces: split after the last parenthesis.
            let fields = text("/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
            let boot = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Int($0.dropFirst(6)) }
            guard fields.count > 19, let ticks = Int(fields[19]), let boot else { return nil }
            return boot * 1000 + ticks * 1000 / sysconf(Int32(_SC_CLK_TCK))
        }

        private static func text(_ path: String) -> String {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    #else
        static func residentBytes() -> Int? {
            var info = mach_task_basic_info()
            var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
            let status = withUnsafeMutablePointer(to: &info) {
                $0.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                    task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
                }
            }
            return status == KERN_SUCCESS ? Int(info.resident_size) : nil
        }
    #endif
}
