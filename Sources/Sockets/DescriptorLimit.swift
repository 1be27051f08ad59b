#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How many descriptors, and so connections, this process may have open.
public enum DescriptorLimit {
    /// Raises what the process is content with to what the system allows it.
    /// - Returns: how many it may have open now.
    @discardableResult
    public static func raise() -> Int {
        var limit = current
        #if canImport(Glibc)
            // Beyond a million nothing is gained, and "unlimited" is a number that the kernel refuses.
            let most = min(limit.rlim_max, 1 << 20)
        #else
            let most = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #endif
        if limit.rlim_cur < most {
            limit.rlim_cur = most
            #if canImport(Glibc)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #else
                setrlimit(RLIMIT_NOFILE, &limit)
            #endif
        }
        return Int(clamping: current.rlim_cur)
    }

    /// How many it may have open now.
    public static var now: Int { Int(clamping: current.rlim_cur) }

    private static var current: rlimit {
        var limit = rlimit()
        #if canImport(Glibc)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return limit
    }
}
