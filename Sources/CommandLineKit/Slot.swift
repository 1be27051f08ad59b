/// Type-erased binding of a parameter to a property: a key path and a format.
struct Slot<Options: Sendable>: Sendable {
    /// Parses the texts into the options; returns the first invalid text, or nil.
    let assign: @Sendable (_ texts: [String], _ options: inout Options) -> String?
    /// Parses a configuration file's value into the options.
    let assignField: @Sendable (_ field: ConfigurationField, _ options: inout Options) throws(ConfigurationError) -> Void
    /// Copies the value between options.
    let copy: @Sendable (_ source: Options, _ target: inout Options) -> Void
    /// The value in the form that `assign` parses; lists joined by commas, as in the environment; nil when unset.
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
            // `null` leaves an optional value unset.
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

    /// Parses every text, so that an error shows even if a later text overrides it; keeps the last.
    private static func last<Value>(of texts: [String], _ format: ValueFormat<Value>, keep: (Value) -> Void) -> String? {
        for text in texts {
            guard let value = format.parse(text) else { return text }
            keep(value)
        }
        return nil
    }
}
