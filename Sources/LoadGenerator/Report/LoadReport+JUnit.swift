import Measuring

extension LoadReport {
    /// The thresholds as test cases, in the form that build servers read: one suite, a case for each threshold, one for the referees, and one
    /// for the measurement itself.
    public var junit: String {
        var cases = [
            Self.testCase(
                "no violations", failure: violationCount == 0 ? nil : violations.map(\.description).joined(separator: "\n")),
            Self.testCase("the measurement is valid", failure: invalid),
        ]
        cases += verdicts.map { verdict in
            Self.testCase(verdict.threshold.text, failure: verdict.holds ? nil : "it was \(Self.shown(verdict))")
        }
        let failures = cases.filter { $0.firstRange(of: "<failure") != nil }.count
        let head =
            "name=\"bjbots load\" tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\" time=\"\(fixed(seconds, 3))\""
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
            <testsuite \(head) timestamp="\(escaped(started))">
            \(cases.joined(separator: "\n"))
            </testsuite>
            </testsuites>

            """
    }

    private static func testCase(_ name: String, failure: String?) -> String {
        let head = "<testcase classname=\"bjbots.load\" name=\"\(escaped(name))\""
        return failure.map {
            "\(head)><failure message=\"\(escaped(String($0.prefix(200))))\">\(escaped($0))</failure></testcase>"
        }
            ?? "\(head)/>"
    }
}

/// Text inside HTML and XML, attributes included. Control characters, which XML has no place for, become spaces.
func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        case "\n": result += "\n"
        case "\u{0}"..."\u{1F}", "\u{7F}", "\u{FFFE}", "\u{FFFF}": result += " "
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
