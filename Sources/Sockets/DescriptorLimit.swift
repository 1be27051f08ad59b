#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's limit of open descriptors, which bounds its connections.
public enum DescriptorLimit {
    /// Raises the soft limit to the hard limit.
    /// - Returns: the new soft limit.
    @discardableResult
    public static func raise() -> Int {
        var limit = current
        #if canImport(Glibc)
            // More than a million has no use, and the kernel refuses "unlimited".
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

    /// The soft limit.
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
