#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The few functions that the system's library has and the language has not.
package enum Math {
    package static func log(_ x: Double) -> Double {
        #if canImport(Glibc)
            Glibc.log(x)
        #else
            Darwin.log(x)
        #endif
    }

    package static func exp(_ x: Double) -> Double {
        #if canImport(Glibc)
            Glibc.exp(x)
        #else
            Darwin.exp(x)
        #endif
    }

    package static func cos(_ x: Double) -> Double {
        #if canImport(Glibc)
            Glibc.cos(x)
        #else
            Darwin.cos(x)
        #endif
    }
}
