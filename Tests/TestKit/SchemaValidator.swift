import CommandLineKit
import Testing

/// Judges values by a JSON Schema. Knows the keywords that our schemas use, and refuses to work with any other.
public final class SchemaValidator {
    private let root: JSONTree
    private var patterns: [String: Regex<AnyRegexOutput>] = [:]

    private static let annotations: Set<String> = ["$schema", "$defs", "title", "description"]
    private static let keywords: Set<String> = [
        "$ref", "type", "const", "enum", "required", "properties", "patternProperties", "additionalProperties", "maxProperties",
        "minimum", "maximum",
        "maxLength", "x-maxBytes", "pattern", "items", "prefixItems", "minItems", "maxItems", "anyOf", "oneOf", "not",
    ]

    /// Properties that were there and that no schema describes, since it was last emptied.
    public private(set) var unknown: Set<String> = []

    public init(_ schema: String) throws {
        root = try JSONTree(parsing: schema.utf8)
        try Self.check(root)
    }

    private struct UnknownKeyword: Error { let keyword: String }

    private static func check(_ schema: JSONTree) throws {
        for member in schema.members {
            guard keywords.contains(member.key) || annotations.contains(member.key) else {
                throw UnknownKeyword(keyword: member.key)
            }
            switch member.key {
            case "properties", "patternProperties", "$defs": for property in member.value.members { try check(property.value) }
            case "items", "not": try check(member.value)
            case "prefixItems", "anyOf", "oneOf": for inner in member.value.elements { try check(inner) }
            default: break
            }
        }
    }

    /// The definitions by name.
    public var definitions: [String: JSONTree] {
        Dictionary(uniqueKeysWithValues: (root["$defs"]?.members ?? []).map { ($0.key, $0.value) })
    }

    /// - Parameter definition: one of ``definitions``; nil for the schema itself.
    public func accepts(_ value: JSONTree, as definition: String? = nil) -> Bool {
        unknown = []
        return accepts(value, definition.map { ["$ref": .string("#/$defs/\($0)")] } ?? root)
    }

    private func accepts(_ value: JSONTree, _ schema: JSONTree) -> Bool {
        schema.members.allSatisfy { keyword in accepts(value, keyword.key, keyword.value, schema) }
    }

    private func accepts(_ value: JSONTree, _ keyword: String, _ argument: JSONTree, _ schema: JSONTree) -> Bool {
        switch keyword {
        case "$ref":
            let name = argument.string?.split(separator: "/").last.map(String.init) ?? ""
            guard let definition = root["$defs"]?[name] else { return false }
            return accepts(value, definition)
        case "type":
            let types = argument.string.map { [$0] } ?? argument.elements.compactMap(\.string)
            return types.contains { isOfType(value, $0) }
        case "const": return value == argument
        case "enum": return argument.elements.contains(value)
        case "anyOf": return argument.elements.contains { accepts(value, $0) }
        case "oneOf": return argument.elements.count { accepts(value, $0) } == 1
        case "not": return !accepts(value, argument)
        case "minimum", "maximum":
            guard case .number(let text) = value.content, case .number(let bound) = argument.content else { return true }
            // Whole numbers as such: the largest ones are beyond what a Double keeps.
            if let number = Int(text), let bound = Int(bound) { return keyword == "minimum" ? number >= bound : number <= bound }
            let (number, limit) = (Double(text) ?? .nan, Double(bound) ?? .nan)
            return keyword == "minimum" ? number >= limit : number <= limit
        case "maxLength": return value.string.map { $0.unicodeScalars.count <= argument.whole ?? 0 } ?? true
        case "x-maxBytes": return value.string.map { $0.utf8.count <= argument.whole ?? 0 } ?? true
        case "pattern": return value.string.map { matches($0, argument.string ?? "") } ?? true
        default: return acceptsParts(value, keyword, argument, schema)
        }
    }

    private func acceptsParts(_ value: JSONTree, _ keyword: String, _ argument: JSONTree, _ schema: JSONTree) -> Bool {
        switch (keyword, value.content) {
        case ("required", .object): return argument.elements.allSatisfy { value[$0.string ?? ""] != nil }
        case ("properties", .object(let members)):
            for member in members where argument[member.key] == nil { unknown.insert(member.key) }
            return members.allSatisfy { member in argument[member.key].map { accepts(member.value, $0) } ?? true }
        case ("patternProperties", .object(let members)):
            return members.allSatisfy { member in
                argument.members.allSatisfy { !matches(member.key, $0.key) || accepts(member.value, $0.value) }
            }
        case ("additionalProperties", .object(let members)):
            return members.allSatisfy { member in
                schema["properties"]?[member.key] != nil
                    || schema["patternProperties"]?.members.contains { matches(member.key, $0.key) } == true
                    || argument != false && accepts(member.value, argument)
            }
        case ("maxProperties", .object(let members)): return members.count <= argument.whole ?? 0
        case ("minItems", .array(let elements)): return elements.count >= argument.whole ?? 0
        case ("maxItems", .array(let elements)): return elements.count <= argument.whole ?? 0
        case ("prefixItems", .array(let elements)):
            return zip(elements, argument.elements).allSatisfy { accepts($0, $1) }
        case ("items", .array(let elements)):
            return elements.dropFirst(schema["prefixItems"]?.elements.count ?? 0).allSatisfy { accepts($0, argument) }
        default: return true
        }
    }

    private func isOfType(_ value: JSONTree, _ type: String) -> Bool {
        switch value.content {
        case .object: type == "object"
        case .array: type == "array"
        case .string: type == "string"
        case .bool: type == "boolean"
        case .null: type == "null"
        // Stricter than JSON Schema's, which takes 1.0 for an integer: see the schema's description.
        case .number(let text): type == "number" || type == "integer" && Int(text) != nil
        }
    }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        if patterns[pattern] == nil {
            do {
                patterns[pattern] = try Regex(pattern).matchingSemantics(.unicodeScalar)
            } catch {
                Issue.record("\(pattern): \(error)")
            }
        }
        return patterns[pattern].map { text.wholeMatch(of: $0) != nil } ?? false
    }
}

extension JSONTree {
    fileprivate var whole: Int? { if case .number(let digits) = content { Int(digits) } else { nil } }
}
