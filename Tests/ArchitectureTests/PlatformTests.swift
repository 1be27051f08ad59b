import Foundation
import TestKit
import Testing

/// A line of source, and whether conditional compilation leaves it to Linux.
private struct Line {
    /// From 1.
    let number: Int
    let text: Substring
    let isForLinuxAlone: Bool
}

private func names(_ condition: Substring) -> Bool? {
    let positive = condition.contains("os(Linux)") || condition.contains("canImport(Glibc)")
    let negative =
        condition.contains("os(macOS)") || condition.contains("canImport(Darwin)") || condition.contains("canImport(Combine)")
    guard positive != negative, !condition.contains("||") else { return nil }
    return positive != condition.contains("!")
}

/// The lines of a file between its directives.
private func lines(of text: String) -> [Line] {
    // For each open `#if`: whether its branch is Linux's; nil if it is neither Linux's nor another system's.
    var branches: [Bool?] = []
    var lines: [Line] = []
    for (index, text) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        let directive = text.drop { $0 == " " }
        if directive.hasPrefix("#if ") {
            branches.append(names(directive.dropFirst(4)))
        } else if directive.hasPrefix("#elseif "), let last = branches.popLast() {
            branches.append(names(directive.dropFirst(8)) ?? last.map { !$0 })
        } else if directive.hasPrefix("#else"), let last = branches.popLast() {
            branches.append(last.map { !$0 })
        } else if directive.hasPrefix("#endif") {
            branches.removeLast()
        } else if !directive.hasPrefix("//") {
            lines.append(Line(number: index + 1, text: text, isForLinuxAlone: branches.contains(true)))
        }
    }
    return lines
}

/// Names that Darwin lacks, or has with another type.
private let namesOfLinux = [
    "epoll_", "eventfd", "accept4", "fdatasync", "pipe2", "prctl", "gettid", "sched_[gs]etaffinity", "pthread_condattr_setclock",
    "clock_nanosleep", "MSG_NOSIGNAL", "SOCK_NONBLOCK", "SOCK_CLOEXEC", "SOCK_(STREAM|DGRAM)\\.rawValue", "TCP_USER_TIMEOUT",
    "TCP_KEEPIDLE", "RLIMIT_NOFILE\\.rawValue", "__rlimit_resource_t", "Glibc\\.", "import Glibc",
    "bj_(epoll|event|accept|processors)",
]

/// A toolchain for Linux cannot compile for macOS: these rules find the mistakes that do not need a compiler.
struct PlatformTests {
    private let files = Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests")

    @Test func whatOnlyLinuxHas_isForLinuxAlone() throws {
        let pattern = try Regex("(?:^|[^A-Za-z_.\"/])(\(namesOfLinux.joined(separator: "|")))")
        let parts = namesOfLinux.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == " " }) }
        for file in files where !file.path.hasSuffix("PlatformTests.swift") && file.mentions(parts) {
            for line in lines(of: file.text) where !line.isForLinuxAlone {
                guard let found = line.text.prefix(while: { $0 != "\"" }).firstMatch(of: pattern)?.output[1].substring else {
                    continue
                }
                Issue.record("\(file.path):\(line.number): \(found) is not inside #if os(Linux) or #if canImport(Glibc)")
            }
        }
    }

    @Test func aFileThatImportsGlibc_importsDarwinElsewhere() {
        for file in files where file.lines.contains(where: { $0.drop { $0 == " " } == "import Glibc" }) {
            let lines = lines(of: file.text)
            // Foundation brings Darwin. A file for Linux alone needs neither.
            let isPaired = lines.contains {
                !$0.isForLinuxAlone && ["import Darwin", "import Foundation"].contains($0.text.drop { $0 == " " })
            }
            let isForLinux = lines.allSatisfy { $0.isForLinuxAlone || $0.text.isEmpty }
            #expect(isPaired || isForLinux, "\(file.path) has no import of Darwin")
        }
    }

    @Test func aShimInC_namesSystemHeadersOfLinuxForLinuxAlone() {
        for file in ["Sources", Repository.verification].flatMap({ folder in
            [".c", ".h"].flatMap { Repository.files(below: folder, suffix: $0) }
        }) {
            let headers = ["sys/epoll.h", "sys/eventfd.h", "sys/prctl.h", "sched.h", "malloc.h"]
            guard let header = headers.first(where: { file.text.contains("<\($0)>") }),
                let position = file.text.range(of: "<\(header)>")?.lowerBound
            else { continue }
            #expect(file.text[..<position].contains("__linux__"), "\(file.path): \(header)")
        }
    }

    @Test func aBranchIsOfOneSystem() {
        let text = """
            #if canImport(Glibc)
                a
            #elseif canImport(Darwin)
                b
            #endif
            #if !os(Linux)
                c
            #else
                #if DEBUG
                    d
                #endif
            #endif
            #if DEBUG
                e
            #endif
            """
        #expect(lines(of: text).map(\.isForLinuxAlone) == [true, false, false, true, false])
    }
}
