/// The place in `Options` that a parameter's texts go to and are shown from: a key path and a format, their types erased.
struct Slot<Options: Sendable>: Sendable {
    /// Reads the texts into the options, or gives back the first text that is no value.
    let assign: @Sendable (_ texts: [String], _ options: inout Options) -> String?
    /// Reads the value of a configuration file into the options.
    let assignField: @Sendable (_ field: ConfigurationField, _ options: inout Options) throws(ConfigurationError) -> Void
    /// Copies the value from some options to others.
    let copy: @Sendable (_ source: Options, _ target: inout Options) -> Void
    /// The present value in the form that `assign` reads; many are joined by commas, as in the environment; nil when there is none.
    let show: @Sendable (Options) -> String?

    init<Value>(one path: WritableKeyPath<Options, Value> & Sendable, _ format: ValueFormat<Value>) {
        copy = { $1[keyPath: path] = $0[keyPath: path] }
        assign = { texts, options in
            Self.last(of: texts, format) { options[keyPath: path] = $0 }
        }
        assignField = { field, options throws(ConfigurationError) in options[keyPath: path] = try field.read(format) }
        show = { format.print($0[keyPath: path]) }
    }

    init<Value>(optional path: WritableKeyPath<Options, Value?> & Sendable, _ format: ValueFormat<Value>) {
        copy = { $1[keyPath: path] = $0[keyPath: path] }
        assign = { texts, options in
            Self.last(of: texts, format) { options[keyPath: path] = $0 }
        }
        assignField = { field, options throws(ConfigurationError) in
            // A key that is there for the sake of its place may be without a value.
            options[keyPath: path] = field.value == .null ? nil : try field.read(format)
        }
        show = { $0[keyPath: path].map(format.print) }
    }

    init<Value>(many path: WritableKeyPath<Options, [Value]> & Sendable, _ format: ValueFormat<Value>) {
        copy = { $1[keyPath: path] = $0[keyPath: path] }
        assign = { texts, options in
            var values: [Value] = []
            for text in texts {
                guard let value = format.parse(text) else { return text }
                values.append(value)
            }
            options[keyPath: path] = values
            return nil
        }
        assignField = { field, options throws(ConfigurationError) in
            var values: [Value] = []
            for item in try field.items("a list, each item \(format.expectedInFile)") { values.append(try item.read(format)) }
            options[keyPath: path] = values
        }
        show = {
            let values = $0[keyPath: path]
            return values.isEmpty ? nil : values.map(format.print).joined(separator: ",")
        }
    }

    /// Reads every text, so that a mistake is told even where a later text overrides it, and keeps the last value.
    private static func last<Value>(of texts: [String], _ format: ValueFormat<Value>, keep: (Value) -> Void) -> String? {
        for text in texts {
            guard let value = format.parse(text) else { return text }
            keep(value)
        }
        return nil
    }
}
