/// Visits the fields of an object in wire order: one declaration per message reads (``JSONObject``), writes (``JSONWriter``) and documents
/// (``FieldList``) it. The compiler specialises `visit` for each, so documentation costs nothing to read.
protocol FieldVisitor {
    /// `Never` for a visitor that cannot fail.
    associatedtype Failure: Error

    /// A field that must be present.
    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Failure)

    /// A field that is absent when nil.
    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Failure)

    /// A field that reads as `absent` when it is absent.
    /// - Parameter isWritten: whether it is written.
    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, absent: Value, isWritten: Bool,
        _ documentation: @autoclosure () -> String
    ) throws(Failure)
}

extension FieldVisitor {
    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ documentation: @autoclosure () -> String
    ) throws(Failure) where Value.Bounds == NoBounds {
        try required(key, &value, NoBounds(), documentation())
    }

    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ documentation: @autoclosure () -> String
    ) throws(Failure) where Value.Bounds == NoBounds {
        try optional(key, &value, NoBounds(), documentation())
    }

    /// A field that is written unless it is `absent`.
    mutating func optional<Value: WireValue & Equatable>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, absent: Value,
        _ documentation: @autoclosure () -> String
    ) throws(Failure) {
        let isWritten = value != absent
        try optional(key, &value, bounds, absent: absent, isWritten: isWritten, documentation())
    }

    /// A field that is written unless it is `absent`.
    mutating func optional<Value: WireValue & Equatable>(
        _ key: StaticString, _ value: inout Value, absent: Value, _ documentation: @autoclosure () -> String
    ) throws(Failure) where Value.Bounds == NoBounds {
        try optional(key, &value, NoBounds(), absent: absent, documentation())
    }
}

/// Reads each field that is visited from the object.
extension JSONObject: FieldVisitor {
    typealias Failure = JSONError

    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(JSONError) {
        value = try Value.read(required(key), bounds)
    }

    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(JSONError) {
        if let found = find(key) { value = try Value.read(found, bounds) } else { value = nil }
    }

    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, absent: Value, isWritten: Bool,
        _ documentation: @autoclosure () -> String
    ) throws(JSONError) {
        if let found = find(key) { value = try Value.read(found, bounds) } else { value = absent }
    }
}

/// Writes each field that is visited as a member. Inlined, so that keys are constants where they are copied: 1.2 % of a line in bjbench
/// shard.
extension JSONWriter: FieldVisitor {
    typealias Failure = Never

    @inline(__always)
    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Never) {
        self.key(key)
        value.write(to: &self)
    }

    @inline(__always)
    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Never) {
        guard let value else { return }
        self.key(key)
        value.write(to: &self)
    }

    @inline(__always)
    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, absent: Value, isWritten: Bool,
        _ documentation: @autoclosure () -> String
    ) throws(Never) {
        guard isWritten else { return }
        self.key(key)
        value.write(to: &self)
    }
}

/// Lists each field that is visited, for the catalog.
struct FieldList: FieldVisitor {
    typealias Failure = Never

    private(set) var fields: [Field] = []

    mutating func required<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Never) {
        fields.append(.required(key.description, Value.shape(bounds), documentation()))
    }

    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value?, _ bounds: Value.Bounds, _ documentation: @autoclosure () -> String
    ) throws(Never) {
        fields.append(.optional(key.description, Value.shape(bounds), documentation()))
    }

    mutating func optional<Value: WireValue>(
        _ key: StaticString, _ value: inout Value, _ bounds: Value.Bounds, absent: Value, isWritten: Bool,
        _ documentation: @autoclosure () -> String
    ) throws(Never) {
        fields.append(.optional(key.description, Value.shape(bounds), documentation()))
    }
}
