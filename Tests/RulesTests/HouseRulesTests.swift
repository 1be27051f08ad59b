import Rules
import Testing

@Test(arguments: HouseRules.presetNames)
func aPreset_survivesItsOwnFields(name: String) throws {
    let rules = try HouseRules(preset: name)
    #expect(try HouseRules(rules.fieldValues) == rules)
}
